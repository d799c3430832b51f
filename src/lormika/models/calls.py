"""One call of a model: the result is an array of the right shape, or an error that says why not."""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable

import numpy as np

from lormika.errors import InputError, ModelError
from lormika.frames import count_rows, take
from lormika.frames.values import first_masked
from lormika.types import UserTable

Ask = Callable[[UserTable], object]
"""From a frame to what a model says about its rows."""
Predict = Callable[[UserTable], np.ndarray]
"""The same of a model of ours, which answers with an array."""


def call(ask: Ask, frame: UserTable) -> np.ndarray:
    """Labels or probabilities, one for each row."""
    n_rows = count_rows(frame)
    values = _run(ask, frame, n_rows)
    try:
        answer = np.asarray(values)
    except ValueError:
        raise ModelError("the model gave lists of different lengths; expected one label per row") from None
    if answer.ndim == 2 and answer.shape[1] == 1 and answer.dtype.kind != "f":
        answer = answer[:, 0]
    if answer.ndim not in (1, 2) or len(answer) != n_rows or answer.size == 0:
        raise ModelError(
            f"the model gave an answer of shape {answer.shape} for {n_rows} rows; expected one label, or one "
            "probability of each class, per row"
        )
    if answer.ndim == 2 and answer.shape[1] == 1:
        raise ModelError("the model gave one probability per row; return one for each class: stack 1 - p and p")
    if answer.ndim == 1:
        _check_labels(answer)
    return answer


def _check_labels(labels: np.ndarray) -> None:
    """Refuse numbers from a regression, and labels that cannot be told apart; other faults are found later."""
    if labels.dtype.kind == "f" and (np.isfinite(labels) & (labels != np.rint(labels))).any():
        raise ModelError(
            "the model gave fractional numbers, not labels: a regression cannot be explained here; for the probability "
            "of one class, return one probability for each class"
        )
    for row, label in enumerate(labels.tolist() if labels.dtype.kind == "O" else ()):
        if not isinstance(label, Hashable):
            raise ModelError(f"the model gave {label!r} in row {row} of its input; expected a string or a number")


def call_scores(ask: Ask, frame: UserTable) -> np.ndarray:
    """Numbers of a decision function, one or several for each row."""
    n_rows = count_rows(frame)
    values = _run(ask, frame, n_rows)
    try:
        scores = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ModelError("the model's decision_function gave something else than numbers") from None
    if scores.ndim not in (1, 2) or len(scores) != n_rows:
        raise ModelError(f"the model's decision_function gave an answer of shape {scores.shape} for {n_rows} rows")
    return scores


def _run(ask: Ask, frame: UserTable, n_rows: int) -> object:
    """The model's answer; whatever it raises becomes an error of the model."""
    try:
        answer = ask(frame)
    except (InputError, ModelError):  # of a loaded model, which says itself what went wrong
        raise
    except SystemExit as error:
        raise ModelError(f"the model ended the program with sys.exit({error.code!r}), on {n_rows} rows") from error
    except Exception as error:
        name = getattr(ask, "__qualname__", type(ask).__name__)
        raise ModelError(f"the model failed in {name} on {n_rows} rows: {_words(error)}") from error
    row = first_masked(answer)
    if row is not None:  # in a plain array, hidden values would show again
        raise ModelError(f"the model's answer is masked in row {row} of its input; expected one for every row")
    return answer


def _words(error: Exception) -> str:
    """What an error says, if it can say it."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:
        return type(error).__name__


def rows_of(table: UserTable, numbers: np.ndarray) -> UserTable:
    """Some rows of the user's table, or all, which a model may change without changing that table."""
    return copied(table) if len(numbers) == count_rows(table) else take(table, numbers)


def copied(table: UserTable) -> UserTable:
    """A copy of the table; values that nothing can change are not copied."""
    if type(table).__module__.partition(".")[0] == "pyarrow":
        return table
    return table.copy() if isinstance(table, np.ndarray) else copy.deepcopy(table)

"""One call of a model: the result is an array of the right shape, or an error that says why not."""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable

import numpy as np

from lormika.errors import InputError, ModelError
from lormika.frames import count_rows, take
from lormika.frames.values import first_masked
from lormika.types import UserTable

_STACK = "\nStack trace:"
_VALUE_DIGITS = 12
_MOST_VALUE = 1e300  # sums of values must not overflow

BY_BANDS = (
    'give bands of the values to tell apart, such as bands=[100, 200], or bands="around" for below, about and above '
    "what it predicts (lormika explain and batch: --bands 100,200 or --bands around)"
)
"""What to do with a regression."""

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
            f"the model gave fractional numbers, not labels. A regression: {BY_BANDS}. The probability of one class: "
            "return one probability for each class"
        )
    for row, label in enumerate(labels.tolist() if labels.dtype.kind == "O" else ()):
        if not isinstance(label, Hashable):
            raise ModelError(f"the model gave {label!r} in row {row} of its input; expected a string or a number")


def call_values(ask: Ask, frame: UserTable) -> np.ndarray:
    """Finite numbers of a regressor, one for each row."""
    n_rows = count_rows(frame)
    values = np.asarray(_run(ask, frame, n_rows))
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.shape != (n_rows,):
        raise ModelError(
            f"the model gave an answer of shape {values.shape} for {n_rows} rows; expected one number each"
        )
    return read_values(values, "the model gave {value} in row {row} of its input", ModelError)


def read_values(values: np.ndarray, place: str, kind: type[Exception]) -> np.ndarray:
    """Numbers of a regression in double precision, to twelve digits; what is no such number is refused.

    The last digits differ between calls with more or fewer rows; explanations must not. In single precision, numbers
    are taken as they are written: 0.7 is then 0.7, and not a little less.
    """
    if values.dtype.kind == "f" and values.dtype.itemsize > np.dtype(np.float64).itemsize:
        values = values.astype(np.float64)
    numbers = values.tolist()
    for row, value in enumerate(numbers):
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < _MOST_VALUE:
            raise kind(f"{place.format(value=repr(value), row=row)}; expected a finite number")
    is_single = values.dtype.kind == "f" and values.dtype.itemsize < np.dtype(np.float64).itemsize
    rounded = [float(str(value)) for value in values] if is_single else list(map(round_value, numbers))
    return np.array(rounded) + 0.0  # one zero


def round_value(value: float) -> float:
    """A value with as many digits as are the same in batches of different sizes."""
    return float(f"{value:.{_VALUE_DIGITS}g}")


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
    """What an error says, if it can say it; without the stack of a library in C++, which some add below."""
    try:
        return f"{type(error).__name__}: {str(error).partition(_STACK)[0].rstrip()}"
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

"""What counts as a model: anything that gives each row of a frame a label, or a probability of each class."""

from __future__ import annotations

import copy
import math
import sys
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from lormika.errors import InputError, ModelError, quote
from lormika.frames.readers import listing, take
from lormika.frames.values import Scalar, first_masked, is_list, is_too_large, plain, value_order

_ROWS_TO_COMPARE = 1000
_MOST_NUMBERS = 100  # that a function may give as labels
_DIGITS = 9  # of a probability
_ROUNDING = 1e-6  # how far a probability may lie outside 0 to 1
_MOST_SCORE = 1e30  # of a decision function
_AGREEMENT = 0.99  # of labels and largest scores, for these to count as the margin of the decision

METHODS = ("predict", "predict_proba", "decision_function")
"""What a model may be asked by."""

Unit = Literal["probability", "margin", "label"]
"""How certain a model is of a class: its probability, the margin of its decision function, or the label alone."""


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """A model's answer for some rows."""

    labels: np.ndarray  # positions in the model's classes
    probabilities: np.ndarray | None  # rows x classes
    scores: np.ndarray | None = None  # rows x classes: of a model that has a decision function instead

    def __getitem__(self, rows: slice | np.ndarray) -> Answer:
        return Answer(
            self.labels[rows],
            None if self.probabilities is None else self.probabilities[rows],
            None if self.scores is None else self.scores[rows],
        )

    @property
    def unit(self) -> Unit:
        """What tells how certain the model is."""
        return "probability" if self.probabilities is not None else "label" if self.scores is None else "margin"

    def certainty(self, c: int) -> np.ndarray:
        """How certain the model is of a class, in its unit: 1 or 0, if there are labels only."""
        if self.probabilities is not None:
            certainty: np.ndarray = self.probabilities[:, c]
            return certainty
        if self.scores is None:
            is_class: np.ndarray = self.labels == c
            return is_class.astype(np.float64)
        margin: np.ndarray = self.scores[:, c] - np.delete(self.scores, c, axis=1).max(axis=1)
        return margin


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A classifier with its classes, whichever library it comes from."""

    ask: Callable[[Any], Any]  # frame -> labels or probabilities
    decide: Callable[[Any], Any] | None  # frame -> labels, for a model whose labels are not its most probable classes
    classes: tuple[Scalar, ...]  # as the model calls them
    names: tuple[Scalar, ...]  # as they are shown
    scores: bool = False  # `ask` gives the scores of a decision function

    @classmethod
    def of(
        cls, model: Any, classes: tuple[Scalar, ...], names: tuple[Scalar, ...], *, decides: bool, scores: bool
    ) -> Model:
        """A model of which all is known already; see `as_model` for one of which it is not."""
        ask, decide = _methods(model)
        if scores:
            ask, decide = model.decision_function, ask
        return cls(ask, decide if decides else None, classes, names, scores)

    def __call__(self, frame: Any, n_rows: int) -> Answer:
        """Ask once about all rows."""
        given = frame if self.decide is None else _copy(frame)  # a model may change what it is given
        if self.scores:
            answer = self.read_scores(_call_scores(self.ask, given, n_rows))
        else:
            answer = self.read(_call(self.ask, given, n_rows))
        if self.decide is None:
            return answer
        return replace(answer, labels=self.positions(_call(self.decide, frame, n_rows)))

    def read_scores(self, scores: np.ndarray) -> Answer:
        """Labels and scores from what a decision function returned: of two classes, it scores the second."""
        if scores.ndim == 1:
            scores = np.column_stack([np.zeros(len(scores)), scores])
        if scores.shape[1] != len(self.classes) or not (np.abs(scores) < _MOST_SCORE).all():
            raise ModelError(
                f"the model's decision_function gave an answer of shape {scores.shape}; expected numbers below "
                f"{_MOST_SCORE:g}, one for each of {len(self.classes)} classes"
            )
        # In single precision, for the reason of `_DIGITS`.
        return Answer(scores.argmax(axis=1), None, scores.astype(np.float32).astype(np.float64))

    def read(self, answer: np.ndarray) -> Answer:
        """Labels and probabilities from what the model returned."""
        if answer.ndim == 1:
            return Answer(self.positions(answer), None)
        probabilities = _probabilities(answer, len(self.classes))
        # Products of matrices differ in their last bits between batches of different sizes; what is said must not.
        return Answer(probabilities.argmax(axis=1), probabilities.round(_DIGITS))

    def positions(self, labels: np.ndarray) -> np.ndarray:
        """Position of each label among the classes."""
        found = _positions(labels, self.classes)
        if (found < 0).any():
            row = int((found < 0).argmax())
            raise ModelError(
                f"the model gave the label {plain(labels[row])!r} in row {row} of its input; its classes are "
                f"{listing(self.classes)} (a function's, if it can give others: name all of them in class_names)"
            )
        return found


def as_model(
    model: Any, background: Any, n_rows: int, class_names: Sequence[Scalar] | None, labels: Any = None
) -> tuple[Model, np.ndarray]:
    """Make a model of whatever the user has, and give its labels of the background.

    The background passes through the model once; if its labels are known already, only some of its rows do.
    """
    ask, decide = _methods(model)
    own = classes_of(model)
    names = None if class_names is None else _class_names(class_names)
    given = None if labels is None else _given_labels(labels, n_rows)
    asked = n_rows if given is None else min(n_rows, _ROWS_TO_COMPARE)
    answer = _call(ask, _rows(background, np.arange(asked), n_rows), asked)
    classes = own or _classes(answer, names, given)
    if names is not None and len(names) != len(classes):
        raise InputError(f"class_names has {len(names)} names; the model has {len(classes)} classes")

    wrapped = Model(ask, None, classes, names or classes)
    said = wrapped.read(answer)
    if said.probabilities is None:
        wrapped = _with_scores(wrapped, model, said.labels, background, n_rows)
    if decide is not None and _decides_otherwise(wrapped, decide, said, background, n_rows):
        wrapped = replace(wrapped, decide=decide)
    if given is not None:
        return wrapped, _given_positions(given, wrapped)
    if wrapped.decide is not None and not wrapped.scores:
        return wrapped, wrapped.positions(_call(wrapped.decide, _copy(background), n_rows))
    return wrapped, said.labels


def _with_scores(model: Model, own: Any, labels: np.ndarray, background: Any, n_rows: int) -> Model:
    """The model asked for the scores of its decision function, if its labels are those with the largest score.

    Where some may not be, its labels are asked for as well.
    """
    if not callable(getattr(own, "decision_function", None)):
        return model
    compared = min(len(labels), _ROWS_TO_COMPARE)
    scored = replace(model, ask=own.decision_function, scores=True)
    try:
        answer = scored(_rows(background, np.arange(compared), n_rows), compared)
    except ModelError:  # one score for each pair of classes, for instance
        return model
    agree = answer.labels == labels[:compared]
    if agree.mean() < _AGREEMENT:
        return model
    # Of several classes, another than that with the largest score may win, as in the votes of an SVC.
    return scored if agree.all() and len(model.classes) == 2 else replace(scored, decide=model.ask)


def _decides_otherwise(model: Model, decide: Callable[[Any], Any], said: Answer, background: Any, n_rows: int) -> bool:
    """Whether the model's labels are not its most probable classes: a tuned threshold, or an SVC.

    Asked are the rows with the least margin between two classes, where such a model shows it.
    """
    if said.probabilities is None:
        return False
    second, first = np.partition(said.probabilities, -2, axis=1)[:, -2:].T
    rows = np.sort(np.argsort(first - second, kind="stable")[:_ROWS_TO_COMPARE])
    decided = _call(decide, _rows(background, rows, n_rows), len(rows))
    return decided.ndim == 1 and bool((model.positions(decided) != said.labels[rows]).any())


def _methods(model: Any) -> tuple[Callable[[Any], Any], Callable[[Any], Any] | None]:
    """What to ask for probabilities (or labels, if there are none), and what to ask for labels beside them."""
    if _is_regressor(model):
        raise InputError(f"model: a {type(model).__name__} is a regressor; only classifiers can be explained")
    predict, predict_proba = getattr(model, "predict", None), getattr(model, "predict_proba", None)
    if callable(predict_proba):
        return predict_proba, predict if callable(predict) else None
    if callable(predict):
        return predict, None
    if callable(model):
        return model, None
    raise InputError(
        f"model: a {type(model).__name__} has neither predict_proba nor predict and cannot be called; "
        "give a fitted classifier, or a function from a frame to labels or probabilities"
    )


def asked_for(model: Any) -> Callable[[Any], Any]:
    """What a model is asked by first."""
    return _methods(model)[0]


def check_model(model: Any, source: str) -> None:
    """Refuse what was loaded, but is no classifier."""
    try:
        _methods(model)
        classes_of(model)
    except InputError as error:
        raise InputError(f"{source}: {str(error).removeprefix('model: ')}") from None
    except Exception as error:  # whatever the attributes of a broken or foreign object lead to
        raise InputError(f"{source} holds no model that can be asked: {type(error).__name__}: {error}") from error


def _is_regressor(model: Any) -> bool:
    if "sklearn" not in sys.modules or not hasattr(model, "predict"):  # else it cannot be one of its kind
        return False
    from sklearn.base import is_regressor

    try:
        return bool(is_regressor(model))
    except Exception:  # whatever a model of another library makes of the question
        return False


def _run(ask: Callable[[Any], Any], frame: Any, n_rows: int) -> Any:
    """Ask the model; whatever it raises is an error of the model's."""
    try:
        return ask(frame)
    except (InputError, ModelError):  # of a loaded model, which says itself what went wrong
        raise
    except SystemExit as error:
        raise ModelError(f"the model ended the program with sys.exit({error.code!r}), on {n_rows} rows") from error
    except Exception as error:
        name = getattr(ask, "__qualname__", type(ask).__name__)
        raise ModelError(f"the model failed in {name} on {n_rows} rows: {type(error).__name__}: {error}") from error


def _call(ask: Callable[[Any], Any], frame: Any, n_rows: int) -> np.ndarray:
    given = _unmasked(_run(ask, frame, n_rows))
    try:
        answer = np.asarray(given)
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
    if answer.ndim == 1 and answer.dtype.kind == "f" and (np.isfinite(answer) & (answer != np.rint(answer))).any():
        raise ModelError(
            "the model gave fractional numbers, not labels: a regression cannot be explained here; for the probability "
            "of one class, return one probability for each class"
        )
    if answer.ndim == 1 and answer.dtype.kind == "O":
        _check_labels(answer.tolist())
    return answer


def _check_labels(labels: list[Any]) -> None:
    """Refuse labels that cannot be told apart; whether they are of the right kind is seen later."""
    for row, label in enumerate(labels):
        if not isinstance(label, Hashable):
            raise ModelError(f"the model gave {label!r} in row {row} of its input; expected a string or a number")


def _call_scores(ask: Callable[[Any], Any], frame: Any, n_rows: int) -> np.ndarray:
    given = _unmasked(_run(ask, frame, n_rows))
    try:
        scores = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ModelError("the model's decision_function gave something else than numbers") from None
    if scores.ndim not in (1, 2) or len(scores) != n_rows:
        raise ModelError(f"the model's decision_function gave an answer of shape {scores.shape} for {n_rows} rows")
    return scores


def _unmasked(answer: Any) -> Any:
    """Refuse an answer that hides values, which would show again in a plain array."""
    row = first_masked(answer)
    if row is not None:
        raise ModelError(f"the model's answer is masked in row {row} of its input; expected one for every row")
    return answer


def _rows(table: Any, numbers: np.ndarray, n_rows: int) -> Any:
    """Some rows of the user's table, or all, which a model may change without changing that table."""
    return _copy(table) if len(numbers) == n_rows else take(table, numbers)


def _copy(table: Any) -> Any:
    """The same table again; values are not copied where nothing can change them."""
    if type(table).__module__.partition(".")[0] == "pyarrow":
        return table
    return table.copy() if isinstance(table, np.ndarray) else copy.deepcopy(table)


def _probabilities(answer: np.ndarray, n_classes: int) -> np.ndarray:
    if answer.ndim != 2 or answer.shape[1] != n_classes:
        raise ModelError(
            f"the model gave an answer of shape {answer.shape}; expected {n_classes} probabilities per row"
        )
    if answer.dtype.kind not in "fiub":
        raise ModelError(f"the model gave {n_classes} answers of the type {answer.dtype} per row, not probabilities")
    answer = answer.astype(np.float64, copy=False)
    outside = ~((answer >= -_ROUNDING) & (answer <= 1 + _ROUNDING))  # NaN, too
    if outside.any():
        row, position = np.argwhere(outside)[0]
        raise ModelError(
            f"the model gave the probability {answer[row, position]} in row {row} of its input; expected numbers from "
            "0 to 1 (if these are scores, turn them into probabilities)"
        )
    return answer


# Classes


def classes_of(model: Any) -> tuple[Scalar, ...] | None:
    """Classes of a fitted estimator, as it calls them."""
    own = getattr(model, "classes_", None)
    if own is None:
        return None
    if not isinstance(own, Iterable):
        raise InputError(f"model: its classes_ is a {type(own).__name__}; expected a list of labels")
    if any(np.ndim(label) for label in own):
        raise InputError("model: it has several outputs; wrap one of them in a function")
    classes = tuple(plain(label) for label in own)
    if len(classes) < 2:
        raise InputError(f"model: it knows no class but {listing(classes)}; there is nothing to explain")
    return classes


def _class_names(given: Any) -> tuple[Scalar, ...]:
    if isinstance(given, Mapping) or not is_list(given):
        raise InputError(f"class_names={quote(given)}: give a list of names, in the order of the model's classes")
    names = [plain(name) for name in given]
    wrong = [name for name in names if not _is_label(name)]
    if wrong:
        raise InputError(f"class_names holds {quote(wrong[0])}: give strings, numbers or booleans")
    if len(set(names)) < len(names):
        raise InputError(f"class_names={names!r}: give each class a name of its own")
    return tuple(names)


def _classes(answer: np.ndarray, names: tuple[Scalar, ...] | None, given: np.ndarray | None) -> tuple[Scalar, ...]:
    """Classes as a model without a list of its own calls them: their names, or the labels it was seen to give."""
    if answer.ndim == 2:
        return names if names is not None and len(names) == answer.shape[1] else tuple(range(answer.shape[1]))
    labels, inverse = _distinct(answer)
    for position, label in enumerate(labels):
        if not _is_label(label):
            row = int((inverse == position).argmax())
            raise ModelError(f"the model gave {label!r} in row {row} of its input; expected a string or a number")
    said = set(labels)
    if names is not None:
        if all(label in range(len(names)) for label in said - set(names)):
            return names if said <= set(names) else tuple(range(len(names)))
        raise InputError(f"class_names lacks {min(said - set(names), key=value_order)!r}, which the model says")
    if answer.dtype.kind == "f" and len(labels) > _MOST_NUMBERS:
        raise ModelError(
            f"the model gave {len(labels):,} different numbers: a regression, where only classifiers can be explained"
        )
    known = said if given is None else set(_distinct(given)[0])
    if said - known:
        raise InputError(f"labels lacks {min(said - known, key=value_order)!r}, which the model says")
    return tuple(sorted(filter(_is_label, known), key=value_order))


def _given_labels(labels: Any, n_rows: int) -> np.ndarray:
    row = first_masked(labels)
    if row is not None:
        raise InputError(f"labels, row {row}: the label is masked; give the model's label of every row")
    given = np.asarray(labels)
    if given.shape != (n_rows,):
        raise InputError(f"labels has the shape {given.shape}; the background has {n_rows} rows")
    return given


def _given_positions(given: np.ndarray, model: Model) -> np.ndarray:
    """Position of each given label among the model's classes, or among their names."""
    found = _positions(given, model.classes)
    found = np.where(found < 0, _positions(given, model.names), found)
    if (found < 0).any():
        row = int((found < 0).argmax())
        raise InputError(
            f"labels, row {row}: {plain(given[row])!r} is not among the model's classes: {listing(model.classes)}"
        )
    return found


def _positions(labels: np.ndarray, classes: tuple[Scalar, ...]) -> np.ndarray:
    """Position of each label among the classes; -1: it is none of them."""
    place = {label: position for position, label in enumerate(classes)}
    distinct, inverse = _distinct(labels)
    found: np.ndarray = np.array([place.get(label, -1) for label in distinct], dtype=np.intp)[inverse]
    return found


def _distinct(labels: np.ndarray) -> tuple[list[Any], np.ndarray]:
    """Different labels, and which of them each row has."""
    if labels.dtype.kind != "O":
        distinct, inverse = np.unique(labels, return_inverse=True)
        return distinct.tolist(), inverse
    index: dict[Any, int] = {}
    numbers = [index.setdefault(plain(label), len(index)) for label in labels.tolist()]
    return list(index), np.array(numbers, dtype=np.intp)


def _is_label(value: object) -> bool:
    is_finite = not is_too_large(value) and not (isinstance(value, float) and not math.isfinite(value))
    return isinstance(value, str | int | float) and is_finite

"""What counts as a model: anything that gives each row of a frame a label, or a probability for each class."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from lormika.errors import InputError, ModelError
from lormika.frames import listing
from lormika.frames.encoded import Encoded
from lormika.frames.schema import Schema
from lormika.frames.values import Scalar, plain
from lormika.models.bands import Bands
from lormika.models.calls import BY_BANDS, Ask, call, call_scores, call_values, copied
from lormika.models.classes import classes_of, positions
from lormika.models.pipelines import QuickPipeline, quicken
from lormika.types import UserModel, UserTable

_DIGITS = 9  # of a probability
_ROUNDING = 1e-6  # how far a probability may lie outside 0 to 1
_MOST_SCORE = 1e30  # of a decision function

METHODS = ("predict", "predict_proba", "decision_function")
"""Methods by which a model may be asked."""

Unit = Literal["probability", "margin", "label", "value"]
"""How certain a model is of a class: its probability, the margin of its decision function, the label alone, or, of a
regressor by bands, how far its value lies inside of one."""


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """A model's answer for some rows.

    >>> Answer(np.array([1]), np.array([[0.2, 0.8]])).certainty(1)
    array([0.8])
    """

    labels: np.ndarray  #: positions in the model's classes
    probabilities: np.ndarray | None  #: rows x classes
    scores: np.ndarray | None = None  #: rows x classes: of a model that has a decision function instead
    values: np.ndarray | None = None  #: of a regressor
    bands: Bands | None = None  #: of these values

    def __getitem__(self, rows: slice | np.ndarray) -> Answer:
        """The answer about some rows, by their positions."""

        def some(array: np.ndarray) -> np.ndarray:
            return array[rows] if isinstance(rows, slice) else array.take(rows, axis=0)

        return Answer(
            some(self.labels),
            None if self.probabilities is None else some(self.probabilities),
            None if self.scores is None else some(self.scores),
            None if self.values is None else some(self.values),
            self.bands,
        )

    @classmethod
    def joined(cls, answers: Sequence[Answer]) -> Answer:
        """One answer from several about different rows."""
        probabilities, scores, values = (
            None if getattr(answers[0], name) is None else np.concatenate([getattr(one, name) for one in answers])
            for name in ("probabilities", "scores", "values")
        )
        labels = np.concatenate([one.labels for one in answers])
        return cls(labels, probabilities, scores, values, answers[0].bands)

    @property
    def unit(self) -> Unit:
        """The measure of how certain the model is."""
        if self.values is not None:
            return "value"
        return "probability" if self.probabilities is not None else "label" if self.scores is None else "margin"

    def by(self, bands: Bands) -> Answer:
        """The same values in other bands."""
        assert self.values is not None
        return Answer(bands.positions(self.values), None, None, self.values, bands)

    def certainty(self, c: int) -> np.ndarray:
        """How certain the model is of a class, in its unit: 1 or 0, if there are only labels."""
        if self.values is not None and self.bands is not None:
            return self.bands.depths(self.values, c)
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
    """A classifier with its classes, whichever library it comes from.

    Examples
    --------
    >>> from lormika import Explainer, datasets
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = datasets.make_loans(300)
    >>> numbers = X[["income", "debt_ratio", "missed_payments"]]
    >>> explainer = Explainer(DecisionTreeClassifier(max_depth=4, random_state=0).fit(numbers, y), numbers)
    >>> explainer.model.names, explainer.model(numbers.head(1)).unit
    (('accepted', 'rejected'), 'probability')
    """

    ask: Ask  #: for labels or probabilities
    decide: Ask | None  #: for labels, of a model whose labels are not its most probable classes
    classes: tuple[Scalar, ...]  #: as the model calls them
    names: tuple[Scalar, ...]  #: as they are shown
    scores: bool = False  #: `ask` gives the scores of a decision function
    threshold: float | None = None  #: of the probability of the second of two classes; None: the most probable one
    bands: Bands | None = None  #: of a regressor, whose values `ask` gives

    @classmethod
    def of(
        cls,
        model: UserModel,
        classes: tuple[Scalar, ...],
        names: tuple[Scalar, ...],
        *,
        decides: bool,
        scores: bool,
        threshold: float | None = None,
        bands: Bands | None = None,
    ) -> Model:
        """A model about which everything is known already; see `as_model` for the others."""
        if bands is not None:
            return cls(value_method(model), None, classes, names, bands=bands)
        ask, decide = methods_of(model)
        if scores:
            ask, decide = quicken(model.decision_function), ask
        return cls(ask, decide if decides else None, classes, names, scores, threshold)

    def __call__(self, frame: UserTable) -> Answer:
        """Ask once about all rows."""
        if self.bands is not None:
            return self.read_values(call_values(self.ask, frame), self.bands)
        first = frame if self.decide is None else copied(frame)  # a model may change what it gets
        answer = self.read_scores(call_scores(self.ask, first)) if self.scores else self.read(call(self.ask, first))
        if self.decide is None:
            return answer
        return replace(answer, labels=self.positions(call(self.decide, frame)))

    def about(self, schema: Schema, rows: np.ndarray) -> Answer:
        """Ask once about encoded rows, which some models can read without a frame."""
        reads = isinstance(self.ask, QuickPipeline) and self.decide is None
        return self(Encoded(schema, rows) if reads else schema.restore(rows))

    def read_scores(self, scores: np.ndarray) -> Answer:
        """Labels and scores from what a decision function returned: with two classes, it scores the second."""
        if scores.ndim == 1:
            scores = np.column_stack([np.zeros(len(scores)), scores])
        if scores.shape[1] != len(self.classes) or not (np.abs(scores) < _MOST_SCORE).all():
            raise ModelError(
                f"the model's decision_function gave an answer of shape {scores.shape}; expected numbers below "
                f"{_MOST_SCORE:g}, one for each of {len(self.classes)} classes"
            )
        # In single precision, for the reason of `_DIGITS`.
        return Answer(_greatest(scores), None, scores.astype(np.float32).astype(np.float64))

    @staticmethod
    def read_values(values: np.ndarray, bands: Bands) -> Answer:
        """Bands of the values of a regressor; around no value in particular, each is about itself."""
        if bands.is_around and not bands.edges:
            return Answer(np.ones(len(values), dtype=np.intp), None, None, values, bands)
        return Answer(bands.positions(values), None, None, values, bands)

    def read(self, answer: np.ndarray) -> Answer:
        """Labels and probabilities from what the model returned."""
        if answer.ndim == 1:
            return Answer(self.positions(answer), None)
        probabilities = _probabilities(answer, len(self.classes))
        # Matrix products differ in their last bits between batches of different sizes; explanations must not.
        rounded = probabilities.round(_DIGITS)
        if self.threshold is None:
            return Answer(_greatest(probabilities), rounded)
        return Answer((rounded[:, 1] >= self.threshold).astype(np.intp), rounded)

    def positions(self, labels: np.ndarray) -> np.ndarray:
        """Position of each label among the classes."""
        places = positions(labels, self.classes)
        if (places < 0).any():
            row = int((places < 0).argmax())
            raise ModelError(
                f"the model gave the label {plain(labels[row])!r} in row {row} of its input; its classes are "
                f"{listing(self.classes)} (a function's, if it can give others: name all of them in class_names)"
            )
        return places


def _greatest(numbers: np.ndarray) -> np.ndarray:
    """Position of the greatest number of each row, the first of equal ones; of two, quickly."""
    greatest: np.ndarray = numbers.argmax(axis=1) if numbers.shape[1] != 2 else numbers[:, 1] > numbers[:, 0]
    return greatest.astype(np.intp, copy=False)


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


def methods_of(model: UserModel) -> tuple[Ask, Ask | None]:
    """The method for probabilities (or labels, if there are none), and the method for labels besides."""
    if _is_regressor(model):
        raise InputError(f"model: a {type(model).__name__} is a regressor: {BY_BANDS}")
    ask, decide = _methods_of(model)
    return quicken(ask), decide


def _methods_of(model: UserModel) -> tuple[Ask, Ask | None]:
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


def value_method(model: UserModel) -> Ask:
    """The method for the values of a regressor."""
    if callable(getattr(model, "predict_proba", None)) or classes_of(model) is not None:
        raise InputError(f"bands are for a regressor; a {type(model).__name__} has classes of its own: leave them out")
    return quicken(_methods_of(model)[0])


def model_kind(model: UserModel) -> str:
    """What people call a model: its class, or that of the last step of a pipeline; a function by its name.

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> model_kind(make_pipeline(DecisionTreeClassifier())), model_kind(model_kind)
    ('DecisionTreeClassifier', 'model_kind')
    """
    kind = getattr(model, "kind", None)  # of a model in another process
    if isinstance(kind, str):
        return kind
    steps = getattr(model, "steps", None)
    if isinstance(steps, list) and steps:
        model = steps[-1][-1]
    return str(getattr(model, "__name__", type(model).__name__))


def check_model(model: UserModel, source: str) -> None:
    """Refuse something that was loaded but cannot be a model."""
    try:
        _methods_of(model)
        classes_of(model)
    except InputError as error:
        raise InputError(f"{source}: {str(error).removeprefix('model: ')}") from None
    except Exception as error:  # whatever the attributes of a broken or foreign object lead to
        raise InputError(f"{source} holds no model that can be asked: {type(error).__name__}: {error}") from error


def _is_regressor(model: UserModel) -> bool:
    if "sklearn" not in sys.modules or not hasattr(model, "predict"):  # else it cannot be one of its kind
        return False
    from sklearn.base import is_regressor

    try:
        return bool(is_regressor(model))
    except Exception:  # whatever a model of another library makes of the question
        return False

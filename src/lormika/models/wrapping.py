"""From whatever the user provides to a `Model`: what it can be asked, and how certain it is of its labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lormika.checks import check_number
from lormika.errors import InputError, ModelError
from lormika.frames import count_rows, listing
from lormika.frames.values import Scalar, plain
from lormika.models.calls import Ask, call, copied, rows_of
from lormika.models.classes import classes_of, derive_classes, positions, read_class_names, read_predictions
from lormika.models.model import Answer, Model, methods_of
from lormika.models.pipelines import quicken
from lormika.types import UserColumn, UserModel, UserTable

_ROWS_TO_COMPARE = 1000
_AGREEMENT = 0.99  # of labels and largest scores, for these to count as the margin of the decision


def as_model(
    model: UserModel,
    background: UserTable,
    class_names: Sequence[Scalar] | None,
    predictions: UserColumn | None = None,
    threshold: float | None = None,
) -> tuple[Model, np.ndarray]:
    """Make a model of whatever the user provides, and return its labels for the background.

    The background passes through the model once; if its labels are already known, only some of its rows do.
    """
    if threshold is not None and predictions is not None:
        raise InputError("predictions: with a threshold, those of the background follow from it; leave them out")
    if threshold is not None:
        check_number("threshold", threshold, 0.0, 1.0)
    ask, decide = methods_of(model)
    own, n_rows = classes_of(model), count_rows(background)
    names = None if class_names is None else read_class_names(class_names)
    existing = None if predictions is None else read_predictions(predictions, n_rows)
    n_asked = n_rows if existing is None else min(n_rows, _ROWS_TO_COMPARE)
    values = call(ask, rows_of(background, np.arange(n_asked)))
    classes = own or derive_classes(values, names, existing)
    if names is not None and len(names) != len(classes):
        raise InputError(f"class_names has {len(names)} names; the model has {len(classes)} classes")

    wrapped = Model(ask, None, classes, names or classes, threshold=threshold)
    answer = wrapped.read(values)
    if threshold is not None:
        _check_threshold(answer, len(classes))
    if answer.probabilities is None:
        wrapped = _with_scores(wrapped, model, answer.labels, background)
    if decide is not None and threshold is None and _decides_otherwise(wrapped, decide, answer, background):
        wrapped = replace(wrapped, decide=decide)
    if existing is not None:
        return wrapped, _existing_positions(existing, wrapped)
    if wrapped.decide is not None and not wrapped.scores:
        return wrapped, wrapped.positions(call(wrapped.decide, copied(background)))
    return wrapped, answer.labels


def _check_threshold(answer: Answer, n_classes: int) -> None:
    """Refuse a threshold that a model cannot have."""
    if answer.probabilities is None:
        raise InputError("threshold is about probabilities, which this model does not give")
    if n_classes != 2:
        raise InputError(f"threshold is for two classes; the model has {n_classes}")


def _with_scores(model: Model, own: UserModel, labels: np.ndarray, background: UserTable) -> Model:
    """The model asked for the scores of its decision function, if its labels are those with the largest score.

    Where some labels may not be, they are asked for as well.
    """
    if not callable(getattr(own, "decision_function", None)):
        return model
    compared = min(len(labels), _ROWS_TO_COMPARE)
    scored = replace(model, ask=quicken(own.decision_function), scores=True)
    try:
        answer = scored(rows_of(background, np.arange(compared)))
    except ModelError:  # one score for each pair of classes, for instance
        return model
    agree = answer.labels == labels[:compared]
    if agree.mean() < _AGREEMENT:
        return model
    # Of several classes, another than that with the largest score may win, as in the votes of an SVC.
    return scored if agree.all() and len(model.classes) == 2 else replace(scored, decide=model.ask)


def _decides_otherwise(model: Model, decide: Ask, answer: Answer, background: UserTable) -> bool:
    """Whether the model's labels are not its most probable classes: a tuned threshold, or an SVC.

    The test uses the rows with the least margin between two classes, where such a model gives itself away.
    """
    if answer.probabilities is None:
        return False
    second, first = np.partition(answer.probabilities, -2, axis=1)[:, -2:].T
    rows = np.sort(np.argsort(first - second, kind="stable")[:_ROWS_TO_COMPARE])
    labels = call(decide, rows_of(background, rows))
    return labels.ndim == 1 and bool((model.positions(labels) != answer.labels[rows]).any())


def _existing_positions(labels: np.ndarray, model: Model) -> np.ndarray:
    """Position of each of the user's labels among the model's classes, or among their names."""
    places = positions(labels, model.classes)
    places = np.where(places < 0, positions(labels, model.names), places)
    if (places < 0).any():
        row = int((places < 0).argmax())
        raise InputError(
            f"predictions, row {row}: {plain(labels[row])!r} is not among the model's classes: {listing(model.classes)}"
        )
    return places

"""Classes of a model: as it names them itself, as the user names them, or as its labels show."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from lormika.errors import InputError, ModelError, quote
from lormika.frames import listing
from lormika.frames.values import Scalar, first_masked, is_list, is_too_large, plain, value_order
from lormika.models.calls import BY_BANDS
from lormika.types import UserColumn, UserModel, UserValue

_MOST_NUMBERS = 100  # that a function may give as labels


def classes_of(model: UserModel) -> tuple[Scalar, ...] | None:
    """Classes of a fitted estimator, as it names them."""
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


def read_class_names(class_names: Sequence[Scalar]) -> tuple[Scalar, ...]:
    """Names that the user gives to the classes."""
    if isinstance(class_names, Mapping) or not is_list(class_names):
        raise InputError(f"class_names={quote(class_names)}: give a list of names, in the order of the model's classes")
    names = [plain(name) for name in class_names]
    wrong = [name for name in names if not _is_label(name)]
    if wrong:
        raise InputError(f"class_names holds {quote(wrong[0])}: give strings, numbers or booleans")
    if len(set(names)) < len(names):
        raise InputError(f"class_names={names!r}: give each class a name of its own")
    return tuple(names)


def read_predictions(predictions: UserColumn, n_rows: int) -> np.ndarray:
    """Labels of the background that the user already has."""
    row = first_masked(predictions)
    if row is not None:
        raise InputError(f"predictions, row {row}: the label is masked; give the model's label of every row")
    values = np.asarray(predictions)
    if values.shape != (n_rows,):
        raise InputError(f"predictions has the shape {values.shape}; the background has {n_rows} rows")
    return values


def derive_classes(
    answer: np.ndarray, names: tuple[Scalar, ...] | None, labels: np.ndarray | None
) -> tuple[Scalar, ...]:
    """Classes of a model without a list of its own: their given names, or the labels that it returns."""
    if answer.ndim == 2:
        return names if names is not None and len(names) == answer.shape[1] else tuple(range(answer.shape[1]))
    seen = _checked(answer)
    if names is not None:
        if all(label in range(len(names)) for label in seen - set(names)):
            return names if seen <= set(names) else tuple(range(len(names)))
        raise InputError(f"class_names lacks {min(seen - set(names), key=value_order)!r}, which the model says")
    if answer.dtype.kind == "f" and len(seen) > _MOST_NUMBERS:
        raise ModelError(f"the model gave {len(seen):,} different numbers; if it is a regression, {BY_BANDS}")
    classes = seen if labels is None else set(_distinct(labels)[0])
    if seen - classes:
        raise InputError(f"predictions lacks {min(seen - classes, key=value_order)!r}, which the model says")
    return tuple(sorted(filter(_is_label, classes), key=value_order))


def _checked(answer: np.ndarray) -> set[Scalar]:
    """The labels of an answer, all of which can be classes."""
    labels, inverse = _distinct(answer)
    for position, label in enumerate(labels):
        if not _is_label(label):
            row = int((inverse == position).argmax())
            raise ModelError(f"the model gave {label!r} in row {row} of its input; expected a string or a number")
    return set(labels)


def positions(labels: np.ndarray, classes: Sequence[Scalar]) -> np.ndarray:
    """Position of each label among the classes; -1 if it is none of them."""
    place = {label: position for position, label in enumerate(classes)}
    distinct, inverse = _distinct(labels)
    places: np.ndarray = np.array([place.get(label, -1) for label in distinct], dtype=np.intp)[inverse]
    return places


def _distinct(labels: np.ndarray) -> tuple[list[UserValue], np.ndarray]:
    """Different labels, and which of them each row has."""
    if labels.dtype.kind != "O":
        distinct, inverse = np.unique(labels, return_inverse=True)
        return distinct.tolist(), inverse
    index: dict[UserValue, int] = {}
    numbers = [index.setdefault(plain(label), len(index)) for label in labels.tolist()]
    return list(index), np.array(numbers, dtype=np.intp)


def _is_label(value: object) -> bool:
    is_finite = not is_too_large(value) and not (isinstance(value, float) and not math.isfinite(value))
    return isinstance(value, str | int | float) and is_finite

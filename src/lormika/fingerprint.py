"""Fingerprint: what tells whether a model and a background are still the same, for records."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lormika.errors import InputError, describe

if TYPE_CHECKING:
    from lormika.stages.background import Background

_IN_MEMORY = "the model was given as an object, which has no bytes of its own: name the file that it came from"
_SERVER = "the model is behind an address: its bytes are not seen"
_MODULE = "of the file of the module, not of what it imports"
_NO_MODULE = "the module has no file"


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """SHA-256 of a model and of a background, as hexadecimal digits.

    Examples
    --------
    >>> from lormika import Explainer, datasets
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = datasets.make_loans(300)
    >>> numbers = X[["income", "debt_ratio", "missed_payments"]]
    >>> explainer = Explainer(DecisionTreeClassifier(max_depth=4, random_state=0).fit(numbers, y), numbers)
    >>> explainer.fingerprint().rows
    300
    """

    model: str | None  #: of the bytes that it was loaded from; None: there are none
    model_note: str | None  #: what was hashed if not the model's file, or why nothing was
    background: str
    rows: int  #: of the background
    labels: str  #: of the model's label for each of these rows: what it said, whatever it is made of


def hash_model(source: str | Path | None) -> tuple[str | None, str | None]:
    """SHA-256 of what a model was loaded from, and what to say of it."""
    from lormika.models.identity import source_digest

    if source is None:
        return None, _IN_MEMORY
    place = str(source)
    try:
        digest = source_digest(place)
    except OSError as error:
        raise InputError(f"the model cannot be hashed: {describe(error)}") from error
    if place.startswith("python:"):
        return digest, _NO_MODULE if digest is None else _MODULE
    return digest, _SERVER if digest is None else None


def hash_background(background: Background) -> str:
    """SHA-256 of all columns, whichever library holds them.

    Of each column in turn: its name and its categories (null for numbers) as a line of ASCII JSON, then its values in
    the order of the rows as little-endian float64; a category is its position in the list, a missing value NaN.
    """
    digest = hashlib.sha256()
    for feature, values, codes in zip(background.schema.features, background.distinct, background.codes, strict=True):
        categories = None if feature.categories is None else list(feature.categories)
        digest.update(json.dumps([feature.name, categories]).encode() + b"\n")
        points = np.where(np.isnan(values), np.nan, values + 0.0).astype("<f8")  # one NaN, and no negative zero
        digest.update(points[codes].tobytes())
    return digest.hexdigest()


def hash_labels(labels: np.ndarray, names: tuple[object, ...]) -> str:
    """SHA-256 of the names of the classes as a line of ASCII JSON, then of each row's class as little-endian int32.

    If every instance has bands of its own, of each row's value, as little-endian float64.
    """
    kind = "<f8" if labels.dtype.kind == "f" else "<i4"
    return hashlib.sha256(json.dumps(list(names)).encode() + b"\n" + labels.astype(kind).tobytes()).hexdigest()

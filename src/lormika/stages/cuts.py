"""Cuts: where numbers are cut into ranges."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from lormika import _core
from lormika.errors import InputError, quote
from lormika.frames.schema import Schema
from lormika.frames.values import is_list, is_missing
from lormika.types import UserValue


def equal_frequency_cuts(values: np.ndarray, bins: int) -> np.ndarray:
    """Cuts between neighbouring values, into ranges of about equally many.

    Each cut lies as near as possible to an equal share of the values that remain, so that a frequent value takes a
    range of its own and the others share the rest.

    >>> equal_frequency_cuts(np.array([1.2, 2.2, 3.2, 4.2, 5.2, 6.2]), 3)
    array([3., 5.])
    >>> equal_frequency_cuts(np.array([0.0, 0, 0, 0, 0, 0, 1, 2, 3, 4]), 3)
    array([0.5, 2.5])
    """
    return cut_each(np.sort(values)[None], bins)[0]


def cut_each(ordered: np.ndarray, bins: int) -> tuple[np.ndarray, np.ndarray]:
    """Such cuts of sorted values (features x rows), one feature after the other, and how many each has.

    Missing values come last, and do not count.
    """
    n_rows = ordered.shape[1]
    present = (n_rows - np.isnan(ordered).sum(axis=1)).astype(np.int32)
    below = _core.cut_evenly(ordered, present, bins)
    feature, cut = np.nonzero(below >= 0)
    places = below[feature, cut]
    gaps = zip(ordered[feature, places - 1].tolist(), ordered[feature, places].tolist(), strict=True)
    points = np.array([round_between(low, high) for low, high in gaps])
    return points, np.bincount(feature, minlength=len(ordered))


def round_between(low: float, high: float) -> float:
    """Half-way between two values, without the digits that are not needed to tell them apart.

    >>> round_between(27, 28), round_between(38.774, 38.7824), round_between(12000, 13000)
    (27.5, 38.778, 12500.0)
    """
    middle = low / 2 + high / 2
    digits = -math.floor(math.log10(min(max(high - low, 5e-324), 1e308)))
    for more in range(3):
        cut = round(middle, digits + more)
        if low < cut < high:
            return cut
    return middle if low < middle < high else high  # they may have no number between them


def check_cuts(schema: Schema, cuts: Mapping[str, Sequence[float]] | None) -> dict[str, tuple[float, ...]]:
    """User cut points, sorted, each of a numeric feature."""
    if cuts is not None and not isinstance(cuts, Mapping):
        raise InputError(f"cuts={quote(cuts)}: give cut points by name, such as {{'age': [25, 45]}}")
    checked = {}
    for name, points in (cuts or {}).items():
        name = str(name)
        if name not in schema.names:
            raise InputError(f"cuts names {name!r}, which is not a column of the background")
        if not schema.features[schema.index(name)].is_numeric:
            raise InputError(f"cuts names {name!r}, which is categorical")
        entries: list[UserValue] = list(points) if is_list(points) else [None]
        try:
            if any(map(is_missing, entries)):
                raise TypeError
            numbers = sorted({float(point + 0) for point in entries})  # a string has no sum with 0
        except (TypeError, ValueError, OverflowError):
            raise InputError(f"cuts[{name!r}] must be a list of numbers, not {quote(points)}") from None
        if not all(map(math.isfinite, numbers)):
            raise InputError(f"cuts[{name!r}] holds a number that is not finite")
        checked[name] = tuple(numbers)
    return checked

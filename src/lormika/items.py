"""Items: conditions and the rows they hold for. Every row has exactly one item of each feature."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from lormika.errors import InputError, quote
from lormika.rule import Condition, Equals, Interval, Missing, Rule
from lormika.schema import Feature, Schema
from lormika.values import Scalar, is_list, is_missing


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """Items of the features that vary; one that is constant has none, for its condition would say nothing."""

    conditions: tuple[Condition, ...]  # all items, by feature and value
    places: tuple[tuple[int, int], ...]  # of each item: its feature (a row of codes), and its number there
    sizes: np.ndarray  # how many items each of them has
    codes: np.ndarray  # features x rows: the row's item, counted within its feature
    instance: np.ndarray  # the instance's item of each feature; -1: none occurs in the sample
    features: tuple[int, ...]  # positions in the schema of the features that vary
    own: frozenset[int] = field(init=False)  # items that are true of the instance

    def __post_init__(self) -> None:
        instance = self.instance.tolist()
        own = frozenset(i for i, (row, number) in enumerate(self.places) if instance[row] == number)
        object.__setattr__(self, "own", own)

    def row_of(self, feature: int) -> int | None:
        """Row of codes of a feature; None: it is constant in the sample."""
        row = bisect_left(self.features, feature)
        return row if row < len(self.features) and self.features[row] == feature else None

    def first_of(self, row: int) -> int:
        """Number of the first item in a row of codes."""
        return int(self.sizes[:row].sum())


@dataclass(frozen=True, slots=True, eq=False)
class FeatureItems:
    """Items of one feature."""

    conditions: tuple[Condition, ...]
    codes: np.ndarray  # item of each row; the last entry is the instance's, -1 if it has none


_NO_ITEMS = FeatureItems((), np.empty(0, dtype=np.intp))


def itemise(
    schema: Schema,
    encoded: np.ndarray,
    instance: np.ndarray | None,
    *,
    bins: int,
    cuts: Mapping[str, Sequence[float]],
    without: Container[int] = (),
) -> Items:
    """Cut numbers into ranges of about equally many rows, and take categories and missing values as they are.

    Features `without` items, by position, are part of no rule.
    """
    if instance is None:
        instance = np.full(len(schema), np.nan)
    columns = np.concatenate([encoded, instance[None]]).T  # the instance as a last row
    found = [
        _NO_ITEMS
        if f in without
        else _number_items(feature, column, bins, cuts.get(feature.name))
        if feature.is_numeric
        else _category_items(feature, column)
        for f, (feature, column) in enumerate(zip(schema.features, np.ascontiguousarray(columns), strict=True))
    ]
    features = tuple(f for f, items in enumerate(found) if len(items.conditions) > 1)
    codes = np.array([found[f].codes for f in features], dtype=np.int32).reshape(len(features), len(encoded) + 1)
    return Items(
        tuple(condition for f in features for condition in found[f].conditions),
        tuple((row, number) for row, f in enumerate(features) for number in range(len(found[f].conditions))),
        np.array([len(found[f].conditions) for f in features], dtype=np.int32),
        np.ascontiguousarray(codes[:, :-1]),
        np.ascontiguousarray(codes[:, -1]),
        features,
    )


def _number_items(feature: Feature, column: np.ndarray, bins: int, given: Sequence[float] | None) -> FeatureItems:
    missing = np.isnan(column)
    values = column[:-1][~missing[:-1]]
    cuts = equal_frequency_cuts(values, bins) if given is None else np.array(given)
    whole = bool((column == np.rint(column))[~missing].all())
    edges = [-math.inf, *cuts.tolist(), math.inf]
    ranges = [Interval(feature.name, low, high, whole) for low, high in pairwise(edges)]
    codes = np.searchsorted(cuts, column, side="right")
    codes[missing] = len(ranges)
    return _present(codes, lambda code: ranges[code] if code < len(ranges) else Missing(feature.name))


def _category_items(feature: Feature, column: np.ndarray) -> FeatureItems:
    categories = feature.categories or ()

    def condition(code: int) -> Condition:
        return Equals(feature.name, categories[code]) if code < len(categories) else Missing(feature.name)

    return _present(np.where(np.isnan(column), len(categories), column).astype(np.intp), condition)


def _present(codes: np.ndarray, condition: Callable[[int], Condition]) -> FeatureItems:
    """Items of the codes that occur in the sample, numbered in their order; the instance may have none of them."""
    occurs = np.bincount(codes[:-1], minlength=int(codes[-1]) + 1) > 0
    place = np.where(occurs, np.cumsum(occurs) - 1, -1)
    return FeatureItems(tuple(condition(code) for code in np.flatnonzero(occurs).tolist()), place[codes])


def name_single(rule: Rule, observed: Mapping[str, np.ndarray], instance: Mapping[str, Scalar | None]) -> Rule:
    """The rule, with "children = 0" for "children ≤ 0" where no number is less, and likewise at the other end.

    `observed` has the numbers of each numeric feature, sorted. An instance beyond them is not called what it is not.
    """
    told = [
        replace(c, single=True) if isinstance(c, Interval) and _is_single(c, observed[c.feature], instance) else c
        for c in rule.conditions
    ]
    return replace(rule, conditions=tuple(told))


def _is_single(interval: Interval, observed: np.ndarray, instance: Mapping[str, Scalar | None]) -> bool:
    """Whether an open range of whole numbers ends at the only one that was observed in it."""
    if not interval.integer or math.isinf(interval.low) == math.isinf(interval.high):
        return False
    inside = observed[slice(*np.searchsorted(observed, [interval.low, interval.high]))]
    low, high, _ = interval.ends
    if len(inside) != 1 or inside[0] != (high if low == -math.inf else low):
        return False
    own = instance.get(interval.feature)
    return not isinstance(own, int | float) or own == inside[0] or not interval.low <= own < interval.high


def equal_frequency_cuts(values: np.ndarray, bins: int) -> np.ndarray:
    """Cuts between neighbouring values, into ranges of about equally many.

    Each cut lies as near as possible to an equal share of the values that remain, so that a frequent value takes a
    range of its own and the others share the rest.

    >>> equal_frequency_cuts(np.array([1.2, 2.2, 3.2, 4.2, 5.2, 6.2]), 3)
    array([3., 5.])
    >>> equal_frequency_cuts(np.array([0.0, 0, 0, 0, 0, 0, 1, 2, 3, 4]), 3)
    array([0.5, 2.5])
    """
    distinct, counts = np.unique(values, return_counts=True)
    total, below = len(values), np.cumsum(counts)[:-1]  # values below each possible cut
    upwards = _shares(below, total, bins)
    downwards = [len(below) - 1 - place for place in reversed(_shares(total - below[::-1], total, bins))]
    chosen = min(upwards, downwards, key=lambda places: _unevenness(below, places, total))
    return np.array([round_between(float(distinct[place]), float(distinct[place + 1])) for place in chosen])


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


def _shares(below: np.ndarray, total: int, bins: int) -> list[int]:
    """Places of the cuts among the possible ones, chosen one after the other."""
    places: list[int] = []
    done, first = 0, 0
    for left in range(bins, 1, -1):
        if first == len(below):
            break
        target = done + (total - done) / left
        place = bisect_left(below, target, first)
        if place == len(below) or (place > first and target - below[place - 1] <= below[place] - target):
            place -= 1
        places.append(place)
        done, first = int(below[place]), place + 1
    return places


def _unevenness(below: np.ndarray, places: list[int], total: int) -> int:
    edges = [0, *(int(below[place]) for place in places), total]
    return sum((high - low) ** 2 for low, high in pairwise(edges))


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
        given: list[Any] = list(points) if is_list(points) else [None]
        try:
            if any(map(is_missing, given)):
                raise TypeError
            numbers = sorted({float(point + 0) for point in given})  # a string has no sum with 0
        except (TypeError, ValueError, OverflowError):
            raise InputError(f"cuts[{name!r}] must be a list of numbers, not {quote(points)}") from None
        if not all(map(math.isfinite, numbers)):
            raise InputError(f"cuts[{name!r}] holds a number that is not finite")
        checked[name] = tuple(numbers)
    return checked

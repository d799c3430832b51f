"""Items: conditions and the rows they hold for. Every row has exactly one item of each feature."""

from __future__ import annotations

import math
import operator
from bisect import bisect_left
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from lormika.errors import InputError, quote
from lormika.frames.feature import Feature
from lormika.frames.schema import Schema
from lormika.frames.values import Scalar, is_list, is_missing
from lormika.rule import Condition, Equals, Interval, Missing, Rule
from lormika.types import UserValue


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """Items of the features that vary; a constant one has none, because its condition would say nothing."""

    conditions: tuple[Condition, ...]  # all items, by feature and value
    places: tuple[tuple[int, int], ...]  # of each item: its feature (a row of codes), and its number there
    rows: tuple[int, ...]  # of each item: how many it holds for
    sizes: np.ndarray  # how many items each feature has
    codes: np.ndarray  # features x rows: the row's item, counted within its feature
    instance: np.ndarray  # the instance's item of each feature; -1: none occurs in the sample
    features: tuple[int, ...]  # positions in the schema of the features that vary
    firsts: np.ndarray = field(init=False)  # number of the first item of each feature
    own: frozenset[int] = field(init=False)  # items that are true of the instance

    def __post_init__(self) -> None:
        firsts = np.cumsum(self.sizes) - self.sizes
        own = frozenset((firsts + self.instance)[self.instance >= 0].tolist())
        object.__setattr__(self, "firsts", firsts)
        object.__setattr__(self, "own", own)

    def row_of(self, feature: int) -> int | None:
        """Row of codes of a feature; None if it is constant in the sample."""
        row = bisect_left(self.features, feature)
        return row if row < len(self.features) and self.features[row] == feature else None

    def first_of(self, row: int) -> int:
        """Number of the first item in a row of codes."""
        return int(self.firsts[row])


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
    features = [f for f in range(len(schema)) if f not in without]
    columns = np.ascontiguousarray(np.concatenate([encoded, instance[None]]).T[features])  # the instance comes last
    scales = [_scale(schema.features[f], column, bins, cuts) for f, column in zip(features, columns, strict=True)]
    codes = _codes(scales, columns)
    # All features at once: every code has a place of its own, one feature after the other.
    sizes = np.array([scale.size for scale in scales], dtype=np.intp)
    starts = np.cumsum(sizes) - sizes
    places = codes + starts[:, None]
    rows = np.bincount(places[:, :-1].ravel(), minlength=int(sizes.sum()))
    occurs = rows > 0
    ends = np.concatenate([[0], np.cumsum(occurs)])  # items before each place
    numbers = np.where(occurs, ends[:-1] - np.repeat(ends[starts], sizes), -1)[places]  # -1: only the instance has it
    counts = ends[starts + sizes] - ends[starts]
    varying = np.flatnonzero(counts > 1)
    present = [np.flatnonzero(occurs[starts[i] : starts[i] + sizes[i]]).tolist() for i in varying.tolist()]
    return Items(
        tuple(scales[i].condition(code) for i, own in zip(varying.tolist(), present, strict=True) for code in own),
        tuple((row, number) for row, own in enumerate(present) for number in range(len(own))),
        tuple(rows[occurs & np.repeat(counts > 1, sizes)].tolist()),
        counts[varying].astype(np.int32),
        np.ascontiguousarray(numbers[varying, :-1], dtype=np.int32),
        np.ascontiguousarray(numbers[varying, -1], dtype=np.int32),
        tuple(features[i] for i in varying.tolist()),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Scale:
    """What the values of a feature can be told apart as: ranges or categories, then missing."""

    feature: Feature
    cuts: np.ndarray | None  # between the ranges of a number
    whole: bool = False  # all numbers are

    @property
    def size(self) -> int:
        return (len(self.feature.categories or ()) if self.cuts is None else len(self.cuts) + 1) + 1

    def condition(self, code: int) -> Condition:
        name = self.feature.name
        if code == self.size - 1:
            return Missing(name)
        if self.cuts is None:
            return Equals(name, (self.feature.categories or ())[code])
        low = float(self.cuts[code - 1]) if code else -math.inf
        high = float(self.cuts[code]) if code < len(self.cuts) else math.inf
        return Interval(name, low, high, self.whole)


def _scale(feature: Feature, column: np.ndarray, bins: int, cuts: Mapping[str, Sequence[float]]) -> _Scale:
    if not feature.is_numeric:
        return _Scale(feature, None)
    present = column[~np.isnan(column)]
    own_cuts = cuts.get(feature.name)
    if own_cuts is None:
        values = present if np.isnan(column[-1]) else present[:-1]  # without the instance's
        points = equal_frequency_cuts(values, bins)
    else:
        points = np.array(own_cuts)
    return _Scale(feature, points, bool((present == np.rint(present)).all()))


def _codes(scales: Sequence[_Scale], columns: np.ndarray) -> np.ndarray:
    """Range or category of each value (features x rows); the last code of a feature stands for a missing one."""
    missing = np.isnan(columns)
    codes = np.empty(columns.shape, dtype=np.intp)
    categories = [i for i, scale in enumerate(scales) if scale.cuts is None]
    codes[categories] = np.where(missing[categories], 0.0, columns[categories])  # these stand for themselves
    for i, scale in enumerate(scales):
        if scale.cuts is not None:
            codes[i] = np.searchsorted(scale.cuts, columns[i], side="right")
    last = np.array([scale.size - 1 for scale in scales], dtype=np.intp)
    return np.where(missing, last[:, None], codes)


def name_single(rule: Rule, observed: Mapping[str, np.ndarray], instance: Mapping[str, Scalar | None]) -> Rule:
    """The rule, with "children = 0" for "children ≤ 0" where no number is less, and likewise at the other end.

    `observed` has the sorted numbers of each numeric feature. Where the instance lies beyond them, the range is kept.
    """
    conditions = tuple(_name_single(c, observed, instance) if isinstance(c, Interval) else c for c in rule.conditions)
    return rule if all(map(operator.is_, conditions, rule.conditions)) else replace(rule, conditions=conditions)


def _name_single(c: Interval, observed: Mapping[str, np.ndarray], instance: Mapping[str, Scalar | None]) -> Interval:
    return replace(c, single=True) if _is_single(c, observed[c.feature], instance) else c


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
    ordered, total = np.sort(values), len(values)
    below = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1  # values below each possible cut
    upwards = _shares(below, total, bins)
    downwards = [len(below) - 1 - place for place in reversed(_shares(total - below[::-1], total, bins))]
    chosen = below[min(upwards, downwards, key=lambda places: _unevenness(below, places, total))].tolist()
    return np.array([round_between(float(ordered[place - 1]), float(ordered[place])) for place in chosen])


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
        place = int(np.searchsorted(below, target))
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

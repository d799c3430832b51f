"""Items: conditions and the rows they hold for. Every row has exactly one item of each feature."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from lormika import _core
from lormika.frames.feature import Feature
from lormika.frames.schema import Schema
from lormika.rule import Condition, Equals, Interval, Missing
from lormika.stages.cuts import cut_each

_GLANCE = 8  # numbers that mostly tell whether all are whole


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """Items of the features that vary; a constant one has none, because its condition would say nothing.

    They are numbered by feature and value. Conditions are made when somebody reads them.
    """

    described: tuple[Feature, ...]  # features that vary
    features: tuple[int, ...]  # their positions in the schema
    sizes: np.ndarray  # how many items each of them has
    rows: np.ndarray  # of each item: how many rows it holds for
    lows: np.ndarray  # of each item: where its range begins; NaN: it is no range
    highs: np.ndarray  # and ends
    whole: np.ndarray  # of each item: all numbers of its range are whole
    categories: np.ndarray  # of each item: position of its category; NaN: it is none
    codes: np.ndarray  # features x rows: the row's item, counted within its feature
    instance: np.ndarray  # the instance's item of each feature; -1: none occurs in the sample
    ordered: np.ndarray  # numbers that vary x rows: sorted values, missing ones last
    places: list[tuple[int, int]] = field(
        init=False
    )  # of each item: its feature (a row of codes), and its number there
    firsts: np.ndarray = field(init=False)  # number of the first item of each feature
    feature_of: np.ndarray = field(init=False)  # of each item: position of its feature in the schema
    own: frozenset[int] = field(init=False)  # items that are true of the instance

    def __post_init__(self) -> None:
        firsts = np.cumsum(self.sizes) - self.sizes
        own = frozenset((firsts + self.instance)[self.instance >= 0].tolist())
        rows = np.repeat(np.arange(len(firsts)), self.sizes)
        numbers = np.arange(len(rows)) - firsts[rows]
        object.__setattr__(self, "places", list(zip(rows.tolist(), numbers.tolist(), strict=True)))
        object.__setattr__(self, "firsts", firsts)
        object.__setattr__(self, "feature_of", np.array(self.features, dtype=np.int64)[rows])
        object.__setattr__(self, "own", own)

    def __len__(self) -> int:
        return len(self.rows)

    def condition(self, item: int) -> Condition:
        """What an item says of its rows."""
        feature, low, category = self.described[self.places[item][0]], self.lows[item], self.categories[item]
        if not math.isnan(low):
            return Interval(feature.name, float(low), float(self.highs[item]), bool(self.whole[item]))
        if not math.isnan(category):
            return Equals(feature.name, (feature.categories or ())[int(category)])
        return Missing(feature.name)

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
    ordered: np.ndarray | None = None,
) -> Items:
    """Cut numbers into ranges of about equally many rows, and take categories and missing values as they are.

    Features `without` items, by position, are part of no rule. The numbers may be given in order, too (numbers x rows).
    """
    if instance is None:
        instance = np.full(len(schema), np.nan)
    features = [f for f in range(len(schema)) if f not in without]
    described = [schema.features[f] for f in features]
    columns, own = encoded.T, instance
    if len(features) < len(schema):
        columns, own = columns[features], own[features]
    numeric = np.array([feature.is_numeric for feature in described], dtype=bool)
    if ordered is None:
        ordered = np.sort(columns[numeric], axis=1)
    scales = _Scales.of(described, numeric, ordered, bins, cuts)
    sizes, numbers_at = scales.sizes, (scales.points, scales.offsets, scales.sizes, numeric)
    codes, rows = _core.assign(np.ascontiguousarray(columns), *numbers_at)
    own_codes = _core.assign(np.ascontiguousarray(own[:, None]), *numbers_at)[0][:, 0]
    # All features at once: every code has a place of its own, one feature after the other.
    starts = np.cumsum(sizes) - sizes
    occurs = rows > 0
    ends = np.concatenate([[0], np.cumsum(occurs)])  # items before each place
    counts = ends[starts + sizes] - ends[starts]
    varies = counts > 1
    varying = np.flatnonzero(varies)
    numbers = np.where(occurs, ends[:-1] - np.repeat(ends[starts], sizes), -1)  # -1: only the instance has it
    present = np.flatnonzero(occurs & np.repeat(varies, sizes))
    of_present = np.repeat(np.arange(len(sizes)), sizes)[present]
    lows, highs, categories = scales.describe(numeric, of_present, present - starts[of_present])
    whole = np.zeros(len(features), dtype=bool)
    whole[numeric] = _are_whole(ordered) & _are_whole(own[numeric, None])
    return Items(
        tuple(described[i] for i in varying.tolist()),
        tuple(features[i] for i in varying.tolist()),
        counts[varying].astype(np.int32),
        rows[present],
        lows,
        highs,
        whole[of_present],
        categories,
        _chosen(_renumbered(codes, numbers, starts, sizes), varies),
        numbers[starts + own_codes].astype(np.int32)[varying],
        _chosen(ordered, varies[numeric]),
    )


def _chosen(table: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Some rows of a table; without a copy, if they are all."""
    return table if rows.all() else table[rows]


def _renumbered(codes: np.ndarray, numbers: np.ndarray, starts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Codes, in place, as numbers of the items that occur; they are so already if those that do not come last."""
    as_they_are = np.arange(len(numbers)) - np.repeat(starts, sizes)
    is_other = (numbers >= 0) & (numbers != as_they_are)
    for f in np.flatnonzero(np.logical_or.reduceat(is_other, starts) if len(starts) else is_other).tolist():
        own = numbers[starts[f] : starts[f] + sizes[f]].astype(np.int32)
        codes[f] = own[codes[f]]
    return codes


@dataclass(frozen=True, slots=True, eq=False)
class _Scales:
    """What the values of each feature can be told apart as: ranges or categories, then missing."""

    points: np.ndarray  # between the ranges of numbers, one feature after the other
    offsets: np.ndarray  # of each feature's points; one more, where they end
    sizes: np.ndarray  # of each feature

    @classmethod
    def of(
        cls,
        features: Sequence[Feature],
        numeric: np.ndarray,
        ordered: np.ndarray,
        bins: int,
        cuts: Mapping[str, Sequence[float]],
    ) -> _Scales:
        points, lengths = cut_each(ordered, bins)
        names = [feature.name for feature in features if feature.is_numeric]
        if not cuts.keys().isdisjoint(names):
            evenly = np.split(points, np.cumsum(lengths)[:-1])
            chosen = [np.array(cuts.get(name, own)) for name, own in zip(names, evenly, strict=True)]
            points, lengths = np.concatenate(chosen, dtype=np.float64), np.array(list(map(len, chosen)))
        sizes = np.array([len(feature.categories or ()) + 1 for feature in features], dtype=np.int32)
        sizes[numeric] = lengths + 2
        offsets = np.zeros(len(features) + 1, dtype=np.int64)
        np.cumsum(np.where(numeric, sizes - 2, 0), out=offsets[1:])
        return cls(points, offsets, sizes)

    def describe(
        self, numeric: np.ndarray, feature: np.ndarray, number: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of some values, by their numbers: both ends of their ranges, and their categories; NaN: they have none."""
        is_there = number < self.sizes[feature] - 1
        is_range = numeric[feature] & is_there
        last = np.where(is_range, self.offsets[feature] + number, 0)
        points = np.append(self.points, np.nan)
        low = np.where(number > 0, points[last - 1], -np.inf)
        high = np.where(last < self.offsets[feature + 1], points[last], np.inf)
        category = np.where(is_there & ~numeric[feature], number, np.nan)
        return np.where(is_range, low, np.nan), np.where(is_range, high, np.nan), category


def _are_whole(numbers: np.ndarray) -> np.ndarray:
    """Of which features (features x rows) all numbers are whole, as far as there are any."""
    some = numbers[:, :_GLANCE]
    are_whole = ((some == np.rint(some)) | np.isnan(some)).all(axis=1)
    rest = numbers[are_whole, _GLANCE:]
    are_whole[are_whole] = ((rest == np.rint(rest)) | np.isnan(rest)).all(axis=1)
    return np.asarray(are_whole)

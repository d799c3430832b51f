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

_NO_RANGE = math.nan, math.nan
_GLANCE = 8  # numbers that mostly tell whether all are whole


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """Items of the features that vary; a constant one has none, because its condition would say nothing."""

    conditions: tuple[Condition, ...]  # all items, by feature and value
    rows: tuple[int, ...]  # of each item: how many it holds for
    sizes: np.ndarray  # how many items each feature has
    codes: np.ndarray  # features x rows: the row's item, counted within its feature
    instance: np.ndarray  # the instance's item of each feature; -1: none occurs in the sample
    features: tuple[int, ...]  # positions in the schema of the features that vary
    ordered: np.ndarray  # numbers that vary x rows: sorted values, missing ones last
    places: list[tuple[int, int]] = field(
        init=False
    )  # of each item: its feature (a row of codes), and its number there
    firsts: np.ndarray = field(init=False)  # number of the first item of each feature
    lows: np.ndarray = field(init=False)  # of each item: where its range begins; NaN: it is no range
    highs: np.ndarray = field(init=False)  # and ends
    feature_of: np.ndarray = field(init=False)  # of each item: position of its feature in the schema
    own: frozenset[int] = field(init=False)  # items that are true of the instance

    def __post_init__(self) -> None:
        firsts = np.cumsum(self.sizes) - self.sizes
        own = frozenset((firsts + self.instance)[self.instance >= 0].tolist())
        rows = np.repeat(np.arange(len(firsts)), self.sizes)
        numbers = np.arange(len(rows)) - firsts[rows]
        ends = [(c.low, c.high) if isinstance(c, Interval) else _NO_RANGE for c in self.conditions]
        lows, highs = np.array(ends, dtype=float).reshape(len(ends), 2).T
        object.__setattr__(self, "places", list(zip(rows.tolist(), numbers.tolist(), strict=True)))
        object.__setattr__(self, "firsts", firsts)
        object.__setattr__(self, "lows", np.ascontiguousarray(lows))
        object.__setattr__(self, "highs", np.ascontiguousarray(highs))
        object.__setattr__(self, "feature_of", np.array(self.features, dtype=np.int64)[rows])
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
    ordered: np.ndarray | None = None,
) -> Items:
    """Cut numbers into ranges of about equally many rows, and take categories and missing values as they are.

    Features `without` items, by position, are part of no rule. The numbers may be given in order, too (numbers x rows).
    """
    if instance is None:
        instance = np.full(len(schema), np.nan)
    features = [f for f in range(len(schema)) if f not in without]
    columns, own = encoded.T, instance
    if len(features) < len(schema):
        columns, own = columns[features], own[features]
    numeric = np.array([schema.features[f].is_numeric for f in features], dtype=bool)
    if ordered is None:
        ordered = np.sort(columns[numeric], axis=1)
    scales = _scales([schema.features[f] for f in features], ordered, own[numeric], bins, cuts)
    sizes = np.array([scale.size for scale in scales], dtype=np.int32)
    lengths = [0 if scale.cuts is None else len(scale.cuts) for scale in scales]
    points = np.concatenate([np.empty(0), *(scale.cuts for scale in scales if scale.cuts is not None)])
    offsets = np.cumsum([0, *lengths])
    codes, rows = _core.assign(np.ascontiguousarray(columns), points, offsets, sizes, numeric)
    own_codes = _core.assign(np.ascontiguousarray(own[:, None]), points, offsets, sizes, numeric)[0][:, 0]
    # All features at once: every code has a place of its own, one feature after the other.
    starts = np.cumsum(sizes) - sizes
    occurs = rows > 0
    ends = np.concatenate([[0], np.cumsum(occurs)])  # items before each place
    counts = ends[starts + sizes] - ends[starts]
    varying = np.flatnonzero(counts > 1)
    numbers = np.where(occurs, ends[:-1] - np.repeat(ends[starts], sizes), -1)  # -1: only the instance has it
    present = np.flatnonzero(occurs & np.repeat(counts > 1, sizes))
    of_present = np.repeat(np.arange(len(sizes)), sizes)[present]
    each = zip(of_present.tolist(), (present - starts[of_present]).tolist(), strict=True)
    return Items(
        tuple(scales[i].condition(code) for i, code in each),
        tuple(rows[present].tolist()),
        counts[varying].astype(np.int32),
        _chosen(_renumbered(codes, numbers, starts, sizes), counts > 1),
        numbers[starts + own_codes].astype(np.int32)[varying],
        tuple(features[i] for i in varying.tolist()),
        _chosen(ordered, (counts > 1)[numeric]),
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


def _scales(
    features: Sequence[Feature], ordered: np.ndarray, own: np.ndarray, bins: int, cuts: Mapping[str, Sequence[float]]
) -> list[_Scale]:
    """Scales by the sorted numbers of the sample, and those of the instance."""
    whole, points = iter((_are_whole(ordered) & _are_whole(own[:, None])).tolist()), iter(cut_each(ordered, bins))
    scales = []
    for feature in features:
        if feature.is_numeric:
            chosen, evenly = cuts.get(feature.name), next(points)
            scales.append(_Scale(feature, evenly if chosen is None else np.array(chosen, dtype=float), next(whole)))
        else:
            scales.append(_Scale(feature, None))
    return scales


def _are_whole(numbers: np.ndarray) -> np.ndarray:
    """Of which features (features x rows) all numbers are whole, as far as there are any."""
    some = numbers[:, :_GLANCE]
    are_whole = ((some == np.rint(some)) | np.isnan(some)).all(axis=1)
    rest = numbers[are_whole, _GLANCE:]
    are_whole[are_whole] = ((rest == np.rint(rest)) | np.isnan(rest)).all(axis=1)
    return np.asarray(are_whole)

"""Values of interest: what each feature of the instance could be changed to.

A *target* is a place a change can take a feature to: an item that is not true of the instance. It is tried at up to
three *levels*: the value nearest to the instance's, the typical one, and a far one. A feature that is constant among
similar rows has no items; its targets are the sides of the instance's value in the whole background, or its other
categories there. A missing value is never a target.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lormika.frames.values import nearest
from lormika.rule import Interval
from lormika.stages.background import Background
from lormika.stages.items import Items
from lormika.stages.spread import Spread, Values

_LEVELS = 3
_FAR = 0.9  # share of a target's rows that lie before its far level


class Source:
    """Why a value is asked about, as bits; the lower, the sooner. Plain numbers, because enum flags are slow."""

    TYPICAL = 1
    BACKGROUND = 2
    FAR = 4
    NEAREST = 8
    INSIDE = 16  # one of a few by which the background's values inside a target are represented
    OTHER = 32  # any of a number that has few values, or one of some from the least to the greatest
    FINE = 64  # one of many by which it is seen where the prediction turns; higher bits: of yet more

    SIMILAR = TYPICAL | FAR | NEAREST
    COUNTED = TYPICAL | BACKGROUND | FAR | NEAREST | INSIDE  # by which rules are judged
    COARSE = COUNTED | OTHER  # all but the fine ones


_SOURCES = (Source.NEAREST, Source.TYPICAL, Source.FAR)  # of the levels


@dataclass(frozen=True, slots=True, eq=False)
class Targets:
    """Places that changes can take the features to, ascending by feature and item."""

    feature: np.ndarray
    item: np.ndarray  # that is true after the change, not before; -1: the feature is constant among similar rows
    rank: np.ndarray  # of a category: the lower, the more frequent it is
    levels: np.ndarray  # targets x levels: the nearest, the typical and the far value; some may be the same

    @classmethod
    def joined(cls, parts: Sequence[Targets]) -> Targets:
        """All of them, in their order."""
        each = zip(*((part.feature, part.item, part.rank, part.levels) for part in parts), strict=True)
        feature, item, rank, levels = map(np.concatenate, each)
        order = np.lexsort((item, feature))
        return cls(feature[order], item[order], rank[order], levels[order])

    def __len__(self) -> int:
        return len(self.feature)


@dataclass(frozen=True, slots=True, eq=False)
class Choices:
    """Everything that the features of an instance could be changed to; values may be repeated."""

    feature: np.ndarray
    value: np.ndarray
    source: np.ndarray
    targets: Targets
    levels: np.ndarray  # targets x levels: which of the values


def choices(background: Background, spread: Spread, items: Items, sample: np.ndarray, instance: np.ndarray) -> Choices:
    """Values of interest of all features, and their targets; none for a feature that only tells rows apart."""
    near = spread.values(instance)
    ranges = np.flatnonzero(~np.isnan(items.lows))
    inside = spread.inside(items.feature_of[ranges], items.lows[ranges], items.highs[ranges]).but(instance)
    targets = Targets.joined(
        [
            _range_targets(background, items, ranges, sample, instance),
            _category_targets(items, instance),
            _constant_targets(background, spread, items, near, instance),
        ]
    )
    level_feature, level_value = np.repeat(targets.feature, _LEVELS), targets.levels.ravel()
    level_source = np.where(targets.item[:, None] < 0, Source.BACKGROUND, _SOURCES).ravel()
    others = spread.others.but(instance)
    parts = [
        (near.feature, near.value, np.full(len(near.value), Source.BACKGROUND)),
        (inside.feature, inside.value, np.full(len(inside.value), Source.INSIDE)),
        (level_feature, level_value, level_source),
        (others.feature, others.value, np.full(len(others.value), Source.OTHER)),
        _fine_values(spread, instance),
    ]
    feature, value, source = map(np.concatenate, zip(*parts, strict=True))
    first = len(near.value) + len(inside.value)
    levels = first + np.arange(len(level_value)).reshape(len(targets), _LEVELS)
    return Choices(feature, value, source, targets, levels)


def _fine_values(spread: Spread, instance: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features, values and sources: without room for all, those go first that are far apart."""
    fine = spread.fine
    others = fine.value != instance[fine.feature]
    return fine.feature[others], fine.value[others], Source.FINE << spread.fineness[others]


def _range_targets(
    background: Background, items: Items, ranges: np.ndarray, sample: np.ndarray, instance: np.ndarray
) -> Targets:
    """Ranges that the instance is not in."""
    own = instance[items.feature_of[ranges]]
    chosen = ranges[~((items.lows[ranges] <= own) & (own < items.highs[ranges]))]
    feature, low, high = items.feature_of[chosen], items.lows[chosen], items.highs[chosen]
    own = instance[feature]
    start = np.where(np.isnan(own), background.means[feature], own)  # see `origin`
    direction = np.where(low > start, 1, np.where(high <= start, -1, 0))
    typical, far = _typical_and_far(background, items, chosen, direction)
    nearest = _nearest_inside(background, items, chosen, sample, instance, start)
    return Targets(feature, chosen, np.zeros(len(chosen), dtype=np.int64), np.column_stack([nearest, typical, far]))


def _typical_and_far(
    background: Background, items: Items, chosen: np.ndarray, direction: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """In each range: the lower median of the sample, and a value further than most; the median, without a direction."""
    rows = items.rows
    before = np.cumsum(rows) - rows
    before -= np.repeat(before[items.firsts], items.sizes)  # rows of the sample in earlier ranges of the feature
    is_number = background.numeric[list(items.features)]
    row = np.repeat(np.cumsum(is_number) - 1, items.sizes)[chosen]  # of the sorted columns
    last = rows[chosen] - 1
    middle, most = last // 2, (_FAR * last).astype(np.int64)
    beyond = np.where(direction > 0, most, np.where(direction < 0, last - most, middle))
    return items.ordered[row, before[chosen] + middle], items.ordered[row, before[chosen] + beyond]


def _nearest_inside(
    background: Background,
    items: Items,
    chosen: np.ndarray,
    sample: np.ndarray,
    instance: np.ndarray,
    start: np.ndarray,
) -> np.ndarray:
    """See `nearest_inside`; for nearly all ranges, it is their first or last observed value."""
    feature = items.feature_of[chosen]
    low, high = (background.places(feature, ends[chosen]) for ends in (items.lows, items.highs))
    some = low < high
    first, last = np.full((2, len(chosen)), np.nan)
    first[some] = background.values_at(feature[some], low[some])
    last[some] = background.values_at(feature[some], high[some] - 1)
    values = np.where(start < first, first, last)
    for i in np.flatnonzero(~((start < first) | (start > last))).tolist():
        f, condition = int(feature[i]), items.condition(int(chosen[i]))
        assert isinstance(condition, Interval)
        values[i] = nearest_inside(background, sample[:, f], f, float(instance[f]), condition)
    return values


def _category_targets(items: Items, instance: np.ndarray) -> Targets:
    """Categories that the instance does not have."""
    places = np.flatnonzero(~np.isnan(items.categories))
    places = places[items.categories[places] != instance[items.feature_of[places]]]
    value = items.categories[places]
    return Targets(items.feature_of[places], places, -items.rows[places], np.repeat(value[:, None], _LEVELS, axis=1))


def _constant_targets(
    background: Background, spread: Spread, items: Items, near: Values, instance: np.ndarray
) -> Targets:
    """Of features that are constant among similar rows."""
    elsewhere = spread.identifiers.union(items.features)
    constant = [f for f in range(len(instance)) if f not in elsewhere]
    begin, end = np.searchsorted(near.feature, constant), np.searchsorted(near.feature, constant, side="right")
    found: list[tuple[int, int, list[float]]] = []
    for f, first, last in zip(constant, begin.tolist(), end.tolist(), strict=True):
        others = near.value[first:last]
        if background.schema.features[f].is_numeric:
            found += [(f, 0, levels) for levels in _sides(np.unique(others), float(instance[f]))]
        else:
            found += [(f, rank, [value] * _LEVELS) for rank, value in enumerate(others.tolist())]
    feature, rank = (np.array([each[i] for each in found], dtype=np.int64) for i in (0, 1))
    levels = np.array([levels for _, _, levels in found], dtype=np.float64).reshape(len(found), _LEVELS)
    return Targets(feature, np.full(len(found), -1), rank, levels)


def _sides(others: np.ndarray, own: float) -> Iterator[list[float]]:
    """Levels below and above the value that all similar rows have."""
    for values in [others] if math.isnan(own) else [others[others < own][::-1], others[others > own]]:
        if len(values):
            yield values[[0, len(values) // 2, -1]].tolist()


def origin(background: Background, feature: int, own: float) -> float:
    """Where changes of a number start: at the instance's value; at the mean, if it has none."""
    return float(background.means[feature]) if math.isnan(own) else own


def nearest_inside(background: Background, sample: np.ndarray, feature: int, value: float, interval: Interval) -> float:
    """Nearest value seen in the background (else in the sample) inside; a missing value moves from the mean."""
    if interval.low <= value < interval.high:
        return value
    inside = _inside(background.observed(feature), interval)
    if len(inside) == 0:  # without snapping, all values there may be generated ones
        inside = _inside(np.sort(sample), interval)
    start = origin(background, feature, value)
    if len(inside) and not inside[0] <= start <= inside[-1]:  # then it is an end
        return float(inside[0] if start < inside[0] else inside[-1])
    return float(nearest(inside, np.array([start]))[0])


def _inside(ordered: np.ndarray, interval: Interval) -> np.ndarray:
    low, high = np.searchsorted(ordered, [interval.low, interval.high])
    return ordered[low:high]

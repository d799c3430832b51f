"""Values of interest: what each feature of the instance could be changed to.

A *target* is a place a change can take a feature to: an item that is not true of the instance. It is tried at up to
three *levels*: the value nearest to the instance's, the typical one, and a far one. A feature that is constant among
similar rows has no items; its targets are the sides of the instance's value in the whole background, or its other
categories there. A missing value is never a target.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lormika.frames.values import nearest
from lormika.rule import Equals, Interval
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


@dataclass(frozen=True, slots=True)
class Target:
    """Where a change can take a feature."""

    feature: int
    condition: Interval | Equals  # true after the change, not before
    item: int  # its number among all items; -1: the feature is constant among similar rows
    direction: int  # of the change: 1 upwards, -1 downwards; 0: neither
    rows: int  # of the sample (or of the background, if the feature is constant there) that are in it
    levels: tuple[float, float, float]  # encoded values: the nearest, the typical and the far one; some may be the same


@dataclass(frozen=True, slots=True, eq=False)
class Choices:
    """Everything that the features of an instance could be changed to; values may be repeated."""

    feature: np.ndarray
    value: np.ndarray
    source: np.ndarray
    targets: tuple[Target, ...]
    levels: np.ndarray  # targets x levels: which of the values


def choices(background: Background, spread: Spread, items: Items, sample: np.ndarray, instance: np.ndarray) -> Choices:
    """Values of interest of all features, and their targets; none for a feature that only tells rows apart."""
    near = spread.values(instance)
    ranges = np.flatnonzero(~np.isnan(items.lows))
    inside = spread.inside(items.feature_of[ranges], items.lows[ranges], items.highs[ranges]).but(instance)
    varying = [
        *_range_targets(background, items, ranges, sample, instance),
        *_category_targets(background, items, instance),
    ]
    constant = _constant_targets(background, spread, items, near, instance)
    targets = sorted([*varying, *constant], key=lambda target: (target.feature, target.item))
    level_feature = np.repeat(np.array([target.feature for target in targets], dtype=np.int64), _LEVELS)
    level_value = np.array([target.levels for target in targets], dtype=float).ravel()
    is_constant = np.repeat(np.array([target.item < 0 for target in targets], dtype=bool), _LEVELS)
    level_source = np.where(is_constant, Source.BACKGROUND, np.tile(_SOURCES, len(targets)))
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
    return Choices(feature, value, source, tuple(targets), levels)


def _fine_values(spread: Spread, instance: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features, values and sources: without room for all, those go first that are far apart."""
    fine = spread.fine
    others = fine.value != instance[fine.feature]
    return fine.feature[others], fine.value[others], Source.FINE << spread.fineness[others]


def _range_targets(
    background: Background, items: Items, ranges: np.ndarray, sample: np.ndarray, instance: np.ndarray
) -> Iterator[Target]:
    """Ranges that the instance is not in."""
    own = instance[items.feature_of[ranges]]
    chosen = ranges[~((items.lows[ranges] <= own) & (own < items.highs[ranges]))]
    feature, low, high = items.feature_of[chosen], items.lows[chosen], items.highs[chosen]
    own = instance[feature]
    start = np.where(np.isnan(own), background.means[feature], own)  # see `origin`
    direction = np.where(low > start, 1, np.where(high <= start, -1, 0))
    typical, far = _typical_and_far(background, items, chosen, direction)
    nearest = _nearest_inside(background, items, chosen, sample, instance, start)
    levels = zip(nearest.tolist(), typical.tolist(), far.tolist(), strict=True)
    for f, item, way, three in zip(feature.tolist(), chosen.tolist(), direction.tolist(), levels, strict=True):
        condition = items.conditions[item]
        assert isinstance(condition, Interval)
        yield Target(f, condition, item, way, items.rows[item], three)


def _typical_and_far(
    background: Background, items: Items, chosen: np.ndarray, direction: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """In each range: the lower median of the sample, and a value further than most; the median, without a direction."""
    rows = np.array(items.rows, dtype=np.int64)
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
        f, condition = int(feature[i]), items.conditions[int(chosen[i])]
        assert isinstance(condition, Interval)
        values[i] = nearest_inside(background, sample[:, f], f, float(instance[f]), condition)
    return values


def _category_targets(background: Background, items: Items, instance: np.ndarray) -> Iterator[Target]:
    """Categories that the instance does not have."""
    features = background.schema.features
    for row, f in enumerate(items.features):
        if features[f].is_numeric:
            continue
        first, own_number, own = items.first_of(row), int(items.instance[row]), float(instance[f])
        for number in range(int(items.sizes[row])):
            condition, rows = items.conditions[first + number], items.rows[first + number]
            if number == own_number or not isinstance(condition, Equals):
                continue
            value = float(features[f].positions[condition.value])
            if value != own:  # a category that no similar row has is the instance's own all the same
                yield Target(f, condition, first + number, 0, rows, (value, value, value))


def _constant_targets(
    background: Background, spread: Spread, items: Items, near: Values, instance: np.ndarray
) -> Iterator[Target]:
    """Of features that are constant among similar rows."""
    elsewhere = spread.identifiers.union(items.features)
    constant = [f for f in range(len(instance)) if f not in elsewhere]
    begin, end = np.searchsorted(near.feature, constant), np.searchsorted(near.feature, constant, side="right")
    for f, first, last in zip(constant, begin.tolist(), end.tolist(), strict=True):
        others = near.value[first:last]
        if background.schema.features[f].is_numeric:
            yield from _sides(background, f, np.unique(others), float(instance[f]))
        else:
            yield from _categories(background, f, others)


def _sides(background: Background, feature: int, others: np.ndarray, own: float) -> Iterator[Target]:
    """Below and above the value that all similar rows have."""
    name, whole = background.schema.features[feature].name, background.is_whole(feature)
    both = [(-1, others[others < own][::-1]), (1, others[others > own])]
    sides = [(0, others)] if math.isnan(own) else both
    for direction, values in sides:
        if len(values) == 0:
            continue
        low, high = (-math.inf, own) if direction < 0 else (math.nextafter(own, math.inf), math.inf)
        condition = Interval(name, -math.inf, math.inf, whole) if direction == 0 else Interval(name, low, high, whole)
        first, middle, last = values[[0, len(values) // 2, -1]].tolist()
        yield Target(feature, condition, -1, direction, 0, (first, middle, last))


def _categories(background: Background, feature: int, others: np.ndarray) -> Iterator[Target]:
    described = background.schema.features[feature]
    for rank, value in enumerate(others.tolist()):
        category = described.decode(value)
        assert category is not None
        yield Target(feature, Equals(described.name, category), -1, 0, -rank, (value, value, value))


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

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
from lormika.rule import Equals, Interval, Missing
from lormika.stages.background import Background
from lormika.stages.items import Items
from lormika.stages.spread import Spread

_FAR = 0.9  # share of a target's rows that lie before its far level


class Source:
    """Why a value is asked about, as bits; the lower, the sooner. Plain numbers, because enum flags are slow."""

    TYPICAL = 1
    BACKGROUND = 2
    FAR = 4
    NEAREST = 8
    INSIDE = 16  # one of a few by which the background's values inside a target are represented
    OTHER = 32  # any of a number that has few values, or one of some from the least to the greatest

    SIMILAR = TYPICAL | FAR | NEAREST


@dataclass(frozen=True, slots=True)
class Target:
    """Where a change can take a feature."""

    feature: int
    condition: Interval | Equals  # true after the change, not before
    item: int  # its number among all items; -1: the feature is constant among similar rows
    direction: int  # of the change: 1 upwards, -1 downwards; 0: neither
    rows: int  # of the sample (or of the background, if the feature is constant there) that are in it
    levels: tuple[float, float, float]  # encoded values: the nearest, the typical and the far one; some may be the same


@dataclass(frozen=True, slots=True)
class Choices:
    """Everything that a feature could be changed to."""

    values: dict[float, int]  # with their sources
    targets: tuple[Target, ...]


def choices(
    background: Background, spread: Spread, items: Items, sample: np.ndarray, instance: np.ndarray, feature: int
) -> Choices:
    """Values of interest of a feature, and its targets; none for a feature that only tells rows apart."""
    if feature in spread.identifiers:
        return Choices({}, ())
    own = float(instance[feature])
    others = spread.values(feature, own)
    values = dict.fromkeys(others.tolist(), Source.BACKGROUND)
    row = items.row_of(feature)
    if row is not None:
        targets = tuple(_item_targets(background, items, row, sample[:, feature], own))
    elif background.schema.features[feature].is_numeric:
        targets = tuple(_sides(background, feature, others, own))
    else:
        targets = tuple(_categories(background, feature, others))
    for condition in _ranges(items, row):
        for value in spread.inside(feature, condition).tolist():
            if value != own:
                values[value] = values.get(value, 0) | Source.INSIDE
    for target in targets:
        for source, value in zip((Source.NEAREST, Source.TYPICAL, Source.FAR), target.levels, strict=True):
            values[value] = values.get(value, 0) | (source if row is not None else Source.BACKGROUND)
    for value in spread.others[feature]:
        if value != own:
            values[value] = values.get(value, 0) | Source.OTHER
    return Choices(values, targets)


def _ranges(items: Items, row: int | None) -> list[Interval]:
    """The items of a number; none for a category, or for a constant feature."""
    if row is None:
        return []
    first = items.first_of(row)
    own = items.conditions[first : first + int(items.sizes[row])]
    return [condition for condition in own if isinstance(condition, Interval)]


def _item_targets(background: Background, items: Items, row: int, column: np.ndarray, own: float) -> Iterator[Target]:
    feature, first = items.features[row], items.first_of(row)
    codes, own_number = items.codes[row], int(items.instance[row])
    positions = background.schema.features[feature].positions
    for number in range(int(items.sizes[row])):
        condition, rows = items.conditions[first + number], items.rows[first + number]
        if number == own_number or isinstance(condition, Missing):
            continue
        if isinstance(condition, Equals):
            value = float(positions[condition.value])
            if value != own:  # a category that no similar row has is the instance's own all the same
                yield Target(feature, condition, first + number, 0, rows, (value, value, value))
        elif not condition.low <= own < condition.high:
            inside = np.sort(column[codes == number])
            start = origin(background, feature, own)
            direction = 1 if condition.low > start else -1 if condition.high <= start else 0
            typical, far = _typical_and_far(inside, direction)
            levels = (nearest_inside(background, column, feature, own, condition), typical, far)
            yield Target(feature, condition, first + number, direction, rows, levels)


def _typical_and_far(inside: np.ndarray, direction: int) -> tuple[float, float]:
    """The lower median, and a value that is further than most; without a direction, the median again."""
    last = len(inside) - 1
    typical = float(inside[last // 2])
    if direction == 0:
        return typical, typical
    return typical, float(inside[int(_FAR * last) if direction > 0 else last - int(_FAR * last)])


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

"""Reach: how far the instance's own ranges extend before something is different.

The sample cuts numbers evenly, wherever the model turns. But a rule that says why says what would be different
elsewhere. So for these rules the instance's own range is cut anew: from its value, in both directions, as far as the
model stays about as certain.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lormika.rule import Interval
from lormika.stages.background import Background
from lormika.stages.items import Items
from lormika.stages.placing import Placing
from lormika.stages.recut import Range, join, recut
from lormika.stages.trials import Trials
from lormika.stages.turning import between

_SHARE = 0.25  # of the most that any value of the feature takes from the certainty
_MOST_CUT = 50  # features, those with the largest effects, whose ranges may end inside one of the sample
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class _Ends:
    """Where the own ranges of all features end, in one direction."""

    item: np.ndarray  # the last one that is reached
    value: np.ndarray  # the last value inside that is reached, if not all of it is
    is_inside: np.ndarray  # the range ends inside that item


def reach(background: Background, sample: np.ndarray, placing: Placing, trials: Trials, certainty: float) -> Placing:
    """Place the edits among items with own ranges for rules that support the prediction."""
    items = placing.items
    own = items.firsts + np.maximum(items.instance, 0)
    is_range = (items.instance >= 0) & ~np.isnan(items.lows[own])
    differs = _differs(placing, trials, own, certainty)
    low, high = (_ends(placing, trials, own, differs, step) for step in (-1, 1))
    is_cut = _strongest(is_range & (low.is_inside | high.is_inside), trials.effects[list(items.features)])
    # Of a range that is not cut, nothing is reached, or all.
    first = np.where(low.is_inside & ~is_cut & (low.item != own), low.item + 1, low.item)
    last = np.where(high.is_inside & ~is_cut & (high.item != own), high.item - 1, high.item)
    cut = {}
    for row in np.flatnonzero(is_cut).tolist():
        ends = [float(end.value[row]) if end.is_inside[row] else None for end in (low, high)]
        cut[row] = list(_cut(background, trials, items, row, (int(first[row]), int(last[row])), *ends))
    # One range of all values would be no condition.
    grows = is_range & ~is_cut & (last - first + 1 < items.sizes)
    placing = join(placing, np.where(grows, first, own), np.where(grows, last, own))
    return recut(placing, trials.edits, sample, cut) if cut else placing


def _differs(placing: Placing, trials: Trials, own: np.ndarray, certainty: float) -> np.ndarray:
    """Which single edits turn the prediction, or lead to another range and make the model clearly less certain."""
    feature, lost = trials.edits.feature, certainty - trials.singles.certainty
    most = np.full(len(trials.edits.instance), -np.inf)
    np.maximum.at(most, feature, lost)
    is_other = np.ones(len(placing.items) + 1, dtype=bool)  # the last: no item at all
    is_other[own] = False
    leaves = is_other[placing.in_item]
    less = leaves & (lost > _SHARE * most[feature] + _ROUNDING)
    differs: np.ndarray = trials.singles.turned | less | (placing.in_item < 0)
    return differs


def _ends(placing: Placing, trials: Trials, own: np.ndarray, differs: np.ndarray, step: int) -> _Ends:
    """How far each own range reaches down (-1) or up (1)."""
    items, edits = placing.items, trials.edits
    features = np.array(items.features, dtype=np.intp)
    own_values = edits.instance[edits.feature]
    away = edits.value < own_values if step < 0 else edits.value > own_values
    stops = np.flatnonzero(differs & away)
    nearest = np.full(len(edits.instance), -1 if step < 0 else len(edits))
    (np.maximum if step < 0 else np.minimum).at(nearest, edits.feature[stops], stops)
    stop = nearest[features]
    has_stop = (stop >= 0) & (stop < len(edits))
    if len(edits) == 0:
        return _Ends(own, edits.instance[features], np.zeros(len(own), dtype=bool))
    # The value before it; the instance's, if there is none on that side.
    before = stop - step
    is_there = (before >= 0) & (before < len(edits))
    before = np.where(is_there, before, 0)
    is_own = ~is_there | (edits.feature[before] != features) | ~away[before]
    item = np.where(is_own, own, placing.in_item[before])
    value = np.where(is_own, edits.instance[features], edits.value[before])
    is_inside = has_stop & (placing.in_item[np.where(has_stop, stop, 0)] == item)
    outermost = items.firsts if step < 0 else _last_ranges(items)
    return _Ends(np.where(has_stop, item, outermost), value, is_inside)


def _last_ranges(items: Items) -> np.ndarray:
    """The last item of each feature; the one before it, if that is a missing value."""
    last = items.firsts + items.sizes - 1
    last_ranges: np.ndarray = np.where(np.isnan(items.lows[last]), last - 1, last)
    return last_ranges


def _strongest(wanted: np.ndarray, effects: np.ndarray) -> np.ndarray:
    """The wanted features, if they are not too many; else those with the largest effects."""
    chosen = np.zeros(len(wanted), dtype=bool)
    ranked = np.argsort(np.where(wanted, -effects, np.inf), kind="stable")[: min(_MOST_CUT, int(wanted.sum()))]
    chosen[ranked] = True
    return chosen


def _cut(
    background: Background,
    trials: Trials,
    items: Items,
    row: int,
    places: tuple[int, int],
    low: float | None,
    high: float | None,
) -> Iterator[Range]:
    """The ranges of a feature, with the instance's own from the first item to the last, or from and to these values."""
    f, start = items.features[row], int(items.firsts[row])
    every = (own[start : start + int(items.sizes[row])].tolist() for own in (items.lows, items.highs, items.whole))
    ranges = [one for one in map(Range._make, zip(*every, strict=True)) if one.low == one.low]  # all but missing values
    first, last = (ranges[place - start] for place in places)
    value = float(trials.edits.instance[f])
    narrow = between(background, f, value if low is None else low, value if high is None else high, value)
    assert isinstance(narrow, Interval)
    begin, end = first.low if low is None else narrow.low, last.high if high is None else narrow.high
    yield from ranges[: places[0] - start]
    if low is not None:
        yield first._replace(high=begin)
    yield Range(begin, end, first.whole and narrow.integer)
    if high is not None:
        yield last._replace(low=end)
    yield from ranges[places[1] - start + 1 :]

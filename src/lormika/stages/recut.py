"""Recut: items with other ranges, and the edits placed among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lormika.rule import Condition, Interval, Missing
from lormika.stages.edits import Edits
from lormika.stages.items import Items
from lormika.stages.placing import Placing


def join(placing: Placing, first: np.ndarray, last: np.ndarray) -> Placing:
    """Make one range of neighbouring ones: of each feature, from the first to the last item; mostly the same one."""
    items = placing.items
    wider = np.flatnonzero(last > first)
    if len(wider) == 0:
        return placing
    steps = np.zeros(len(items.conditions) + 1, dtype=np.intp)
    np.add.at(steps, first[wider] + 1, 1)
    np.add.at(steps, last[wider] + 1, -1)
    kept = np.cumsum(steps[:-1]) == 0
    number = np.cumsum(kept) - 1  # of each item, among those that are left
    firsts = number[items.firsts]
    conditions = list(items.conditions)
    for start, end in zip(first[wider].tolist(), last[wider].tolist(), strict=True):
        conditions[start] = _from_to(conditions[start], conditions[end])
    codes, within = items.codes.copy(), (number - np.repeat(firsts, items.sizes)).astype(items.codes.dtype)
    codes[wider] = within[codes[wider] + items.firsts[wider, None]]
    left = np.flatnonzero(kept).tolist()
    own = within[items.firsts + np.maximum(items.instance, 0)]
    joined = replace(
        items,
        conditions=tuple(conditions[i] for i in left),
        places=tuple((items.places[i][0], number) for i, number in zip(left, within[left].tolist(), strict=True)),
        rows=tuple(np.bincount(number, items.rows).astype(np.intp).tolist()),
        sizes=np.bincount(np.repeat(np.arange(len(firsts)), items.sizes), kept).astype(items.sizes.dtype),
        codes=codes,
        instance=np.where(items.instance >= 0, own, -1).astype(items.instance.dtype),
    )
    return placing.among(joined, np.where(placing.in_item >= 0, number[placing.in_item], -1))


def _from_to(first: Condition, last: Condition) -> Interval:
    assert isinstance(first, Interval)
    assert isinstance(last, Interval)
    return replace(first, high=last.high)


@dataclass(frozen=True, slots=True, eq=False)
class _Column:
    """A feature with new items."""

    conditions: list[Condition]
    codes: np.ndarray  # of each row of the sample
    rows: list[int]  # of each item: how many it holds for
    own: int  # the instance's item
    placed: np.ndarray  # item of each single edit of the feature; -1: none


def recut(placing: Placing, edits: Edits, sample: np.ndarray, ranges: Mapping[int, Sequence[Interval]]) -> Placing:
    """Replace all ranges of some features (rows of codes).

    Only ranges that occur in the sample are items. A feature stays as it is if one of them would be all of its items,
    or if the instance's does not occur.
    """
    items = placing.items
    found = {row: _column(items, row, own, edits, sample) for row, own in ranges.items()}
    changed = {row: column for row, column in found.items() if column is not None}
    if not changed:
        return placing
    sizes, codes, instance = items.sizes.copy(), items.codes.copy(), items.instance.copy()
    for row, column in changed.items():
        sizes[row], codes[row], instance[row] = len(column.conditions), column.codes, column.own
    firsts = np.cumsum(sizes) - sizes
    in_item = placing.in_item + np.append(firsts - items.firsts, 0)[_rows(placing)]
    for row, column in changed.items():
        first, last = _edits_of(edits, items.features[row])
        in_item[first:last] = np.where(column.placed >= 0, firsts[row] + column.placed, -1)
    conditions: list[Condition] = []
    rows: list[int] = []
    for row, (first, size) in enumerate(zip(items.firsts.tolist(), items.sizes.tolist(), strict=True)):
        new, own = changed.get(row), slice(first, first + size)
        conditions += items.conditions[own] if new is None else new.conditions
        rows += items.rows[own] if new is None else new.rows
    cut = replace(
        items,
        conditions=tuple(conditions),
        places=tuple((row, number) for row, size in enumerate(sizes.tolist()) for number in range(size)),
        rows=tuple(rows),
        sizes=sizes,
        codes=codes,
        instance=instance,
    )
    return placing.among(cut, in_item)


def _rows(placing: Placing) -> np.ndarray:
    """Row of codes that the item of each edit belongs to; one too many, if it has no item."""
    firsts, in_item = placing.items.firsts, placing.in_item
    return np.where(in_item >= 0, np.searchsorted(firsts, in_item, "right") - 1, len(firsts))


def _edits_of(edits: Edits, feature: int) -> tuple[int, int]:
    first, last = np.searchsorted(edits.feature, [feature, feature + 1]).tolist()
    return first, last


def _column(items: Items, row: int, ranges: Sequence[Interval], edits: Edits, sample: np.ndarray) -> _Column | None:
    """The feature with these ranges, and with missing values as before."""
    f = items.features[row]
    lows, highs = np.array([(one.low, one.high) for one in ranges]).T
    column = sample[:, f]
    codes = np.where(np.isnan(column), len(ranges), np.searchsorted(lows, column, "right") - 1)
    rows = np.bincount(codes, minlength=len(ranges) + 1)
    number = np.where(rows > 0, np.cumsum(rows > 0) - 1, -1)
    own = number[np.searchsorted(lows, edits.instance[f], "right") - 1]
    if own < 0 or (rows > 0).sum() < 2:
        return None
    first, last = _edits_of(edits, f)
    place = np.searchsorted(lows, edits.value[first:last], "right") - 1
    inside = (place >= 0) & (edits.value[first:last] < highs[place])
    occurring = np.flatnonzero(rows).tolist()
    every: list[Condition] = [*ranges, Missing(ranges[0].feature)]
    return _Column(
        [every[i] for i in occurring],
        number[codes].astype(items.codes.dtype),
        rows[occurring].tolist(),
        int(own),
        np.where(inside, number[place], -1),
    )

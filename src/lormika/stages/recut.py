"""Recut: items with other ranges, and the edits placed among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from lormika import _core
from lormika.stages.edits import Edits
from lormika.stages.items import Items
from lormika.stages.placing import Placing


class Range(NamedTuple):
    """An item of a number."""

    low: float
    high: float
    whole: bool


def join(placing: Placing, first: np.ndarray, last: np.ndarray) -> Placing:
    """Make one range of neighbouring ones: of each feature, from the first to the last item; mostly the same one."""
    items = placing.items
    wider = np.flatnonzero(last > first)
    if len(wider) == 0:
        return placing
    steps = np.zeros(len(items) + 1, dtype=np.intp)
    np.add.at(steps, first[wider] + 1, 1)
    np.add.at(steps, last[wider] + 1, -1)
    kept = np.cumsum(steps[:-1]) == 0
    number = np.cumsum(kept) - 1  # of each item, among those that are left
    firsts = number[items.firsts]
    highs = items.highs.copy()
    highs[first[wider]] = items.highs[last[wider]]
    codes, within = items.codes.copy(), (number - np.repeat(firsts, items.sizes)).astype(items.codes.dtype)
    codes[wider] = within[codes[wider] + items.firsts[wider, None]]
    own = within[items.firsts + np.maximum(items.instance, 0)]
    joined = replace(
        items,
        sizes=np.bincount(np.repeat(np.arange(len(firsts)), items.sizes), kept).astype(items.sizes.dtype),
        rows=np.bincount(number, items.rows).astype(items.rows.dtype),
        lows=items.lows[kept],
        highs=highs[kept],
        whole=items.whole[kept],
        categories=items.categories[kept],
        codes=codes,
        instance=np.where(items.instance >= 0, own, -1).astype(items.instance.dtype),
    )
    return placing.among(joined, np.where(placing.in_item >= 0, number[placing.in_item], -1))


def recut(placing: Placing, edits: Edits, sample: np.ndarray, ranges: Mapping[int, Sequence[Range]]) -> Placing:
    """Replace all ranges of some features (rows of codes, ascending).

    Only ranges that occur in the sample are items. A feature stays as it is if one of them would be all of its items,
    or if the instance's does not occur.
    """
    items, cut = placing.items, _Cut.of(placing.items, edits, sample, ranges)
    kept = np.flatnonzero((cut.own >= 0) & (cut.sizes > 1))
    if len(kept) == 0:
        return placing
    changed = cut.rows[kept]
    sizes, codes, instance = items.sizes.copy(), items.codes.copy(), items.instance.copy()
    sizes[changed], codes[changed], instance[changed] = cut.sizes[kept], cut.codes[kept], cut.own[kept]
    firsts = np.cumsum(sizes) - sizes
    in_item = placing.in_item + np.append(firsts - items.firsts, 0)[_rows(placing)]
    is_changed = np.zeros(len(sizes), dtype=bool)
    is_changed[changed] = True
    is_kept = is_changed[cut.edit_rows]
    placed, rows = cut.placed[is_kept], cut.edit_rows[is_kept]
    in_item[cut.edits[is_kept]] = np.where(placed >= 0, firsts[rows] + placed, -1)
    # Items of features that stay as they are move, and make room for new ones.
    before = np.repeat(np.arange(len(sizes)), items.sizes)
    stay = np.flatnonzero(~is_changed[before])
    places = stay + (firsts - items.firsts)[before[stay]]
    new = np.flatnonzero(is_changed[cut.item_rows])
    new_places = firsts[cut.item_rows[new]] + cut.item_numbers[new]

    def merged(old: np.ndarray, others: np.ndarray) -> np.ndarray:
        both = np.empty(int(sizes.sum()), dtype=old.dtype)
        both[places], both[new_places] = old[stay], others[new]
        return both

    recut = replace(
        items,
        sizes=sizes,
        rows=merged(items.rows, cut.held),
        lows=merged(items.lows, cut.lows),
        highs=merged(items.highs, cut.highs),
        whole=merged(items.whole, cut.whole),
        categories=merged(items.categories, np.full(len(cut.lows), np.nan)),
        codes=codes,
        instance=instance,
    )
    return placing.among(recut, in_item)


def _rows(placing: Placing) -> np.ndarray:
    """Row of codes that the item of each edit belongs to; one too many, if it has no item."""
    firsts, in_item = placing.items.firsts, placing.in_item
    return np.where(in_item >= 0, np.searchsorted(firsts, in_item, "right") - 1, len(firsts))


@dataclass(frozen=True, slots=True, eq=False)
class _Cut:
    """Some features with new ranges, and with missing values as before; items are numbered within their feature."""

    rows: np.ndarray  # of each feature: its row of codes
    sizes: np.ndarray  # of each feature: how many items occur
    codes: np.ndarray  # features x rows of the sample
    own: np.ndarray  # the instance's item of each feature; -1: it does not occur
    edits: np.ndarray  # single edits of these features
    edit_rows: np.ndarray  # and for each of them its row of codes
    placed: np.ndarray  # its item; -1: none
    item_rows: np.ndarray  # of each item that occurs: its row of codes
    item_numbers: np.ndarray  # and its number there
    held: np.ndarray  # how many rows of the sample it holds for
    lows: np.ndarray  # and its range, see `Items`
    highs: np.ndarray
    whole: np.ndarray

    @classmethod
    def of(cls, items: Items, edits: Edits, sample: np.ndarray, ranges: Mapping[int, Sequence[Range]]) -> _Cut:
        rows, lengths = np.array(list(ranges)), np.array([len(own) for own in ranges.values()])
        features = items.feature_of[items.firsts[rows]]
        lows, highs, whole = np.array([one for own in ranges.values() for one in own]).T
        begin, end = np.cumsum(lengths) - lengths, np.cumsum(lengths)
        columns = np.ascontiguousarray(sample.T[features])
        codes, counts = _core.assign(
            columns,
            np.delete(lows, begin),
            np.cumsum([0, *(lengths - 1)]),
            (lengths + 1).astype(np.int32),
            np.ones(len(rows), dtype=bool),
        )
        starts = np.cumsum([0, *(lengths + 1)])  # of each feature's counts: those of its ranges, and without a value
        before = np.cumsum([0, *(counts > 0)])  # items that occur before each place
        number = np.where(counts > 0, before[:-1] - np.repeat(before[starts[:-1]], lengths + 1), -1)

        def place(feature: np.ndarray, value: np.ndarray) -> np.ndarray:
            """The last range that begins at a value, or before it."""
            return _core.places(lows, begin, end, feature, np.nextafter(value, np.inf)) - 1

        every = np.arange(len(rows))
        position = np.full(len(edits.instance), -1)
        position[features] = every
        own = number[starts[:-1] + place(every, edits.instance[features])]
        chosen = np.flatnonzero(position[edits.feature] >= 0)
        feature, value = position[edits.feature[chosen]], edits.value[chosen]
        at = place(feature, value)
        inside = (at >= 0) & (value < highs[begin[feature] + np.maximum(at, 0)])
        placed = np.where(inside, number[starts[feature] + np.maximum(at, 0)], -1)
        codes = number.astype(items.codes.dtype)[codes + starts[:-1, None]]
        occurring = np.flatnonzero(counts)
        of_item = np.repeat(every, lengths + 1)
        with_missing = [
            np.insert(each, end, filler) for each, filler in ((lows, np.nan), (highs, np.nan), (whole, 0.0))
        ]
        return cls(
            rows,
            np.diff(before[starts]),
            codes,
            own,
            chosen,
            rows[feature],
            placed,
            rows[of_item[occurring]],
            number[occurring],
            counts[occurring],
            *(each[occurring] for each in with_missing),
        )

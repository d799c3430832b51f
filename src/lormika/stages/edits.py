"""Edits: the instance with one or two values changed; the model is asked about them along with the sample."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lormika.rule import Condition, Edit, Equals, Interval
from lormika.stages.background import Background
from lormika.stages.items import Items
from lormika.stages.spread import Spread
from lormika.stages.targets import Source, choices, nearest_inside

LEVELS = 2  # at which targets are combined: both at their nearest, or both at their typical value
_AT_LEAST = 2  # values of every feature
_CATEGORIES = 3  # of one feature that go into pairs: the most frequent ones


@dataclass(frozen=True, slots=True, eq=False)
class Edits:
    """Single edits, and where they lead. A pair of edits is two single ones."""

    instance: np.ndarray
    feature: np.ndarray  # of each single edit, ascending
    value: np.ndarray
    source: np.ndarray
    target_feature: np.ndarray  # of each target
    target_item: np.ndarray  # see `Targets`
    levels: np.ndarray  # targets x LEVELS: single edits to the nearest and to the typical value; they may be the same
    far: np.ndarray  # targets: single edits to the far value
    pairable: np.ndarray  # targets that go into pairs
    left_out: int  # single edits for which there was no room; fine ones do not count

    @property
    def is_coarse(self) -> np.ndarray:
        """Single edits that serve for more than to see where the prediction turns."""
        is_coarse: np.ndarray = (self.source & Source.COARSE) > 0
        return is_coarse

    def at_most(self, most: int) -> Edits:
        """Without the fine single edits for which there is no room."""
        if len(self) <= most:
            return self
        kept = _kept(self.feature, self.source, max(most, int(self.is_coarse.sum())))
        number = np.cumsum(kept) - 1
        return replace(
            self,
            feature=self.feature[kept],
            value=self.value[kept],
            source=self.source[kept],
            levels=number[self.levels],
            far=number[self.far],
        )

    def rows(self, singles: np.ndarray) -> np.ndarray:
        """Encoded rows of edits, each made of several single ones (edits x singles)."""
        rows = np.repeat(self.instance[None], len(singles), axis=0)
        starts = np.arange(len(rows)) * len(self.instance)
        for column in singles.T:
            rows.reshape(-1)[starts + self.feature[column]] = self.value[column]  # quicker than by row and feature
        return rows

    def row(self, singles: Iterable[int]) -> np.ndarray:
        """The encoded row of one edit."""
        row = self.instance.copy()
        for single in singles:
            row[self.feature[single]] = self.value[single]
        return row

    def __len__(self) -> int:
        return len(self.feature)


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs of targets of different features, both at the same level."""

    targets: np.ndarray  # pairs x 2
    singles: np.ndarray  # pairs x 2: the single edits it is made of
    level: np.ndarray  # of each pair, from 0

    def __len__(self) -> int:
        return len(self.level)


def make_edits(
    background: Background, spread: Spread, items: Items, sample: np.ndarray, instance: np.ndarray, most: int
) -> Edits:
    """All single edits; if there are too many, the first value of every feature, then the second, and so on."""
    found = choices(background, spread, items, sample, instance)
    order = np.lexsort((found.value, found.feature))
    feature, value = found.feature[order], found.value[order]
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = (feature[1:] != feature[:-1]) | (value[1:] != value[:-1])
    starts = np.flatnonzero(is_new)
    feature, value = feature[starts], value[starts]
    source = np.bitwise_or.reduceat(found.source[order], starts) if len(starts) else found.source[order]
    kept = _kept(feature, source, max(most, _AT_LEAST * len(instance)))
    number = np.where(kept, np.cumsum(kept) - 1, -1)  # of the single edit; -1: left out
    places = np.empty(len(order), dtype=np.intp)
    places[order] = number[np.cumsum(is_new) - 1]
    levels = places[found.levels]
    if not kept.all():  # those that are left out come last
        levels = np.take_along_axis(levels, np.argsort(levels < 0, axis=1, kind="stable"), 1)
    count = (levels >= 0).sum(axis=1)
    asked = np.flatnonzero(count)
    levels, last = levels[asked], count[asked] - 1
    target_feature, rank = found.targets.feature[asked], found.targets.rank[asked]
    rows = np.arange(len(asked))
    return Edits(
        instance,
        feature[kept],
        value[kept],
        source[kept],
        target_feature,
        found.targets.item[asked],
        np.column_stack([levels[:, 0], levels[rows, np.minimum(1, last)]]),
        levels[rows, last],
        _pairable(background, target_feature, rank),
        int(((source[~kept] & Source.COARSE) > 0).sum()),
    )


def _kept(feature: np.ndarray, source: np.ndarray, most: int) -> np.ndarray:
    """Which values, sorted, to ask about: those with the most urgent reason, its lowest bit, of every feature first.

    Fine ones come after all others.
    """
    kept = np.ones(len(source), dtype=bool)
    if len(source) > most:
        order = np.lexsort((source & -source, feature))  # stable: of equally urgent values, the least comes first
        rank = np.empty(len(source), dtype=np.intp)
        rank[order] = np.arange(len(source)) - np.searchsorted(feature, feature)  # within its feature
        rank[(source & Source.COARSE) == 0] += len(source)
        turn = rank * (feature[-1] + 1) + feature
        kept = turn <= np.partition(turn, most - 1)[most - 1]
    return kept


def _pairable(background: Background, feature: np.ndarray, rank: np.ndarray) -> np.ndarray:
    """All targets of numbers, and the most frequent ones of categories."""
    order, place = np.lexsort((rank, feature)), np.empty(len(feature), dtype=np.intp)
    place[order] = np.arange(len(feature)) - np.searchsorted(feature, feature)  # of each target in its feature
    return np.flatnonzero(background.numeric[feature] | (place < _CATEGORIES))


def make_pairs(edits: Edits, chosen: np.ndarray) -> Pairs:
    """All pairs among some targets, which ascend, at each level."""
    features = edits.target_feature[chosen]  # ascending
    targets = chosen[np.column_stack(np.nonzero(features[:, None] < features))]
    singles = edits.levels.take(targets, axis=0).transpose(0, 2, 1)  # pairs of targets x levels x 2
    fresh = np.ones(singles.shape[:2], dtype=bool)
    fresh[:, 1:] = (singles[:, 1:] != singles[:, :-1]).any(axis=2)
    which, level = np.nonzero(fresh)
    return Pairs(targets.take(which, axis=0), singles.reshape(-1, 2).take(which * LEVELS + level, axis=0), level)


def count_pairs(edits: Edits, chosen: np.ndarray) -> int:
    """How many pairs there are among some targets, without making them."""
    features, levels = edits.target_feature[chosen], edits.levels.take(chosen, axis=0)
    alike = levels[:, 0] == levels[:, 1]
    # Every pair is there at the nearest values; and at the typical ones, unless these are the nearest of both.
    return 2 * _across(np.bincount(features)) - _across(np.bincount(features[alike]))


def _across(counts: np.ndarray) -> int:
    """Pairs of things of different groups."""
    return int(counts.sum() ** 2 - (counts**2).sum()) // 2


def smallest_edit(
    background: Background, sample: np.ndarray, instance: np.ndarray, conditions: Sequence[Condition]
) -> np.ndarray:
    """Change an encoded instance just enough to make all conditions true."""
    edited = instance.copy()
    for condition in conditions:
        f = background.schema.index(condition.feature)
        match condition:
            case Interval():
                edited[f] = nearest_inside(background, sample[:, f], f, instance[f], condition)
            case Equals():
                edited[f] = background.schema.features[f].positions[condition.value]
            case _:
                edited[f] = np.nan
    return edited


def describe(background: Background, instance: np.ndarray, edited: np.ndarray) -> tuple[Edit, ...]:
    """What differs between an encoded instance and its edited row."""
    features = background.schema.features
    differing = np.flatnonzero(instance != edited)  # or missing in both
    values = zip(instance[differing].tolist(), edited[differing].tolist(), strict=True)
    return tuple(
        Edit(features[f].name, features[f].decode(before), features[f].decode(after))
        for f, (before, after) in zip(differing.tolist(), values, strict=True)
        if not (math.isnan(before) and math.isnan(after))
    )

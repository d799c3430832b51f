"""Breaks: edits that make true conditions false, summed up by feature, so that any rule can be judged quickly."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from lormika.rule import Check
from lormika.stages.effects import MATTERS
from lormika.stages.placing import Placing
from lormika.stages.spread import Spread
from lormika.stages.targets import Source
from lormika.stages.terms import Sums, Terms
from lormika.stages.trials import Trials


class _Need(NamedTuple):
    """How much the prediction needs the values of some features; the least one is needed most."""

    seldom: bool  # at most half of the edits, as frequent as in the background, make the model less certain
    move: float  # mean change of the certainty without them
    features: tuple[int, ...]


LEAST = 0.1  # mean change of the log-odds that confirms a rule
_ROUNDING, _DIGITS = 1e-10, 9
_ROWS, _CHANGE, _CERTAINTY = (Sums._fields.index(name) for name in ("rows", "change", "certainty"))
_FEW = 4  # values outside an item: fewer do not show what is there
_NONE = -2  # the item of a feature that does not vary: no edit leads there


def difference(mean: float, value: float) -> float:
    """How much a mean is above a value; 0 if the difference is no more than rounding."""
    gap = mean - value
    return gap if abs(gap) > _ROUNDING * max(1.0, abs(value)) else 0.0


def make_check(trials: Trials, before: float, asked: float, agreed: float, after: float, shift: float) -> Check:
    """What the model said; of a regressor, with the mean shift of its value."""
    return Check(int(asked), int(agreed), before, after, None if trials.singles.values is None else shift)


class Breaks:
    """Edits that lead out of the instance's items. Features are counted among those that vary among similar rows."""

    def __init__(self, spread: Spread, placing: Placing, terms: Terms, certainty: float) -> None:
        items = placing.items
        self._spread, self._items, self._terms, self._before = spread, items, terms, certainty
        self._trials, self._in_item = terms.trials, placing.in_item
        # The instance's item of each feature that varies; -1: it has none that occurs among similar rows.
        self._own_items = np.where(items.instance >= 0, items.firsts + items.instance, -1)
        self._rows = terms.row_of[terms.trials.edits.feature]
        own = np.append(self._own_items, _NONE)[self._rows]
        self._stays = self._in_item == own
        self._leaves = (self._rows >= 0) & ~self._stays
        self._counted, is_replaced = self._or_typical(terms.counted)
        of_background = self._or_all(terms.counted & terms.of_background, self._counted)
        self._of_background = np.where(is_replaced, self._counted, of_background)
        may_break, singles = self._leaves | (own < 0), terms.trials.pairs.singles
        self._leaving = may_break[singles[:, :, 0]] & may_break[singles[:, :, 1]] & terms.fresh
        self._every = self._sum_singles(self._counted)
        self._pairs = terms.sum_pairs(*np.nonzero(self._leaving & (terms.pair_set >= 0)[:, None]))

    def of(self, rows: Sequence[int]) -> tuple[Sums, Sums]:
        """Sums over edits of one or two of these features: to values of similar rows, and to all but other values."""
        every, similar = self._lists
        pairs = [self._pairs[pair].tolist() for pair in self._pairs_among(rows).values()]
        return _total([similar[row] for row in rows] + pairs), _total([every[row] for row in rows] + pairs)

    def _pairs_among(self, rows: Sequence[int]) -> dict[tuple[int, int], int]:
        """Sets of two of these features that pairs of edits break, by their positions among them."""
        both = {(i, j): self._terms.pair_at.get((rows[i], rows[j])) for i, j in combinations(range(len(rows)), 2)}
        return {places: pair for places, pair in both.items() if pair is not None and self._pairs[pair, _ROWS]}

    def each_agrees(self, rows: Sequence[int], sign: int) -> bool:
        """Whether breaking each of these features alone moves the model in the direction of a sign, on average."""
        every, _ = self._lists
        return all(sign * every[row][_CHANGE] > _ROUNDING for row in rows)

    def agreeing(self, sign: int) -> np.ndarray:
        """The same, for each feature."""
        return np.asarray(sign * self._every[:, _CHANGE] > _ROUNDING)

    def may_move(self, sign: int, most: int) -> np.ndarray:
        """For each feature, whether any rule with it, of at most so many features, may move the model enough.

        To do so, the edits of its features and of their pairs must sum up to `LEAST` for each of them. What a feature's
        own edits lack for that, the others must have to spare, and its pairs, and the others' pairs.
        """
        spare, pairs = (sign * sums[:, _CHANGE] - LEAST * sums[:, _ROWS] for sums in (self._every, self._pairs))
        with_own = np.zeros(len(spare))
        for side in self._terms.pair_rows:
            np.maximum.at(with_own, side, pairs)
        others = _largest(spare, most - 1) + _largest(pairs, math.comb(most - 1, 2))
        enough: np.ndarray = spare + (most - 1) * with_own + others >= -_ROUNDING
        return enough

    def expected(self, rows: Sequence[int], sign: int) -> float:
        """Mean change of the certainty, in the direction of a sign, if rows of the background break the rule.

        Each feature is assumed to leave the instance's item independently of the others, as often as in the background.
        If two do, either the pairs count, which have values of similar rows, or the sum of what each does alone with
        values of the background: whichever goes less in that direction. If more do, their pairs represent them.
        The features that stay inside change, too, to other values there.
        """
        outside = [self._outside[row] for row in rows]
        alone = [sign * self._alone[row] for row in rows]
        if len(rows) == 1:
            return difference(alone[0], 0.0)
        staying = [sign * self._staying[row] for row in rows]
        together = {(i, j): alone[i] + alone[j] for i, j in combinations(range(len(rows)), 2)}
        for places, pair in self._pairs_among(rows).items():
            together[places] = min(together[places], sign * self._moves_of_pairs[pair])
        total = weight = 0.0
        for broken, pairs, kept in _subsets(len(rows)):
            chance = math.prod([1 - share if i in kept else share for i, share in enumerate(outside)])
            moves = [together[pair] for pair in pairs] or [alone[broken[0]]]
            total += chance * (sum(moves) / len(moves) + sum([staying[i] for i in kept]))
            weight += chance
        return difference(total / weight if weight else sum(alone) / len(alone), 0.0)

    def _moves(self, sums: np.ndarray) -> list[float]:
        """Mean change of the certainty by each of some sums; 0, if there are no edits."""
        rows = sums[:, _ROWS]
        gaps = sums[:, _CERTAINTY] / np.where(rows > 0, rows, 1.0) - self._before
        is_more = np.abs(gaps) > _ROUNDING * max(1.0, abs(self._before))  # than rounding, see `difference`
        moves: list[float] = np.where(is_more & (rows > 0), gaps, 0.0).tolist()
        return moves

    def most_needed(self) -> tuple[int, ...]:
        """The feature, or else the two, without whose values the model is least certain; empty, if there is none.

        Measured over values of the background; features that are constant among similar rows count, too.
        """
        lowering = self._trials.edits.feature[self._trials.singles.change <= -LEAST]
        needs: list[_Need] = [self._without(f) for f in np.unique(lowering).tolist()]
        if not any(need.move < 0 for need in needs):
            needs = list(self._needs_of_pairs())
        needed = [need._replace(move=round(need.move, _DIGITS)) for need in needs if need.move < 0]
        return min(needed, default=_Need(True, 0.0, ())).features  # of equal ones, but for rounding, the first

    def _needs_of_pairs(self) -> Iterator[_Need]:
        features = self._items.features
        for place in np.flatnonzero(self._pairs[:, _ROWS]).tolist():
            i, j = self._terms.pair_rows[:, place].tolist()
            sums = Sums._make(self._pairs[place].tolist())
            if sums.change > -LEAST * sums.rows or not self._both_matter(features[i], features[j]):
                continue
            if all(self._move_without(features[k]) <= 0 for k in (i, j)):  # else it is no reason, but the contrary
                yield _Need(2 * sums.lower <= sums.rows, self._moves_of_pairs[place], (features[i], features[j]))

    def _both_matter(self, first: int, second: int) -> bool:
        """Whether each of two features adds to what the other one does alone."""
        pairs, own = self._trials.pairs, self.pairs_of(first, second)
        together = pairs.responses.change[pairs.asked[own]]
        alone = self._trials.singles.change[pairs.singles[own]]
        return bool((np.abs(together[:, None] - alone).max(axis=0) >= MATTERS).all())

    def _without(self, feature: int) -> _Need:
        """How much the certainty falls with other values of a feature; 0, if the log-odds do not fall enough."""
        own = self.outside(feature)
        change, weights = self._trials.singles.change[own], self.weights(own)
        falls = len(own) > 0 and np.average(change, weights=weights) <= -LEAST
        move = self._move_without(feature) if falls else 0.0
        agreed = weights[change < 0].sum() - weights[change >= 0].sum()
        return _Need(bool(agreed <= _ROUNDING), move, (feature,))

    def _move_without(self, feature: int) -> float:
        """Mean change of the certainty with other values of a feature, as frequent as in the background."""
        own = self.outside(feature)
        if len(own) == 0:
            return 0.0
        mean = float(np.average(self._trials.singles.certainty[own], weights=self.weights(own)))
        return difference(mean, self._before)

    def weights(self, own: np.ndarray) -> np.ndarray:
        """The weights of several single edits: how often rows of the background have their values."""
        frequency = self._terms.frequency[own]
        return frequency if frequency.sum() else np.ones(len(own))

    def outside(self, feature: int) -> np.ndarray:
        """Single edits to values of the background that lead out of the instance's item of a feature."""
        first, last = np.searchsorted(self._trials.edits.feature, [feature, feature + 1]).tolist()
        own = self._of_background[first:last]
        row = int(self._terms.row_of[feature])
        if row >= 0 and self._own_items[row] >= 0:
            own = own & self._leaves[first:last]
        edits: np.ndarray = first + np.flatnonzero(own)
        return edits

    def pairs_of(self, first: int, second: int) -> tuple[np.ndarray, np.ndarray]:
        """Pairs of edits of two features that break both conditions: the pairs, and their levels."""
        changed = self._trials.edits.target_feature[self._trials.pairs.targets]
        which, level = np.nonzero(self._leaving & (changed == (first, second)).all(axis=1)[:, None])
        return which, level

    def _or_typical(self, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The wanted single edits; of numbers whose item few of them lead out of, some typical of the rows outside.

        And which edits are of such numbers. Where the item ends in a tail, few values that usually count are outside.
        """
        count = np.bincount(self._rows[wanted & self._leaves], minlength=len(self._own_items))
        features = np.array(self._items.features, dtype=np.int64)
        has_few = self._spread.background.numeric[features] & (self._own_items >= 0) & (count < _FEW)
        is_of_these = np.append(has_few, False)[self._rows]
        chosen = wanted & ~is_of_these
        edits = np.flatnonzero(is_of_these & self._leaves)
        if len(edits):
            row, value, below = self._rows[edits], self._trials.edits.value[edits], self._spread.rows_below
            feature, item = features[row], self._own_items[row]
            low, high = self._items.lows[item], self._items.highs[item]
            inside = below(feature, high) - below(feature, low)  # rows; none, if the item is that of missing values
            outside = below(feature, np.full(len(row), np.inf)) - inside
            up_to = below(feature, np.nextafter(value, np.inf)) - np.where(value >= high, inside, 0)
            for part in range(1, 2 * _FEW, 2):
                order = np.lexsort((np.abs(2 * _FEW * up_to - part * outside), row))
                chosen[edits[order[np.diff(row[order], prepend=-1) > 0]]] = True
        return chosen, is_of_these

    def _or_all(self, wanted: np.ndarray, every: np.ndarray) -> np.ndarray:
        """The wanted single edits; of a feature of which none leads out of the instance's item, every one that does."""
        leads = np.bincount(self._rows[wanted & self._leaves], minlength=len(self._own_items)) > 0
        stays = np.append(leads | (self._own_items < 0), True)[self._rows]
        edits: np.ndarray = np.where(stays, wanted, every & self._leaves)
        return edits

    def _sum_singles(self, wanted: np.ndarray, *, weighted: bool = False) -> np.ndarray:
        """For each feature, sums of the wanted single edits that lead out of the instance's item."""
        return self._terms.sum_singles(np.flatnonzero(wanted & self._leaves), weighted=weighted)

    @cached_property
    def _lists(self) -> tuple[list[list[float]], list[list[float]]]:
        """Sums of single edits, and of those to values of similar rows: plain numbers are added quickly."""
        similar = self._sum_singles((self._trials.edits.source & Source.SIMILAR) > 0)
        return self._every.tolist(), similar.tolist()

    @cached_property
    def _alone(self) -> list[float]:
        """For each feature, the mean change of the certainty by values of the background, as frequent as there."""
        return self._moves(self._sum_singles(self._of_background, weighted=True))

    @cached_property
    def _moves_of_pairs(self) -> list[float]:
        """For each set of two features, the mean change of the certainty by its pairs."""
        return self._moves(self._pairs)

    @cached_property
    def _staying(self) -> list[float]:
        """For each feature, the mean change of the certainty by values of the background inside the instance's item."""
        inside = (self._trials.edits.source & (Source.BACKGROUND | Source.INSIDE)) > 0
        return self._moves(self._terms.sum_singles(np.flatnonzero(self._stays & inside)))

    @cached_property
    def turns_inside(self) -> list[bool]:
        """For each feature, whether a value inside the instance's own item turns the prediction."""
        turned = set(self._in_item[self._trials.singles.turned].tolist())
        return [own >= 0 and own in turned for own in self._own_items.tolist()]

    @cached_property
    def _outside(self) -> list[float]:
        """For each feature, the share of the background that is not in the instance's item."""
        items, own_items, spread, instance = self._items, self._own_items, self._spread, self._trials.edits.instance
        outside, rows = np.ones(len(own_items)), np.flatnonzero(own_items >= 0)
        features = np.array(items.features, dtype=np.int64)[rows]
        own, low, high = instance[features], items.lows[own_items[rows]], items.highs[own_items[rows]]
        is_category, is_missing = np.isnan(low), np.isnan(own)
        low, high = np.where(is_category, own, low), np.where(is_category, own + 0.5, high)
        inside = np.where(is_missing, spread.missing(features), spread.shares(features, low, high))
        outside[rows] = 1 - inside
        every: list[float] = outside.tolist()
        return every


def _largest(values: np.ndarray, count: int) -> float:
    """Sum of the largest values, as far as they are positive."""
    return float(np.sort(values[values > 0])[::-1][:count].sum())


def _total(several: Sequence[Sequence[float]]) -> Sums:
    return Sums._make(map(sum, zip(*several, strict=True)))


@lru_cache
def _subsets(size: int) -> tuple[tuple[tuple[int, ...], tuple[tuple[int, int], ...], tuple[int, ...]], ...]:
    """All that may be broken of so many conditions: which ones, their pairs, and the others.

    >>> _subsets(2)
    (((0,), (), (1,)), ((1,), (), (0,)), ((0, 1), ((0, 1),), ()))
    """
    broken = [some for length in range(1, size + 1) for some in combinations(range(size), length)]
    return tuple(
        (some, tuple(combinations(some, 2)), tuple(i for i in range(size) if i not in some)) for some in broken
    )

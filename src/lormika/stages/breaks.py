"""Breaks: edits that make true conditions false, summed up by feature, so that any rule can be judged quickly."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from lormika.rule import Check
from lormika.stages.edits import Edits
from lormika.stages.effects import MATTERS
from lormika.stages.items import Items
from lormika.stages.placing import Placing
from lormika.stages.responses import Responses
from lormika.stages.spread import Spread
from lormika.stages.targets import Source
from lormika.stages.trials import Trials


class Sums(NamedTuple):
    """Totals over several edits."""

    rows: float
    change: float  # of the log-odds
    lower: float  # edits that made the model less certain
    higher: float
    turned: float
    certainty: float
    shift: float  # of the value of a regressor


class _Need(NamedTuple):
    """How much the prediction needs the values of some features; the least one is needed most."""

    seldom: bool  # at most half of the edits make the model less certain
    move: float  # mean change of the certainty without them
    features: tuple[int, ...]


LEAST = 0.1  # mean change of the log-odds that confirms a rule
_ROUNDING, _DIGITS = 1e-10, 9


def difference(mean: float, value: float) -> float:
    """How much a mean is above a value; 0 if the difference is no more than rounding."""
    gap = mean - value
    return gap if abs(gap) > _ROUNDING * max(1.0, abs(value)) else 0.0


def make_check(trials: Trials, before: float, asked: float, agreed: float, after: float, shift: float) -> Check:
    """What the model said; of a regressor, with the mean shift of its value."""
    return Check(int(asked), int(agreed), before, after, None if trials.singles.values is None else shift)


class Breaks:
    """Edits that lead out of the instance's items. Features are counted among those that vary among similar rows."""

    def __init__(self, spread: Spread, placing: Placing, trials: Trials, certainty: float) -> None:
        items, edits = placing.items, trials.edits
        self._items, self._trials, self._before = items, trials, certainty
        self._in_item, self._counted = placing.in_item, placing.counted
        self._of_background = _stand_for_background(edits, self._counted)
        self._frequency = spread.frequencies(edits.feature, edits.value)
        self._row_of = np.full(len(edits.instance), -1)
        self._row_of[list(items.features)] = np.arange(len(items.features))
        # The instance's item of each feature that varies; -1: it has none that occurs among similar rows.
        self._own_items = np.where(items.instance >= 0, items.firsts + items.instance, -1)
        self._similar = self._singles((edits.source & Source.SIMILAR) > 0)
        self._every = self._singles(self._counted)
        self.turns_inside = self._turns_inside()
        self._background = self._singles(self._of_background, self._frequency)
        self._leaving = self._leaving_pairs()
        self._pairs = self._sum_pairs()
        self._staying = self._moves_inside()
        self._outside = _shares_outside(spread, items, self._own_items, edits.instance)

    def of(self, rows: Sequence[int]) -> tuple[Sums, Sums]:
        """Sums over edits of one or two of these features: to values of similar rows, and to all but other values."""
        pairs = [self._pairs[pair] for pair in combinations(rows, 2) if pair in self._pairs]
        return _total([self._similar[row] for row in rows] + pairs), _total([self._every[row] for row in rows] + pairs)

    def each_agrees(self, rows: Sequence[int], sign: int) -> bool:
        """Whether breaking each of these features alone moves the model in the direction of a sign, on average."""
        return all(sign * self._every[row].change > _ROUNDING for row in rows)

    def agreeing(self, sign: int) -> np.ndarray:
        """The same, for each feature."""
        return sign * _changes(self._every) > _ROUNDING

    def may_move(self, sign: int, most: int) -> np.ndarray:
        """For each feature, whether any rule with it, of at most so many features, may move the model enough.

        To do so, the edits of its features and of their pairs must sum up to `LEAST` for each of them. What a feature's
        own edits lack for that, the others must have to spare, and its pairs, and the others' pairs.
        """
        spare = sign * _changes(self._every) - LEAST * _rows(self._every)
        pairs = sign * _changes(self._pairs.values()) - LEAST * _rows(self._pairs.values())
        with_own = np.zeros(len(spare))
        for side in range(2):
            np.maximum.at(with_own, [pair[side] for pair in self._pairs], pairs)
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
        outside, alone = [self._outside[row] for row in rows], [self._move(self._background[row]) for row in rows]
        total = weight = 0.0
        for size in range(1, len(rows) + 1):
            for broken in combinations(range(len(rows)), size):
                chance = math.prod(outside[i] if i in broken else 1 - outside[i] for i in range(len(rows)))
                moves = [sign * alone[broken[0]]] if size == 1 else []
                for i, j in combinations(broken, 2):
                    pair = self._pairs.get((rows[i], rows[j]))
                    apart = sign * (alone[i] + alone[j])
                    moves.append(apart if pair is None else min(apart, sign * self._move(pair)))
                staying = sum(sign * self._staying[row] for i, row in enumerate(rows) if i not in broken)
                total, weight = total + chance * (sum(moves) / len(moves) + staying), weight + chance
        return difference(total / weight if weight else sign * sum(alone) / len(alone), 0.0)

    def _move(self, sums: Sums) -> float:
        """Mean change of the certainty; 0, if there are no edits."""
        return difference(sums.certainty / sums.rows, self._before) if sums.rows else 0.0

    def most_needed(self) -> tuple[int, ...]:
        """The feature, or else the two, without whose values the model is least certain; empty, if there is none.

        Measured over values of the background; features that are constant among similar rows count, too.
        """
        lowering = self._trials.edits.feature[self._trials.singles.change <= -LEAST]
        needs: list[_Need] = [self._without(f) for f in np.unique(lowering).tolist()]
        if not any(need.move < 0 for need in needs):
            features = self._items.features
            needs = [
                _Need(2 * sums.lower <= sums.rows, self._move(sums), (features[i], features[j]))
                for (i, j), sums in self._pairs.items()
                if sums.change <= -LEAST * sums.rows and self._both_matter(features[i], features[j])
            ]
        needed = [need._replace(move=round(need.move, _DIGITS)) for need in needs if need.move < 0]
        return min(needed, default=_Need(True, 0.0, ())).features  # of equal ones, but for rounding, the first

    def _both_matter(self, first: int, second: int) -> bool:
        """Whether each of two features adds to what the other one does alone."""
        pairs, own = self._trials.pairs, self.pairs_of(first, second)
        together = pairs.responses.change[pairs.asked[own]]
        alone = self._trials.singles.change[pairs.singles[own]]
        return bool((np.abs(together[:, None] - alone).max(axis=0) >= MATTERS).all())

    def _without(self, feature: int) -> _Need:
        """How much the certainty falls with other values of a feature; 0, if the log-odds do not fall enough."""
        own, singles = self.outside(feature), self._trials.singles
        change, move = singles.change[own], 0.0
        if len(own):
            weights = self.weights(own)
            if np.average(change, weights=weights) <= -LEAST:
                move = difference(float(np.average(singles.certainty[own], weights=weights)), self._before)
        return _Need(2 * int((change < 0).sum()) <= len(own), move, (feature,))

    def weights(self, own: np.ndarray) -> np.ndarray:
        """The weights of several single edits: how often rows of the background have their values."""
        return self._frequency[own] if self._frequency[own].sum() else np.ones(len(own))

    def outside(self, feature: int) -> np.ndarray:
        """Single edits to values of the background that lead out of the instance's item of a feature."""
        row = int(self._row_of[feature])
        first, last = np.searchsorted(self._trials.edits.feature, [feature, feature + 1]).tolist()
        every, of_background = self._counted[first:last], self._of_background[first:last]
        own = every & of_background
        if row >= 0 and self._own_items[row] >= 0:
            own = own & (self._in_item[first:last] != self._own_items[row])
        edits: np.ndarray = first + np.flatnonzero(own)
        return edits

    def _singles(self, counted: np.ndarray, weights: np.ndarray | None = None) -> list[Sums]:
        """For each feature, sums of single edits that lead out of the instance's item."""
        rows, size = self._row_of[self._trials.edits.feature], len(self._items.features)
        breaks = counted & (rows >= 0)
        breaks[breaks] = self._in_item[breaks] != self._own_items[rows[breaks]]
        scale = np.ones(len(rows)) if weights is None else weights
        columns = [np.bincount(rows[breaks], (v * scale)[breaks], size) for v in _fields(self._trials.singles)]
        return list(map(Sums._make, np.column_stack(columns).tolist()))

    def _moves_inside(self) -> list[float]:
        """For each feature, the mean change of the certainty by values of the background inside the instance's item."""
        edits, size = self._trials.edits, len(self._items.features)
        rows = self._row_of[edits.feature]
        stays = (rows >= 0) & ((edits.source & (Source.BACKGROUND | Source.INSIDE)) > 0)
        stays[stays] = self._in_item[stays] == self._own_items[rows[stays]]
        asked = np.bincount(rows[stays], minlength=size)
        total = np.bincount(rows[stays], self._trials.singles.certainty[stays], size)
        means = np.where(asked > 0, total / np.maximum(asked, 1), self._before)
        return [difference(mean, self._before) for mean in means.tolist()]

    def _turns_inside(self) -> list[bool]:
        """For each feature, whether a value inside the instance's own item turns the prediction."""
        turned = set(self._in_item[self._trials.singles.turned].tolist())
        return [own >= 0 and own in turned for own in self._own_items.tolist()]

    def _leaving_pairs(self) -> np.ndarray:
        """Which pairs lead out of the instance's items of both features (pairs x levels, equal levels once)."""
        pairs = self._trials.pairs
        rows = self._row_of[self._trials.edits.feature[pairs.singles]]
        own = np.where(rows >= 0, self._own_items[rows], -1)
        leaving: np.ndarray = ((own < 0) | (self._in_item[pairs.singles] != own)).all(axis=2) & pairs.fresh()
        return leaving

    def pairs_of(self, first: int, second: int) -> tuple[np.ndarray, np.ndarray]:
        """Pairs of edits of two features that break both conditions: the pairs, and their levels."""
        changed = self._trials.edits.target_feature[self._trials.pairs.targets]
        which, level = np.nonzero(self._leaving & (changed == (first, second)).all(axis=1)[:, None])
        return which, level

    def _sum_pairs(self) -> dict[tuple[int, int], Sums]:
        """Sums of all pairs of edits of two features, the earlier first, that break both conditions."""
        pairs, size = self._trials.pairs, len(self._row_of)
        rows = self._row_of[self._trials.edits.target_feature[pairs.targets]]
        which, level = np.nonzero(self._leaving & (rows >= 0).all(axis=1)[:, None])
        asked = pairs.asked[which, level]
        keys, place = np.unique(rows[which] @ [size, 1], return_inverse=True)
        columns = [np.bincount(place, values[asked], len(keys)) for values in _fields(pairs.responses)]
        sums = map(Sums._make, np.column_stack(columns).tolist())
        return dict(zip(zip((keys // size).tolist(), (keys % size).tolist(), strict=True), sums, strict=True))


def _stand_for_background(edits: Edits, counted: np.ndarray) -> np.ndarray:
    """Which single edits are to values of the background; all that count, where for want of room there is none."""
    of_background = (edits.source & Source.BACKGROUND) > 0
    has_some = np.bincount(edits.feature[of_background & counted], minlength=len(edits.instance)) > 0
    stands: np.ndarray = np.where(has_some[edits.feature], of_background, counted)
    return stands


def _changes(sums: Iterable[Sums]) -> np.ndarray:
    return np.array([one.change for one in sums], dtype=float)


def _rows(sums: Iterable[Sums]) -> np.ndarray:
    return np.array([one.rows for one in sums], dtype=float)


def _largest(values: np.ndarray, count: int) -> float:
    """Sum of the largest values, as far as they are positive."""
    return float(np.sort(values[values > 0])[::-1][:count].sum())


def _total(parts: Sequence[Sums]) -> Sums:
    return Sums(*map(sum, zip(*parts, strict=True)))


def _fields(responses: Responses) -> tuple[np.ndarray, ...]:
    """The values to sum up, in the order of `Sums`."""
    change = responses.change
    signs = change < 0, change > 0
    return np.ones(len(change)), change, *signs, responses.turned, responses.certainty, responses.shift


def _shares_outside(spread: Spread, items: Items, own_items: np.ndarray, instance: np.ndarray) -> list[float]:
    """For each feature, the share of the background that is not in the instance's item."""
    outside, rows = np.ones(len(own_items)), np.flatnonzero(own_items >= 0)
    features = np.array(items.features, dtype=np.int64)[rows]
    own, low, high = instance[features], items.lows[own_items[rows]], items.highs[own_items[rows]]
    is_category, is_missing = np.isnan(low), np.isnan(own)
    low, high = np.where(is_category, own, low), np.where(is_category, own + 0.5, high)
    inside = np.where(is_missing, spread.missing(features), spread.shares(features, low, high))
    outside[rows] = 1 - inside
    every: list[float] = outside.tolist()
    return every

"""Confirm: whether a rule is true of the instance, by what the model said of its edits.

A rule that is true of the instance is broken by edits, one that is not is made true; only features of the rule change.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from lormika.items import Items
from lormika.models import Unit
from lormika.rule import Category, Check, Interval
from lormika.stages.effects import MATTERS, largest_changes
from lormika.stages.responses import Responses
from lormika.stages.spread import Spread
from lormika.stages.targets import Source
from lormika.stages.trials import Trials

_LEAST = 0.1  # mean change of the log-odds that confirms a rule


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """Sums over edits that break a rule: of single edits (features), or of pairs (features x features)."""

    rows: np.ndarray
    change: np.ndarray
    lower: np.ndarray  # edits that made the model less certain
    higher: np.ndarray
    turned: np.ndarray
    certainty: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class _Trial:
    """Edits that make a rule true."""

    edits: np.ndarray  # positions among the responses
    responses: Responses
    nearest: int  # one of them
    singles: np.ndarray  # the single edits that the nearest one is made of


class Confirmation:
    """Checks rules of one case; built once for all of them."""

    def __init__(self, spread: Spread, items: Items, trials: Trials, unit: Unit, certainty: float) -> None:
        self._spread, self._items, self._trials = spread, items, trials
        self._unit, self._before = unit, certainty
        edits = trials.edits
        largest = largest_changes(edits, trials.singles, len(edits.instance))
        self.matters: np.ndarray = largest[list(items.features)] >= MATTERS
        self._in_item = _items_of_singles(items, trials)
        self._counted = (edits.source & ~Source.END) > 0
        self._target_of_item = {target.item: t for t, target in enumerate(edits.targets) if target.item >= 0}
        self._pair_of_targets = {tuple(pair): i for i, pair in enumerate(trials.pairs.targets.tolist())}
        self._similar = self._single_sums((edits.source & Source.SIMILAR) > 0)
        self._all = self._single_sums(self._counted)
        self._weights = self._frequencies()
        self._background = self._single_sums((edits.source & Source.BACKGROUND) > 0, self._weights)
        self._pairs = self._pair_sums()
        self._outside = self._shares_outside()

    def __call__(self, chosen: tuple[int, ...], category: Category) -> Check | None:
        """What the model said of a rule with these items; None: it is not true of the instance, or cannot be told."""
        places = [self._items.places[i] for i in chosen]
        if not all(self.matters[row] for row, _ in places):
            return None
        if category.is_current:
            return self._check_current([row for row, _ in places], category)
        if self._unit == "label" or not category.is_supporting:
            return None
        return self._check_hypothetical(self._changed(chosen))

    def _check_current(self, rows: list[int], category: Category) -> Check | None:
        similar, every = self._sum(self._similar, rows), self._sum(self._all, rows)
        if every["rows"] == 0:
            return None
        sign = -1 if category.is_supporting else 1
        agreed = every["lower" if sign < 0 else "higher"]
        if self._unit == "label":
            if not category.is_supporting or every["turned"] == 0:
                return None
            agreed = every["turned"]
        else:
            sums = [s for s in (similar, every) if s["rows"]]
            if min(sign * s["change"] / s["rows"] for s in sums) < _LEAST:
                return None
            if any(sign * (s["higher"] - s["lower"]) <= 0 for s in sums):
                return None
            moves = [s["certainty"] / s["rows"] - self._before for s in sums]
            if min(sign * move for move in (*moves, self._expected(rows))) <= 0:
                return None
        return Check(int(every["rows"]), int(agreed), self._before, every["certainty"] / every["rows"])

    def _sum(self, singles: _Sums, rows: list[int]) -> dict[str, float]:
        """Over all edits that change some of these features, one or two at a time."""
        return {
            name: float(getattr(singles, name)[rows].sum() + getattr(self._pairs, name)[np.ix_(rows, rows)].sum())
            for name in _Sums.__slots__
        }

    def least_without(self) -> tuple[int, ...]:
        """The feature, or else the two, whose values the prediction needs most: empty, if the model reacts to none.

        Measured over values of the background, of features that are constant among similar rows, too.
        """
        moves = {(f,): self._move(self._breaking(f)) for f in range(len(self._trials.edits.instance))}
        rows = self._pairs.rows
        with np.errstate(invalid="ignore", divide="ignore"):
            pairs = np.where(rows > 0, self._pairs.certainty / rows - self._before, 0.0)
        if min(moves.values()) >= 0 and pairs.size and pairs.min() < 0:
            first, second = np.unravel_index(int(pairs.argmin()), pairs.shape)
            return self._items.features[first], self._items.features[second]
        best = min(moves, key=lambda f: (moves[f], f))
        return best if moves[best] < 0 else ()

    def check_values(self, features: tuple[int, ...]) -> Check:
        """What the model said when these features had other values."""
        if len(features) == 1:
            own, responses = self._breaking(features[0]), self._trials.singles
        else:
            numbers = np.array([target.feature for target in self._trials.edits.targets])
            hits = (numbers[self._trials.pairs.targets] == features).all(axis=1)
            own, responses = np.unique(self._trials.pairs.asked[hits]), self._trials.pairs.responses
        agreed = int((responses.change[own] < 0).sum())
        return Check(len(own), agreed, self._before, float(responses.certainty[own].mean()))

    def _breaking(self, feature: int) -> np.ndarray:
        """Single edits to values of the background that lead out of the instance's item."""
        edits, row = self._trials.edits, self._items.row_of(feature)
        own = (edits.feature == feature) & ((edits.source & Source.BACKGROUND) > 0)
        if row is not None and self._items.instance[row] >= 0:
            own &= self._in_item != self._items.first_of(row) + self._items.instance[row]
        return np.flatnonzero(own)

    def _move(self, singles: np.ndarray) -> float:
        """Mean change of the certainty, by how frequent the values are."""
        weights = self._weights[singles]
        if not weights.sum():
            return 0.0
        return float(np.average(self._trials.singles.certainty[singles], weights=weights)) - self._before

    def _expected(self, rows: list[int]) -> float:
        """Mean change of the certainty if a row of the background breaks the rule, as often as such rows do.

        Each feature is taken to leave the instance's item independently of the others. Where more than two do, their
        pairs stand for them.
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            alone = np.nan_to_num(self._background.certainty[rows] / self._background.rows[rows] - self._before)
            pairs = self._pairs.certainty[np.ix_(rows, rows)] / self._pairs.rows[np.ix_(rows, rows)] - self._before
        outside = self._outside[rows]
        total = weight = 0.0
        for size in range(1, len(rows) + 1):
            for broken in combinations(range(len(rows)), size):
                chance = math.prod(outside[i] if i in broken else 1 - outside[i] for i in range(len(rows)))
                moves = [alone[broken[0]]] if size == 1 else [pairs[i, j] for i, j in combinations(broken, 2)]
                known = [move for move in moves if not math.isnan(move)]
                if known and chance:
                    total, weight = total + chance * sum(known) / len(known), weight + chance
        return total / weight if weight else float(alone.mean())

    def _shares_outside(self) -> np.ndarray:
        """Of each feature that varies: share of the background that is not in the instance's item."""
        items = self._items
        return np.array([
            1.0 if own < 0 else 1.0 - self._spread.share(f, items.conditions[items.first_of(row) + own])
            for row, (f, own) in enumerate(zip(items.features, items.instance.tolist(), strict=True))
        ])  # fmt: skip

    def _frequencies(self) -> np.ndarray:
        edits = self._trials.edits
        return np.concatenate([
            self._spread.frequencies(f, edits.value[edits.feature == f]) for f in range(len(edits.instance))
        ] or [np.empty(0)])  # fmt: skip

    def _check_hypothetical(self, changed: list[int]) -> Check | None:
        trial = self._trial(changed)
        if trial is None:
            return None
        responses, change = trial.responses, trial.responses.change[trial.edits]
        if responses.turned[trial.edits].any() or change.mean() < _LEAST or responses.change[trial.nearest] < 0:
            return None
        after = float(responses.certainty[trial.edits].mean())
        if after <= self._before or not self._rises_in_background(trial):
            return None
        return Check(len(change), int((change > 0).sum()), self._before, after)

    def _rises_in_background(self, trial: _Trial) -> bool:
        """Whether values of the background inside a single item raise the certainty, if any were asked about."""
        if trial.responses is not self._trials.singles:
            return True
        own = trial.edits[(self._trials.edits.source[trial.edits] & Source.BACKGROUND) > 0]
        return len(own) == 0 or float(trial.responses.certainty[own].mean()) > self._before

    def nearest(self, chosen: tuple[int, ...]) -> tuple[np.ndarray, int, float]:
        """The nearest edit that makes a confirmed rule true: its encoded row, and the model's label and certainty."""
        trial = self._trial(self._changed(chosen))
        assert trial is not None
        row = self._trials.edits.rows(trial.singles[None])[0]
        return row, int(trial.responses.labels[trial.nearest]), float(trial.responses.certainty[trial.nearest])

    def _changed(self, chosen: tuple[int, ...]) -> list[int]:
        """Items that are not true of the instance."""
        places = self._items.places
        return [i for i in chosen if self._items.instance[places[i][0]] != places[i][1]]

    def _trial(self, changed: list[int]) -> _Trial | None:
        """Edits that make these items true, one or two; None: there are none."""
        targets = [self._target_of_item[item] for item in changed if item in self._target_of_item]
        if len(targets) < len(changed) or not 1 <= len(changed) <= 2:
            return None
        if len(changed) == 1:
            edits = np.flatnonzero((self._in_item == changed[0]) & self._counted)
            nearest = int(self._trials.edits.levels[targets[0], 0])
            return _Trial(edits, self._trials.singles, nearest, np.array([nearest]))
        pair = self._pair_of_targets.get(tuple(targets))
        if pair is None:
            return None
        pairs = self._trials.pairs
        return _Trial(np.unique(pairs.asked[pair]), pairs.responses, int(pairs.asked[pair, 0]), pairs.singles[pair, 0])

    def _single_sums(self, counted: np.ndarray, weights: np.ndarray | None = None) -> _Sums:
        """Of each feature that varies: single edits that lead out of the instance's item."""
        edits, items = self._trials.edits, self._items
        row_of = np.full(len(edits.instance), -1)
        row_of[list(items.features)] = np.arange(len(items.features))
        rows = row_of[edits.feature]
        own = np.cumsum(items.sizes) - items.sizes + items.instance  # item of the instance; none has that, if -1
        own = np.where(items.instance >= 0, own, -1)
        breaks = counted & (rows >= 0)
        breaks[breaks] = self._in_item[breaks] != own[rows[breaks]]
        responses, size = self._trials.singles, len(items.features)
        weight = np.ones(len(rows)) if weights is None else weights
        return _Sums(*(
            np.bincount(rows[breaks], (values * weight)[breaks], minlength=size) for values in _summands(responses)
        ))  # fmt: skip

    def _pair_sums(self) -> _Sums:
        """Of each two features that vary, the earlier first: all pairs of edits, which break both conditions."""
        edits, pairs, size = self._trials.edits, self._trials.pairs, len(self._items.features)
        row_of = np.full(len(edits.instance), -1)
        row_of[list(self._items.features)] = np.arange(size)
        features = np.array([target.feature for target in edits.targets], dtype=np.intp)
        rows = row_of[features[pairs.targets]]
        fresh = np.ones(pairs.asked.shape, dtype=bool)  # a level that is not the same as the one before
        fresh[:, 1:] = pairs.asked[:, 1:] != pairs.asked[:, :-1]
        fresh &= (rows >= 0).all(axis=1)[:, None]
        place = np.broadcast_to((rows[:, 0] * size + rows[:, 1])[:, None], fresh.shape)[fresh]
        asked = pairs.asked[fresh]
        return _Sums(*(
            np.bincount(place, values[asked], minlength=size * size).reshape(size, size)
            for values in _summands(pairs.responses)
        ))  # fmt: skip


def _summands(responses: Responses) -> tuple[np.ndarray, ...]:
    change = responses.change
    return np.ones(len(change)), change, change < 0, change > 0, responses.turned, responses.certainty


def _items_of_singles(items: Items, trials: Trials) -> np.ndarray:
    """Item that holds after each single edit; -1: none, as of a constant feature, or a category no similar row has."""
    edits = trials.edits
    within = np.full(len(edits), -1)
    for target, levels in zip(edits.targets, edits.levels, strict=True):
        within[levels] = target.item
    for row, feature in enumerate(items.features):
        own = np.flatnonzero(edits.feature == feature)
        first = items.first_of(row)
        for number in range(first, first + int(items.sizes[row])):
            condition = items.conditions[number]
            if isinstance(condition, Interval):
                within[own[(condition.low <= edits.value[own]) & (edits.value[own] < condition.high)]] = number
    return within

"""Confirm: whether a rule is true of the instance, judged by what the model said about its edits.

Edits break a rule that is true of the instance, and make true one that is not; only features of the rule change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lormika.models import Unit
from lormika.rule import Category, Check
from lormika.stages.breaks import LEAST, Breaks, Sums, difference
from lormika.stages.effects import MATTERS, largest_changes
from lormika.stages.goal import ANY, Goal
from lormika.stages.items import Items
from lormika.stages.responses import Responses
from lormika.stages.spread import Spread
from lormika.stages.targets import Source
from lormika.stages.trials import Trials

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class _Trial:
    """Edits that make a rule true."""

    edits: np.ndarray  # positions among the responses
    responses: Responses
    nearest: int  # one of them
    singles: np.ndarray  # edits x changes: what each pair is made of; of single edits, the nearest alone


class Confirmation:
    """Checks rules of one case; built once for all of them."""

    def __init__(
        self, spread: Spread, items: Items, trials: Trials, unit: Unit, certainty: float, goal: Goal = ANY
    ) -> None:
        self._items, self._trials, self._unit, self._before, self._goal = items, trials, unit, certainty, goal
        edits = trials.edits
        largest = largest_changes(edits, trials.singles, len(edits.instance))
        self.matters: np.ndarray = largest[list(items.features)] >= MATTERS
        self._breaks = Breaks(spread, items, trials, certainty)
        self._target_of_item = {target.item: t for t, target in enumerate(edits.targets) if target.item >= 0}
        self._checked: dict[tuple[Category, tuple[int, ...]], Check | None] = {}
        self._fresh = trials.pairs.fresh()
        self._pair_keys = trials.pairs.targets @ (len(edits.targets), 1)  # ascending

    def __call__(self, chosen: tuple[int, ...], category: Category) -> Check | None:
        """What the model said about a rule with these items; None if it is not true of the instance, or unknown."""
        rows = tuple(self._items.places[i][0] for i in chosen)
        if not all(self.matters[row] for row in rows):
            return None
        if not category.is_current and (self._unit == "label" or not category.is_supporting):
            return None
        # Hypothetical rules that differ in what is true already share the answer.
        parts = rows if category.is_current else tuple(self._changed(chosen))
        if (category, parts) not in self._checked:
            check = self._check_current(parts, category) if category.is_current else self._check_hypothetical(parts)
            self._checked[category, parts] = check
        return self._checked[category, parts]

    def possible(self, kind: Category, most: int) -> np.ndarray:
        """Which items a confirmed rule of a kind, with at most so many, may have, as far as is known in advance."""
        sizes = self._items.sizes
        matters = np.repeat(self.matters, sizes)
        if self._unit == "label":
            return matters
        if not kind.is_current:
            is_own = np.zeros(len(matters), dtype=bool)
            is_own[list(self._items.own)] = True
            return np.asarray(matters & (is_own | self._may_raise))
        sign = -1 if kind.is_supporting else 1
        possible = self._breaks.agreeing(sign) & self._breaks.may_move(sign, most)
        return np.asarray(matters & np.repeat(possible, sizes))

    @cached_property
    def _may_raise(self) -> np.ndarray:
        """Which items, by themselves or with another one, raise the certainty enough, and turn nothing."""
        singles, pairs, size = self._trials.singles, self._trials.pairs, len(self._items.conditions)
        counted = self._breaks.counted & (self._breaks.in_item >= 0)
        fresh = self._fresh
        if self._goal.permission is not None:
            counted, fresh = counted & self._permitted, fresh & self._permitted_pairs
        item = self._breaks.in_item[counted]
        raised = np.bincount(item, singles.change[counted] - LEAST, size) >= -_ROUNDING
        possible: np.ndarray = raised & (np.bincount(item, singles.turned[counted], size) == 0)
        together = np.where(fresh, pairs.responses.change[pairs.asked] - LEAST, 0.0).sum(axis=1) >= -_ROUNDING
        together &= fresh.any(axis=1) & ~(fresh & pairs.responses.turned[pairs.asked]).any(axis=1)
        targets = np.array([target.item for target in self._trials.edits.targets], dtype=np.intp)
        items = targets[pairs.targets[together]].ravel()
        possible[items[items >= 0]] = True
        return possible

    def _check_current(self, rows: Sequence[int], category: Category) -> Check | None:
        similar, every = self._breaks.of(rows)
        if every.rows == 0:
            return None
        if category.is_supporting and any(self._breaks.turns_inside[row] for row in rows):
            return None  # as it stands, it would be a reason for the opposite, too
        if self._unit == "label":
            agreed = every.turned if category.is_supporting else 0.0
        else:
            agreed = every.lower if category.is_supporting else every.higher
            sign = -1 if category.is_supporting else 1
            if not all(self._agree(sums, sign) for sums in (similar, every) if sums.rows):
                return None
            if not self._breaks.each_agrees(rows, sign) or self._breaks.expected(rows, sign) <= 0:
                return None
        return Check(int(every.rows), int(agreed), self._before, every.certainty / every.rows) if agreed else None

    def _agree(self, sums: Sums, sign: int) -> bool:
        """Whether edits move the model in this direction: on average, and most of them."""
        move = difference(sums.certainty / sums.rows, self._before)
        agreed = sums.lower if sign < 0 else sums.higher
        return sign * sums.change / sums.rows >= LEAST and 2 * agreed > sums.rows and sign * move > 0

    def most_needed(self) -> tuple[tuple[int, ...], Check] | None:
        """Features whose values the prediction needs most, and what the model said without them; None if none."""
        features = self._breaks.most_needed()
        if not features:
            return None
        if len(features) == 1:
            own, responses = self._breaks.outside(features[0]), self._trials.singles
            weights = self._breaks.weights(own)
        else:
            changed = self._trials.edits.target_feature[self._trials.pairs.targets]
            hits = (changed == features).all(axis=1)
            own, responses = np.unique(self._trials.pairs.asked[hits]), self._trials.pairs.responses
            weights = np.ones(len(own))
        agreed = int((responses.change[own] < 0).sum())
        after = float(np.average(responses.certainty[own], weights=weights))
        return features, Check(len(own), agreed, self._before, after)

    def _check_hypothetical(self, changed: Sequence[int]) -> Check | None:
        trial = self._trial(changed)
        if trial is None:
            return None
        responses, change = trial.responses, trial.responses.change[trial.edits]
        if responses.turned[trial.edits].any() or change.mean() < LEAST or responses.change[trial.nearest] <= 0:
            return None
        if len(changed) == 2 and not self._both_add(trial):
            return None
        after = float(responses.certainty[trial.edits].mean())
        agreed = int((change > 0).sum())
        if difference(after, self._before) <= 0 or 2 * agreed <= len(change) or not self._rises_in_background(changed):
            return None
        return Check(len(change), agreed, self._before, after)

    def _both_add(self, trial: _Trial) -> bool:
        """Whether two changes make the model more certain, on average, than either of them alone."""
        together = trial.responses.change[trial.edits][:, None]
        alone = self._trials.singles.change[trial.singles]
        return bool(((together - alone).mean(axis=0) >= MATTERS).all())

    def _rises_in_background(self, changed: Sequence[int]) -> bool:
        """Whether values of the background inside the items, summed over the items, raise the certainty."""
        source, singles = self._trials.edits.source, self._trials.singles
        moves = []
        for item in changed:
            inside = self._breaks.inside(item)
            inside = inside[(source[inside] & (Source.BACKGROUND | Source.INSIDE)) > 0]
            if len(inside):
                moves.append(float(singles.certainty[inside].mean()) - self._before)
        return not moves or difference(sum(moves), 0.0) > 0

    def nearest(self, chosen: tuple[int, ...]) -> tuple[np.ndarray, int, float]:
        """The nearest edit that makes a confirmed rule true: its encoded row, and the model's label and certainty."""
        trial = self._trial(self._changed(chosen))
        assert trial is not None
        row = self._trials.edits.rows(trial.singles[:1])[0]
        return row, int(trial.responses.labels[trial.nearest]), float(trial.responses.certainty[trial.nearest])

    def _changed(self, chosen: tuple[int, ...]) -> list[int]:
        """Items that are not true of the instance."""
        return [i for i in chosen if i not in self._items.own]

    def _trial(self, changed: Sequence[int]) -> _Trial | None:
        """Edits that make these items, one or two, true; None if there are none."""
        targets = [self._target_of_item[item] for item in changed if item in self._target_of_item]
        if len(targets) < len(changed) or not 1 <= len(changed) <= 2:
            return None
        if len(changed) == 1:
            inside = self._breaks.inside(changed[0])
            edits = inside[self._breaks.counted[inside]]
            nearest = int(self._trials.edits.levels[targets[0], 0])
            if self._goal.permission is not None:
                edits = edits[self._permitted[edits]]
                levels = self._trials.edits.levels[targets[0]]
                levels = levels[self._permitted[levels]]
                if len(edits) == 0:
                    return None
                nearest = int(levels[0] if len(levels) else edits[0])
            return _Trial(edits, self._trials.singles, nearest, np.array([[nearest]]))
        key = targets[0] * len(self._trials.edits.targets) + targets[1]
        pair = int(np.searchsorted(self._pair_keys, key))
        if pair == len(self._pair_keys) or self._pair_keys[pair] != key:
            return None
        pairs = self._trials.pairs
        kept = self._fresh[pair]
        if self._goal.permission is not None:
            kept = kept & self._permitted_pairs[pair]
        asked = pairs.asked[pair][kept]  # about the nearest first
        return _Trial(asked, pairs.responses, int(asked[0]), pairs.singles[pair][kept]) if len(asked) else None

    @cached_property
    def _permitted(self) -> np.ndarray:
        """Which single edits are permitted."""
        return self._goal.permits_edits(self._trials.edits, np.arange(len(self._trials.edits))[:, None])

    @cached_property
    def _permitted_pairs(self) -> np.ndarray:
        """Which pairs are permitted (pairs x levels)."""
        singles = self._trials.pairs.singles
        permitted = self._goal.permits_edits(self._trials.edits, singles.reshape(-1, singles.shape[-1]))
        return permitted.reshape(singles.shape[:-1])

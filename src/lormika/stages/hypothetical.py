"""Hypothetical: whether what would make a rule true makes the prediction more certain, by what the model said.

Only features of the rule change.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lormika.rule import Check
from lormika.stages.breaks import LEAST, difference, make_check
from lormika.stages.effects import MATTERS
from lormika.stages.goal import Goal
from lormika.stages.placing import Placing
from lormika.stages.responses import Responses, mean
from lormika.stages.targets import Source
from lormika.stages.terms import Terms

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class _Trial:
    """Edits that make a rule true."""

    edits: np.ndarray  # positions among the responses
    responses: Responses
    nearest: int  # one of them
    singles: np.ndarray  # edits x changes: what each pair is made of; of single edits, the nearest alone


class HypotheticalTest:
    """Tests hypothetical supporting rules of one case; built once for all of them."""

    def __init__(self, placing: Placing, terms: Terms, certainty: float, goal: Goal) -> None:
        trials = terms.trials
        self._placing, self._items, self._trials = placing, placing.items, trials
        self._before, self._goal = certainty, goal
        leads_to = trials.edits.target_item
        self._target_of_item = {item: t for t, item in enumerate(leads_to.tolist()) if item >= 0}
        self._checked: dict[tuple[int, ...], Check | None] = {}
        self._fresh = terms.fresh
        self._pair_keys = trials.pairs.targets @ (len(leads_to), 1)  # ascending

    def __call__(self, chosen: tuple[int, ...]) -> Check | None:
        """What the model said about a rule with these items; None if it is not confirmed, or unknown."""
        changed = tuple(self._changed(chosen))  # rules that differ in what is true already share the answer
        if changed not in self._checked:
            self._checked[changed] = self._check(changed)
        return self._checked[changed]

    def possible(self, most: int) -> np.ndarray:
        """Which items a confirmed rule may have, as far as is known in advance."""
        is_own = np.zeros(len(self._items), dtype=bool)
        is_own[list(self._items.own)] = True
        return np.asarray(is_own | self._may_raise)

    @cached_property
    def _may_raise(self) -> np.ndarray:
        """Which items, by themselves or with another one, may raise the certainty enough; the check itself is slow."""
        singles, counted, size = self._trials.singles, self._placing.counted, len(self._items)
        inside = self._placing.in_item >= 0
        if self._goal.permission is not None:
            inside = inside & self._permitted
        counted = counted & inside
        item = self._placing.in_item[counted]
        raised = np.bincount(item, singles.change[counted] - LEAST, size) >= -_ROUNDING
        raised &= np.bincount(self._placing.in_item[inside], singles.turned[inside], size) == 0
        moves = self._background_moves
        possible: np.ndarray = raised & ~(moves <= 0)
        pairs, lacking = self._pairs_that_raise(), np.isnan(moves)
        rises = np.where(lacking[pairs].all(axis=1), 1.0, np.where(lacking, 0.0, moves)[pairs].sum(axis=1)) > 0
        possible[pairs[rises]] = True
        return possible

    def _pairs_that_raise(self) -> np.ndarray:
        """Two items each (pairs x 2) that raise the certainty enough together, and more than alone."""
        singles, pairs, fresh = self._trials.singles, self._trials.pairs, self._fresh
        if self._goal.permission is not None:
            fresh = fresh & self._permitted_pairs
        change = pairs.responses.change[pairs.asked]
        fails = pairs.responses.turned[pairs.asked] | (change <= 0)
        raises = fresh.any(axis=1) & ~(fresh & fails).any(axis=1)  # most of two levels are both
        places = np.flatnonzero(raises & (np.where(fresh, change - LEAST, 0.0).sum(axis=1) >= -_ROUNDING))
        added = change[places, :, None] - singles.change[pairs.singles.take(places, axis=0)] - MATTERS
        adds = (np.where(fresh[places, :, None], added, 0.0).sum(axis=1) >= -_ROUNDING).all(axis=1)
        items: np.ndarray = self._trials.edits.target_item[pairs.targets.take(places[adds], axis=0)]
        return items[(items >= 0).all(axis=1)]

    @cached_property
    def _background_moves(self) -> np.ndarray:
        """Of each item, the mean change of the certainty by values of the background inside; NaN: there are none."""
        of_background = (self._trials.edits.source & (Source.BACKGROUND | Source.INSIDE)) > 0
        inside, size = of_background & (self._placing.in_item >= 0), len(self._items)
        item = self._placing.in_item[inside]
        rows = np.bincount(item, minlength=size)
        total = np.bincount(item, self._trials.singles.certainty[inside], size)
        moves: np.ndarray = np.where(rows > 0, total / np.maximum(rows, 1) - self._before, np.nan)
        return moves

    def _check(self, changed: Sequence[int]) -> Check | None:
        trial = self._trial(changed)
        if trial is None:
            return None
        responses, change = trial.responses, trial.responses.change[trial.edits]
        if responses.turned[trial.edits].any() or mean(change) < LEAST or responses.change[trial.nearest] <= 0:
            return None
        if not (self._both_add(trial) if len(changed) == 2 else self._never_turns(changed[0])):
            return None
        after = mean(responses.certainty[trial.edits])
        agreed = int(np.count_nonzero(change > 0))
        if difference(after, self._before) <= 0 or 2 * agreed <= len(change) or not self._rises_in_background(changed):
            return None
        shift = mean(responses.shift[trial.edits])
        return make_check(self._trials, self._before, len(change), agreed, after, shift)

    def _both_add(self, trial: _Trial) -> bool:
        """Whether two changes make the model more certain, on average, than either of them alone."""
        together = trial.responses.change[trial.edits][:, None]
        alone = self._trials.singles.change[trial.singles]
        return bool(((together - alone).mean(axis=0) >= MATTERS).all())

    def _never_turns(self, item: int) -> bool:
        """Whether no value asked about inside an item turns the prediction, fine ones included."""
        inside = self._placing.inside(item)
        if self._goal.permission is not None:
            inside = inside[self._permitted[inside]]
        return not self._trials.singles.turned[inside].any()

    def _rises_in_background(self, changed: Sequence[int]) -> bool:
        """Whether values of the background inside the items, summed over the items, raise the certainty."""
        moves = self._background_moves[list(changed)].tolist()
        known = [move for move in moves if not math.isnan(move)]
        return not known or difference(sum(known), 0.0) > 0

    def nearest(self, chosen: tuple[int, ...]) -> tuple[np.ndarray, int, float, float | None]:
        """The nearest edit that makes a confirmed rule true: its row, encoded, and the label, certainty and value."""
        trial = self._trial(self._changed(chosen))
        assert trial is not None
        row = self._trials.edits.row(trial.singles[0])
        answers, at = trial.responses, trial.nearest
        return row, int(answers.labels[at]), float(answers.certainty[at]), answers.value(at)

    def _changed(self, chosen: tuple[int, ...]) -> list[int]:
        """Items that are not true of the instance."""
        return [i for i in chosen if i not in self._items.own]

    def _trial(self, changed: Sequence[int]) -> _Trial | None:
        """Edits that make these items, one or two, true; None if there are none."""
        targets = [self._target_of_item[item] for item in changed if item in self._target_of_item]
        if len(targets) < len(changed) or not 1 <= len(changed) <= 2:
            return None
        if len(changed) == 1:
            inside = self._placing.inside(changed[0])
            edits = inside[self._placing.counted[inside]]
            nearest = int(self._trials.edits.levels[targets[0], 0])
            if self._goal.permission is not None:
                edits = edits[self._permitted[edits]]
                levels = self._trials.edits.levels[targets[0]]
                levels = levels[self._permitted[levels]]
                if len(edits) == 0:
                    return None
                nearest = int(levels[0] if len(levels) else edits[0])
            return _Trial(edits, self._trials.singles, nearest, np.array([[nearest]]))
        key = targets[0] * len(self._trials.edits.target_item) + targets[1]
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

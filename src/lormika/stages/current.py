"""Current: whether a rule that is true of the instance says what its prediction rests on, by what the model said.

Edits break such a rule; only its features change.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lormika.models import Unit
from lormika.rule import Check
from lormika.stages.breaks import LEAST, Breaks, difference, make_check
from lormika.stages.placing import Placing
from lormika.stages.spread import Spread
from lormika.stages.terms import Sums, Terms


class CurrentTest:
    """Tests current rules of one case that support its prediction, or that contradict it; built once for all."""

    def __init__(
        self, spread: Spread, placing: Placing, terms: Terms, unit: Unit, certainty: float, *, supporting: bool
    ) -> None:
        self._items, self._trials, self._unit, self._before = placing.items, terms.trials, unit, certainty
        self._sign = -1 if supporting else 1  # of what breaking a rule does to the certainty
        self._breaks = Breaks(spread, placing, terms, certainty)
        self._checked: dict[tuple[int, ...], Check | None] = {}

    def __call__(self, chosen: tuple[int, ...]) -> Check | None:
        """What the model said about a rule with these items; None if it is not confirmed, or unknown."""
        rows = tuple(self._items.places[i][0] for i in chosen)
        if rows not in self._checked:
            self._checked[rows] = self._check(rows)
        return self._checked[rows]

    def possible(self, most: int) -> np.ndarray:
        """Which items a confirmed rule, with at most so many, may have, as far as is known in advance."""
        if self._unit == "label":
            return np.ones(len(self._items), dtype=bool)
        possible = self._breaks.agreeing(self._sign) & self._breaks.may_move(self._sign, most)
        return np.repeat(possible, self._items.sizes)

    def turns_inside(self, row: int) -> bool:
        """Whether a value inside the instance's own item of a feature turns the prediction."""
        return self._breaks.turns_inside[row]

    def _check(self, rows: Sequence[int]) -> Check | None:
        if self._sign < 0 and any(self._breaks.turns_inside[row] for row in rows):
            return None  # as it stands, it would be a reason for the opposite, too
        similar, every = self._breaks.of(rows)
        if every.rows == 0:
            return None
        if self._unit == "label":
            agreed = every.turned
        else:
            agreed = every.lower if self._sign < 0 else every.higher
            if not all(self._agree(sums) for sums in (similar, every) if sums.rows):
                return None
            if not self._breaks.each_agrees(rows, self._sign) or self._breaks.expected(rows, self._sign) <= 0:
                return None
        if not agreed:
            return None
        after, shift = every.certainty / every.rows, every.shift / every.rows
        return make_check(self._trials, self._before, every.rows, agreed, after, shift)

    def _agree(self, sums: Sums) -> bool:
        """Whether edits move the model in the direction of the rule: on average, and most of them."""
        sign = self._sign
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
            pairs = self._trials.pairs
            own, responses = pairs.asked[self._breaks.pairs_of(*features)], pairs.responses
            weights = np.ones(len(own))
        agreed = int((responses.change[own] < 0).sum())
        after = float(np.average(responses.certainty[own], weights=weights))
        shift = float(np.average(responses.shift[own], weights=weights))
        return features, make_check(self._trials, self._before, len(own), agreed, after, shift)

"""Sides: of each kind of rule, where it is searched for, and the first of them that are true of the instance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from lormika.models import Unit
from lormika.options import SearchOptions
from lormika.rule import Category, Check
from lormika.stages.current import CurrentTest
from lormika.stages.effects import MATTERS
from lormika.stages.goal import Goal
from lormika.stages.hypothetical import HypotheticalTest
from lormika.stages.placing import Placing
from lormika.stages.reach import reach
from lormika.stages.search import Candidate, Space, make_lists
from lormika.stages.spread import Spread
from lormika.stages.terms import Terms
from lormika.stages.trials import Trials

_AT_FIRST = 3  # times k candidates
_SAME = 0.9  # Jaccard coefficient of the rows that two rules match, from which on they say the same


class Test(Protocol):
    """Says whether rules, given by their items, are true of the instance."""

    def __call__(self, chosen: tuple[int, ...]) -> Check | None:
        """What the model said about a rule with these items; None if it is not confirmed, or unknown."""

    def possible(self, most: int) -> np.ndarray:
        """Which items a confirmed rule, with at most so many, may have."""


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """Searches for rules of one kind."""

    kind: Category
    space: Space
    test: Test
    effects: np.ndarray  # squared, of the features that vary
    matters: np.ndarray  # those of which some value does: others are part of no rule
    target: int | None  # the class that rules against the prediction must speak for; None: any

    def best(self, options: SearchOptions) -> list[tuple[Candidate, Check]]:
        """The first k that are confirmed and distinct; ever longer lists are searched until there are k, or no more."""
        size, candidates = _AT_FIRST * options.k, self._find(options, _AT_FIRST * options.k)
        while True:
            found = self._distinct(candidates, options.k)
            if len(found) == options.k or len(candidates) < size or self.space.incomplete:
                return found
            size *= 2
            candidates = self._find(options, size, candidates)

    def _find(self, options: SearchOptions, size: int, known: Sequence[Candidate] = ()) -> list[Candidate]:
        """The first rules, up to the given size; a search that is stopped keeps the known ones."""
        weights = np.where(self.matters, self.effects if options.weight == "effect" else 1.0, 0.0)
        possible = self.test.possible(options.max_conditions)
        if not weights.any() or not possible.any():
            return []
        place, space = tuple(Category).index(self.kind), self.space
        lists = make_lists(space, "category")
        if self.target not in (None, space.prediction):
            lists[:, [c not in (space.prediction, self.target) for c in range(len(space.classes))]] = -1
        allowed = np.zeros((len(Category), len(possible)), dtype=bool)
        allowed[place] = possible
        return space.find(options, np.where(lists == place, lists, -1), size, weights, known, allowed)

    def _distinct(self, candidates: Sequence[Candidate], k: int) -> list[tuple[Candidate, Check]]:
        """The first k that are confirmed, and match other rows and change other features than earlier ones."""
        found: list[tuple[Candidate, Check]] = []
        covers: list[tuple[np.ndarray, int]] = []
        changes: set[tuple[int, ...]] = set()
        for candidate in candidates:
            changed = self._changed(candidate)
            check = None if changed in changes else self.test(candidate.items)
            if check is None:
                continue
            cover = self.space.matching(candidate), candidate.antecedent
            if any(_jaccard(cover, earlier) >= _SAME for earlier in covers):
                continue
            covers.append(cover)
            changes |= {changed} if changed else set()
            found.append((candidate, check))
            if len(found) == k:
                break
        return found

    def _changed(self, candidate: Candidate) -> tuple[int, ...]:
        """Features whose items are not true of the instance."""
        items = self.space.items
        return tuple(items.places[i][0] for i in candidate.items if i not in items.own)


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """The sides of one case; the one that says why has ranges of its own."""

    by_kind: Mapping[Category, Side]
    why: CurrentTest  # of rules that support the prediction
    more: HypotheticalTest  # of rules that would make it more certain

    @classmethod
    def of(
        cls,
        spread: Spread,
        space: Space,
        sample: np.ndarray,
        trials: Trials,
        unit: Unit,
        certainty: float,
        goal: Goal,
    ) -> Sides:
        """Of a model that gives only labels, no more than the side that says why can be confirmed."""
        placing = Placing.of(space.items, trials.edits)
        varying = np.array(space.items.features, dtype=np.intp)
        terms = Terms.of(spread, trials, placing.counted, varying)
        effects, matters = trials.weights[varying], trials.largest[varying] >= MATTERS
        own = reach(spread.background, sample, placing, trials, certainty)
        why = CurrentTest(spread, own, terms, unit, certainty, supporting=True)
        more = HypotheticalTest(placing, terms, certainty, goal)
        sides = [Side(Category.CURRENT_SUPPORTING, space.with_items(own.items), why, effects, matters, goal.target)]
        if unit != "label":
            against = CurrentTest(spread, placing, terms, unit, certainty, supporting=False)
            sides += [
                Side(Category.CURRENT_CONTRADICTING, space, against, effects, matters, goal.target),
                Side(Category.HYPOTHETICAL_SUPPORTING, space, more, effects, matters, goal.target),
            ]
        return cls({side.kind: side for side in sides}, why, more)


def _jaccard(first: tuple[np.ndarray, int], second: tuple[np.ndarray, int]) -> float:
    """Of the rows that either of two rules matches, the share that both do; each comes with the number of its rows."""
    both = np.count_nonzero(first[0] & second[0])
    either = first[1] + second[1] - both
    return both / either if either else 0.0

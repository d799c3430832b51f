"""Sides: of each kind of rule, where it is searched for, and the first of them that are true of the instance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
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
from lormika.stages.search import Candidate, Space
from lormika.stages.spread import Spread
from lormika.stages.terms import Terms
from lormika.stages.trials import Trials

# Times k candidates: most that are true of the instance are confirmed; most others only repeat a change.
_CURRENT_AT_FIRST, _HYPOTHETICAL_AT_FIRST = 2, 6
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
        """The first k that are confirmed and distinct."""
        return list(islice(self._distinct(self._candidates(options)), options.k))

    def _candidates(self, options: SearchOptions) -> Iterator[Candidate]:
        """The first rules, and the next: ever longer lists are searched for, each of which begins with the last."""
        weights = np.where(self.matters, self.effects if options.weight == "effect" else 1.0, 0.0)
        possible = self.test.possible(options.max_conditions)
        if not weights.any() or not possible.any():
            return
        lists, allowed = self._lists(), possible[None]
        times = _CURRENT_AT_FIRST if self.kind.is_current else _HYPOTHETICAL_AT_FIRST
        size, done, found = times * options.k, 0, list[Candidate]()
        while True:
            found = self.space.find(options, lists, size, weights, found, allowed)
            yield from found[done:]
            if len(found) < size or self.space.incomplete:
                return
            size, done = 2 * size, len(found)

    def _lists(self) -> np.ndarray:
        """One list of the rules of this kind, see `make_lists`."""
        lists = np.full((2, len(self.space.classes)), -1, dtype=np.int32)
        prediction, is_supporting = self.space.prediction, self.kind.is_supporting
        for c in self.space.consequents:
            is_wanted = is_supporting or self.target in (None, prediction, c)
            if is_wanted and (c == prediction) == is_supporting:
                lists[int(self.kind.is_current), c] = 0
        return lists

    def _distinct(self, candidates: Iterable[Candidate]) -> Iterator[tuple[Candidate, Check]]:
        """Those that are confirmed, and match other rows and change other features than earlier ones."""
        covers: list[tuple[int, int]] = []
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
            yield candidate, check

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


def _jaccard(first: tuple[int, int], second: tuple[int, int]) -> float:
    """Of the rows that either of two rules matches, the share that both do; each comes with the number of its rows."""
    both = (first[0] & second[0]).bit_count()
    either = first[1] + second[1] - both
    return both / either if either else 0.0

"""The k best class-association rules of a table, found exactly by branch-and-bound search (OPUS)."""

from __future__ import annotations

import math
import operator
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, reduce
from typing import NamedTuple

import numpy as np

from lormika import _core
from lormika.frames.values import Scalar
from lormika.options import MOST_CONDITIONS, Correction, Per, SearchOptions
from lormika.rule import Category, Check, Counts, Rerun, Rule
from lormika.stages.items import Items
from lormika.summaries import Incomplete

Found = tuple[list[tuple[list[int], int, int, int, float, float]], int, _core.Stopped, list[float]]  # by the core

_MOST_LISTS = 4  # of the core


class Candidate(NamedTuple):
    """A rule as the search finds it: numbers of items and of a class."""

    items: tuple[int, ...]
    consequent: int
    antecedent: int  # rows that match
    both: int  # rows that match and have the class
    score: float
    p_value: float


@dataclass(slots=True)
class _Past:
    """What the searches so far took, and how the one that was stopped ended."""

    seconds: float = 0.0
    incomplete: Incomplete | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """Rows with items and classes, among which rules are searched for."""

    items: Items
    labels: np.ndarray
    classes: Sequence[Scalar]
    consequents: Sequence[int]  # classes that rules may lead to
    n_real: int | None = None  # this many rows, the first ones, are real and also counted separately
    prediction: int | None = None  # class of the instance
    keeps: bool = False  # what was found, if the user interrupts a search
    _past: _Past = field(init=False, default_factory=_Past)
    _masks: dict[int, int] = field(init=False, default_factory=dict)  # rows that each item holds for, once asked
    _of_class: dict[int, tuple[int, int, int]] = field(init=False, default_factory=dict)

    def with_items(self, items: Items) -> Space:
        """The same rows with other items; what is known of the classes, and the time limit, are shared."""
        if items is self.items:
            return self
        other = replace(self, items=items)
        object.__setattr__(other, "_past", self._past)
        object.__setattr__(other, "_of_class", self._of_class)
        return other

    def category(self, candidate: Candidate) -> Category:
        """What a rule says about the instance."""
        current = self.items.own.issuperset(candidate.items)
        return Category.of(current=current, supporting=candidate.consequent == self.prediction)

    @property
    def incomplete(self) -> Incomplete | None:
        """How a search was stopped; None if all were complete."""
        return self._past.incomplete

    def find(
        self,
        options: SearchOptions,
        lists: np.ndarray,
        k: int,
        weights: np.ndarray | None = None,
        known: Sequence[Candidate] = (),
        allowed: np.ndarray | None = None,
    ) -> list[Candidate]:
        """Exactly the first k candidates of each list; `lists` says which one a rule belongs to (see `make_lists`).

        A rule's score is multiplied by the least weight of its features; with a weight of 0, it is left out altogether.
        Of each list, `allowed` (lists x items) says which items its rules may have; by default, all.
        All searches share the time limit. If it is reached, see `incomplete`, there may be others before those found;
        but the `known` ones, which an earlier search for fewer has found, still come first.
        """
        rules, _, stopped, bounds = self._search(options, lists, k, weights, allowed)
        found = [Candidate(tuple(chosen), c, rows, both, score, p) for chosen, c, rows, both, score, p in rules]
        still_open = [bound for bound in bounds if not math.isnan(bound)]
        if not still_open:
            return found
        plain = weights is None or options.weight == "none"
        ranked_by = options.objective if plain else f"{options.objective} × effect²"
        self._past.incomplete = Incomplete(stopped.name.lower(), options.time_limit, ranked_by, max(still_open))
        if not known:
            return found
        return sorted(dict.fromkeys([*known, *found]), key=lambda one: self._list_of(one, lists))

    def _search(
        self,
        options: SearchOptions,
        lists: np.ndarray,
        k: int,
        weights: np.ndarray | None,
        allowed: np.ndarray | None,
    ) -> Found:
        start = time.monotonic()
        every = np.ones((_MOST_LISTS, len(self.items)), dtype=bool) if allowed is None else allowed
        limit = math.inf if options.time_limit is None else max(0.0, options.time_limit - self._past.seconds)
        found = _core.search(
            self.items.codes,
            self.items.sizes,
            self.labels.astype(np.int32, copy=False),
            lists,
            self.items.instance,
            objective=_core.Objective[options.objective.upper()],
            filter=_core.Filter[options.filter.upper()],
            k=min(k, 2**31 - 1),
            max_conditions=options.max_conditions,
            min_count=min(options.min_count, 2**31 - 1),
            m=float(options.m),
            critical=_critical_values(
                tuple(self.items.sizes.tolist()),
                len(self.consequents),
                options.max_conditions,
                options.alpha,
                Correction(options.correction),
            ),
            weights=np.ones(len(self.items.sizes)) if weights is None else weights,
            allowed=np.packbits(every, axis=0, bitorder="little")[0],
            n_jobs=options.n_jobs if options.n_jobs > 0 else os.cpu_count() or 1,
            time_limit=limit,
            keep_on_interrupt=self.keeps,
        )
        self._past.seconds += time.monotonic() - start
        return found

    def _list_of(self, candidate: Candidate, lists: np.ndarray) -> int:
        current = self.items.own.issuperset(candidate.items)
        return int(lists[int(current), candidate.consequent])

    def matching(self, candidate: Candidate) -> int:
        """Rows that match the conditions, as bits."""
        return reduce(operator.and_, map(self._mask, candidate.items))

    def _mask(self, item: int) -> int:
        if item not in self._masks:
            row, number = self.items.places[item]
            self._masks[item] = as_bits(self.items.codes[row] == number)
        return self._masks[item]

    def make_rule(self, candidate: Candidate, check: Check | None = None, rerun: Rerun | None = None) -> Rule:
        """The candidate in the user's words."""
        _, n_class, _ = self.with_class(candidate.consequent)
        return Rule(
            tuple(map(self.items.condition, candidate.items)),
            self.classes[candidate.consequent],
            Counts(len(self.labels), candidate.antecedent, n_class, candidate.both),
            candidate.score,
            candidate.p_value,
            None if self.prediction is None else self.category(candidate),
            None if self.n_real is None else self.count_real(self.matching(candidate), candidate.consequent),
            rerun,
            check,
        )

    def count_real(self, matching: int, c: int) -> Counts:
        """Counts of a rule on the real rows alone."""
        assert self.n_real is not None
        hits, _, n_hits = self.with_class(c)
        matching &= (1 << self.n_real) - 1
        return Counts(self.n_real, matching.bit_count(), n_hits, (matching & hits).bit_count())

    def with_class(self, c: int) -> tuple[int, int, int]:
        """Which rows have a class, how many, and how many of the real ones."""
        if c not in self._of_class:
            hits = self.labels == c
            self._of_class[c] = as_bits(hits), int(np.count_nonzero(hits)), int(np.count_nonzero(hits[: self.n_real]))
        return self._of_class[c]


def as_bits(rows: np.ndarray) -> int:
    """Truths about rows as the bits of one number: it takes less time to join and count them than in an array."""
    return int.from_bytes(np.packbits(rows, bitorder="little").tobytes(), "little")


def make_lists(space: Space, per: Per) -> np.ndarray:
    """List of a rule of each class: hypothetical rules in the first row, current ones in the second; -1: none.

    With a prediction, `per="category"` has a list for each of the four kinds, in their order; else there is one.
    """
    lists = np.full((2, len(space.classes)), -1, dtype=np.int32)
    for c in space.consequents:
        for current in (False, True):
            kind = Category.of(current=current, supporting=c == space.prediction)
            one = space.prediction is None or per == "overall"
            lists[int(current), c] = 0 if one else tuple(Category).index(kind)
    return lists


@lru_cache(maxsize=64)  # ever longer lists are searched for in the same space
def _critical_values(
    sizes: tuple[int, ...], n_classes: int, most: int, alpha: float, correction: Correction
) -> np.ndarray:
    """Critical p-value of a rule of each length, up to the most conditions."""
    sets = [1] + [0] * most  # possible condition sets of each length: elementary symmetric polynomials
    for size in sizes:
        for length in range(most, 0, -1):
            sets[length] += sets[length - 1] * size
    counts = [n_classes * number for number in sets]
    critical = np.zeros(MOST_CONDITIONS + 1)
    for length in range(1, most + 1):
        if counts[length] == 0:
            break
        tests = {
            Correction.NONE: 1,
            Correction.BONFERRONI: sum(counts[1:]),
            Correction.LAYERED: most * counts[length],
        }
        critical[length] = alpha / tests[correction]
    critical.setflags(write=False)
    return critical

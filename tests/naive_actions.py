"""A slow, obviously right twin of group actions: one row and one candidate at a time, in plain Python values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, pstdev

from naive_constraints import same, violations

Row = Mapping[str, object]
Candidate = Mapping[str, object]
"""Features, and the values that they are given."""


@dataclass(frozen=True)
class Question:
    """What is asked of which rows."""

    rows: Sequence[Row]  # all of the class
    background: Sequence[Row]
    predict: Callable[[Row], tuple[object, float | None]]  # label, and its probability
    constraints: Mapping[str, object]
    of: object
    target: object = None
    at_least: float | None = None

    def permits(self, row: Row, candidate: Candidate) -> bool:
        after = dict(row) | candidate
        changes = any(not same(row[name], after[name]) for name in row)
        return changes and not list(violations(self.constraints, row, after))

    def turns(self, row: Row, candidate: Candidate) -> bool:
        if not self.permits(row, candidate):
            return False
        label, chance = self.predict(dict(row) | candidate)
        reached = label != self.of if self.target is None else label == self.target
        return reached and (self.at_least is None or chance >= self.at_least)

    def cost(self, row: Row, candidate: Candidate) -> float:
        weights = self.constraints.get("cost", {})
        changed = [name for name in candidate if not same(row[name], candidate[name])]
        return sum(weights.get(name, 1.0) * self._step(name, row[name], candidate[name]) for name in changed)

    def _step(self, name: str, before: object, after: object) -> float:
        if isinstance(after, str | bool):
            return 2.0
        values = [one[name] for one in self.background if one[name] is not None]
        scale = pstdev(values)
        return ((after - (fmean(values) if before is None else before)) / scale) ** 2 if scale else 0.0


@dataclass(frozen=True)
class Found:
    """A chosen candidate."""

    candidate: Candidate
    permitted: int
    turned: int
    newly: int
    cost: float


def choose(question: Question, candidates: Sequence[Candidate], most: int) -> list[Found]:
    """Again and again the candidate that turns most of the rest; of equal ones the cheaper, then the earlier."""
    covers = [{i for i, row in enumerate(question.rows) if question.turns(row, one)} for one in candidates]
    costs = [
        fmean([question.cost(question.rows[i], one) for i in cover]) if cover else 0.0
        for one, cover in zip(candidates, covers, strict=True)
    ]
    found: list[Found] = []
    done: set[int] = set()
    while len(found) < most:
        gain = max((len(cover - done) for cover in covers), default=0)
        if gain == 0:
            break
        best = [place for place, cover in enumerate(covers) if len(cover - done) == gain]
        place = min(best, key=lambda place: (round(costs[place], 9), place))
        permitted = sum(question.permits(row, candidates[place]) for row in question.rows)
        found.append(Found(candidates[place], permitted, len(covers[place]), gain, costs[place]))
        done |= covers[place]
    return found


def best_reach(covers: Sequence[set[int]], most: int) -> int:
    """The most rows that so many candidates turn, by trying all choices."""
    some = min(most, len(covers))
    return max((len(set().union(*chosen)) for chosen in combinations(covers, some)), default=0)


def close(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)

"""Coverage: few sets that cover most rows, chosen greedily, and a proven bound on what any choice could cover."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

_WORK = 2_000_000_000  # entries of the table of sets that the exact search may look at; about two seconds
_DIGITS = 9  # of a cost: equal ones may differ by rounding


@dataclass(frozen=True, slots=True, eq=False)
class Cover:
    """Which rows each set covers; rows that are covered by the same sets are one, with their number as its weight."""

    sets: np.ndarray  # sets x different rows, 0 or 1
    weights: np.ndarray  # of the different rows

    @classmethod
    def of(cls, covers: np.ndarray) -> Cover:
        """From a table of sets x rows of true and false."""
        different, weights = np.unique(np.packbits(covers, axis=0).T, axis=0, return_counts=True)
        sets = np.unpackbits(different.T, axis=0, count=len(covers))
        return cls(sets.astype(np.float64), weights.astype(np.float64))

    def gains(self, left: np.ndarray) -> np.ndarray:
        """How many of the rows that are left (as weights) each set covers."""
        gains: np.ndarray = self.sets @ left
        return gains

    def without(self, left: np.ndarray, chosen: int) -> np.ndarray:
        """The rows that are left once a set is chosen."""
        rest: np.ndarray = left * (1.0 - self.sets[chosen])
        return rest


def choose_greedily(cover: Cover, costs: np.ndarray, most: int) -> tuple[list[int], int]:
    """The set that covers most, then the one that adds most, and so on, up to so many; and a bound.

    Of equal ones, the one with the lower cost, then the earlier. The bound is on what any `most` sets cover: with sets
    S chosen, these cover no more than S, and the `most` largest additions to it; the least such sum holds.
    """
    chosen: list[int] = []
    left, covered = cover.weights, 0.0
    bound = float(cover.weights[cover.sets.any(axis=0)].sum())  # what all sets together cover
    rounded = costs.round(_DIGITS)
    while True:
        gains = cover.gains(left)
        bound = min(bound, covered + float(np.sort(gains)[::-1][:most].sum()))
        best = np.flatnonzero(gains == gains.max()) if len(gains) else gains
        if len(chosen) == most or len(best) == 0 or gains[best[0]] == 0:
            return chosen, int(bound)
        pick = int(best[rounded[best].argmin()])
        covered += float(gains[pick])
        left = cover.without(left, pick)
        chosen.append(pick)


def find_optimum(cover: Cover, most: int, known: int, work: int = _WORK) -> int | None:
    """The most rows that so many sets cover, of which `known` are known to be possible; None if that takes too long."""
    search = _Search(cover, float(known), max(1, work // max(1, cover.sets.size)))
    search.extend(np.arange(len(cover.sets)), cover.weights, 0.0, most)
    return int(search.best) if search.nodes >= 0 else None


class _Search:
    """Branch and bound: what some sets can add is at most the sum of what each adds alone."""

    def __init__(self, cover: Cover, best: float, nodes: int) -> None:
        self.cover, self.best, self.nodes = cover, best, nodes

    def extend(self, allowed: np.ndarray, left: np.ndarray, covered: float, more: int) -> None:
        """Look at all choices of so many more sets among those that are allowed."""
        self.nodes -= 1
        if self.nodes < 0 or len(allowed) == 0:
            return
        gains = self.cover.gains(left)[allowed]
        order = np.argsort(-gains, kind="stable")
        allowed, gains = allowed[order], gains[order]
        self.best = max(self.best, covered + float(gains[0]))
        if more == 1:
            return
        for place, chosen in enumerate(allowed.tolist()):
            if self.nodes < 0 or covered + float(gains[place : place + more].sum()) <= self.best:
                return
            rest = self.cover.without(left, chosen)
            self.extend(allowed[place + 1 :], rest, covered + float(gains[place]), more - 1)

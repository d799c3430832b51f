"""Spread: how the values of each feature are distributed in the background, counted once for all instances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lormika.frames.schema import is_identifier
from lormika.rule import Condition, Equals, Interval
from lormika.stages.background import Background
from lormika.stages.codes import may_be_codes

_PARTS = 8  # octiles
_FREQUENT = 0.005  # share of the background that makes a category worth asking about,
_INSIDE = (1 / 8, 3 / 8, 5 / 8, 7 / 8)  # shares of the rows inside an interval
_FEW = 24  # numbers that are all asked about; of more, those with these shares of the rows below:
_SHARES = (0, 1 / 64, 1 / 32, 1 / 16, 3 / 16, 5 / 16, 7 / 16, 9 / 16, 11 / 16, 13 / 16, 15 / 16, 31 / 32, 63 / 64, 1)
_ALWAYS, _MOST = 8, 24  # besides the most frequent ones; and no more than so many


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Values of the background to ask about, whatever the instance's neighbourhood holds."""

    background: Background
    below: tuple[np.ndarray, ...]  # of each number: rows up to each observed value; empty for a category
    frequent: tuple[np.ndarray, ...]  # of each category: the frequent ones, most frequent first; empty for a number
    shares: tuple[np.ndarray, ...]  # share of the rows with each observed number, or with each category
    others: tuple[tuple[float, ...], ...]  # of each number: all, if few; else some from end to end
    identifiers: frozenset[int]  # categories that nearly all differ: part of no rule, and not asked about
    codes: frozenset[int]  # numbers that may stand for categories

    @classmethod
    def of(cls, background: Background) -> Spread:
        """Count the values of all features."""
        below, frequent, shares, others = [], [], [], []
        identifiers, codes = set(), set()
        for f, feature in enumerate(background.schema.features):
            observed = background.observed(f)
            counts = np.bincount(background.codes[f], minlength=len(observed))[: len(observed)]
            if feature.is_numeric:
                if may_be_codes(observed, counts):
                    codes.add(f)
                shares.append(counts / len(background))
                below.append(np.cumsum(counts))
                frequent.append(np.empty(0))
                others.append(_others(observed, below[-1]))
            else:
                if is_identifier(len(observed), int(counts.sum())):
                    identifiers.add(f)
                shares.append(np.zeros(len(feature.categories or ())))
                shares[-1][observed.astype(np.intp)] = counts / len(background)
                order = np.argsort(-counts, kind="stable")
                enough = max(_ALWAYS, int((counts >= _FREQUENT * len(background)).sum()))
                below.append(np.empty(0, dtype=np.intp))
                others.append(())
                frequent.append(observed[order[: min(enough, _MOST)]])
        counted = (
            tuple(below),
            tuple(frequent),
            tuple(shares),
            tuple(others),
            frozenset(identifiers),
            frozenset(codes),
        )
        return cls(background, *counted)

    def values(self, feature: int, own: float) -> np.ndarray:
        """Octiles of a number among the rows whose value differs from the instance's, or the frequent categories."""
        if not self.background.schema.features[feature].is_numeric:
            frequent: np.ndarray = self.frequent[feature]
            return np.asarray(frequent[frequent != own])
        observed, below = self.background.observed(feature), self.below[feature]
        place = int(np.searchsorted(observed, own)) if not np.isnan(own) else len(observed)
        is_observed = place < len(observed) and observed[place] == own
        before = int(below[place - 1]) if place else 0
        own_rows = int(below[place]) - before if is_observed else 0
        others = (int(below[-1]) if len(below) else 0) - own_rows
        if others == 0:
            return np.empty(0)
        ranks = np.ceil(np.arange(1, _PARTS) / _PARTS * others).astype(np.intp)  # from 1
        ranks[ranks > before] += own_rows  # skip the rows with the instance's value
        return np.unique(observed[np.searchsorted(below, ranks)])

    def inside(self, feature: int, interval: Interval) -> np.ndarray:
        """A few numbers that represent the background's rows inside an interval."""
        observed, below = self.background.observed(feature), self.below[feature]
        low, high = np.searchsorted(observed, [interval.low, interval.high])
        before, rows = int(below[low - 1]) if low else 0, 0
        if high > low:
            rows = int(below[high - 1]) - before
        ranks = before + np.ceil(np.array(_INSIDE) * rows).astype(np.intp)
        return observed[np.searchsorted(below, ranks)] if rows else np.empty(0)

    def share(self, feature: int, condition: Condition) -> float:
        """Share of the background that satisfies a condition on a feature."""
        shares = self.shares[feature]
        if isinstance(condition, Interval):
            low, high = np.searchsorted(self.background.observed(feature), [condition.low, condition.high])
            return float(shares[low:high].sum())
        if isinstance(condition, Equals):
            return float(shares[self.background.schema.features[feature].positions[condition.value]])
        return 1.0 - float(shares.sum())

    def frequencies(self, features: np.ndarray, values: np.ndarray) -> np.ndarray:
        """The weight of each value in averages over the background: a category's share; all numbers alike."""
        is_category = ~self.background.numeric[features]
        frequencies = np.ones(len(values))
        chosen = zip(features[is_category].tolist(), values[is_category].astype(np.intp).tolist(), strict=True)
        frequencies[is_category] = [self.shares[f][category] for f, category in chosen]
        return frequencies


def _others(observed: np.ndarray, below: np.ndarray) -> tuple[float, ...]:
    """All observed numbers, if there are few; otherwise some from the least to the greatest."""
    if len(observed) <= _FEW:
        return tuple(observed.tolist())
    ranks = np.ceil(np.array(_SHARES) * below[-1]).astype(np.intp).clip(1)
    return tuple(np.unique(observed[np.searchsorted(below, ranks)]).tolist())

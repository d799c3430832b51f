"""Measures of rules and explainers; each has a definition in its docstring."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from itertools import combinations

import numpy as np

from lormika.rule import Counts


def interestingness(lift: float) -> float:
    """How far the lift is from 1, the value of a rule that says nothing (the paper's rate of interestingness).

    >>> interestingness(0.25)
    0.75
    """
    return abs(lift - 1)


def jaccard(one: Collection[str], other: Collection[str]) -> float:
    """Share of the features of two rules that both have in common; two rules without conditions agree.

    >>> jaccard(["age", "job"], ["age"]), jaccard([], [])
    (0.5, 1.0)
    """
    union = set(one) | set(other)
    return len(set(one) & set(other)) / len(union) if union else 1.0


def stability(runs: Sequence[Collection[str] | None]) -> float:
    """Mean Jaccard coefficient over pairs of runs of one instance; NaN for a single run.

    A run may have found no rule: None. A pair with one rule does not agree; a pair without any is left out.

    >>> stability([["age"], ["age"], ["job"]])
    0.3333333333333333
    >>> stability([["age"], ["age"], None]), stability([None, None])
    (0.3333333333333333, nan)
    """
    pairs = [(one, other) for one, other in combinations(runs, 2) if one is not None or other is not None]
    if not pairs:
        return math.nan
    return sum(0.0 if one is None or other is None else jaccard(one, other) for one, other in pairs) / len(pairs)


def fidelity(counts: Counts) -> float:
    """Balanced agreement of "the rule matches" with "the model gives its class".

    The mean of two shares: of the rows with the class, those that match; of the others, those that do not. A rule that
    matches everything, or nothing, or at random has 0.5; a rule that draws the model's border exactly has 1. NaN where
    all rows have one class.

    >>> fidelity(Counts(rows=200, antecedent=100, consequent=100, both=90))
    0.9
    """
    others = counts.rows - counts.consequent
    if others == 0 or counts.consequent == 0:
        return math.nan
    rejected = others - (counts.antecedent - counts.both)
    return (counts.both / counts.consequent + rejected / others) / 2


def of_counts(counts: Counts) -> dict[str, float]:
    """The measures of a rule on a ground; for a rule that matches no row, confidence and lift are NaN."""
    return {
        "coverage": counts.coverage,
        "confidence": counts.confidence,
        "interestingness": interestingness(counts.lift),
        "fidelity": fidelity(counts),
    }


def mean_and_sd(by_instance: Sequence[Sequence[float]]) -> tuple[float, float, int]:
    """Mean and standard deviation over instances of their means over runs, and the number of values behind them.

    The deviation is that of these instances, and NaN for a single one.

    >>> mean_and_sd([[1.0, 3.0], [4.0], [math.nan]])
    (3.0, 1.0, 3)
    """
    numbers = [[value for value in values if not math.isnan(value)] for values in by_instance]
    means = [sum(values) / len(values) for values in numbers if values]
    if not means:
        return math.nan, math.nan, 0
    deviation = float(np.std(means)) if len(means) > 1 else math.nan
    return float(np.mean(means)), deviation, sum(map(len, numbers))

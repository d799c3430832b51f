"""Naming: a range with one observed number by that number."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from lormika.frames.values import Scalar
from lormika.rule import Interval, Rule


def name_single(rule: Rule, observed: Mapping[str, np.ndarray], instance: Mapping[str, Scalar | None]) -> Rule:
    """The rule, with "children = 0" for "children ≤ 0" where no number is less, and likewise at the other end.

    `observed` has the sorted numbers of each numeric feature. Where the instance lies beyond them, the range is kept.
    """
    conditions = tuple(_name_single(c, observed, instance) if isinstance(c, Interval) else c for c in rule.conditions)
    return rule if all(map(operator.is_, conditions, rule.conditions)) else replace(rule, conditions=conditions)


def _name_single(c: Interval, observed: Mapping[str, np.ndarray], instance: Mapping[str, Scalar | None]) -> Interval:
    return replace(c, single=True) if _is_single(c, observed[c.feature], instance) else c


def _is_single(interval: Interval, observed: np.ndarray, instance: Mapping[str, Scalar | None]) -> bool:
    """Whether an open range of whole numbers ends at the only one that was observed in it."""
    if not interval.integer or math.isinf(interval.low) == math.isinf(interval.high):
        return False
    inside = observed[slice(*np.searchsorted(observed, [interval.low, interval.high]))]
    low, high, _ = interval.ends
    if len(inside) != 1 or inside[0] != (high if low == -math.inf else low):
        return False
    own = instance.get(interval.feature)
    return not isinstance(own, int | float) or own == inside[0] or not interval.low <= own < interval.high

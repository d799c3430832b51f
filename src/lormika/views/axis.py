"""Quantile-stretched axes: equal widths hold equal numbers of background rows."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lormika.frames.values import Scalar

if TYPE_CHECKING:
    from lormika.explanation import Explanation

_LEAST_WIDTH = 0.06
_NUMBERS = int, float


def axes(explanation: Explanation) -> dict[str, tuple[float, ...]]:
    """The quantiles of each feature; none for a categorical one."""
    return {feature.name: feature.quantiles for feature in explanation.features}


def position(quantiles: Sequence[float], value: float) -> float:
    """Where a value lies, from 0 to 1, given evenly spaced quantiles.

    A value that several quantiles share lies in the middle of them; one beyond the ends lies at the end.

    >>> position([0, 10, 20], 5), position([0, 0, 0, 7, 9], 0), position([1, 2], math.inf)
    (0.25, 0.25, 1.0)
    """
    first, after = bisect_left(quantiles, value), bisect_right(quantiles, value)
    last = len(quantiles) - 1
    if last < 1:
        return 0.5
    if first < after:
        return (first + after - 1) / 2 / last
    if first == 0 or first > last:
        return 0.0 if first == 0 else 1.0
    low, high = quantiles[first - 1], quantiles[first]
    return (first - 1 + (value / 2 - low / 2) / (high / 2 - low / 2)) / last


def percent_at(quantiles: Sequence[float], value: Scalar | None) -> float | None:
    """Where a value lies, in per cent; None: it is missing, or there is no axis.

    >>> percent_at([0, 10, 20], 5), percent_at([0, 10, 20], None), percent_at([], "clerk")
    (25.0, None, None)
    """
    return round(100 * position(quantiles, value), 1) if quantiles and isinstance(value, _NUMBERS) else None


def span(quantiles: Sequence[float], low: float, high: float) -> tuple[float, float]:
    """Both ends of an interval, at least so far apart that it can be seen.

    >>> span([0, 10, 20], -math.inf, 10)
    (0.0, 0.5)
    >>> span([0, 10, 20], 20, math.inf)
    (0.94, 1.0)
    """
    left = 0.0 if low == -math.inf else position(quantiles, low)
    right = 1.0 if high == math.inf else position(quantiles, high)
    lack = max(0.0, _LEAST_WIDTH - (right - left))
    left = min(max(0.0, left - lack / 2), 1 - _LEAST_WIDTH) if lack else left
    return left, max(right, left + _LEAST_WIDTH) if lack else right

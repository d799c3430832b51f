"""Otherwise: how certain the model is, on average, with the other values that a feature has in the background."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from lormika.frames.values import Scalar

if TYPE_CHECKING:
    from lormika.summaries import Effect, FeatureSummary


def mean_otherwise(
    effect: Effect, feature: FeatureSummary, own: Scalar | None, measure: Callable[[float], float] = float
) -> float | None:
    """Mean of a measure of the certainty, each value as frequent as in the background; None: nothing was asked.

    >>> from lormika.summaries import Effect, FeatureSummary
    >>> claims = Effect("claims", 0.7, 1.9, False, (0, 1, 9), certainties=(0.9, 0.9, 0.1), labels=("ok", "ok", "bad"))
    >>> round(mean_otherwise(claims, FeatureSummary("claims", "numeric", (0.0, 0.0, 1.0, 2.0, 9.0)), 2), 2)
    0.77
    """
    if not effect.certainties:
        return None
    measures = [measure(certainty) for certainty in effect.certainties]
    weights = _weights(effect, feature.quantiles, own)
    return fmean(measures, weights) if any(weights) else fmean(measures)


def _weights(effect: Effect, quantiles: Sequence[float], own: Scalar | None) -> list[float]:
    """How much of the background each value that was asked about stands for."""
    values = [value for value in effect.values if isinstance(value, int | float)]
    if not quantiles or len(values) < len(effect.values):
        return list(effect.shares)
    weights = [0.0] * len(values)
    for place, quantile in enumerate(quantiles):
        if quantile != own:
            nearest = min(range(len(values)), key=lambda i: abs(values[i] - quantile))
            weights[nearest] += 0.5 if place in (0, len(quantiles) - 1) else 1.0  # the ends stand for one side
    return weights

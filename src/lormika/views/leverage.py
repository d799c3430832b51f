"""Lines of equal leverage in a picture of confidence over coverage."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from lormika.frames.values import Scalar, format_value
from lormika.rule import Rule

_LEVELS = {1: 4, 2: 3, 3: 2}  # lines for each consequent, zero included; one if there are more consequents


@dataclass(frozen=True, slots=True, order=True)
class Curve:
    """Rules for a consequent that have the same leverage."""

    end: float  # confidence at the right end
    share: float
    leverage: float
    name: str
    supporting: bool

    def confidence(self, coverage: float) -> float:
        """Solves leverage = coverage x (confidence - share)."""
        return self.share + self.leverage / coverage

    def points(self, most: float, top: float, steps: int = 200) -> list[tuple[float, float]]:
        """Coverage and confidence along the curve, up to the top of the picture."""
        coverages = [most * step / steps for step in range(1, steps + 1)]
        return [(x, y) for x in coverages if (y := self.confidence(x)) <= top]


def leverage_curves(rules: list[Rule], prediction: Scalar, most: float) -> list[Curve]:
    """Curves for each class that rules lead to, up to the best of these rules, from the lowest end to the highest."""
    return sorted(_curves(rules, prediction, most))


def _curves(rules: list[Rule], prediction: Scalar, most: float) -> Iterator[Curve]:
    consequents: dict[tuple[bool, Scalar], list[Rule]] = {}
    for rule in rules:  # True is no 1 here
        consequents.setdefault((isinstance(rule.consequent, bool), rule.consequent), []).append(rule)
    for (_, consequent), own in consequents.items():
        share = own[0].counts.share_without
        for leverage in _levels(max(rule.leverage for rule in own), _LEVELS.get(len(consequents), 1)):
            name = f"leverage {leverage:g} ⇒ {format_value(consequent)}"
            yield Curve(share + leverage / most, share, leverage, name, consequent == prediction)


def _levels(greatest: float, number: int) -> list[float]:
    """So many evenly spaced round values from zero towards the greatest leverage; the greatest comes first.

    >>> _levels(0.157, 3), _levels(0.031, 1), _levels(-0.1, 3)
    ([0.1, 0.05, 0.0], [0.025], [0.0])
    """
    if greatest <= 0:
        return [0.0]
    step = greatest / max(number - 1, 1)
    unit = 10.0 ** math.floor(math.log10(step))
    step = unit * max(factor for factor in (1, 2, 2.5, 5) if factor * unit <= step * (1 + 1e-9) or factor == 1)
    return [float(f"{step * i:.3g}") for i in range(number - 1, -1, -1)] if number > 1 else [float(f"{step:.3g}")]


def apart(heights: list[float], least: float, bottom: float, top: float) -> list[float]:
    """Move heights, which ascend, so that neighbours are at least so far apart.

    >>> apart([1.0, 5.0, 5.0, 9.0], 2.0, 0.0, 9.0)
    [1.0, 4.0, 6.0, 9.0]
    """
    up, down, last = list(heights), list(heights), len(heights) - 1
    for i in range(1, len(heights)):
        up[i] = max(up[i], up[i - 1] + least)
        down[last - i] = min(down[last - i], down[last - i + 1] - least)
    # The mean of both keeps the distances, and so do the bounds.
    means = [(a + b) / 2 for a, b in zip(up, down, strict=True)]
    return [max(min(mean, top - (last - i) * least), bottom + i * least) for i, mean in enumerate(means)]

"""Confidence over coverage of all rules, as coordinates for an inline SVG."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from lormika.rule import Rule
from lormika.views.leverage import Curve, apart, leverage_curves

if TYPE_CHECKING:
    from lormika.explanation import Explanation

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 780, 320, 52, 250, 12, 40  # margins on the four sides
_LINE = 13.0  # height of a line of text
_STEPS = 40  # of a curve
_LONGEST = 34  # name of a curve


def points(explanation: Explanation) -> dict[str, object]:
    """Points, axes and lines of equal leverage; the axes reach as far as the rules do."""
    rules = [rule for rule in explanation.rules if rule.category is not None and rule.counts.antecedent]
    x_ticks = _ticks(0.0, max((rule.coverage for rule in rules), default=1.0))
    curves = leverage_curves(rules, explanation.prediction, x_ticks[-1])
    heights = [rule.confidence for rule in rules] + [curve.end for curve in curves]
    y_ticks = _ticks(min(heights, default=0.0), min(1.0, max(heights, default=1.0)))

    def x(coverage: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * coverage / x_ticks[-1]

    def y(confidence: float) -> float:
        share = (confidence - y_ticks[0]) / (y_ticks[-1] - y_ticks[0])
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * share

    def line(curve: Curve, end: float) -> dict[str, object]:
        path = "".join([f"{x(a):.1f},{y(b):.1f} " for a, b in curve.points(x_ticks[-1], y_ticks[-1], _STEPS)])
        return _line(curve) | {"path": path, "end": round(-end, 1)}

    def place(coverage: float, confidence: float) -> dict[str, float]:
        return {"x": round(x(coverage), 1), "y": round(y(confidence), 1)}

    ends = apart([-round(y(curve.end), 1) for curve in curves], _LINE, float(BOTTOM - HEIGHT), -float(TOP))
    return {
        "size": (WIDTH, HEIGHT, LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, TOP),
        "points": [_point(rule) | place(rule.coverage, rule.confidence) for rule in rules],
        "x_ticks": [(round(x(tick), 1), tick) for tick in x_ticks],
        "y_ticks": [(round(y(tick), 1), tick) for tick in y_ticks],
        "lines": [line(curve, end) for curve, end in zip(curves, ends, strict=True)],
    }


def _line(curve: Curve) -> dict[str, object]:
    name = curve.name if len(curve.name) <= _LONGEST else f"{curve.name[: _LONGEST - 1]}…"
    return {"name": curve.name, "short": name, "tone": "for" if curve.supporting else "against"}


def _point(rule: Rule) -> dict[str, object]:
    assert rule.category is not None
    tone = "for" if rule.category.is_supporting else "against"
    return {"tone": tone, "current": rule.category.is_current, "text": str(rule)}


def _ticks(low: float, high: float) -> list[float]:
    """Round shares around both, at most eight.

    >>> _ticks(0.34, 1.0), _ticks(0.0, 0.07)
    ([0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0], [0.0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07])
    """
    for step in (0.01, 0.02, 0.05, 0.1, 0.2):
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        if last - first <= 7:
            break
    return [round(i * step, 2) for i in range(first, max(last, first + 1) + 1)]

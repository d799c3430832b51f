"""Confidence over coverage of all rules, as coordinates for an inline SVG."""

from __future__ import annotations

from typing import Any

from lormika.payload import Payload, load_rule

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 560, 320, 52, 40, 12, 16


def points(payload: Payload) -> dict[str, Any]:
    """Points, axes and lines of equal leverage; the axes reach as far as the rules do."""
    rules = [load_rule(rule) for rule in payload["rules"]]
    right = _round_up(max((rule.coverage for rule in rules), default=1.0))
    bottom = _round_down(min((min(rule.confidence, rule.counts.share_without) for rule in rules), default=0.0))

    def x(coverage: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * coverage / right, 1)

    def y(confidence: float) -> float:
        return round(HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * (confidence - bottom) / (1 - bottom), 1)

    share = next(c["rows"] for c in payload["classes"] if c["label"] == payload["prediction"])
    share /= sum(c["rows"] for c in payload["classes"])
    return {
        "size": (WIDTH, HEIGHT, LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, TOP),
        "points": [
            {
                "x": x(rule.coverage),
                "y": y(rule.confidence),
                "tone": "for" if rule.category is None or rule.category.is_supporting else "against",
                "current": rule.category is None or rule.category.is_current,
                "text": str(rule),
            }
            for rule in rules
        ],
        "x_ticks": [(x(right * i / 4), right * i / 4) for i in range(5)],
        "y_ticks": [(y(bottom + (1 - bottom) * i / 4), bottom + (1 - bottom) * i / 4) for i in range(5)],
        "lines": [_line(leverage, share, right, bottom, x, y) for leverage in (0.0, 0.025, 0.05, 0.1, 0.2)],
    }


def _line(leverage: float, share: float, right: float, bottom: float, x: Any, y: Any) -> dict[str, Any]:
    """Where the leverage of a rule for the prediction is the same: coverage x (confidence - share)."""
    steps = [right * i / 60 for i in range(1, 61)]
    curve = [(c, share + leverage / c) for c in steps]
    inside = [(x(c), y(f)) for c, f in curve if bottom <= f <= 1]
    return {
        "path": " ".join(f"{a},{b}" for a, b in inside),
        "leverage": leverage,
        "end": inside[-1] if inside else None,
    }


def _round_up(share: float) -> float:
    return min(1.0, -(-share * 10 // 1) / 10)


def _round_down(share: float) -> float:
    return max(0.0, min(0.9, share * 10 // 1 / 10))

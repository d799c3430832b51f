"""What the prediction depends on, as strips and chips for the HTML view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lormika.payload import Payload
from lormika.values import format_value
from lormika.views.axis import position
from lormika.views.certainty import Scale
from lormika.views.effects import Asked, FeatureEffect, rest_sentence, shade, shown
from lormika.views.words import percent, short


def context(effects: Sequence[FeatureEffect], payload: Payload, scale: Scale) -> dict[str, Any] | None:
    """The features that matter, and the rest; None: nothing was asked."""
    if not effects:
        return None
    worth, rest = shown(effects, scale)
    turned = {format_value(asked.label) for effect in effects for asked in effect.asked if asked.turned}
    return {
        "shown": [_feature(effect, scale) for effect in worth],
        "rest": [_feature(effect, scale) for effect in rest],
        "rest_sentence": rest_sentence(rest, scale) if rest else None,
        "prediction": format_value(payload["prediction"]),
        "turned": turned.pop() if len(turned) == 1 else None,
        "shades": scale.unit != "label",
        "margin": scale.unit == "margin",
    }


def _feature(effect: FeatureEffect, scale: Scale) -> dict[str, Any]:
    numeric = bool(effect.quantiles)
    return {
        "name": effect.feature,
        "value": format_value(effect.value),
        "constant": effect.constant,
        "segments": [_segment(*segment, scale) for segment in effect.segments()] if numeric else [],
        "chips": [] if numeric else [_chip(asked, scale) for asked in effect.asked],
        "at": _at(effect),
        "ends": (short(effect.quantiles[0]), short(effect.quantiles[-1])) if numeric else None,
        "span": scale.span(*effect.bounds) if effect.asked else "",
        "turning": effect.turning if effect.turns else None,
        "aloud": "; ".join(_aloud(asked, scale) for asked in effect.asked),
    }


def _at(effect: FeatureEffect) -> float | None:
    """Where the instance's value lies on the axis, in per cent; None: it has no place there."""
    if not effect.quantiles or not isinstance(effect.value, int | float):
        return None
    return round(100 * position(effect.quantiles, effect.value), 1)


def _segment(low: float, high: float, asked: Asked, scale: Scale) -> dict[str, Any]:
    return {
        "left": round(100 * low, 2),
        "width": round(100 * (high - low), 2),
        "tone": "against" if asked.turned else "for",
        "shade": round(shade(asked, scale), 2),
        "title": _aloud(asked, scale),
    }


def _chip(asked: Asked, scale: Scale) -> dict[str, Any]:
    return {
        "value": format_value(asked.value),
        "certainty": _certainty(asked, scale),
        "own": asked.own,
        "tone": "against" if asked.turned else "for",
    }


def _certainty(asked: Asked, scale: Scale) -> str:
    if scale.unit == "probability":
        return percent(asked.certainty)
    return scale.span(asked.certainty, asked.certainty)


def _aloud(asked: Asked, scale: Scale) -> str:
    """A value and what the model says with it, for whoever cannot see the colours."""
    label = f" turns to {format_value(asked.label)}" if asked.turned else ""
    now = " (now)" if asked.own else ""
    return f"{format_value(asked.value)}{now}: {_certainty(asked, scale)}{label}".rstrip(": ")

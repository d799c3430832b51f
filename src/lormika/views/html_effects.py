"""What the prediction depends on, as strips and chips for the HTML view."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from lormika.frames.values import format_value
from lormika.views.axis import percent_at
from lormika.views.certainty import Scale
from lormika.views.effects import Asked, FeatureEffect, rest_sentence, shade, shown
from lormika.views.reading import Reading
from lormika.views.words import short

_MOST_CHIPS = 12  # categories of a feature
_CHOSEN_CHIPS = 4  # of more


def context(reading: Reading) -> dict[str, object] | None:
    """The features that matter, and the rest; None: nothing was asked."""
    effects, scale = reading.effects, reading.scale
    if not effects:
        return None
    worth, rest = shown(effects, scale)
    turned = {format_value(asked.label) for effect in effects for asked in effect.asked if asked.turned}
    return {
        "shown": [_feature(effect, scale) for effect in worth],
        "rest": [_feature(effect, scale) for effect in rest],
        "rest_sentence": rest_sentence(rest, scale) if rest else None,
        "prediction": format_value(reading.explanation.prediction),
        "turned": turned.pop() if len(turned) == 1 else None,
        "shades": scale.unit != "label",
        "surer": "further from the edge" if scale.unit == "value" else "surer",
    }


def _feature(effect: FeatureEffect, scale: Scale) -> dict[str, object]:
    numeric = bool(effect.quantiles)
    chosen = [] if numeric else _chosen(effect.asked)
    return {
        "name": effect.feature,
        "value": format_value(effect.value),
        "constant": effect.constant,
        "segments": list(_segments(effect, scale)) if numeric else [],
        "chips": [_chip(asked, scale) for asked in chosen],
        "others": 0 if numeric else len(effect.asked) - len(chosen),
        "at": percent_at(effect.quantiles, effect.value),
        "ends": (short(effect.quantiles[0]), short(effect.quantiles[-1])) if numeric else None,
        "span": scale.span(*effect.bounds) if effect.asked else "",
        "turning": effect.turning if effect.turns else None,
        "aloud": _summary(effect, scale) if numeric else "",
    }


def _chosen(asked: Sequence[Asked]) -> list[Asked]:
    """All categories, if they are few; else the own one, the first that turn it, the least and the most certain."""
    if len(asked) <= _MOST_CHIPS:
        return list(asked)
    own, turned = [one for one in asked if one.own], [one for one in asked if one.turned]
    ranked = sorted((one for one in asked if not one.own), key=lambda one: one.certainty)
    kept = {id(one) for one in (*own, *turned[: _CHOSEN_CHIPS // 2])}
    for one in (*ranked[: _CHOSEN_CHIPS // 4], *ranked[::-1]):
        if len(kept) < _CHOSEN_CHIPS:
            kept.add(id(one))
    return [one for one in asked if id(one) in kept]


def _summary(effect: FeatureEffect, scale: Scale) -> str:
    """What a strip shows, in a few words."""
    turns = f"turns at {effect.turning}" if effect.turns else "turns nowhere"
    return "; ".join(filter(None, [scale.span(*effect.bounds) if effect.asked else "", turns]))


def _segments(effect: FeatureEffect, scale: Scale) -> Iterator[dict[str, object]]:
    """Pieces of the axis; neighbours that look the same are one."""
    for (tone, strength), run in groupby(effect.segments(), key=lambda piece: _look(piece[2], scale)):
        pieces = list(run)
        low, high = pieces[0][0], pieces[-1][1]
        ends = pieces if len(pieces) == 1 else (pieces[0], pieces[-1])
        titles = dict.fromkeys(_aloud(asked, scale) for _, _, asked in ends)
        yield {
            "tone": tone,
            "style": f"left: {round(100 * low, 2)}%; width: {round(100 * (high - low), 2)}%; opacity: {strength}",
            "title": " … ".join(titles),
        }


def _look(asked: Asked, scale: Scale) -> tuple[str, float]:
    return "against" if asked.turned else "for", round(shade(asked, scale), 2)


def _chip(asked: Asked, scale: Scale) -> dict[str, object]:
    return {
        "value": format_value(asked.value),
        "certainty": scale.text(asked.certainty),
        "own": asked.own,
        "tone": "against" if asked.turned else "for",
    }


def _aloud(asked: Asked, scale: Scale) -> str:
    """A value and what the model says with it, for readers who cannot see the colours."""
    label = f" turns to {format_value(asked.label)}" if asked.turned else ""
    now = " (now)" if asked.own else ""
    return f"{format_value(asked.value)}{now}: {scale.text(asked.certainty)}{label}".rstrip(": ")

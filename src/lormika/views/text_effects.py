"""What the prediction depends on, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator

from lormika.frames.values import format_value
from lormika.views.certainty import Scale
from lormika.views.effects import FeatureEffect, others, rest_sentence, shown
from lormika.views.layout import Block, Column, Grid, Paragraph, Piece
from lormika.views.reading import Reading
from lormika.views.words import printable

_FADED = "dim"
_COLUMNS = (Column(), Column(), Column(wraps=False, right=True), Column())
_HEADING = "What this prediction depends on"
_ALONE = "one value changed, all others as they are"
_MEANING = {
    "probability": f"{_ALONE}: the probability of the prediction; what moves the model most first",
    "margin": f"{_ALONE}: the margin of the prediction; what moves the model most first",
    "value": f"{_ALONE}: what the model then predicts; what moves the model most first",
    "label": _ALONE,
}


def blocks(reading: Reading) -> Iterator[Block]:
    """A heading, a line for each feature that matters, and one for the rest; nothing if nothing was asked."""
    effects, scale = reading.effects, reading.scale
    if not effects:
        return
    yield Paragraph((f"\n{_HEADING}", "bold"), (f"  {_MEANING[scale.unit]}", _FADED))
    worth, rest = shown(effects, scale)
    if worth:
        yield Grid(_COLUMNS, [_row(effect, scale) for effect in worth])
    if rest:
        sentence = f"… {others(rest, worth)}: {rest_sentence(rest, scale)}"
        yield Paragraph((printable(sentence), _FADED), indent=2)


def _row(effect: FeatureEffect, scale: Scale) -> list[list[Piece]]:
    """A feature, its value, how far it moves the prediction, where it turns, and whether similar rows speak of it."""
    remarks = [(f"turns at {printable(effect.turning)}", "dark_orange")] if effect.turns else []
    if effect.constant:
        remarks.append((f"{' · ' if remarks else ''}the same in all similar rows", _FADED))
    name, value = f"  {printable(effect.feature)}", printable(format_value(effect.value))
    return [[(name, "bold")], [(value, "")], [(scale.span(*effect.bounds), "")], remarks]

"""What the prediction depends on, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lormika.frames.values import format_value
from lormika.views.effects import FeatureEffect, others, rest_sentence, shown
from lormika.views.reading import Reading
from lormika.views.words import printable

if TYPE_CHECKING:
    from rich.console import RenderableType

_FADED = "dim"
_HEADING = "What this prediction depends on"
_MEANING = {
    "probability": "one value changed, all others as they are: the probability of the prediction; the largest average "
    "effect on its log-odds first",
    "margin": "one value changed, all others as they are: the margin of the prediction; the largest average effect "
    "first",
    "label": "one value changed, all others as they are",
}


def renderables(reading: Reading) -> Iterator[RenderableType]:
    """A heading, a line for each feature that matters, and one for the rest; nothing if nothing was asked."""
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    effects, scale = reading.effects, reading.scale
    if not effects:
        return
    yield Text("\n").append(_HEADING, "bold").append(f"  {_MEANING[scale.unit]}", _FADED)
    worth, rest = shown(effects, scale)
    if worth:
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(overflow="fold")
        table.add_column(overflow="fold")
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        for effect in worth:
            value = Text(printable(format_value(effect.value)))
            span = Text(scale.span(*effect.bounds), justify="right")
            table.add_row(Text(f"  {printable(effect.feature)}", "bold"), value, span, _remarks(effect))
        yield table
    if rest:
        sentence = f"… {others(rest, worth)}: {rest_sentence(rest, scale)}"
        yield Padding(Text(printable(sentence), _FADED), (0, 0, 0, 2))


def _remarks(effect: FeatureEffect) -> RenderableType:
    """Where it turns, and whether similar rows can speak of it."""
    from rich.text import Text

    text = Text()
    if effect.turns:
        text.append(f"turns at {printable(effect.turning)}", "dark_orange")
    if effect.constant:
        text.append(f"{' · ' if text else ''}the same in all similar rows", _FADED)
    return text

"""What the prediction depends on, as level strips: one value changed, all others as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lormika.errors import InputError
from lormika.frames.values import format_value
from lormika.views.axis import position
from lormika.views.effects import Asked, FeatureEffect, others, rest_sentence, shade, shown
from lormika.views.plot_sheet import BLUE, INK, NAME, ORANGE, PAPER, SMALL, TEXT, VALUE, Sheet, Style, Typesetter
from lormika.views.reading import Reading
from lormika.views.words import short

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# All lengths are points.
_MARGIN, _GAP = 12.0, 14.0
_NAMES, _VALUES, _STRIP, _SPAN, _TURNS = 110.0, 84.0, 240.0, 84.0, 130.0
_HEIGHT, _BETWEEN = 12.0, 12.0  # of a strip, and between rows
_CHIP_PAD, _CHIP_GAP = 5.0, 5.0
_CONSTANT = "the same in all similar rows"
_TITLE = Style(11.5, INK, "bold")
_TURNING = Style(TEXT.size, ORANGE, "bold")


def draw(reading: Reading) -> Figure:
    """The whole figure."""
    if not reading.effects:
        raise InputError('nothing was asked about single features: plot(kind="effects") needs explain(confirm=True)')
    return _Strips(reading).draw()


class _Strips:
    """Draws from top to bottom; `y` is how far it has come."""

    def __init__(self, reading: Reading) -> None:
        self.prediction, self.scale = reading.explanation.prediction, reading.scale
        self.typesetter = Typesetter()
        self.values = _MARGIN + _NAMES + _GAP
        self.strip = self.values + _VALUES + _GAP
        self.span = self.strip + _STRIP + _GAP
        self.turns = self.span + _SPAN + _GAP
        self.worth, self.rest = shown(reading.effects, self.scale)
        self.right = self.turns + _TURNS if any(effect.turns for effect in self.worth) else self.span + _SPAN
        self.sheet = Sheet(self.typesetter, self.right + _MARGIN)
        self.y = _MARGIN

    def draw(self) -> Figure:
        label = format_value(self.prediction)
        self._paragraph("What this prediction depends on", _TITLE)
        self._paragraph(
            f"One value changed, all others as they are. Blue: it stays {label}, the darker the surer; orange: it "
            "turns. │ this case",
            SMALL,
        )
        self.y += 10
        for effect in self.worth:
            self._row(effect)
        if self.rest:
            self._paragraph(f"… {others(self.rest, self.worth)}: {rest_sentence(self.rest, self.scale)}", SMALL)
        return self.sheet.finish(self.y + _MARGIN)

    def _paragraph(self, text: str, style: Style) -> None:
        lines = self.typesetter.wrap(text, style, self.right - _MARGIN, 6)
        self.sheet.write(_MARGIN, self.y, lines, style)
        self.y += len(lines) * style.line + 2

    def _row(self, effect: FeatureEffect) -> None:
        wrap, heights = self.typesetter.wrap, []
        turning = wrap(f"turns at {effect.turning}", _TURNING, _TURNS, 2) if effect.turns else []
        blocks = [
            (_MARGIN, wrap(effect.feature, NAME, _NAMES, 2), NAME),
            (self.values, wrap(format_value(effect.value), VALUE, _VALUES, 2), VALUE),
            (self.span, wrap(self.scale.span(*effect.bounds), TEXT, _SPAN, 2), TEXT),
            (self.turns, turning, _TURNING),
        ]
        for x, lines, style in blocks:
            self.sheet.write(x, self.y, lines, style)
            heights.append(len(lines) * style.line)
        if effect.constant:
            self.sheet.write(_MARGIN, self.y + heights[0], wrap(_CONSTANT, SMALL, _NAMES), SMALL)
            heights[0] += SMALL.line
        heights.append(self._axis(effect) if effect.quantiles else self._chips(effect))
        self.y += max(heights) + _BETWEEN

    def _axis(self, effect: FeatureEffect) -> float:
        """Pieces of an axis, its ends beneath; how high that is."""
        for low, high, asked in effect.segments():
            left, width = self.strip + low * _STRIP, (high - low) * _STRIP
            self.sheet.box(left, self.y, max(width - 0.8, 0.4), _HEIGHT, _colour(asked, shade(asked, self.scale)))
        ends = [self.typesetter.wrap(short(effect.quantiles[end]), SMALL, _STRIP / 2 - 4) for end in (0, -1)]
        self.sheet.write(self.strip, self.y + _HEIGHT + 2, ends[0], SMALL, "left")
        self.sheet.write(self.strip + _STRIP, self.y + _HEIGHT + 2, ends[1], SMALL, "right")
        if isinstance(effect.value, int | float):
            x = self.strip + position(effect.quantiles, effect.value) * _STRIP
            self.sheet.marker(x, self.y - 3, "v", 5)
            self.sheet.line(x, self.y - 3, self.y + _HEIGHT + 2, 1.6, 4)
        return _HEIGHT + 2 + SMALL.line

    def _chips(self, effect: FeatureEffect) -> float:
        """Categories with their certainties, in as many lines as they need; how high that is."""
        x, y, height = self.strip, self.y, TEXT.line + 4
        for asked in effect.asked:
            line = self._words(asked)
            width = self.typesetter.width(line[0], TEXT) * 1.02 + 2 * _CHIP_PAD
            if x > self.strip and x + width > self.strip + _STRIP:
                x, y = self.strip, y + height + 4
            colour = INK if asked.own else ORANGE if asked.turned else BLUE
            self.sheet.bar(x, x + width, y + height / 2, height, colour, filled=asked.own)
            style = Style(TEXT.size, PAPER if asked.own else colour)
            self.sheet.write(x + width / 2, y + height / 2, line, style, "center", "center")
            x += width + _CHIP_GAP
        return y + height - self.y

    def _words(self, asked: Asked) -> list[str]:
        """A category, cut off if it must be, and its certainty."""
        certainty = self.scale.text(asked.certainty)
        room = _STRIP - 2 * _CHIP_PAD - 8 - self.typesetter.width(certainty, TEXT)
        name = self.typesetter.wrap(format_value(asked.value), TEXT, room)[0]
        return [f"{name}  {certainty}".rstrip()]


def _colour(asked: Asked, strength: float) -> str:
    """The colour of the label, the paler the less sure."""
    full = (int((ORANGE if asked.turned else BLUE)[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(255 + (part - 255) * strength):02X}" for part in full)

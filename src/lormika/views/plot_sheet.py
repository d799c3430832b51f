"""A sheet of paper for figures: measured in points from the top left, with text that is made to fit.

Text from data is shown as it is: no markup, control characters escaped, and a box for a glyph that no font has.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from lormika.errors import InputError
from lormika.views.words import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties
    from matplotlib.ft2font import FT2Font

# For and against the prediction: Okabe-Ito's, the orange so dark that letters of it, and white ones on it, can be read.
BLUE, ORANGE = "#0072B2", "#BD4B00"
INK, FADED, FAINT, PAPER = "#16191D", "#5B6470", "#DDE3E9", "#FFFFFF"
BAR = 11.0  # height of a bar
_CLEARANCE = 2.5  # between a text and a line
LEADING = 1.3  # height of a line over the size of its type

_WIDER_FONTS = ("Noto Sans CJK JP", "Noto Sans CJK SC", "Noto Sans", "Noto Emoji", "Unifont", "Arial Unicode MS")
_MISSING_GLYPH = "□"
_NARROWEST = 1.0  # width of a letter: no more of a long text is measured than may fit
_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]+(?: +[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]+)*"
)
_MARK = "\N{LEFT-TO-RIGHT MARK}"
_BREAKS = re.compile(r"\s+|(?<=[_/])|(?<=[^\W\d]-)(?=\w)")


@dataclass(frozen=True, slots=True)
class Style:
    """How text looks."""

    size: float
    colour: str = INK
    weight: Literal["normal", "bold"] = "normal"

    @property
    def line(self) -> float:
        """Height of a line."""
        return LEADING * self.size


NAME, VALUE, TEXT, SMALL = Style(8.5, INK, "bold"), Style(8.5), Style(8), Style(7.5, FADED)


def require_matplotlib() -> None:
    """Say what to install rather than that a module is unknown."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise InputError("figures need matplotlib: pip install 'lormika[plot]'") from None


def left_to_right(line: str) -> str:
    """Keep words that are read from right to left from swapping places with what stands beside them.

    Without the marks, "job א → ב" would be shown with ב before the arrow, which still points to the right.
    """
    marked = _RIGHT_TO_LEFT.sub(lambda words: f"{_MARK}{words[0]}{_MARK}", line)
    return line if marked == line else _MARK + marked


class Typesetter:
    """Measures text in points and makes it fit."""

    def __init__(self) -> None:
        import matplotlib
        from matplotlib.font_manager import fontManager

        # The reader's own font first; DejaVu comes with matplotlib and has every sign that is used here.
        installed = set(fontManager.get_font_names())
        wider = [family for family in _WIDER_FONTS if family in installed]
        self._families = list(dict.fromkeys([*matplotlib.rcParams["font.family"], "DejaVu Sans", *wider]))
        self._fonts = {weight: self._load(weight) for weight in ("normal", "bold")}
        self.width = lru_cache(maxsize=None)(self._width)

    def _load(self, weight: str) -> list[FT2Font]:
        from matplotlib.font_manager import FontProperties, findfont, get_font

        return [get_font(findfont(FontProperties(family=[name], weight=weight))) for name in self._families]

    def font(self, style: Style) -> FontProperties:
        """The style as matplotlib wants it."""
        from matplotlib.font_manager import FontProperties

        return FontProperties(family=self._families, size=style.size, weight=style.weight)

    def _width(self, text: str, style: Style) -> float:
        """Width of a line as it is."""
        from matplotlib.textpath import text_to_path

        return float(text_to_path.get_text_width_height_descent(text, self.font(style), False)[0])

    def legible(self, text: str, style: Style) -> str:
        """Text without control characters, and with a box for each glyph that no font has."""
        fonts = self._fonts[style.weight]
        return "".join(
            c if any(font.get_char_index(ord(c)) for font in fonts) else _MISSING_GLYPH for c in printable(text)
        )

    def natural(self, text: str, style: Style, most: float) -> float:
        """Width that the text would like to have, at most so much."""
        return min(most, self.width(self.legible(text[: int(most / _NARROWEST)], style), style))

    def wrap(self, text: str, style: Style, width: float, lines: int = 1) -> list[str]:
        """Break text into at most so many lines; what does not fit ends in "…"."""
        most = int(width * lines / _NARROWEST)
        rest, cut_off = self.legible(text[:most], style).strip(), len(text) > most
        done: list[str] = []
        while len(done) < lines - 1 and self.width(rest, style) > width:
            end = self._fitting(rest, style, width)
            # A break that leaves a line nearly empty is worse than one inside a word.
            breaks = [gap.start() for gap in _BREAKS.finditer(rest) if end / 4 < gap.start() <= end]
            end = max(breaks[-1] if breaks else end, 1)
            done.append(rest[:end])
            rest = rest[end:].lstrip()
        if cut_off or self.width(rest, style) > width:
            rest = rest[: self._fitting(rest, style, width, "…")].rstrip() + "…"
        return [*done, rest]

    def _fitting(self, text: str, style: Style, width: float, end: str = "") -> int:
        """How many characters fit, with the end behind them."""
        return max(
            0, bisect_right(range(len(text) + 1), width, key=lambda n: self.width(text[:n].rstrip() + end, style)) - 1
        )


class Sheet:
    """A figure that is drawn from top to bottom, and cut off where the drawing ends."""

    def __init__(self, typesetter: Typesetter, width: float) -> None:
        from matplotlib.figure import Figure

        self.typesetter, self.width = typesetter, width
        self.figure: Figure = Figure(facecolor=PAPER)
        self.figure.set_layout_engine("none")  # whatever the reader's settings say
        self.axes: Axes = self.figure.add_axes((0, 0, 1, 1))
        self.axes.set_axis_off()
        self._texts: list[tuple[float, float, float, float]] = []  # left, right, top and bottom of what was written

    def finish(self, height: float) -> Figure:
        """The figure, so high that a unit of the drawing is a point."""
        self.figure.set_size_inches(self.width / 72, height / 72)
        self.axes.set(xlim=(0, self.width), ylim=(height, 0))
        return self.figure

    def write(
        self,
        x: float,
        y: float,
        lines: Sequence[str],
        style: Style,
        across: Literal["left", "center", "right"] = "left",
        down: Literal["top", "center", "bottom"] = "top",
        behind: str | None = None,
    ) -> None:
        """Lines that are known to fit; `behind` is the colour of a box that hides what runs beneath them."""
        # Each line has its own baseline: blocks side by side then agree, whatever letters they hold.
        height = (len(lines) - 1) * style.line
        first = {"top": y + 0.95 * style.size, "center": y - height / 2 + 0.36 * style.size, "bottom": y - height}[down]
        for number, line in enumerate(lines):
            base, width = first + number * style.line, self.typesetter.width(line, style)
            self.axes.text(
                x, base, left_to_right(line), fontproperties=self.typesetter.font(style), color=style.colour,
                ha=across, va="baseline", zorder=5, parse_math=False, usetex=False,
                bbox=None if behind is None else {"facecolor": behind, "edgecolor": "none", "pad": 2.0},
            )  # fmt: skip
            left = x - {"left": 0.0, "center": 0.5, "right": 1.0}[across] * width
            self._texts.append((left, left + width, base - 0.95 * style.size, base + 0.25 * style.size))

    def box(self, left: float, top: float, width: float, height: float, colour: str) -> None:
        """A plain filled rectangle."""
        from matplotlib.patches import Rectangle

        self.axes.add_artist(Rectangle((left, top), width, height, facecolor=colour, edgecolor="none", zorder=0))

    def strip(self, left: float, top: float, width: float, height: float, colour: str, solid: bool) -> None:
        """A coloured edge: solid, or hatched."""
        from matplotlib.patches import Rectangle

        self.axes.add_artist(
            Rectangle(
                (left, top), width, height, linewidth=0, zorder=1,
                facecolor=colour if solid else PAPER, edgecolor=colour, hatch=None if solid else "//////",
            )
        )  # fmt: skip

    def bar(
        self,
        left: float,
        right: float,
        middle: float,
        height: float,
        colour: str,
        solid: bool = True,
        filled: bool = True,
    ) -> None:
        """A bar with round corners: solid, hatched, or only its edge."""
        from matplotlib.patches import FancyBboxPatch

        style = f"round,pad=0,rounding_size={min(2.5, (right - left) / 2, height / 2)}"
        patch = FancyBboxPatch(
            (left, middle - height / 2), right - left, height, boxstyle=style, zorder=2, linewidth=0.9,
            facecolor=colour if solid and filled else PAPER, edgecolor=colour, hatch=None if solid else "//////",
        )  # fmt: skip
        self.axes.add_artist(patch)

    def line(self, x: float, top: float, bottom: float, width: float, order: float, dots: bool = False) -> None:
        """An upright line, interrupted where texts stand in its way; a higher order is nearer to the reader."""
        from matplotlib.lines import Line2D

        ends = [top]
        for left, right, start, end in sorted(self._texts, key=lambda text: text[2]):
            if left - _CLEARANCE < x < right + _CLEARANCE and end > ends[-1] and start < bottom:
                ends += [max(start - _CLEARANCE, ends[-1]), end + _CLEARANCE]
        ends.append(max(bottom, ends[-1]))
        # What is not a number is a gap.
        pieces = zip(ends[::2], ends[1::2], strict=True)
        ys = [y for start, end in pieces if start < end for y in (start, end, math.nan)]
        dash: Literal["-", ":"] = ":" if dots else "-"
        line = Line2D([x] * len(ys), ys, color=INK, linewidth=width, zorder=order, linestyle=dash)
        line.set_solid_capstyle("butt")
        self.axes.add_artist(line)

    def tracks(self, extents: Sequence[tuple[float, float]], y: float) -> None:
        """Faint level lines that guide the eye along a row."""
        from matplotlib.collections import LineCollection

        segments = [((left, y), (right, y)) for left, right in extents]
        self.axes.add_artist(LineCollection(segments, colors=FAINT, linewidths=2, zorder=1))

    def marker(self, x: float, y: float, shape: str, size: float) -> None:
        """A small filled sign."""
        from matplotlib.lines import Line2D

        self.axes.add_artist(Line2D([x], [y], marker=shape, markersize=size, color=INK, markeredgewidth=0, zorder=4))

    def arrow(self, start: float, end: float, y: float, colour: str) -> None:
        """A level arrow."""
        from matplotlib.patches import FancyArrowPatch

        self.axes.add_artist(
            FancyArrowPatch(
                (start, y), (end, y), arrowstyle="-|>,head_length=3.5,head_width=2.2", mutation_scale=1,
                shrinkA=0, shrinkB=0, linewidth=1.8, color=colour, zorder=3,
            )
        )  # fmt: skip

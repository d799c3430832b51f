"""Rules as rows of an aligned matrix: a column for each feature used, then the figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lormika.frames.values import format_value
from lormika.rule import Category, Condition, Rule
from lormika.views.plot_columns import Column, columns
from lormika.views.plot_figures import Figures
from lormika.views.plot_sheet import (
    BAR,
    BLUE,
    INK,
    NAME,
    ORANGE,
    PAPER,
    SMALL,
    TEXT,
    VALUE,
    Sheet,
    Style,
    Typesetter,
)
from lormika.views.reading import Reading
from lormika.views.values import write_values
from lormika.views.words import HEADINGS, condition_label, heading, is_true, percent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# All lengths are points.
_MARGIN, _GAP = 12.0, 12.0
_KINDS = 120.0  # names of the four kinds, left of the matrix
_ABOVE, _BELOW, _BETWEEN = 14.0, 5.0, 4.0  # above a row's middle, below its last text, between bands
_STRIP = 5.0  # coloured left end of a band

_TITLE, _TITLE_LABEL = Style(11.5), Style(11.5, BLUE, "bold")
_REMARK = Style(SMALL.size)
_TINTS = {BLUE: "#F0F6FB", ORANGE: "#FDF4ED"}
_LEGEND = (
    "■ true of this case   ▨ would have to become true   │ this case; on a confidence bar, the share of all similar "
    "rows. Axes of numbers are stretched by quantiles of the background."
)
_LEGEND_CHECK = (
    "The model said: its answer once the rule is made false (without it, on average) or true (by the smallest change, "
    "given beneath), all else as it is; then in how many of the changes that were tried it did what the rule says."
)
_LEGEND_RERUN = (
    "The model said: the answer after the smallest change that makes the rule true, given beneath. ✔: as the rule "
    "says; ✖: not so; ~: turned, but to another class; =: no change to be seen."
)


@dataclass(frozen=True, slots=True)
class _Cell:
    """A condition of a rule, ready to be drawn."""

    column: Column
    condition: Condition
    lines: list[str]

    @property
    def is_pill(self) -> bool:
        """The text stands inside, not beneath."""
        return not self.column.quantiles

    @property
    def above(self) -> float:
        return self.pill / 2 if self.is_pill else BAR / 2

    @property
    def below(self) -> float:
        return self.above if self.is_pill else self.above + 2 + len(self.lines) * TEXT.line

    @property
    def pill(self) -> float:
        return len(self.lines) * TEXT.line + 5


def draw(reading: Reading) -> Figure:
    """The whole figure."""
    return _Matrix(reading).draw()


class _Matrix:
    """Draws from top to bottom; `y` is how far it has come."""

    def __init__(self, reading: Reading) -> None:
        self.reading, self.explanation = reading, reading.explanation
        self.bands = {category: self.explanation.rules_of(category) for category in HEADINGS}
        self.typesetter, start = Typesetter(), _MARGIN + _KINDS + _GAP
        self.columns = {column.name: column for column in columns(self.typesetter, reading, start)}
        left = max((column.right + _GAP for column in self.columns.values()), default=start)
        self.figures = Figures(reading, left)
        self.right = self.figures.right
        self.sheet = Sheet(self.typesetter, self.right + 2 * _MARGIN)
        self.y = _MARGIN

    def draw(self) -> Figure:
        self._title()
        self._header()
        top = self.y
        for category, rules in self.bands.items():
            self._band(category, rules)
        for x in (column.line for column in self.columns.values() if column.line is not None):
            self.sheet.marker(x, top - 4, "v", 5)
            self.sheet.line(x, top - 5, self.y - _BETWEEN, 0.9, 3)
        self.figures.mark(self.sheet, top, self.y - _BETWEEN)
        self._legend()
        return self.sheet.finish(self.y + _MARGIN)

    def _title(self) -> None:
        """What the model predicts, and for how many similar rows."""
        near, predicted = self.explanation.neighbourhood, self.explanation.predicted
        pieces = [("The model predicts", _TITLE), (format_value(predicted.label), _TITLE_LABEL)]
        if self.explanation.value is not None:
            value = write_values([self.explanation.value], self.explanation.bands)[0]
            pieces[1:] = [(value, _TITLE_LABEL), (f"({format_value(predicted.label)})", _TITLE)]
        elif predicted.probability is not None:
            pieces.append((f"({percent(predicted.probability)})", _TITLE))
        x, room = _MARGIN, self.right - 2 * _MARGIN - 160
        for text, style in pieces:
            line = self.typesetter.wrap(text, style, room)
            self.sheet.write(x, self.y, line, style)
            x += 1.01 * self.typesetter.width(line[0], style) + 5  # on screens letters may be a little wider
        self.y += _TITLE.line + 3
        self._paragraph(
            f"as it does for {percent(predicted.rows / near.rows)} of {near.rows:,} similar rows: {near.selected:,} "
            f"real ones and {near.generated:,} generated from them"
        )
        self.y += 10

    def _paragraph(self, text: str) -> None:
        lines = self.typesetter.wrap(text, SMALL, self.right - _MARGIN, 6)
        self.sheet.write(_MARGIN, self.y, lines, SMALL)
        self.y += len(lines) * SMALL.line

    def _header(self) -> None:
        """Names of the columns, with the instance's value beneath each."""
        wrap, across = self.typesetter.wrap, list(self.columns.values())
        names = [wrap(column.name, NAME, column.width, 3) for column in across]
        values = [wrap(format_value(column.value), VALUE, column.width, 2) for column in across]
        middle = self.y + max([1, *map(len, names)]) * NAME.line
        foot = middle + max([2, *map(len, values)]) * VALUE.line + 4
        for column, name, value in zip(across, names, values, strict=True):
            self.sheet.write(column.left, middle, name, NAME, down="bottom")
            if column.line is None:
                self.sheet.write(column.left, foot, value, VALUE, down="bottom")
                continue
            widest = max(self.typesetter.width(line, VALUE) for line in value)
            self.sheet.write(column.place(column.line, widest), foot, value, VALUE, "center", "bottom")
        self.figures.head(self.sheet, middle, foot)
        self.y = foot + 9

    def _band(self, category: Category, rules: Sequence[Rule]) -> None:
        """The rules of a kind below each other, with its name beside them."""
        colour = BLUE if category.is_supporting else ORANGE
        top, label_foot = self.y, self._kind(category, Style(10, colour, "bold"))
        self.y += 4
        for rule in rules:
            self._row(rule, colour)
        if not rules:
            x, y = _MARGIN + _KINDS + _GAP + 3, self.y + _ABOVE
            self.sheet.write(x, y, ["none found"], SMALL, down="center")
            self.y += _ABOVE + 10
        self.y = max(self.y + 2, label_foot)
        self.sheet.box(_MARGIN, top, self.right - _MARGIN + _MARGIN / 2, self.y - top, _TINTS[colour])
        self.sheet.strip(_MARGIN, top, _STRIP, self.y - top, colour, category.is_current)
        self.y += _BETWEEN

    def _kind(self, category: Category, style: Style) -> float:
        """Plain words, the paper's term beneath, and a remark if there is one; how far down they reach."""
        x, y, width = _MARGIN + _STRIP + 8, self.y + 8, _KINDS - _STRIP - 8
        texts = [
            (heading(category, self.explanation.prediction, self.explanation.unit), style, 3),
            (HEADINGS[category][1], SMALL, 3),
        ]
        remark = self.reading.remark(category)
        if remark is not None:
            texts.append((remark, _REMARK, 6))
        for text, kind, most in texts:
            lines = self.typesetter.wrap(text, kind, width, most)
            self.sheet.write(x, y, lines, kind)
            y += len(lines) * kind.line + 2
        return y + 4

    def _row(self, rule: Rule, colour: str) -> None:
        wrap = self.typesetter.wrap
        cells = []
        for condition in rule.conditions:
            column = self.columns[condition.feature]
            cells.append(_Cell(column, condition, wrap(condition_label(condition), TEXT, column.room, 2)))
        beneath = max(map(len, self.figures.below(self.sheet, rule)))
        middle = self.y + max([_ABOVE, *(cell.above + 4 for cell in cells)])
        self.sheet.tracks([column.axis for column in self.columns.values()], middle)
        for cell in cells:
            self._cell(cell, middle, colour)
        self.figures.row(self.sheet, rule, middle, colour)
        self.y = middle + max([BAR / 2 + 3 + beneath * SMALL.line, *(cell.below for cell in cells)]) + _BELOW

    def _cell(self, cell: _Cell, middle: float, colour: str) -> None:
        left, right = cell.column.extent(cell.condition)
        solid = is_true(cell.condition, cell.column.value)
        self.sheet.bar(left, right, middle, cell.pill if cell.is_pill else BAR, colour, solid)
        if cell.is_pill:
            style = Style(TEXT.size, PAPER if solid else INK)
            behind = None if solid else PAPER
            self.sheet.write((left + right) / 2, middle, cell.lines, style, "center", "center", behind)
            return
        width = max(self.typesetter.width(line, TEXT) for line in cell.lines)
        x = cell.column.place((left + right) / 2, width)
        self.sheet.write(x, middle + BAR / 2 + 2.5, cell.lines, TEXT, "center")

    def _legend(self) -> None:
        self.y += 6
        self._paragraph(_LEGEND)
        if self.figures.asked:
            self._paragraph(_LEGEND_CHECK if self.reading.is_confirmed else _LEGEND_RERUN)

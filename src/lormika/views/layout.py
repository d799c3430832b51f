"""Text in lines and columns for a width, in colours or plain.

It breaks lines and sizes columns just as rich does; only the colours of a terminal are left to rich, because its
own way takes longer for an explanation than to find it.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING

from lormika.views.column_widths import fit_columns

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

Piece = tuple[str, str]  # a text and its style, as rich names it
Line = list[Piece]

_GAP = 2  # cells
_WORD = re.compile(r"\s*\S+\s*")


class Block(ABC):
    """A part of a page, which a rich console prints in colours."""

    @abstractmethod
    def lines(self, width: int) -> Iterable[Line]:
        """Its lines, each at most so many cells wide."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.segment import Segment

        for line in self.lines(options.max_width):
            yield from (Segment(text, console.get_style(style)) for text, style in line)
            yield Segment.line()


def plain_text(blocks: Iterable[Block], width: int) -> str:
    """The lines of all blocks, without colours."""
    lines = ("".join(text for text, _ in line).rstrip() for block in blocks for line in block.lines(width))
    return "\n".join(lines).strip("\n")


class Paragraph(Block):
    """Text that is broken between words, and within those that are too long; it may be indented."""

    def __init__(self, *pieces: Piece, indent: int = 0) -> None:
        self.pieces, self.indent = pieces, indent

    def lines(self, width: int) -> Iterator[Line]:
        """Its lines."""
        for line in wrap(self.pieces, width - self.indent):
            yield [(" " * self.indent, ""), *line] if self.indent else line


class Unbroken(Block):
    """A line that stays whole, however narrow the terminal is, so that it can be copied."""

    def __init__(self, text: str) -> None:
        self.text = text

    def lines(self, width: int) -> Iterator[Line]:
        """The line."""
        yield [(self.text, "")]


@dataclass(frozen=True, slots=True)
class Column:
    """How the cells of a column are written."""

    wraps: bool = True  # or is cut short, with an ellipsis
    least: int = 0  # cells
    right: bool = False


class Grid(Block):
    """Cells in columns, without lines between them, and two blanks apart; a title above, and a caption below."""

    def __init__(
        self,
        columns: Sequence[Column],
        rows: Sequence[Sequence[Sequence[Piece]]],
        title: str | None = None,
        caption: str | None = None,
    ) -> None:
        self.columns, self.rows, self.title, self.caption = columns, rows, title, caption
        self.gaps = [_GAP] * (len(columns) - 1) + [0 if title is None else _GAP]

    def lines(self, width: int) -> Iterator[Line]:
        """The title, all rows and the caption."""
        widths = self._widths(width)
        if self.title is not None:
            yield from wrap([(self.title, "bold")], sum(widths))
        inner = [wide - gap for wide, gap in zip(widths, self.gaps, strict=True)]
        for row in self.rows:
            columns = [_cell(*one) for one in zip(row, self.columns, inner, strict=True)]
            for beside in zip_longest(*columns, fillvalue=[]):
                yield _join(beside, widths)
        if self.caption is not None:
            yield from wrap([(self.caption, "")], sum(widths))

    def _widths(self, room: int) -> list[int]:
        """Widths of the columns, gaps included."""
        needs = [max(_need(cell) for cell in cells) for cells in zip(*self.rows, strict=True)]
        leasts, wraps = [column.least for column in self.columns], [column.wraps for column in self.columns]
        return fit_columns(list(zip(needs, leasts, self.gaps, strict=True)), wraps, room)


def wrap(pieces: Sequence[Piece], width: int) -> Iterator[Line]:
    """Break text into lines of at most so many cells."""
    for line in _split(pieces):
        text = _text(line)
        if cells(text) <= width:
            yield line
            continue
        breaks = [0, *_breaks(text, width), len(text)]
        for start, end in pairwise(breaks):
            yield _restyle(_fit(text[start:end], width), start, line)


def _need(pieces: Sequence[Piece]) -> int:
    """Cells of the longest line."""
    return max(map(cells, _text(pieces).split("\n")))


def _join(columns: Sequence[Line], widths: Sequence[int]) -> Line:
    """A line of each column, side by side."""
    joined: Line = []
    for line, width in zip(columns, widths, strict=True):
        joined += [*line, (" " * (width - cells(_text(line))), "")]
    return joined


def _cell(pieces: Sequence[Piece], column: Column, width: int) -> list[Line]:
    """The lines of a cell; none if its column has no room at all."""
    if width < 1:
        return []
    if column.wraps:
        return list(wrap(pieces, width))
    text = _text(pieces)
    need = cells(text)
    if need > width:
        text = f"{_crop(text, width - 1)}…"
    blank = [(" " * (width - need), "")] if column.right and need < width else []
    return [blank + _restyle(text, 0, pieces)]


def _breaks(text: str, width: int) -> Iterator[int]:
    """Where the lines after the first begin."""
    at = 0  # cells of this line that are taken
    for match in _WORD.finditer(text):
        start, word = match.start(), match.group()
        need = cells(word.rstrip())
        if need <= width - at:
            at += cells(word)
        elif need > width:
            *full, last = _chop(word, width)
            for piece in full:
                if start:
                    yield start
                start += len(piece)
            if start:
                yield start
            at = cells(last)
        elif at and start:
            yield start
            at = cells(word)


def _fit(text: str, width: int) -> str:
    """A line without the blanks that stand beyond the width."""
    excess = len(text) - width
    if excess > 0:
        text = text[: len(text) - min(excess, len(text) - len(text.rstrip()))]
    return _crop(text, width) if cells(text) > width else text


def _split(pieces: Sequence[Piece]) -> list[Line]:
    """The lines that the text itself has."""
    lines: list[Line] = [[]]
    for text, style in pieces:
        first, *others = text.split("\n")
        lines[-1].append((first, style))
        lines += [[(other, style)] for other in others]
    return lines


def _restyle(text: str, start: int, pieces: Sequence[Piece]) -> Line:
    """Give a text, which begins at a place of the pieces, their styles."""
    line: Line = []
    for piece, style in pieces:
        if start < len(piece) and text:
            line.append((text[: len(piece) - start], style))
            text = text[len(piece) - start :]
        start = max(0, start - len(piece))
    return [*line, (text, "")] if text else line


def _text(pieces: Sequence[Piece]) -> str:
    return "".join([text for text, _ in pieces])


def cells(text: str) -> int:
    """Cells of a terminal that a text takes: two for each character of some scripts, none for some signs.

    >>> cells("abc"), cells("日本"), cells("e\u0301")
    (3, 4, 1)
    """
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _crop(text: str, width: int) -> str:
    from rich.cells import set_cell_size

    return set_cell_size(text, width)


def _chop(word: str, width: int) -> list[str]:
    from rich.cells import chop_cells

    return chop_cells(word, width)

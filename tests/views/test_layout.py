"""Lines and columns are those that rich makes of the same texts."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from cases import CASES
from lormika.views import text
from lormika.views.layout import Block, Column, Grid, Paragraph, cells, plain_text

PARTS = [
    "a", "word", "snake_case_name", "x" * 50, " ", "  ", "-", "[bold]", ":smile:", "…", "→", "é", "e\u0301", "日本語",
    "長" * 30, "한국어", "🦊", "👩\u200d👩\u200d👧", "❤\ufe0f", "می\u200cخواهم", "שלום",
]  # fmt: skip
LINES = st.lists(st.sampled_from(PARTS), max_size=12).map("".join)
TEXTS = st.lists(LINES, min_size=1, max_size=3).map("\n".join)
STYLES = st.sampled_from(["", "bold", "dim", "dark_orange"])
CELLS = st.lists(st.tuples(TEXTS, STYLES), max_size=3)
COLUMNS = st.builds(Column, wraps=st.booleans(), least=st.sampled_from([0, 18]), right=st.just(False))


def as_rich(pieces):
    text = Text()
    for piece, style in pieces:
        text.append(piece, style)
    return text


def printed(renderable, width):
    """What a terminal shows: characters with their styles, without blanks at the ends of lines."""
    console = Console(file=io.StringIO(), width=width, force_terminal=True, color_system="truecolor")
    lines = []
    for line in Segment.split_lines(console.render(renderable, console.options)):
        seen = [(character, str(style or "none")) for part, style, _ in line for character in part]
        while seen and seen[-1][0].isspace():
            seen.pop()
        lines.append([(character, "" if character.isspace() else style) for character, style in seen])
    while lines and not lines[-1]:  # an empty text is a line or none
        lines.pop()
    return lines


@settings(max_examples=300, deadline=None)
@given(CELLS, st.integers(1, 90), st.sampled_from([0, 4]))
def test_paragraphs(pieces, width, indent):
    ours = printed(Paragraph(*pieces, indent=indent), width + indent)
    assert ours == printed(Padding(as_rich(pieces), (0, 0, 0, indent)), width + indent)


@settings(max_examples=300, deadline=None)
@given(st.data(), st.lists(COLUMNS, min_size=1, max_size=4), st.integers(20, 200))
def test_grids(data, columns, width):
    one_line = st.lists(st.tuples(LINES, STYLES), max_size=2)
    row = st.tuples(*(CELLS if column.wraps else one_line for column in columns))
    rows = data.draw(st.lists(row, min_size=1, max_size=4))
    table = Table.grid(padding=(0, 2, 0, 0))
    for column in columns:
        overflow = "fold" if column.wraps else "ellipsis"
        table.add_column(no_wrap=not column.wraps, min_width=column.least or None, overflow=overflow)
    for row in rows:
        table.add_row(*map(as_rich, row))
    assert printed(Grid(columns, rows), width) == printed(table, width)


def test_columns_to_the_right():
    grid = Grid(
        [Column(wraps=False, right=True), Column()], [[[("7", "")], [("a", "")]], [[("日本", "")], [("b", "")]]]
    )
    assert plain_text([grid], 40) == "   7  a\n日本  b"


def test_names_that_take_no_cells_at_their_end_lose_nothing():
    """A joiner at the end of a word joins nothing."""
    assert (
        plain_text([Paragraph(("word\u200d", "bold"), (", and more", ""))], 8).replace("\n", "")
        == "word\u200d, andmore"
    )


@pytest.mark.parametrize("width", [40, 76, 120])
@pytest.mark.parametrize("name", CASES)
def test_lines_fit(name, width):
    explanation = CASES[name]()
    assert max(map(cells, explanation.to_text(width, figures=True).splitlines())) <= width
    assert all(isinstance(block, Block) for block in text.blocks(explanation))


def test_plain_text_needs_no_layout_engine():
    program = (
        "import sys; from pathlib import Path; from lormika import Explanation\n"
        "Explanation.from_json(Path(sys.argv[1]).read_text(encoding='utf-8')).to_text(110)\n"
        "print([name for name in ('rich.console', 'rich.table', 'rich.text') if name in sys.modules])"
    )
    path = Path(__file__).parents[1] / "golden" / "explanation.json"
    run = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"

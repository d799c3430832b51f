"""An explanation as a figure for papers and talks.

Figures are made with matplotlib's objects alone: nothing global is touched, and matplotlib is loaded only when a figure
is asked for.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from lormika.frames.values import format_value
from lormika.views.narrative import narrate
from lormika.views.reading import Reading
from lormika.views.words import printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.typing import RcKeyType

    from lormika.explanation import Explanation

_DPI = 200
_MOST_PIXELS = 30_000, 25_000_000  # along a side, and in all: larger pictures are slow to draw and to open
_MOST_CHARACTERS = 200, 2_000  # of a title, and of a description
# Neither the time nor a random salt is part of a figure: the same explanation gives the same bytes.
_UNDATED: dict[str, dict[str, str | None]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
# Journals refuse the Type 3 fonts that are matplotlib's default. Letters of an SVG are drawn: with the fonts of another
# computer they would not fit; who cannot see them, or searches, has the title and the description.
_SETTINGS: dict[RcKeyType, str | int | bool] = {
    "svg.hashsalt": "lormika",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
    "savefig.bbox": "standard",
    "savefig.transparent": False,
}


def matrix(explanation: Explanation) -> Figure:
    """Rules as rows of an aligned matrix, with a column for each feature they use."""
    from lormika.views import plot_matrix, plot_sheet

    plot_sheet.require_matplotlib()
    reading = Reading.of(explanation)
    return _described(plot_matrix.draw(reading), reading, "Rules that explain the prediction")


def scatter(explanation: Explanation) -> Figure:
    """Confidence over coverage of all rules, with lines of equal leverage."""
    from lormika.views import plot_scatter, plot_sheet

    plot_sheet.require_matplotlib()
    title = "Confidence and coverage of the rules that explain the prediction"
    reading = Reading.of(explanation)
    return _described(plot_scatter.draw(reading.explanation), reading, title)


def effects(explanation: Explanation) -> Figure:
    """What the prediction depends on: a strip for each feature, with what the model says along it."""
    from lormika.views import plot_effects, plot_sheet

    plot_sheet.require_matplotlib()
    reading = Reading.of(explanation)
    return _described(plot_effects.draw(reading), reading, "What the prediction depends on:")


def _described(figure: Figure, reading: Reading, title: str) -> Figure:
    """Give a figure a label for those who cannot see it: a line with the title, and one with the description."""
    texts = f"{title} {format_value(reading.explanation.prediction)}", str(narrate(reading))
    figure.set_label("\n".join(_shorten(text, most) for text, most in zip(texts, _MOST_CHARACTERS, strict=True)))
    return figure


def _shorten(text: str, most: int) -> str:
    return printable(text if len(text) <= most else f"{text[:most]}…")


def save(figure: Figure, path: str | Path, kind: str | None = None) -> None:
    """Write a figure as png, svg or pdf, according to the path's suffix, unless `kind` says otherwise."""
    import matplotlib

    kind = (kind or Path(path).suffix).lower().lstrip(".")
    width, height = figure.get_size_inches()
    side, area = _MOST_PIXELS
    dpi = min(_DPI, side / max(width, height), (area / (width * height)) ** 0.5)
    title, _, description = str(figure.get_label()).partition("\n")
    texts = {"Title": title, "Subject" if kind == "pdf" else "Description": description}
    metadata = _UNDATED.get(kind, {}) | {key: text for key, text in texts.items() if text}
    with io.BytesIO() as file:
        with matplotlib.rc_context(_SETTINGS):
            figure.savefig(file, format=kind, dpi=dpi, metadata=metadata)
        Path(path).write_bytes(_readable_aloud(file.getvalue(), description) if kind == "svg" else file.getvalue())


def _readable_aloud(svg: bytes, description: str) -> bytes:
    """Make an SVG one image with title and description; matplotlib puts the latter where no screen reader looks."""
    svg = svg.replace(b"<svg ", b'<svg role="img" ', 1)
    return svg.replace(b"</title>", f"</title>\n <desc>{escape(description)}</desc>".encode(), 1)

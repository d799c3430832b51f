"""An explanation as a figure for papers and talks.

Figures are made with matplotlib's objects alone: nothing global is touched, and matplotlib is loaded only when a figure
is asked for.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from lormika.payload import Payload

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DPI = 200
_MOST_PIXELS = 30_000, 25_000_000  # along a side, and in all: larger pictures are slow to draw and to open
# Neither the time nor a random salt is part of a figure: the same explanation gives the same bytes.
_UNDATED: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
# Journals refuse the Type 3 fonts that are matplotlib's default.
_SETTINGS: dict[Any, Any] = {
    "svg.hashsalt": "lormika",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
    "savefig.bbox": "standard",
    "savefig.transparent": False,
}


def matrix(payload: Payload) -> Figure:
    """Rules as rows of an aligned matrix, with a column for each feature they use."""
    from lormika.views import plot_matrix, plot_sheet

    plot_sheet.require_matplotlib()
    return plot_matrix.draw(payload)


def scatter(payload: Payload) -> Figure:
    """Confidence over coverage of all rules, with lines of equal leverage."""
    from lormika.views import plot_scatter, plot_sheet

    plot_sheet.require_matplotlib()
    return plot_scatter.draw(payload)


def save(figure: Figure, path: str | Path, kind: str | None = None) -> None:
    """Write a figure as png, svg or pdf; which of them the path's suffix says, unless `kind` does."""
    import matplotlib

    kind = (kind or Path(path).suffix).lower().lstrip(".")
    width, height = figure.get_size_inches()
    side, area = _MOST_PIXELS
    dpi = min(_DPI, side / max(width, height), (area / (width * height)) ** 0.5)
    with matplotlib.rc_context(_SETTINGS):
        figure.savefig(path, format=kind, dpi=dpi, metadata=_UNDATED.get(kind))

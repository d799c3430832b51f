"""A figure for each table: means as points with their deviations, the paper's as hollow points."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lormika.errors import InputError
from lormika.evaluation.table_files import IN_PAPER
from lormika.evaluation.tables import Entry, Table
from lormika.writing import whole_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import ErrorbarContainer
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

# Okabe-Ito colours, which everyone can tell apart; and a different shape for each explainer.
_COLOURS = ("#0072B2", "#56B4E9", "#E69F00", "#D55E00", "#009E73", "#CC79A7")
_SHAPES = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "p", "h")
_STYLES = tuple(zip(_COLOURS * 2, _SHAPES, strict=True))
# By a word of the measure's name; all others are shares.
_UNITS = {
    "interestingness": "|lift − 1|", "seconds": "seconds", "jaccard": "Jaccard coefficient", "features": "features",
    "calls": "calls", "rows": "rows", "distance": "Gower distance", "violations": "values",
}  # fmt: skip
_AT_MOST_ONE = ("share", "Jaccard coefficient")
_LOGARITHMIC = ("seconds", "calls", "rows")
_STEP = 0.15  # from one explainer to the next, where there is room


def write_figures(tables: Sequence[Table], folder: str | Path) -> list[Path]:
    """Write an SVG for each table that has a value to a folder, and return the paths.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:  # tables come from `make_tables`
    ...     write_figures([], folder)
    []
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for table in tables:
        if not _places(table):
            continue
        path = folder / f"{table.measure.name}.svg"
        figure = draw(table)
        with whole_file(path) as beside:
            figure.savefig(beside, format="svg", metadata={"Date": None})
        paths.append(path)
    return paths


def draw(table: Table) -> Figure:
    """Settings from left to right, explainers side by side."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise InputError("figures need matplotlib: pip install 'lormika[evaluation]'") from None

    unit = _unit(table)
    places = _places(table)
    figure = Figure(figsize=(max(5.0, 1.5 + 0.6 * len(table.settings)), 3.6), layout="constrained")
    axes = figure.subplots()
    if unit in _LOGARITHMIC and all(entry.mean > 0 for name in places for _, entry in _measured(table, name)):
        axes.set_yscale("log")
    handles: list[ErrorbarContainer | Line2D] = [
        _draw_measured(axes, table, name, shift) for name, shift in places.items()
    ]
    handles += _draw_published(axes, table, places)
    axes.set_xticks(range(len(table.settings)), ["\n".join(setting) for setting in table.settings], fontsize=7)
    axes.set_xlim(-0.5, len(table.settings) - 0.5)
    axes.set_ylabel(unit, fontsize=8)
    axes.set_title(table.measure.title, loc="left", fontsize=10)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.legend(handles=handles, fontsize=7, frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    return figure


def _unit(table: Table) -> str:
    words = table.measure.name.split("-")
    return next((unit for word, unit in _UNITS.items() if word in words), "share")


def _measured(table: Table, explainer: str) -> list[tuple[int, Entry]]:
    """Entries with a value, and the places of their settings."""
    entries = [(x, table.entries.get((*setting, explainer))) for x, setting in enumerate(table.settings)]
    return [(x, entry) for x, entry in entries if entry is not None and entry.values]


def _places(table: Table) -> dict[str, float]:
    """How far from the tick each explainer with a value is."""
    names = [name for name in table.explainers if _measured(table, name)]
    step = min(_STEP, 0.8 / max(1, len(names)))
    return {name: (i - (len(names) - 1) / 2) * step for i, name in enumerate(names)}


def _style(table: Table, explainer: str) -> tuple[str, str]:
    """Colour and shape, the same in all figures of an evaluation."""
    return _STYLES[table.order.index(explainer) % len(_STYLES)]


def _draw_measured(axes: Axes, table: Table, explainer: str, shift: float) -> ErrorbarContainer:
    colour, shape = _style(table, explainer)
    entries = _measured(table, explainer)
    most = 1.0 if _unit(table) in _AT_MOST_ONE else math.inf
    bars = zip(*(_bar(entry, most) for _, entry in entries), strict=True)
    return axes.errorbar(
        [x + shift for x, _ in entries], [entry.mean for _, entry in entries], yerr=list(bars), label=explainer,
        fmt=shape, color=colour, markersize=4, elinewidth=0.8,
    )  # fmt: skip


def _bar(entry: Entry, most: float) -> tuple[float, float]:
    """Lengths of the bar below and above the mean: the deviation, but within what is possible."""
    sd = 0.0 if math.isnan(entry.sd) else entry.sd
    return max(0.0, min(sd, entry.mean)), max(0.0, min(sd, most - entry.mean))


def _draw_published(axes: Axes, table: Table, places: dict[str, float]) -> Iterator[Line2D]:
    for paper in table.papers:
        explainer = next((name for name, theirs in IN_PAPER.items() if theirs == paper and name in places), None)
        if explainer is None:
            continue
        pairs = [(x, table.paper(*setting, paper)) for x, setting in enumerate(table.settings)]
        points = [(x + places[explainer], pair[0]) for x, pair in pairs if pair is not None]
        if points:
            colour, shape = _style(table, explainer)
            xs, ys = zip(*points, strict=True)
            label = f"{paper}, published"
            yield from axes.plot(xs, ys, shape, color=colour, markerfacecolor="none", markersize=7, label=label)

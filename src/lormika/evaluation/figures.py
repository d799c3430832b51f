"""A figure of each table: means as points with their deviations, the paper's as hollow ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lormika.errors import InputError
from lormika.evaluation.plan import MODELS
from lormika.evaluation.tables import Table
from lormika.writing import whole_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Okabe-Ito, told apart by everybody; and a shape of its own for each explainer.
_STYLES = (("#0072B2", "o"), ("#56B4E9", "s"), ("#E69F00", "^"), ("#D55E00", "D"), ("#009E73", "v"), ("#CC79A7", "P"))
_OF_PAPER = {"lormika": "lormika-paper"}
_LOGARITHMIC = ("seconds", "model-calls", "model-rows")


def write_figures(tables: Sequence[Table], folder: Path) -> list[Path]:
    """Write an SVG of each table into a folder, and give their paths."""
    folder.mkdir(exist_ok=True)
    written = []
    for table in tables:
        path = folder / f"{table.measure.name}.svg"
        figure = draw(table)
        with whole_file(path) as beside:
            figure.savefig(beside, format="svg", metadata={"Date": None})
        written.append(path)
    return written


def draw(table: Table) -> Figure:
    """Settings from left to right, explainers side by side."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise InputError("figures need matplotlib: pip install 'lormika[evaluation]'") from None

    figure = Figure(figsize=(max(5.0, 1.5 + 0.6 * len(table.settings)), 3.6), layout="constrained")
    axes = figure.subplots()
    step = 0.8 / max(1, len(table.explainers))
    for i, explainer in enumerate(table.explainers):
        shift = (i - (len(table.explainers) - 1) / 2) * step
        _points(axes, table, explainer, shift, *_STYLES[i % len(_STYLES)])
    axes.set_xticks(range(len(table.settings)), [f"{d}\n{MODELS[m]}" for d, m in table.settings], fontsize=7)
    axes.set_title(table.measure.title, loc="left", fontsize=10)
    if table.measure.name in _LOGARITHMIC and any(entry.mean > 0 for entry in table.entries.values()):
        axes.set_yscale("log")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.legend(fontsize=7, frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    return figure


def _points(axes: Any, table: Table, explainer: str, shift: float, colour: str, shape: str) -> None:
    found = [(x, table.entries.get((*setting, explainer))) for x, setting in enumerate(table.settings)]
    known = [(x + shift, entry.mean, entry.sd) for x, entry in found if entry is not None and entry.explanations]
    if not known:
        return
    xs, means, deviations = zip(*known, strict=True)
    style = {"fmt": shape, "color": colour, "markersize": 4, "elinewidth": 0.8}
    axes.errorbar(xs, means, yerr=[0 if math.isnan(sd) else sd for sd in deviations], label=explainer, **style)
    name = next((paper for paper in table.papers if _OF_PAPER.get(paper, paper) == explainer), None)
    if name is None:
        return
    theirs = [(x + shift, table.paper(*setting, name)) for x, setting in enumerate(table.settings)]
    points = [(x, pair[0]) for x, pair in theirs if pair is not None and not math.isnan(pair[0])]
    if points:
        label = f"{name}, published"
        axes.plot(*zip(*points, strict=True), shape, color=colour, markerfacecolor="none", markersize=7, label=label)

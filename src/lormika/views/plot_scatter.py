"""Confidence over coverage of all rules, with dashed lines of equal leverage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lormika.frames.values import Scalar, format_value
from lormika.rule import Rule
from lormika.views.leverage import Curve, apart, leverage_curves
from lormika.views.plot_sheet import BLUE, FADED, INK, ORANGE, PAPER, SMALL, TEXT, Style, Typesetter, left_to_right

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lormika.explanation import Explanation
    from lormika.types import Keywords

# All lengths are points.
_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 334.0, 284.0, 50.0, 54.0, 42.0  # of the axes, and around them
_NARROWEST, _WIDEST = 104.0, 240.0  # names of the curves, right of the axes
_DOT: Keywords = {"marker": "o", "markersize": 7, "markeredgewidth": 1.4}


def draw(explanation: Explanation) -> Figure:
    """The whole figure."""
    from matplotlib.figure import Figure

    rules = [rule for rule in explanation.rules if rule.category is not None and rule.counts.antecedent]
    typesetter = Typesetter()
    most = min(1.0, 1.1 * max((rule.coverage for rule in rules), default=1.0))
    curves = leverage_curves(rules, explanation.prediction, most)
    names = max([_NARROWEST, *(typesetter.natural(curve.name, SMALL, _WIDEST) for curve in curves)])
    size = _LEFT + _WIDTH + names + 12, _TOP + _HEIGHT + _BOTTOM
    figure = Figure(figsize=(size[0] / 72, size[1] / 72), facecolor=PAPER)
    figure.set_layout_engine("none")  # whatever the reader's settings say
    axes = _axes(figure, typesetter, most, [rule.confidence for rule in rules] + [curve.end for curve in curves])
    _draw_curves(axes, typesetter, curves)
    for rule in rules:
        _draw_rule(axes, rule)
    if not rules:
        axes.text(0.5, 0.5, "none found", transform=axes.transAxes, ha="center", **_look(typesetter, SMALL))
    _legend(figure, typesetter, explanation.prediction)
    return figure


def _look(typesetter: Typesetter, style: Style) -> Keywords:
    """What every text is drawn with: never as markup."""
    return {
        "fontproperties": typesetter.font(style),
        "color": style.colour,
        "parse_math": False,
        "usetex": False,
    }


def _axes(figure: Figure, typesetter: Typesetter, most: float, heights: list[float]) -> Axes:
    """Axes in per cent that reach as far as the rules do."""
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    width, height = 72 * figure.get_size_inches()
    axes = figure.add_axes((_LEFT / width, _BOTTOM / height, _WIDTH / width, _HEIGHT / height), facecolor=PAPER)
    low, high = min(heights, default=0.0), max(heights, default=1.0)
    room = max(0.04, 0.06 * (high - low))
    axes.set(xlim=(0, most), ylim=(max(0.0, low - room), min(1.0, high + room)))
    names = (axes.xaxis, "coverage: share of the similar rows that match", most), (axes.yaxis, "confidence", 1.0)
    for axis, name, reach in names:
        # Whole per cents, unless the axis is so short that they would repeat.
        axis.set_major_formatter(PercentFormatter(xmax=1, decimals=0 if reach >= 0.05 else 2, symbol="%"))
        axis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
        axis.set_label_text(name, **_look(typesetter, TEXT))
    axes.tick_params(color=FADED, labelsize=SMALL.size, labelcolor=INK, width=0.8, length=3)
    for side, spine in axes.spines.items():
        spine.set(visible=side in ("left", "bottom"), color=FADED, linewidth=0.8)
    axes.grid(False)
    return axes


def _draw_rule(axes: Axes, rule: Rule) -> None:
    assert rule.category is not None
    colour = BLUE if rule.category.is_supporting else ORANGE
    axes.plot(
        [rule.coverage], [rule.confidence], color=colour, linestyle="", zorder=3, clip_on=False,
        markerfacecolor=colour if rule.category.is_current else "none", **_DOT,
    )  # fmt: skip


def _draw_curves(axes: Axes, typesetter: Typesetter, curves: list[Curve]) -> None:
    """Dashed lines, with names at their right ends that are pushed apart where they would overlap."""
    most, (bottom, top) = axes.get_xlim()[1], axes.get_ylim()
    line = SMALL.line / _HEIGHT * (top - bottom)
    places = apart([curve.end for curve in curves], line, bottom, top)
    for curve, place in zip(curves, places, strict=True):
        look: Keywords = {"linestyle": "--", "color": _colour(curve), "linewidth": 0.9, "alpha": 0.6, "zorder": 1}
        axes.plot(*zip(*curve.points(most, top), strict=True), **look)
        name = left_to_right(typesetter.wrap(curve.name, SMALL, _WIDEST)[0])
        axes.annotate(
            name, (most, place), (5, 0), textcoords="offset points", va="center",
            annotation_clip=False, **_look(typesetter, Style(SMALL.size, _colour(curve))),
        )  # fmt: skip


def _colour(curve: Curve) -> str:
    return BLUE if curve.supporting else ORANGE


def _legend(figure: Figure, typesetter: Typesetter, prediction: Scalar) -> None:
    from matplotlib.lines import Line2D

    style, (width, height) = Style(SMALL.size, INK), 72 * figure.get_size_inches()
    name = left_to_right(typesetter.wrap(format_value(prediction), style, 110)[0])
    entries = {
        f"for {name}, true now": (BLUE, BLUE),
        f"for {name}, if it changed": (BLUE, "none"),
        "against it, true now": (ORANGE, ORANGE),
        "against it, if it changed": (ORANGE, "none"),
    }
    handles = [Line2D([], [], color=c, markerfacecolor=face, linestyle="", **_DOT) for c, face in entries.values()]
    handles.append(Line2D([], [], color=FADED, linestyle="--", linewidth=0.9))
    names = [*entries, "equal leverage"]
    legend = figure.legend(
        handles, names, loc="upper left", bbox_to_anchor=((_LEFT - 6) / width, 1 - 6 / height), ncols=3,
        frameon=False, prop=typesetter.font(style), labelcolor=INK, borderpad=0.2, columnspacing=1.4, handlelength=1.8,
    )  # fmt: skip
    for text in legend.get_texts():
        text.set(parse_math=False, usetex=False)

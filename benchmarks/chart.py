"""Small line charts as SVG, on logarithmic axes; colours follow the reader's light or dark theme."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

WIDTH, HEIGHT = 250, 190  # of a panel
LEFT, RIGHT, TOP, BOTTOM = 48, 46, 30, 40  # around its axes

STYLE = """
text { font: 11px system-ui, sans-serif; fill: #444 }
.title { font-weight: 600 }
.grid { stroke: #888; stroke-opacity: .25 }
polyline { fill: none; stroke-width: 2; stroke-linejoin: round }
.first { stroke: #0072b2; fill: #0072b2 } .second { stroke: #999; fill: #999 }
polyline.first, polyline.second { fill: none } text.first, text.second { stroke: none }
@media (prefers-color-scheme: dark) {
  text { fill: #ccc }
  .first { stroke: #56b4e9; fill: #56b4e9 }
}
"""

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Panel:
    """Lines by name, the first in colour; both axes are logarithmic."""

    title: str
    across: str
    lines: Mapping[str, Points]


def draw(panels: Sequence[Panel], about: str) -> str:
    """An SVG document: panels side by side, three in a row."""
    columns = min(3, len(panels))
    width, height = WIDTH * columns, HEIGHT * math.ceil(len(panels) / columns)
    groups = [
        f'<g transform="translate({WIDTH * (i % columns)} {HEIGHT * (i // columns)})">{_panel(panel)}</g>'
        for i, panel in enumerate(panels)
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img">',
            f"<title>{escape(about)}</title><style>{STYLE}</style>",
            *groups,
            "</svg>\n",
        ]
    )


def _panel(panel: Panel) -> str:
    points = [point for line in panel.lines.values() for point in line]
    across = _Scale([x for x, _ in points], LEFT, WIDTH - RIGHT)
    up = _Scale([y for _, y in points], HEIGHT - BOTTOM, TOP)
    parts = [
        f'<text class="title" x="{LEFT}" y="16">{escape(panel.title)}</text>',
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">{escape(panel.across)}</text>',
        *(_tick_up(up, value) for value in up.ticks()),
        *(_tick_across(across, value) for value in _few(sorted({x for x, _ in points}))),
    ]
    ends = _apart([up(line[-1][1]) for line in panel.lines.values()])
    # What comes last is on top: the first line.
    for place, ((name, line), end) in reversed(list(enumerate(zip(panel.lines.items(), ends, strict=True)))):
        parts.append(_line(name, [(across(x), up(y)) for x, y in line], end, ("first", "second")[place]))
    return "\n".join(parts)


class _Scale:
    """From values to places, by their logarithms."""

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        self.low, self.high = math.log10(min(values)), math.log10(max(values))
        if self.high - self.low < 1:  # what hardly changes must look flat
            middle = (self.low + self.high) / 2
            self.low, self.high = middle - 0.5, middle + 0.5
        self.start, self.end = start, end

    def __call__(self, value: float) -> float:
        return self.start + (math.log10(value) - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self) -> list[float]:
        steps = (1, 2, 5) if self.high - self.low < 2 else (1,)
        decades = range(math.floor(self.low), math.ceil(self.high) + 1)
        margin = 1e-9
        values = [step * 10.0**decade for decade in decades for step in steps]
        return [value for value in values if self.low - margin <= math.log10(value) <= self.high + margin]


def _few(values: list[float]) -> list[float]:
    """At most five of the values, so that their texts do not touch."""
    return values if len(values) <= 5 else values[:: math.ceil(len(values) / 5)]


def _apart(places: list[float]) -> list[float]:
    """Places of the texts at the ends of lines, moved apart if they would touch."""
    if any(abs(one - other) < 13 for one, other in pairwise(places)):
        middle = sum(places) / len(places)
        order = sorted(range(len(places)), key=places.__getitem__)
        return [middle + 13 * (order.index(i) - (len(places) - 1) / 2) for i in range(len(places))]
    return places


def _tick_up(scale: _Scale, value: float) -> str:
    y = scale(value)
    return (
        f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{_text(value)}</text>'
    )


def _tick_across(scale: _Scale, value: float) -> str:
    return f'<text x="{scale(value):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{_text(value)}</text>'


def _line(name: str, points: Points, end: float, kind: str) -> str:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dots = "".join(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="2.5"/>' for x, y in points)
    text = f'<text class="{kind}" x="{points[-1][0] + 7:.1f}" y="{end + 4:.1f}">{escape(name)}</text>'
    return f'<polyline class="{kind}" points="{path}"/>{dots}{text}'


def _text(value: float) -> str:
    """A short text.

    >>> [_text(value) for value in (0.5, 20.0, 3000.0, 1e6)]
    ['0.5', '20', '3k', '1M']
    """
    for size, unit in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{unit}"
    return f"{value:g}"

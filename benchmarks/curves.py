"""How time and memory grow: with rows, features, classes, k, conditions, and with the rows to explain."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from beside import NO_PREVIOUS, Pair, figures_now, measure, previous
from chart import Panel, draw
from report import PAGE, Report, Requirement, Table

FOLDER = PAGE.parent / "benchmarks"
INSTANCES = (250, 1000, 4000)
MOST_SLOPE, MOST_MEGABYTES = 1.1, 100

AXES: dict[str, Sequence[int]] = {
    "rows": (1_000, 10_000, 100_000, 1_000_000),
    "features": (5, 20, 80, 320),
    "classes": (2, 4, 8, 16),
    "k": (1, 5, 20, 100),
    "conditions": (1, 2, 3, 4, 5),
}
COMMON = {
    "explain_linear": {"rows": 2_000, "features": 20, "classes": 2, "k": 5, "conditions": 3},
    "mine_random": {"rows": 10_000, "features": 20, "classes": 2, "k": 10, "conditions": 3},
}
LONG = {"features": 10}  # beside these, a million rows are as wide as in the other benchmarks
TITLES = {"explain_linear": "`explain`, outside the model", "mine_random": "`mine_rules`, from a pandas frame"}


def run() -> Report:
    FOLDER.mkdir(exist_ok=True)
    tables = [_grow(case) for case in COMMON]
    table, requirements = _instances()
    return Report([*tables, table], requirements, [] if previous() else [NO_PREVIOUS])


def _grow(case: str) -> Table:
    """A picture with a panel for each axis, and its figures."""
    panels, rows = [], []
    for axis, values in AXES.items():
        pairs = _measure(case, axis, values)
        panels.append(Panel("CPU milliseconds", axis, _lines(values, pairs)))
        rows.extend([axis, f"{value:,}", *pair.texts()] for value, pair in zip(values, pairs, strict=True))
    picture = FOLDER / f"{case}.svg"
    picture.write_text(draw(panels, f"{TITLES[case]}: CPU time over {', '.join(AXES)}"), encoding="utf-8")
    about = ", ".join(f"{value:,} {name}" if name != "k" else f"k = {value}" for name, value in COMMON[case].items())
    heading = f"{TITLES[case]}: one of {about} changes; over rows, with {LONG['features']} features"
    return Table(heading, ["", "", "before, ms", "now, ms", "times as fast"], rows)


def _measure(case: str, axis: str, values: Sequence[int]) -> list[Pair]:
    common = COMMON[case] | (LONG if axis == "rows" else {})
    spec = {"case": "points", "of": case, "specs": [common | {axis: value} for value in values]}
    with tempfile.TemporaryDirectory() as folder:
        found, _ = measure(Path(folder), spec, repeat=1)
    return [found[str(i)] for i in range(len(values))]


def _lines(values: Sequence[int], pairs: list[Pair]) -> dict[str, list[tuple[float, float]]]:
    lines = {"now": [(x, 1000 * pair.now) for x, pair in zip(values, pairs, strict=True)]}
    before = [(x, 1000 * pair.before) for x, pair in zip(values, pairs, strict=True) if pair.before is not None]
    return lines | ({"before": before} if before else {})


def _instances() -> tuple[Table, list[Requirement]]:
    """Rows to explain: time must be linear, and memory flat."""
    found = [figures_now(Path(), {"case": "instances", "rows": rows}) for rows in INSTANCES]
    seconds, memory = [one["seconds"] for one in found], [one["megabytes"] for one in found]
    each = [1000 * total / rows for total, rows in zip(seconds, INSTANCES, strict=True)]
    titles = ("CPU seconds", "CPU milliseconds for each", "memory at most, MB")
    panels = [
        Panel(title, "rows explained", {"now": list(zip(INSTANCES, figures, strict=True))})
        for title, figures in zip(titles, (seconds, each, memory), strict=True)
    ]
    picture = FOLDER / "instances.svg"
    picture.write_text(draw(panels, "explain_many: CPU time and memory over rows explained"), encoding="utf-8")
    rows = [
        [f"{n:,}", f"{total:.2f}", f"{one:.2f}", f"{megabytes:.0f}"]
        for n, total, one, megabytes in zip(INSTANCES, seconds, each, memory, strict=True)
    ]
    slope, growth = each[-1] / each[0], memory[-1] - memory[0]
    times = INSTANCES[-1] // INSTANCES[0]
    return Table(
        "`explain_many` of a table, linear model", ["rows", "CPU seconds", "ms for each", "memory at most, MB"], rows
    ), [
        Requirement(
            f"linear: with {times} times the rows, each takes at most {MOST_SLOPE} times as long",
            f"{slope:.2f} times", slope <= MOST_SLOPE,
        ),
        Requirement(
            f"flat: with {times} times the rows, at most {MOST_MEGABYTES} MB more",
            f"{growth:.0f} MB", growth <= MOST_MEGABYTES,
        ),
    ]  # fmt: skip

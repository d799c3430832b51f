"""What must be fast, each figure with its limit and beside an earlier release, in one run."""

from __future__ import annotations

import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import prepared
from beside import NO_PREVIOUS, Pair, measure, previous
from previous import RUNS
from previous import measure as measure_search
from report import Report, Requirement, Table
from tasks import make_task
from timing import milliseconds
from whole_process import explain_file

from lormika import mine_rules

ROWS, LOOPED = 1000, 200  # of Adult: all in chunks, and every fifth in a loop
LEAST_RATIO = 4
TIME_LIMIT, WITHIN = 1.0, 1.1  # seconds on the clock


@dataclass(frozen=True)
class Limit:
    """A figure, the case of one_figure.py that it comes from, and the most seconds that it may take."""

    text: str
    spec: dict[str, Any]
    most: float
    name: str = "seconds"
    repeat: int = 2  # turns of both releases


MINING = "`mine_rules`, Adult, 3 conditions, k = 20, from"
OUTSIDE = "`explain` outside the model"
LIMITS = [
    Limit(f"{MINING} a pandas frame", {"case": "mine", "source": "pandas"}, 0.040),
    Limit(f"{MINING} a polars frame", {"case": "mine", "source": "polars"}, 0.030),
    Limit(f"{MINING} an arrow table", {"case": "mine", "source": "arrow"}, 0.030),
    *(
        Limit(f"{OUTSIDE}, {text}", {"case": "explain_linear", "rows": rows, "features": features}, most, repeat=1)
        for text, rows, features, most in (
            ("200 numbers", 2000, 200, 0.040),
            ("1,000 numbers", 2000, 1000, 0.250),
            ("a million rows × 10 numbers", 10**6, 10, 0.040),
        )
    ),
    *(
        Limit(f"{OUTSIDE}, {data}, forest", {"case": "explain_forest", "data": data}, 0.006)
        for data in ("adult", "compas", "german")
    ),
    Limit("`to_text`, 20 rules", {"case": "view", "method": "to_text"}, 0.003),
    Limit("`to_html`, 20 rules", {"case": "view", "method": "to_html"}, 0.004),
    Limit(
        "`Explainer(…)` beside the model's own pass, adult, forest",
        {"case": "explain_forest", "data": "adult"}, 0.080, "making",
    ),
]  # fmt: skip
SEARCHES = {0: 0.5, 2: 4.0, 3: 0.15}  # of previous.RUNS, and the most seconds
PROCESSES = {"joblib": None, "skops": 2.5}  # kinds of model files, and the most seconds


def run() -> Report:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        skipped = prepared.write(folder)
        remarks = [f"{name}: {reason}." for name, reason in skipped.items()]
        outcomes = [*_figures(folder, skipped), *_searches()]
        requirements = [_requirement(*each) for each in outcomes]
        requirements.append(_time_limit())
        if "adult" not in skipped:
            rows, requirement = _many(folder)
            outcomes.extend(rows)
            requirements.append(requirement)
            processes = [(f"`lormika explain adult.csv`, one row, {kind} forest, whole process",
                          explain_file(folder, kind), most) for kind, most in PROCESSES.items()]  # fmt: skip
            outcomes.extend(processes)
            requirements.extend(_requirement(*each) for each in processes if each[2] is not None)
    table = Table(
        "CPU time before and now",
        ["", "before, ms", "now, ms", "times as fast", "at most, ms"],
        [[text, *pair.texts(), "" if most is None else milliseconds(most)] for text, pair, most in outcomes],
    )
    return Report([table], requirements, remarks if previous() else [*remarks, NO_PREVIOUS])


def _figures(folder: Path, skipped: dict[str, str]) -> Iterator[tuple[str, Pair, float]]:
    known: dict[str, dict[str, Pair]] = {}
    for limit in LIMITS:
        needs = {"mine": "adult", "view": "german"}.get(limit.spec["case"], limit.spec.get("data"))
        if needs in skipped:
            continue
        key = str(limit.spec)
        if key not in known:
            known[key], same = measure(folder, limit.spec, limit.repeat)
            if not same:
                print(f"{limit.text}: other rules than before", file=sys.stderr)
        yield limit.text, known[key][limit.name], limit.most


def _searches() -> Iterator[tuple[str, Pair, float]]:
    python = previous()
    for place, most in SEARCHES.items():
        if python is not None:
            before, now, _ = measure_search(RUNS[place], python, repeat=1)
            yield f"search: {RUNS[place].name}", Pair(before, now), most


def _time_limit() -> Requirement:
    """A search that takes longer than it may: an answer in time, marked as not complete; the quickest of three."""
    task = make_task("D")
    options = {"max_conditions": 3, "m": 0.0, "classes": [1], "categorical": range(task.table.shape[1])}
    found = []
    for _ in range(3):
        start, busy = time.perf_counter(), time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rules = mine_rules(task.table, task.labels, objective="confidence", time_limit=TIME_LIMIT, **options)
        found.append((time.perf_counter() - start, time.process_time() - busy, rules))
    seconds, busy, rules = min(found, key=lambda each: each[0])
    marked = "complete" if rules.complete else f"marked, none better than {rules.open_bound:.3f} is missing"
    text = f"confidence, 500 features, `time_limit={TIME_LIMIT:g}`: marked if not complete, within {WITHIN} s"
    return Requirement(text, f"{seconds:.2f} s on the clock, {busy:.2f} s at work; {marked}", seconds <= WITHIN)


def _many(folder: Path) -> tuple[list[tuple[str, Pair, None]], Requirement]:
    """Rows of a table: a loop before and now, and chunks before and now.

    What is required is about the loop before: a quicker loop of today makes chunks no slower.
    """
    found, _ = measure(folder, {"case": "many", "rows": ROWS, "looped": LOOPED}, repeat=1)
    loop, chunks = found["loop"], found["chunks"]
    title = f"{ROWS:,} rows of Adult, forest, each"
    usual = loop.now if loop.before is None else loop.before
    ratio = usual / chunks.now
    text = (
        f"`explain_many`, {ROWS:,} rows of Adult with a forest: at least {LEAST_RATIO} times as fast as a loop before"
    )
    measured = f"{ratio:.2f} times; as today's loop: {loop.now / chunks.now:.2f}"
    requirement = Requirement(text, measured, ratio >= LEAST_RATIO)
    rows = [(f"{title}: a loop over `explain`", loop, None), (f"{title}: `explain_many`", chunks, None)]
    return rows, requirement


def _requirement(text: str, pair: Pair, most: float) -> Requirement:
    return Requirement(f"{text}: ≤ {milliseconds(most)} ms", f"{milliseconds(pair.now)} ms", pair.now <= most)

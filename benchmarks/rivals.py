"""The search beside other engines, by leverage: the same rules must come out, many times sooner."""

from __future__ import annotations

import json
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from environments import environment
from report import Report, Requirement, SkippedError, Table
from search import find_rules, search_options, task_items
from tasks import Task, make_task
from timing import best, milliseconds

LEAST = {"pysubgroup": 500, "pyfim": 100}  # how many times faster
RUNS = [("pysubgroup", "A"), ("pysubgroup", "B"), ("pyfim", "A")]
SIZES = (10, 100)
CONDITIONS = 4
REPEAT = {"A": 2, "B": 1}  # runs of a rival in one process, and such processes; B takes it long
LIMIT = 180  # seconds for one run of a rival

Rules = list[tuple[float, list[int]]]  # leverage and items


@dataclass(frozen=True)
class Outcome:
    engine: str
    task: str
    k: int
    theirs: float
    ours: float
    agree: bool

    @property
    def ratio(self) -> float:
        return self.theirs / self.ours


def run() -> Report:
    outcomes: list[Outcome] = []
    remarks: list[str] = []
    for engine, name in RUNS:
        try:
            python = environment(engine)
            outcomes.extend(_compare(engine, python, make_task(name), k) for k in SIZES)
        except SkippedError as reason:
            remarks.append(f"{engine}, task {name}: {reason}.")
    tables = [_table(outcomes)] if outcomes else []
    return Report(tables, [_requirement(each) for each in outcomes], remarks)


def _compare(engine: str, python: Path, task: Task, k: int) -> Outcome:
    theirs, ours = [], []
    for _ in range(REPEAT[task.name]):  # interleaved, so that a busy moment hits both
        ours.append(_our_run(task, k))
        theirs.append(_their_run(engine, python, task, k))
    ours.append(_our_run(task, k))
    seconds, rules = min(theirs)
    return Outcome(engine, task.name, k, seconds, min(s for s, _ in ours), agree(ours[0][1], rules))


def _our_run(task: Task, k: int) -> tuple[float, Rules]:
    """CPU seconds from items to finished rules."""
    items, options = task_items(task), search_options(task, k, "leverage", "none", CONDITIONS)
    seconds, found = best(lambda: find_rules(items, task.labels, options), repeat=7)
    number = {items.condition(position): position for position in range(len(items))}
    return seconds, [(rule.leverage, sorted(number[each] for each in rule.conditions)) for rule in found]


def _their_run(engine: str, python: Path, task: Task, k: int) -> tuple[float, Rules]:
    script = Path(__file__).with_name("rival_engines.py")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "task.npz"
        np.savez(path, table=task.table, labels=task.labels, min_count=task.min_count)
        command = [str(python), str(script), engine, str(path), str(CONDITIONS), str(k), str(REPEAT[task.name])]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=True)
        except subprocess.TimeoutExpired:
            raise SkippedError(f"skipped: k={k} took longer than {LIMIT} s") from None
        except subprocess.CalledProcessError as error:
            raise SkippedError(f"skipped: it failed with {error.stderr.strip().splitlines()[-1]!r}") from None
    answer = json.loads(done.stdout.splitlines()[-1])
    return answer["seconds"], [(leverage, items) for leverage, items in answer["rules"]]


def agree(ours: Rules, theirs: Rules) -> bool:
    """Whether the scores agree, and the rules as well, save those that tie with the last one: any of them will do."""
    scores = np.array([leverage for leverage, _ in ours]), np.array([leverage for leverage, _ in theirs])
    if len(ours) != len(theirs) or not np.allclose(*scores, rtol=0, atol=1e-12):
        return False
    last = min(leverage for leverage, _ in ours) + 1e-12
    certain = [{tuple(items) for leverage, items in rules if leverage > last} for rules in (ours, theirs)]
    return certain[0] == certain[1]


def _table(outcomes: list[Outcome]) -> Table:
    columns = ["engine", "task", "k", "theirs, ms", "lormika, ms", "times faster", "same rules"]
    rows = [
        [
            each.engine,
            each.task,
            str(each.k),
            milliseconds(each.theirs),
            milliseconds(each.ours),
            f"{each.ratio:,.0f}",
            "yes" if each.agree else "**no**",
        ]
        for each in outcomes
    ]
    return Table(f"By leverage, up to {CONDITIONS} conditions, CPU time", columns, rows)


def _requirement(each: Outcome) -> Requirement:
    least = LEAST[each.engine]
    text = f"{each.engine}, task {each.task}, k={each.k}: the same rules, at least {least} times faster"
    figure = f"{each.ratio:,.0f} times" + ("" if each.agree else ", other rules")
    return Requirement(text, figure, each.agree and each.ratio >= least)

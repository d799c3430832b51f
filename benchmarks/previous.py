"""The search beside that of an earlier release, in one run: the same rules, in less time."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from beside import NO_PREVIOUS, previous
from report import Report, Requirement, Table
from tasks import make_task
from timing import milliseconds

REPEAT = 3


@dataclass(frozen=True)
class Run:
    task: str
    objective: str
    filter: str
    conditions: int
    k: int
    least: float | None = None  # times faster, at least

    @property
    def name(self) -> str:
        features = make_task(self.task).table.shape[1]
        return f"{self.objective}, `{self.filter}`, {features:,} features, {self.conditions} conditions, k = {self.k}"


RUNS = [
    Run("B", "leverage", "significant", 4, 100, 4),
    Run("B", "confidence", "significant", 4, 100, 4),
    Run("D", "confidence", "none", 3, 10, 4.5),
    Run("E", "leverage", "none", 3, 10, 3),
    Run("A", "leverage", "significant", 4, 10),
    Run("A", "confidence", "none", 4, 100),
    Run("B", "confidence", "none", 4, 100),
    Run("C", "confidence", "none", 4, 10),
    Run("C", "leverage", "significant", 4, 100),
    Run("C", "leverage", "none", 4, 10),
]


def compare() -> Report:
    """A table of both, if there is an earlier release."""
    python = previous()
    if python is None:
        return Report(remarks=[NO_PREVIOUS])
    rows, requirements = [], []
    for run in RUNS:
        before, now, same = measure(run, python)
        ratio = before / now
        rows.append([run.name, milliseconds(before), milliseconds(now), f"{ratio:.1f}", "yes" if same else "**no**"])
        if run.least is not None:
            text = f"{run.name}: the same rules, at least {run.least:g} times as fast as before"
            requirements.append(Requirement(text, f"{ratio:.1f} times", same and ratio >= run.least))
    columns = ["search", "before, ms", "now, ms", "times as fast", "same rules"]
    return Report([Table("Beside the release before", columns, rows)], requirements)


def measure(run: Run, python: str, repeat: int = REPEAT) -> tuple[float, float, bool]:
    """Least CPU seconds before and now, and whether all runs found the same rules; runs alternate."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "task.npz"
        path.write_bytes(_saved(run.task))
        pairs = [(_search(python, path, run), _search(sys.executable, path, run)) for _ in range(repeat)]
    before, now = zip(*pairs, strict=True)
    same = len({each["rules"] for each in before + now}) == 1
    return min(each["seconds"] for each in before), min(each["seconds"] for each in now), same


def _search(python: str, path: Path, run: Run) -> dict:
    script = Path(__file__).with_name("one_search.py")
    words = [python, script, path, run.objective, run.filter, run.conditions, run.k]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


@cache
def _saved(name: str) -> bytes:
    task = make_task(name)
    with tempfile.TemporaryFile() as file:
        codes = np.ascontiguousarray(task.table.T)
        np.savez(file, codes=codes, labels=task.labels, min_count=task.min_count)
        file.seek(0)
        return file.read()

"""Explanations beside those of other explainers: the same forest, the same rows, in one run."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import prepared
from environments import environment
from report import Report, Requirement, SkippedError, Table
from timing import milliseconds

from lormika import Explainer
from lormika.evaluation.rival import filled_values

INSTANCES, SECONDS = 10, 30  # rows, and CPU seconds after which a slow rival explains no further one
LIMIT = 300  # seconds on the clock, for a rival on a data set
RIVALS = {  # and the environment
    "lime": "lime",
    "shap-tree": "shap",
    "shap-permutation": "shap",
    "anchor": "anchor",
    "dice": "dice",
    "calibrated-explanations": "calibrated-explanations",
}
LEAST = {"lime": 1, "anchor": 10, "dice": 4}  # times faster, at least


@dataclass(frozen=True)
class Outcome:
    """One rival on one data set; seconds are means over the rows that it explained.

    Rivals ask the pipeline as we do. With `shortcut`, codes become the forest's matrix in a quicker way, which a user
    of the rival would have to write; ours, for which a user does nothing, is not used here.
    """

    data: str
    rival: str
    theirs: float
    shortcut: float
    ours: float
    instances: int
    asked: float  # rows that the model was asked about

    @property
    def ratio(self) -> float:
        return self.theirs / self.ours


def run() -> Report:
    outcomes: list[Outcome] = []
    ours: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        remarks = [f"{name}: {reason}." for name, reason in prepared.write(folder).items()]
        for path in sorted(folder.glob("*.joblib")):
            task = _write_task(path)
            ours[path.stem], found, failed = _compare(path.stem, task)
            outcomes.extend(found)
            remarks.extend(failed)
    if not outcomes:
        return Report(remarks=remarks)
    return Report([_times(outcomes, ours)], [_requirement(each) for each in outcomes if each.rival in LEAST], remarks)


def _compare(data: str, task: Path) -> tuple[dict[str, Any], list[Outcome], list[str]]:
    """Our own turns come first, between and last, so that a busy moment hits both; means count, theirs and ours."""
    turns, theirs, failed = [_measure(sys.executable, "lormika", task)], {}, []
    for place, (rival, where) in enumerate(RIVALS.items()):
        try:
            theirs[rival] = _measure(str(environment(where)), rival, task)
        except SkippedError as reason:
            failed.append(f"{data}, {rival}: {reason}.")
        if place % 3 == 2:
            turns.append(_measure(sys.executable, "lormika", task))
    ours = np.mean([turn["seconds"] for turn in turns], axis=0)
    outcomes = []
    for rival, each in theirs.items():
        n = len(each["seconds"])
        means = statistics.fmean(each["seconds"]), statistics.fmean(each["shortcut"]), float(ours[:n].mean())
        outcomes.append(Outcome(data, rival, *means, n, each["rows"]))
    quick = np.mean([turn["shortcut"] for turn in turns])
    return {"seconds": float(ours.mean()), "shortcut": float(quick), "rows": turns[0]["rows"]}, outcomes, failed


def _measure(python: str, name: str, task: Path) -> dict[str, Any]:
    script = Path(__file__).with_name("rival_explainers.py")
    command = [python, str(script), name, str(task), str(INSTANCES), str(SECONDS)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        raise SkippedError(f"stopped after {LIMIT} s") from None
    if done.returncode:
        raise SkippedError(f"failed with {done.stderr.strip().splitlines()[-1]!r}")
    return json.loads(done.stdout.splitlines()[-1])


def _write_task(path: Path) -> Path:
    """What all of them need: the model, its table as it is, and encoded, with gaps filled in, as rivals take it."""
    known = joblib.load(path)
    explainer, rows = Explainer(known["model"], known["training"]), known["rows"][: INSTANCES + 1]
    features, filled = explainer.schema.features, filled_values(explainer.background)
    encoded = explainer.background.rows(np.arange(len(explainer.background)))
    train, instances = (np.where(np.isnan(table), filled, table) for table in (encoded, explainer.schema.encode(rows)))
    task = {
        "names": [feature.name for feature in features],
        "categories": {f.name: list(f.categories) for f in features if f.categories is not None},
        "integer": [f.name for f in features if f.integer],
        "sizes": [int(train[:, f].max()) + 1 for f in range(len(features))],
        "train": np.ascontiguousarray(train),
        "labels": np.asarray(explainer.predictions, dtype=np.int64),
        "instances": instances,
        "model": known["model"],
        "whole": str(path),  # the frames themselves, which only we read: rivals may lack the libraries behind them
    }
    joblib.dump(task, path.with_suffix(".task"))
    return path.with_suffix(".task")


def _times(outcomes: list[Outcome], ours: dict[str, dict[str, Any]]) -> Table:
    rows = []
    for data, own in ours.items():
        mine = milliseconds(own["seconds"]), "", milliseconds(own["shortcut"]), ""
        rows.append([data, "**lormika**", *mine, f"{own['rows']:,.0f}", str(INSTANCES)])
        rows.extend(_row(each) for each in outcomes if each.data == data)
    columns = ["data", "explainer", "ms", "times ours", "with a shortcut, ms", "times ours", "rows asked", "explained"]
    return Table("CPU time of an explanation with a random forest, the model's calls included", columns, rows)


def _row(each: Outcome) -> list[str]:
    asked = each.rival != "shap-tree"
    shortcut = [milliseconds(each.shortcut), f"{each.shortcut / each.ours:.1f}"] if asked else ["", ""]
    rows = f"{each.asked:,.0f}" if asked else "none"
    return [each.data, each.rival, milliseconds(each.theirs), f"{each.ratio:.1f}", *shortcut, rows, str(each.instances)]


def _requirement(each: Outcome) -> Requirement:
    least = LEAST[each.rival]
    text = f"{each.data}: {'faster' if least == 1 else f'at least {least} times faster'} than {each.rival}"
    return Requirement(text, f"{each.ratio:.1f} times", each.ratio > 1 if least == 1 else each.ratio >= least)

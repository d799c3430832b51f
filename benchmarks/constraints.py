"""How often something turns a prediction though age, sex and race must not change: lormika beside DiCE and NICE.

    python benchmarks/constraints.py --baseline-python nice=nice/bin/python

DiCE is told what is fixed (`features_to_vary`) and, in the second table, how far numbers may change
(`permitted_range`); NICE cannot be told. An instance counts as found if a row that was shown is labelled otherwise by
the model and keeps the constraints, which are checked here on the rows themselves; a row that breaks them is a
violation.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import joblib
import numpy as np
import pandas as pd

from lormika import Explainer
from lormika.evaluation.common import CommonGround
from lormika.evaluation.plan import Plan, read_interpreters
from lormika.evaluation.recourse import unfilled
from lormika.evaluation.rival import SCRIPT, filled_values, write_task
from lormika.evaluation.setting import Setting, prepare
from lormika.processes import Child, LostError

FIXED = {
    "compas": ["age", "age_cat", "sex", "race"],
    "adult": ["age", "sex", "race"],
    "german": ["age", "personal_status_sex", "foreign_worker"],  # it has no race
}
SETTING_UP, TIME_LIMIT = 600.0, 120.0
RANGE = (0.1, 0.9)  # quantiles of the background, between which numbers may change in the second table

Ends = dict[str, tuple[float, float]]
Rows = list[dict[str, object]]


@dataclass
class Score:
    """What came of some instances."""

    found: int = 0
    shown: int = 0  # rows
    violations: int = 0
    failed: int = 0
    seconds: float = 0.0


def main() -> None:
    options = _options()
    plan = Plan(baseline_python=read_interpreters(options.baseline_python))
    for limited in (False, True):
        print(f"Fixed: age, sex, race{' (and numbers between their tenths)' if limited else ''}\n")
        print("| data | model | explainer | found | rows shown | violations | failed | ms |")
        print("|---|---|---|---:|---:|---:|---:|---:|", flush=True)
        for dataset in options.datasets.split(","):
            for model in options.models.split(","):
                for explainer, score in _measure(dataset, model, options.instances, limited, plan):
                    share, each = score.found / options.instances, 1000 * score.seconds / options.instances
                    counts = f"{score.shown} | {score.violations} | {score.failed}"
                    print(f"| {dataset} | {model} | {explainer} | {share:.2f} | {counts} | {each:.0f} |", flush=True)
        print()


def _measure(dataset: str, model: str, n: int, limited: bool, plan: Plan) -> Iterator[tuple[str, Score]]:
    with tempfile.TemporaryDirectory() as folder:
        setting = prepare(dataset, model, Path(folder), instances=n, train_rows=20_000)
        fixed = [name for name in FIXED[dataset] if name in setting.background]
        assert len(fixed) >= 2, (dataset, list(setting.background))
        ranges = _ranges(setting.background, fixed) if limited else {}
        yield "lormika", _score(setting, fixed, ranges, _ours(setting, fixed, ranges))
        for name in ("dice-random", "dice-genetic", "nice"):
            rival = _Rival(name, plan.python_of(name), setting, fixed, ranges, Path(folder))
            try:
                yield name, _score(setting, fixed, ranges, rival)
            finally:
                rival.end()


def _ranges(background: pd.DataFrame, fixed: list[str]) -> Ends:
    numbers = [name for name in background.select_dtypes("number") if name not in fixed]
    return {name: tuple(map(float, background[name].quantile(RANGE))) for name in numbers}


def _score(setting: Setting, fixed: list[str], ranges: Ends, ask: Callable[[int], Rows | None]) -> Score:
    score = Score()
    for number in range(len(setting.instances)):
        start = time.perf_counter()
        rows = ask(number)
        score.seconds += time.perf_counter() - start
        if rows is None:
            score.failed += 1
            continue
        before = setting.instances.iloc[number].to_dict()
        kept = [row for row in rows if not _breaks(before, row, fixed, ranges)]
        score.shown += len(rows)
        score.violations += len(rows) - len(kept)
        if kept:
            frame = pd.DataFrame(kept, columns=list(setting.background)).astype(setting.background.dtypes)
            score.found += bool((setting.model.predict(frame) != setting.predictions[number]).any())
    return score


def _breaks(before: dict, after: dict, fixed: list[str], ranges: Ends) -> bool:
    changed = {name for name in before if not _same(before[name], after[name])}
    outside = [name for name in changed & ranges.keys() if not ranges[name][0] <= after[name] <= ranges[name][1]]
    return bool(changed & set(fixed) or outside)


def _same(one: object, other: object) -> bool:
    return one == other or (pd.isna(one) and pd.isna(other))


def _ours(setting: Setting, fixed: list[str], ranges: Ends) -> Callable[[int], Rows]:
    explainer = Explainer(setting.model, setting.background, predictions=setting.labels)
    constraints = {"fixed": fixed, "ranges": ranges}

    def ask(number: int) -> Rows:
        explanation = explainer.explain(setting.instances.iloc[[number]], constraints=constraints)
        edits = [rule.rerun.edits for rule in explanation.counterfactual if rule.rerun is not None]
        return [explanation.instance | {edit.feature: edit.after for edit in own} for own in edits]

    return ask


class _Rival:
    """A rival in its own process, which is told the constraints."""

    def __init__(self, name: str, python: str, setting: Setting, fixed: list[str], ranges: Ends, folder: Path) -> None:
        self._explainer = CommonGround(setting, 1).explainer
        self._encoded = self._explainer.schema.encode(setting.instances)
        self._filled = filled_values(self._explainer.background)
        file, self._log = folder / f"{name}.joblib", folder / f"{name}.txt"
        write_task(file, setting, CommonGround(setting, 1), self._encoded, self._filled)
        joblib.dump(joblib.load(file) | {"fixed": fixed, "ranges": ranges}, file)
        self._command, self._process = [python, str(SCRIPT), name, str(file)], None

    def __call__(self, number: int) -> Rows | None:
        try:
            if self._process is None:
                self._process = Child(self._command, log=self._log)
                self._process.receive(SETTING_UP)
            self._process.send({"instance": number, "seed": 0})
            answer, _ = self._process.receive(TIME_LIMIT)
        except LostError:
            self.end()
            return None
        if "error" in answer:
            return None
        rows = np.array(answer["rows"], dtype=np.float64).reshape(-1, len(self._filled))
        background = self._explainer.background
        decoded = unfilled(rows, self._encoded[number], background, self._filled)
        return [background.schema.decode(row) for row in decoded]

    def end(self) -> None:
        if self._process is not None:
            self._process.end()
            self._process = None


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--instances", type=int, default=50)
    parser.add_argument("--datasets", default="compas,adult,german")
    parser.add_argument("--models", default="rf,lr")
    parser.add_argument("--baseline-python", action="append", default=[], metavar="[RIVAL=]PYTHON")
    return parser.parse_args()


if __name__ == "__main__":
    main()

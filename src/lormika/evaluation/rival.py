"""A rival in a process of its own: a crash or a hang costs one explanation, and is recorded with its reason."""

from __future__ import annotations

import json
import math
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from lormika.background import Background
from lormika.errors import InputError
from lormika.evaluation.common import CommonGround
from lormika.evaluation.ledger import LEFTOVER
from lormika.evaluation.measures import interestingness
from lormika.evaluation.process import FailedError, Process, last_line
from lormika.evaluation.record import Record
from lormika.evaluation.rules import read_rule
from lormika.evaluation.scoring import recorded
from lormika.evaluation.setting import Setting

SCRIPT = Path(__file__).parent / "rivals" / "child.py"
_SETTING_UP = 600.0  # seconds
_CHECKING = 120.0


def check(name: str, python: str) -> str:
    """Refuse a rival that cannot be imported, before anything is computed; else give its version."""
    try:
        done = subprocess.run(
            [python, str(SCRIPT), name, "--check"], capture_output=True, text=True, timeout=_CHECKING, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"baseline_python: {python} cannot be run: {error}") from error
    if done.returncode != 0:
        reason = last_line(done.stderr) or f"exit code {done.returncode}"
        raise InputError(
            f"explainer {name!r} cannot be used by {python}: {reason}. Install it (pip install 'lormika[evaluation]'), "
            "name an interpreter that has it (--baseline-python), or leave it out (--explainers)"
        )
    try:
        return str(json.loads(done.stdout)["version"])
    except ValueError:
        raise InputError(f"baseline_python: {python} is no Python interpreter") from None


class Rival:
    """Explains instances in another process, which is started when it is needed, and anew after a failure."""

    def __init__(
        self, name: str, setting: Setting, grounds: CommonGround, *, python: str, time_limit: float, folder: Path
    ) -> None:
        self._setting, self._grounds = setting, grounds
        self._command, self._time_limit = [python, str(SCRIPT), name], time_limit
        self._process: Process | None = None
        self._folder = tempfile.TemporaryDirectory(prefix=LEFTOVER, dir=folder)
        self._encoded = grounds.explainer.schema.encode(setting.instances)
        self._filled = filled_values(grounds.explainer.background)

    def __enter__(self) -> Rival:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        self._folder.cleanup()

    def explain(self, instance: int, seed: int) -> Record:
        """Ask the rival; if it gives no answer, its process is ended, and the record says why."""
        try:
            process = self._process or self._start()
            told = process.ask({"instance": instance, "seed": seed}, self._time_limit)
        except FailedError as failure:
            self._end()
            return Record(instance, str(failure))
        return Record(instance, str(told["error"])) if "error" in told else self._record(instance, told)

    def _start(self) -> Process:
        task = Path(self._folder.name) / "task.joblib"
        if not task.exists():
            write_task(task, self._setting, self._grounds, self._encoded, self._filled)
        self._process = Process([*self._command, str(task)], Path(self._folder.name) / "log.txt")
        self._process.receive(_SETTING_UP)
        return self._process

    def _end(self) -> None:
        if self._process is not None:
            self._process.end()
            self._process = None

    def _record(self, instance: int, told: dict[str, Any]) -> Record:
        explainer = self._grounds.explainer
        read = [read_rule(rule, explainer.background, self._filled, explainer.model.names) for rule in told["rules"]]
        own = {name: math.nan if value is None else float(value) for name, value in told["own"].items()}
        own["interestingness"] = interestingness(own.pop("lift"))
        costs = (told["seconds"], told["calls"], told["rows"])
        return recorded(self._setting, self._grounds, instance, read, costs, own)


def filled_values(background: Background) -> np.ndarray:
    """What rivals get for a missing value of each feature, since neither knows missing values.

    For a number it is the median, which is what the models of the evaluation take it for, so that their answers stay
    the same; for a category it is one more category.
    """
    return np.array(
        [
            np.nanmedian(background.distinct[f][background.codes[f]])
            if feature.categories is None
            else len(feature.categories)
            for f, feature in enumerate(background.schema.features)
        ],
        dtype=np.float64,
    )


def write_task(path: Path, setting: Setting, grounds: CommonGround, instances: np.ndarray, filled: np.ndarray) -> None:
    """Everything that a rival needs, without anything of this library."""
    import joblib

    explainer = grounds.explainer
    features = explainer.schema.features
    background = explainer.background.rows(np.arange(len(explainer.background)))
    task = {
        "names": [feature.name for feature in features],
        "categories": {f.name: list(f.categories) for f in features if f.categories is not None},
        "train": np.ascontiguousarray(np.where(np.isnan(background), filled, background)),
        "labels": np.asarray(explainer.labels, dtype=np.int64),
        "instances": np.where(np.isnan(instances), filled, instances),
        "model": setting.model,
    }
    task["sizes"] = [int(task["train"][:, f].max()) + 1 for f in range(len(features))]
    joblib.dump(task, path)

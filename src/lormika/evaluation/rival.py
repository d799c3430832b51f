"""A rival in a separate process: a crash or a hang costs one explanation, and is recorded with its reason."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lormika.errors import InputError
from lormika.evaluation.common import CommonGround
from lormika.evaluation.ledger import LEFTOVER
from lormika.evaluation.measures import interestingness
from lormika.evaluation.plan import APART
from lormika.evaluation.record import Record
from lormika.evaluation.recourse import unfilled
from lormika.evaluation.rules import read_rule
from lormika.evaluation.scoring import Shown, recorded
from lormika.evaluation.setting import Setting, plain_model
from lormika.processes import Child, LostError
from lormika.stages.background import Background
from lormika.writing import naming

if TYPE_CHECKING:
    from lormika.evaluation.rivals.task_model import Task
    from lormika.types import JsonObject

SCRIPT = Path(__file__).parent / "rivals" / "rival_child.py"
_SETTING_UP = 600.0  # seconds
_CHECKING = 120.0


def check(name: str, python: str) -> str:
    """Refuse a rival that cannot be imported, before anything is computed; otherwise return its version."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            child = Child([python, str(SCRIPT), name, "--check"], log=Path(folder) / "log.txt")
        except OSError as error:
            raise InputError(f"baseline_python: {python} cannot be run: {error}") from error
        try:
            return str(child.receive(_CHECKING)[0].get("version"))
        except LostError as lost:
            if lost.kind != "broken" and lost.code != 0:
                raise InputError(f"explainer {name!r} cannot be used by {python}: {lost}. {_advice(name)}") from None
            raise InputError(f"baseline_python: {python} is no Python interpreter") from None
        finally:
            child.end()


def _advice(name: str) -> str:
    if name not in APART:
        return (
            "Install it (pip install 'lormika[evaluation]'), name an interpreter that has it (--baseline-python), or "
            "leave it out (--explainers)"
        )
    import sklearn

    return (
        f"Its package {APART[name]} cannot be installed beside lormika. Make an environment for it (python -m venv "
        f"{name} && {name}/bin/pip install {APART[name]} scikit-learn=={sklearn.__version__}), and name its "
        f"interpreter (--baseline-python {name}={name}/bin/python)"
    )


class Rival:
    """Explains instances in another process, which is started when needed and restarted after a failure."""

    def __init__(
        self, name: str, setting: Setting, grounds: CommonGround, *, python: str, time_limit: float, folder: Path
    ) -> None:
        self._setting, self._grounds = setting, grounds
        self._command, self._time_limit = [python, str(SCRIPT), name], time_limit
        self._process: Child | None = None
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
            process.send({"instance": instance, "seed": seed})
            answer, _ = process.receive(self._time_limit)
        except LostError as lost:
            self._end()
            return Record(instance, str(lost))
        return Record(instance, str(answer["error"])) if "error" in answer else self._record(instance, answer)

    def _start(self) -> Child:
        task = Path(self._folder.name) / "task.joblib"
        if not task.exists():
            write_task(task, self._setting, self._grounds, self._encoded, self._filled)
        self._process = Child([*self._command, str(task)], log=Path(self._folder.name) / "log.txt")
        self._process.receive(_SETTING_UP)
        return self._process

    def _end(self) -> None:
        if self._process is not None:
            self._process.end()
            self._process = None

    def _record(self, instance: int, answer: JsonObject) -> Record:
        own = {name: math.nan if value is None else float(value) for name, value in answer["own"].items()}
        if "lift" in own:
            own["interestingness"] = interestingness(own.pop("lift"))
        costs = (answer["seconds"], answer["model_calls"], answer["model_rows"])
        return recorded(self._setting, self._grounds, instance, self._shown(instance, answer), costs, own)

    def _shown(self, instance: int, answer: JsonObject) -> Shown:
        background, classes = self._grounds.explainer.background, self._grounds.explainer.model.names
        if "rows" not in answer:
            return Shown([read_rule(rule, background, self._filled, classes) for rule in answer["rules"]])
        rows = np.array(answer["rows"], dtype=np.float64).reshape(-1, len(self._filled))
        return Shown(rows=unfilled(rows, self._encoded[instance], background, self._filled))


def filled_values(background: Background) -> np.ndarray:
    """What rivals get for a missing value of each feature, since none of them handles missing values.

    For a number it is the median, which is also what the models of the evaluation use, so that their answers stay the
    same; for a category it is an extra category.
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
    """Everything that a rival needs, without anything from this library."""
    import joblib

    explainer = grounds.explainer
    features = explainer.schema.features
    background = explainer.background.rows(np.arange(len(explainer.background)))
    train = np.ascontiguousarray(np.where(np.isnan(background), filled, background))
    task: Task = {
        "names": [feature.name for feature in features],
        "categories": {f.name: list(f.categories) for f in features if f.categories is not None},
        "integer": [f.name for f in features if f.integer],
        "train": train,
        "sizes": [int(train[:, f].max()) + 1 for f in range(len(features))],
        "labels": np.asarray(explainer.predictions, dtype=np.int64),
        "instances": np.where(np.isnan(instances), filled, instances),
        "model": plain_model(setting.model),
    }
    with naming(path, path):
        joblib.dump(task, path)

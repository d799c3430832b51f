"""Setting: a data set and a fitted model, with the instances to explain; the same for every explainer."""

from __future__ import annotations

import copy
import json
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lormika.data import datasets
from lormika.errors import InputError
from lormika.frames.values import Scalar
from lormika.models.calls import Ask
from lormika.models.model import METHODS
from lormika.writing import whole_file

if TYPE_CHECKING:
    import pandas as pd

    from lormika.types import UserModel, UserTable


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """A model, the table it was trained on, and rows that it has not seen."""

    dataset: str
    model_name: str
    model: UserModel
    background: pd.DataFrame
    labels: np.ndarray  # the model's, of the background
    instances: pd.DataFrame
    predictions: list[Scalar]  # the model's, of the instances
    costs: dict[str, float]  # seconds to fit, seconds to label the background


def prepare(dataset: str, model_name: str, folder: Path, *, instances: int, train_rows: int | None) -> Setting:
    """Load a data set and fit a model to it; the fitted model is kept in the folder."""
    train_X, test_X, train_y, _ = datasets.split(*datasets.load(dataset))
    if train_rows is not None:  # the split has shuffled the rows
        train_X, train_y = train_X[:train_rows], train_y[:train_rows]
    model, seconds = _fitted(model_name, train_X, train_y, folder / f"{dataset}-{model_name}")
    chosen = test_X[:instances]
    start = time.perf_counter()
    labels = model.predict(train_X)
    labelling = time.perf_counter() - start
    predictions = np.asarray(model.predict(chosen)).tolist()
    costs = {"fit_seconds": seconds, "label_seconds": labelling, "label_rows": float(len(train_X))}
    return Setting(dataset, model_name, model, train_X, labels, chosen, predictions, costs)


def check_size(dataset: str, X: pd.DataFrame, y: pd.Series, instances: int) -> None:
    """Refuse a data set that has fewer rows to explain."""
    rows = len(datasets.split(X, y)[1])
    if rows < instances:
        raise InputError(f"instances={instances}: {dataset} has {rows} rows to explain")


def _fitted(name: str, X: pd.DataFrame, y: pd.Series, path: Path) -> tuple[UserModel, float]:
    import joblib

    file, about = path.with_suffix(".joblib"), path.with_suffix(".json")
    if file.exists() and about.exists():
        with suppress(Exception):  # damaged: then it is fitted again
            return joblib.load(file), float(json.loads(about.read_text(encoding="utf-8"))["fit_seconds"])
    start = time.perf_counter()
    model = plain_model(datasets.make_model(name, X).fit(X, y))
    seconds = time.perf_counter() - start
    file.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(file) as beside:
        joblib.dump(model, beside)
    with whole_file(about) as beside:
        beside.write_text(json.dumps({"fit_seconds": seconds, "rows": len(X)}) + "\n", encoding="utf-8", newline="\n")
    return model, seconds


def plain_model(model: UserModel) -> UserModel:
    """The same pipeline without what a rival's interpreter does not need.

    This means lormika's classes, and the state of a random generator, which only training needs and which an older
    numpy cannot read.
    """
    from sklearn.neural_network import MLPClassifier

    last = model.steps[-1][1] if hasattr(model, "steps") else model
    if isinstance(last, MLPClassifier):
        network = MLPClassifier.__new__(MLPClassifier)
        network.__dict__.update({name: value for name, value in last.__dict__.items() if name != "_random_state"})
        model = copy.copy(model)
        model.steps = [*model.steps[:-1], (model.steps[-1][0], network)]
    return model


class Counted:
    """A model that counts the calls and rows it is asked about."""

    def __init__(self, model: UserModel) -> None:
        self.model, self.classes_ = model, model.classes_
        self.calls = self.rows = 0
        for name in METHODS:
            if hasattr(model, name):
                setattr(self, name, self._counted(getattr(model, name)))

    def _counted(self, method: Ask) -> Ask:
        def ask(frame: UserTable) -> object:
            self.calls += 1
            self.rows += len(frame)
            return method(frame)

        return ask

    def reset(self) -> None:
        """Count from zero."""
        self.calls = self.rows = 0

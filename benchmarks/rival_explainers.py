"""One explainer on one data set: run by explainers.py, for rivals in an environment where lormika is not installed.

usage: rival_explainers.py NAME TASK.joblib INSTANCES SECONDS
prints JSON: CPU seconds of each explanation, as many as fit into that many CPU seconds but at least one, with the model
as it is (a pipeline that takes frames) and with a shortcut: one that makes the forest's matrix from codes; for lormika,
the kernel by which it follows a forest that it is given; and how many rows the model was asked about.
"""

from __future__ import annotations

import json
import random
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
import numpy as np

# The adapters of the evaluation, which import nothing from lormika.
sys.path.append(str(Path(__file__).parents[1] / "src" / "lormika" / "evaluation" / "rivals"))
from task_model import TaskModel

LIME_SAMPLES = 5000
SHAP_BACKGROUND = 100  # rows, the package's own default
CALIBRATION = 500  # rows

Explain = Callable[[int], Any]
"""Explains the instance of this number."""


def lormika(task: dict[str, Any], model: TaskModel) -> Explain:
    return _lormika(task, _CountedPipeline(task["model"], model))


def _lormika(task: dict[str, Any], model: Any) -> Explain:
    from lormika import Explainer

    known = joblib.load(task["whole"])
    explainer = Explainer(model, known["training"])
    return lambda i: explainer.explain(known["rows"].iloc[[i]])


class _CountedPipeline:
    def __init__(self, pipeline: Any, counts: TaskModel) -> None:
        self._pipeline, self._counts, self.classes_ = pipeline, counts, pipeline.classes_

    def predict(self, X: Any) -> np.ndarray:
        return self._pipeline.predict(X)

    def predict_proba(self, X: Any) -> np.ndarray:
        self._counts.rows += len(X)
        return self._pipeline.predict_proba(X)


def lime(task: dict[str, Any], model: TaskModel) -> Explain:
    from lime.lime_tabular import LimeTabularExplainer

    explainer = LimeTabularExplainer(
        task["train"], feature_names=task["names"], categorical_features=_categorical(task), random_state=0
    )
    return lambda i: explainer.explain_instance(
        task["instances"][i], model.predict_proba, num_features=len(task["names"]), num_samples=LIME_SAMPLES
    )


def shap_tree(task: dict[str, Any], model: TaskModel) -> Explain:
    """The forest alone, on its own columns: what the trees' paths say, without asking the model."""
    import shap

    explainer = shap.TreeExplainer(task["model"].steps[-1][1])
    return lambda i: explainer.shap_values(task["model"][:-1].transform(model.frame(task["instances"][i : i + 1])))


def shap_permutation(task: dict[str, Any], model: TaskModel) -> Explain:
    import shap

    masker = shap.maskers.Independent(task["train"], max_samples=SHAP_BACKGROUND)
    explainer = shap.PermutationExplainer(model.predict_proba, masker, seed=0)
    return lambda i: explainer(task["instances"][i : i + 1], silent=True)


def anchor(task: dict[str, Any], model: TaskModel) -> Explain:
    from anchor_rules import prepare

    explain = prepare(task, model)
    return lambda i: explain(task["instances"][i].copy())


def dice(task: dict[str, Any], model: TaskModel) -> Explain:
    from dice_rows import prepare_random

    explain = prepare_random(task, model)
    return lambda i: explain(task["instances"][i].copy())


def calibrated_explanations(task: dict[str, Any], model: TaskModel) -> Explain:
    from calibrated_explanations import CalibratedExplainer

    chosen = np.random.default_rng(0).choice(len(task["train"]), min(CALIBRATION, len(task["train"])), replace=False)
    explainer = CalibratedExplainer(
        _estimator(model), task["train"][chosen], task["labels"][chosen],
        feature_names=task["names"], categorical_features=_categorical(task),
    )  # fmt: skip
    return lambda i: explainer.explain_factual(task["instances"][i : i + 1])


def _estimator(model: TaskModel) -> Any:
    from sklearn.base import BaseEstimator, ClassifierMixin

    class Estimator(ClassifierMixin, BaseEstimator):
        """The model as one of scikit-learn's, which this package insists on."""

        classes_ = np.arange(len(model.codes))
        predict = staticmethod(model.predict)
        predict_proba = staticmethod(model.predict_proba)

        def fit(self, X: Any, y: Any) -> Any:
            return self

        def __sklearn_is_fitted__(self) -> bool:
            return True

    return Estimator()


def _categorical(task: dict[str, Any]) -> list[int]:
    return [f for f, name in enumerate(task["names"]) if name in task["categories"]]


def measure(name: str, path: str, instances: int, seconds: float) -> dict[str, Any]:
    task = joblib.load(path)
    model = TaskModel(task)
    shortcut = model._matrix
    explain = globals()[name.replace("-", "_")](task, model)
    model._matrix, model.rows = None, 0
    explain(instances)  # one more than is measured: the first loads modules, or compiles
    model.rows = 0
    each = _times(explain, instances, seconds)
    rows = model.rows / len(each)
    if name == "shap-tree":  # it need not ask
        return {"seconds": each, "rows": rows, "shortcut": each}
    if name == "lormika":
        explain = _lormika(task, task["model"])
    model._matrix = shortcut
    return {"seconds": each, "rows": rows, "shortcut": _times(explain, len(each), seconds)}


def _times(explain: Explain, instances: int, seconds: float) -> list[float]:
    each: list[float] = []
    for i in range(instances):
        random.seed(i)
        np.random.seed(i)  # noqa: NPY002 - the rivals draw from the global generators
        start = time.process_time()
        explain(i)
        each.append(time.process_time() - start)
        if sum(each) > seconds:
            break
    return each


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    name, path, instances, seconds = sys.argv[1:]
    print(json.dumps(measure(name, path, int(instances), float(seconds))))

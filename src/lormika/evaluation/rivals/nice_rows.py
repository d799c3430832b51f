"""NICE (Brughmans et al. 2024), the package NICEx: one counterfactual row, by its variant for few changes."""

from __future__ import annotations

from importlib.metadata import version as version_of
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from lormika.evaluation.rivals.task_model import Explain, Task, TaskModel, Tell


def version() -> str:
    """Version of the package, which must be importable."""
    import nice  # noqa: F401

    return f"NICEx {version_of('NICEx')}"


def prepare(task: Task, model: TaskModel) -> Explain:
    """Set NICE up for a table, asking the model about all of it; return the function that explains an instance.

    NICE starts from the nearest row of another class among those that the model labels correctly. Here the model's own
    labels count as correct, so that no row is left out.
    """
    from nice import NICE

    categorical = [f for f, name in enumerate(task["names"]) if name in task["categories"]]
    explainer = NICE(
        predict_fn=model.predict_proba, X_train=task["train"], y_train=task["labels"], cat_feat=categorical,
        optimization="sparsity",
    )  # fmt: skip

    def explain(x: np.ndarray) -> Tell:
        row = explainer.explain(x[None])
        return lambda: {"rules": [], "rows": np.asarray(row, dtype=np.float64).tolist(), "own": {}}

    return explain

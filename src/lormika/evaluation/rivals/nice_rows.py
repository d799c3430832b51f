"""NICE (Brughmans et al. 2024), the package NICEx: one counterfactual row, by its variant for few changes."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version as version_of
from typing import Any

import numpy as np


def version() -> str:
    """Version of the package, which must be importable."""
    import nice  # noqa: F401

    return f"NICEx {version_of('NICEx')}"


def prepare(task: dict[str, Any], model: Any) -> Callable[[np.ndarray], Callable[[], dict[str, Any]]]:
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

    def explain(x: np.ndarray) -> Callable[[], dict[str, Any]]:
        row = explainer.explain(x[None])
        return lambda: {"rules": [], "rows": np.asarray(row, dtype=np.float64).tolist(), "own": {}}

    return explain

"""Anchor (Ribeiro et al. 2018), the package anchor-exp, with its defaults and the paper's threshold of 0.95."""

from __future__ import annotations

from importlib.metadata import version as version_of
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lormika.evaluation.rivals.task_model import Explain, Task, TaskModel, Tell
    from lormika.types import JsonObject

THRESHOLD = 0.95


def version() -> str:
    """Version of the package, which must be importable."""
    import anchor.anchor_tabular  # noqa: F401

    return f"anchor-exp {version_of('anchor-exp')}"


def prepare(task: Task, model: TaskModel) -> Explain:
    """Set Anchor up for a table; return the function that explains an instance."""
    from anchor.anchor_tabular import AnchorTabularExplainer

    class Recording(AnchorTabularExplainer):  # type: ignore[misc]
        """Keeps the conditions as they were found: in the text of an anchor, numbers are rounded to two digits."""

        def add_names_to_exp(self, data_row: np.ndarray, hoeffding_exp: JsonObject, mapping: JsonObject) -> None:
            self.chosen = [mapping[i] for i in hoeffding_exp["feature"]]
            super().add_names_to_exp(data_row, hoeffding_exp, mapping)

    names = task["names"]
    categories = {f: [str(c) for c in range(task["sizes"][f])] for f, n in enumerate(names) if n in task["categories"]}
    classes = [str(c) for c in range(len(model.codes))]
    explainer = Recording(classes, [f"f{f}" for f in range(len(names))], task["train"], categories)

    def explain(x: np.ndarray) -> Tell:
        anchor = explainer.explain_instance(x, model.predict, threshold=THRESHOLD)

        def tell() -> JsonObject:
            conditions = [_condition(explainer.disc.maxs, names, *chosen) for chosen in explainer.chosen]
            confidence = float(anchor.precision())
            # Anchor's neighbourhood knows one class only, the predicted one; so its lift is its confidence (the paper).
            own = {"coverage": float(anchor.coverage()), "confidence": confidence, "lift": confidence}
            rule = {"conditions": conditions, "consequent": int(anchor.exp_map["prediction"])}
            return {"rules": [rule], "own": own}

        return tell

    return explain


def _condition(
    maxs: Mapping[int, Sequence[float]], names: list[str], f: int, relation: str, value: float
) -> JsonObject:
    if relation == "eq":
        return {"feature": names[f], "is": int(value)}
    # maxs: the quartiles, then the greatest value. Bin v ends at its v-th entry.
    end = float(maxs[f][int(value)])
    above, up_to = (None, end) if relation == "leq" else (end, None)
    return {"feature": names[f], "above": above, "up_to": up_to}

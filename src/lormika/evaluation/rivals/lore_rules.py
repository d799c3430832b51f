"""LORE (Guidotti et al. 2018), the package lore-sa, with its genetic neighbourhood and its defaults."""

from __future__ import annotations

from importlib.metadata import version as version_of
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from lore_sa.lore import TabularGeneticGeneratorLore

    from lormika.evaluation.rivals.task_model import Explain, Task, TaskModel, Tell
    from lormika.types import JsonObject

TARGET = "target"


def version() -> str:
    """Version of the package, which must be importable."""
    import lore_sa  # noqa: F401

    return f"lore-sa {version_of('lore-sa')}"


def prepare(task: Task, model: TaskModel) -> Explain:
    """Set LORE up for a table; return the function that explains an instance.

    Columns are called f0, f1, …: LORE splits its own names of categories at the sign "=".
    """
    import pandas as pd
    from lore_sa.bbox import sklearn_classifier_bbox
    from lore_sa.dataset import TabularDataset
    from lore_sa.lore import TabularGeneticGeneratorLore

    names = task["names"]
    columns = [f"f{f}" for f in range(len(names))]
    frame = pd.DataFrame(task["train"], columns=columns)
    frame[TARGET] = task["labels"]
    categorical = [f"f{f}" for f, name in enumerate(names) if name in task["categories"]]
    dataset = TabularDataset(frame, class_name=TARGET, categorial_columns=[*categorical, TARGET])
    explainer = TabularGeneticGeneratorLore(sklearn_classifier_bbox.sklearnBBox(model), dataset)
    neighbourhoods = _keep_neighbourhood(explainer)

    def explain(x: np.ndarray) -> Tell:
        answer = explainer.explain(x)

        def tell() -> JsonObject:
            rows = np.asarray(explainer.encoder.decode(neighbourhoods[-1]), dtype=np.float64)
            rules = [_rule(rule, names) for rule in (answer["rule"], *answer["counterfactuals"])]
            return {"rules": rules, "own": _measures(rules[0], names, rows, model.predict(rows))}

        return tell

    return explain


def _keep_neighbourhood(explainer: TabularGeneticGeneratorLore) -> list[np.ndarray]:
    """LORE does not return its neighbourhood: listen to the generator."""
    neighbourhoods: list[np.ndarray] = []
    generate = explainer.generator.generate

    def listening(*arguments: object, **options: object) -> np.ndarray:
        neighbourhoods[:] = [generate(*arguments, **options)]
        return neighbourhoods[0]

    explainer.generator.generate = listening
    return neighbourhoods


def _rule(rule: JsonObject, names: list[str]) -> JsonObject:
    conditions = [_condition(premise, names) for premise in rule["premises"]]
    return {"conditions": conditions, "consequent": int(float(rule["consequence"]["val"]))}


def _condition(premise: JsonObject, names: list[str]) -> JsonObject:
    feature, relation, value = names[int(premise["attr"][1:])], premise["op"], float(premise["val"])
    if relation == "=":
        return {"feature": feature, "is": int(value)}
    if relation == "!=":
        return {"feature": feature, "is_not": int(value)}
    above, up_to = (None, value) if relation == "<=" else (value, None)
    return {"feature": feature, "above": above, "up_to": up_to}


def _measures(rule: JsonObject, names: list[str], rows: np.ndarray, labels: np.ndarray) -> dict[str, float | None]:
    """Coverage, confidence and lift of a rule on LORE's own neighbourhood."""
    matching = np.ones(len(rows), dtype=bool)
    for condition in rule["conditions"]:
        values = rows[:, names.index(condition["feature"])]
        if "is" in condition:
            matching &= values == condition["is"]
        elif "is_not" in condition:
            matching &= values != condition["is_not"]
        elif condition["above"] is None:
            matching &= values <= condition["up_to"]
        else:
            matching &= values > condition["above"]
    of_class = labels == rule["consequent"]
    share, n_matching = float(of_class.mean()), int(matching.sum())
    confidence = float(of_class[matching].mean()) if n_matching else None
    lift = None if confidence is None or share == 0 else confidence / share
    return {"coverage": n_matching / len(rows), "confidence": confidence, "lift": lift}

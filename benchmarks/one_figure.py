"""Figures of whichever lormika is installed: run by beside.py in two environments.

usage: one_figure.py FOLDER JSON
FOLDER holds what `prepared.write` put there. JSON names a case below, and what it is to be measured with.
prints JSON: figures by name; times are CPU seconds, the least of some runs.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
from timing import best, cpu

from lormika import Explainer, mine_rules
from models import LinearModel, TimedModel

FOLDER = Path(sys.argv[1]) if len(sys.argv) > 1 else Path()
Figures = dict[str, Any]


def mine(source: str) -> Figures:
    """Rules of Adult from a frame of some kind."""
    known = joblib.load(FOLDER / "adult.joblib")
    X, y = _as(source, known["X"], known["y"])
    seconds, rules = best(lambda: mine_rules(X, y, k=20, max_conditions=3), repeat=7, enough=3)
    return {"seconds": seconds, "rules": [str(rule) for rule in rules]}


def mine_random(rows: int, features: int, classes: int, k: int, conditions: int) -> Figures:
    """Rules of a table of texts and numbers, half of each."""
    rng = np.random.default_rng([rows, features, classes])
    X = pd.DataFrame(rng.integers(0, 20, size=(rows, features)), columns=[f"x{f}" for f in range(features)])
    y = (X["x0"] // 4 + X["x1"] // 4 + rng.integers(0, classes, size=rows)) % classes
    X = X.astype(dict.fromkeys(X.columns[::2], str))
    seconds, rules = best(lambda: mine_rules(X, y, k=k, max_conditions=conditions), repeat=3, enough=3)
    return {"seconds": seconds, "rules": [str(rule) for rule in rules]}


def explain_linear(rows: int, features: int, classes: int = 2, k: int = 5, conditions: int = 3) -> Figures:
    """An explanation outside the model: normal numbers and a linear model."""
    X = pd.DataFrame(np.random.default_rng(1).normal(size=(rows, features)), columns=[f"f{f}" for f in range(features)])
    model = TimedModel(LinearModel(features, classes))
    explainer = Explainer(model, X)
    instances = [X.iloc[[i]] for i in range(3)]
    return {"seconds": _outside(explainer, model, instances, 2, {"k": k, "max_conditions": conditions})}


def points(of: str, specs: list[dict[str, int]]) -> Figures:
    """Seconds of one case with several sizes, numbered."""
    return {str(place): globals()[of](**spec)["seconds"] for place, spec in enumerate(specs)}


def instances(rows: int) -> Figures:
    """A table explained row by row with a linear model: CPU seconds, and the most memory of the process."""
    from memory import resident_bytes

    numbers = np.random.default_rng(2).normal(size=(5000 + rows, 10))
    X = pd.DataFrame(numbers, columns=[f"f{f}" for f in range(10)])
    explainer, table = Explainer(LinearModel(10), X[:5000]), X[5000:]
    sum(1 for _ in explainer.explain_many(table[:200], progress=False))
    most, pauses = resident_bytes(), 0.0
    start = time.process_time()
    for number, _ in enumerate(explainer.explain_many(table, progress=False)):
        if number % 100 == 0:
            seconds, held = cpu(resident_bytes)
            most, pauses = max(most, held), pauses + seconds
    return {"seconds": time.process_time() - start - pauses, "megabytes": most / 2**20}


def explain_forest(data: str) -> Figures:
    """An explanation outside the model, and making the explainer beside the model's own pass: a random forest."""
    known = joblib.load(FOLDER / f"{data}.joblib")
    model = TimedModel(known["model"])
    making = [_beside_model(lambda: Explainer(model, known["training"]), model) for _ in range(3)]
    explainer = Explainer(model, known["training"])
    instances = [known["rows"].iloc[[i]] for i in range(20)]
    return {"seconds": _outside(explainer, model, instances, 3, {}), "making": min(making)}


def view(method: str) -> Figures:
    """An explanation of twenty rules as text or as a page."""
    known = joblib.load(FOLDER / "german.joblib")
    explainer = Explainer(known["model"], known["training"])
    explanations = (explainer.explain(known["rows"].iloc[[i]]) for i in range(len(known["rows"])))
    explanation = next(each for each in explanations if len(each.rules) == 20)
    getattr(explanation, method)()  # the first loads modules
    return {"seconds": best(getattr(explanation, method), repeat=30)[0]}


def many(rows: int, looped: int) -> Figures:
    """Seconds of a row of Adult: in chunks, and in a loop over some of the rows, half of them before and half after."""
    known = joblib.load(FOLDER / "adult.joblib")
    explainer, table = Explainer(known["model"], known["training"]), known["rows"][:rows]
    explainer.explain(table.iloc[[0]])
    some = range(0, rows, rows // looped)

    def loop(chosen: range) -> float:
        return cpu(lambda: [explainer.explain(table.iloc[[i]]) for i in chosen])[0]

    first = loop(some[: looped // 2])
    chunks = cpu(lambda: sum(1 for _ in explainer.explain_many(table, progress=False)))[0]
    return {"loop": (first + loop(some[looped // 2 :])) / looped, "chunks": chunks / rows}


def _as(source: str, X: pd.DataFrame, y: pd.Series) -> tuple[Any, Any]:
    if source == "polars":
        import polars

        return polars.from_pandas(X), polars.Series(y.tolist())
    if source == "arrow":
        import pyarrow

        return pyarrow.Table.from_pandas(X, preserve_index=False), pyarrow.chunked_array([y.tolist()])
    return X, y


def _outside(explainer: Explainer, model: TimedModel, instances: list[Any], repeat: int, options: Any) -> float:
    explainer.explain(instances[0], **options)  # loads modules
    least = [
        min(_beside_model(lambda x=x: explainer.explain(x, **options), model) for _ in range(repeat)) for x in instances
    ]
    return statistics.median(least)


def _beside_model(function: Any, model: TimedModel) -> float:
    model.calls.clear()
    seconds, _ = cpu(function)
    return seconds - sum(call.seconds for call in model.calls)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    spec = json.loads(sys.argv[2])
    print(json.dumps(globals()[spec.pop("case")](**spec)))

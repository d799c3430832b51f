"""Explanations of every sort, for the tests of the views."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd

from lormika import Explainer, Explanation, datasets

HOSTILE = [
    "<script>document.title = 'hacked'</script>",
    '"><img src=x onerror="document.title=\'hacked\'">',
    "{{7*7}}",
    "{% raise %}",
    "javascript:alert(1)",
    "שלום עולם",
    "a 🦊 & <b>",
    "long" * 1250,
    "=1+1",
    "</style><style>*{display:none}</style>",
]


def chances(scores: np.ndarray) -> np.ndarray:
    """Probabilities from scores (rows x classes)."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def loan_model(X: pd.DataFrame) -> np.ndarray:
    risk = 2.0 * (X["missed_payments"] >= 2) + 3.0 * (X["debt_ratio"] - 0.4) - 0.03 * (X["income"] - 45)
    return chances(np.column_stack([np.zeros(len(X)), 2 * risk]))


def binary() -> Explanation:
    X, _ = datasets.make_loans(1500)
    return Explainer(loan_model, X, class_names=["accepted", "rejected"]).explain(X.iloc[[2]], k=3)


def seven_classes() -> Explanation:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(1500, 5)), columns=["elevation", "aspect", "slope", "to water", "to roads"])
    names = [f"forest type number {i}" for i in range(1, 8)]
    weights = rng.normal(size=(5, 7))
    return Explainer(lambda f: chances(3 * f.to_numpy() @ weights), X, class_names=names).explain(X.iloc[[1]])


def all_categorical() -> Explanation:
    rng = np.random.default_rng(0)
    columns = {f"question {i}": rng.choice(["yes, always", "sometimes or now and then", "no"], 800) for i in range(4)}
    X = pd.DataFrame(columns)
    return Explainer(lambda f: ((f == "no").sum(axis=1) >= 2).to_numpy(), X).explain(X.iloc[[0]], k=3)


def all_numeric() -> Explanation:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"glucose": rng.normal(120, 30, 900), "bmi": rng.normal(30, 6, 900), "age": rng.integers(20, 80, 900)}
    )
    return Explainer(lambda f: np.where(f["glucose"] + f["bmi"] > 155, 1, 0), X).explain(X.iloc[[3]], k=4)


def missing_values() -> Explanation:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"income": rng.normal(40, 10, 900), "job": rng.choice(["clerk", "none", None], 900)})
    X.loc[rng.random(900) < 0.3, "income"] = np.nan
    return Explainer(lambda f: np.where(f["income"].isna() | f["job"].isna(), "check", "pass"), X).explain(X.iloc[[1]])


def empty_kind() -> Explanation:
    X, _ = datasets.make_loans(1500)
    explainer = Explainer(loan_model, X, class_names=["accepted", "rejected"])
    return explainer.explain(X.iloc[[5]], k=2, min_count=900)


def many() -> Explanation:
    """Fifty rules and more, many features, twelve classes, long names."""
    rng = np.random.default_rng(0)
    names = [f"a rather long name of feature {i} with_underscores_too" for i in range(14)]
    X = pd.DataFrame(rng.normal(size=(1200, 14)), columns=names)
    weights = rng.normal(size=(14, 12))
    classes = [f"class with a long name {i}" for i in range(12)]
    explainer = Explainer(lambda f: chances(2 * f.to_numpy() @ weights), X, class_names=classes)
    return explainer.explain(X.iloc[[0]], k=14, filter="none")


def hostile() -> Explanation:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.choice(HOSTILE[i:] + HOSTILE[:i], 600) for i, name in enumerate(HOSTILE[:3])})
    X[HOSTILE[7]] = rng.normal(size=600)
    labels = [HOSTILE[0], HOSTILE[7]]
    return Explainer(lambda f: np.where(f[HOSTILE[7]] > 0, *labels), X).explain(X.iloc[[0]], k=3, filter="productive")


def golden(name: str) -> Explanation:
    """An explanation whose rules were confirmed, from a file: views are tested whatever the stages before them find."""
    path = Path(__file__).parent / "golden" / f"{name}.json"
    return Explanation.from_dict(json.loads(path.read_text(encoding="utf-8")))


def rare() -> Explanation:
    """With a weak rule, and a counterfactual that no similar row satisfies."""
    explanation = golden("no_single")
    *others, last = explanation.rules
    counts, real = (replace(found, antecedent=0, both=0) for found in (last.counts, last.real))
    unseen = replace(last, counts=counts, real=real)
    return replace(explanation, rules=(replace(others[0], weak=True), *others[1:], unseen))


CONFIRMED = {"confirmed": "explanation", "margin": "margin", "label": "label", "no_single": "no_single"}
"""Explanations in files, by the name of their case: of each unit of certainty, and one that needs two changes."""

CASES: dict[str, Callable[[], Explanation]] = {
    f.__name__: cache(f)
    for f in (binary, seven_classes, all_categorical, all_numeric, missing_values, empty_kind, many, hostile, rare)
} | {name: cache(partial(golden, file)) for name, file in CONFIRMED.items()}

"""Loans and models of them that the tests share, and what it means that two explanations are the same."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder

from lormika import Explainer, Explanation, InputError, ModelError, datasets

LOANS, DECISIONS = datasets.make_loans(400)
NUMBERS = ["age", "income", "debt_ratio", "missed_payments", "amount"]
# Numbers that float32 holds exactly: generated rows are made of the same ones, so ONNX sees what scikit-learn sees.
TABLE = LOANS[NUMBERS].astype(np.float32).astype(np.float64)
MIXED = TABLE.assign(purpose=LOANS["purpose"].astype(object), employment=LOANS["employment"].astype(object))


@cache
def forest() -> RandomForestClassifier:
    return RandomForestClassifier(12, max_depth=5, random_state=0).fit(TABLE, DECISIONS)


@cache
def mixed_forest() -> Pipeline:
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["purpose", "employment"]),
        remainder="passthrough",
    )
    return make_pipeline(encode, RandomForestClassifier(12, max_depth=5, random_state=0)).fit(MIXED, DECISIONS)


def explain(model: Any, table: Any = TABLE, row: int = 5, **options: Any) -> Explanation:
    explainer = Explainer(model, table, n_generated=200, **options)
    return explainer.explain(table.iloc[[row]] if isinstance(table, pd.DataFrame) else table[row])


def assert_same(found: Explanation, wanted: Explanation, tolerance: float = 0.0) -> None:
    """The same explanations, but for digits of probabilities where a model counts in float32."""
    found, wanted = found.to_dict(), wanted.to_dict()
    assert wanted["rules"]
    assert _rounded(found, tolerance) == _rounded(wanted, tolerance)


def _rounded(value: Any, tolerance: float) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(part, tolerance) for key, part in value.items()}
    if isinstance(value, list):
        return [_rounded(part, tolerance) for part in value]
    return pytest.approx(value, rel=10 * tolerance, abs=tolerance) if isinstance(value, float) and tolerance else value


def refuses(*words: str) -> Any:
    """An error about the input that has all these words, in this order."""
    return pytest.raises(InputError, match=r"[\s\S]*".join(map(re.escape, words)))


def fails(*words: str) -> Any:
    """An error about the model that has all these words, in this order."""
    return pytest.raises(ModelError, match=r"[\s\S]*".join(map(re.escape, words)))

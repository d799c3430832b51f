"""Real data: German credit and COMPAS, from the folder that LORMIKA_DATA names."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd
import pytest
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from lormika import Explainer

FOLDER = os.environ.get("LORMIKA_DATA")
pytestmark = pytest.mark.skipif(not FOLDER, reason="needs LORMIKA_DATA, the folder with german.csv and compas.csv")


@pytest.mark.parametrize("name", ["german", "compas"])
def test_rules_of_real_predictions_hold_what_they_say(name):
    X = pd.read_csv(Path(FOLDER) / f"{name}.csv").drop(columns=["decile_score", "score_text"], errors="ignore")
    y = X.pop("class")
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")), remainder="passthrough"
    )
    model = make_pipeline(encode, RandomForestClassifier(30, random_state=0)).fit(X[50:], y[50:])
    explanations = list(Explainer(model, X[50:]).explain_many(X[:8], progress=False))
    assert [e.prediction for e in explanations] == model.predict(X[:8]).tolist()
    for i, explanation in enumerate(explanations):
        assert explanation.current_supporting
        for rule in explanation.rules:
            assert rule.holds(X[i : i + 1])[0] == rule.category.is_current
            assert rule.counts.antecedent == rule.holds(explanation.sample.rows).sum()

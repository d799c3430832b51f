"""Models to explain, and a wrapper that times their own calls."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler


def random_forest(X: pd.DataFrame) -> Pipeline:
    forest = RandomForestClassifier(n_estimators=100, n_jobs=1, random_state=0)
    return make_pipeline(columns(X, "passthrough"), forest)


def logistic_regression(X: pd.DataFrame) -> Pipeline:
    # It takes no gaps, unlike the forest.
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    return make_pipeline(columns(X, numbers), LogisticRegression(max_iter=1000))


def columns(X: pd.DataFrame, numbers: Any) -> ColumnTransformer:
    numeric = X.select_dtypes("number").columns.tolist()
    categorical = [name for name in X if name not in numeric]
    return ColumnTransformer(
        [("categories", OneHotEncoder(handle_unknown="ignore"), categorical), ("numbers", numbers, numeric)]
    )


@dataclass(frozen=True)
class Call:
    rows: int
    seconds: float


class TimedModel:
    """A classifier whose calls are timed."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.classes_ = model.classes_
        self.calls: list[Call] = []

    def predict(self, X: Any) -> np.ndarray:
        return self._timed(self.model.predict, X)

    def predict_proba(self, X: Any) -> np.ndarray:
        return self._timed(self.model.predict_proba, X)

    def _timed(self, method: Any, X: Any) -> np.ndarray:
        start = time.process_time()
        answer = method(X)
        self.calls.append(Call(len(X), time.process_time() - start))
        return answer


class LinearModel:
    """Classes by the greatest of some weighted sums: a model that takes next to no time."""

    def __init__(self, features: int, classes: int = 2) -> None:
        rng = np.random.default_rng(0)
        self.weights = rng.normal(size=(features, classes)) * 2 / np.sqrt(features)
        self.classes_ = np.arange(classes)

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        sums = np.exp(X.to_numpy() @ self.weights)
        return sums / sums.sum(axis=1, keepdims=True)

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        return self.predict_proba(X).argmax(axis=1)

"""Made-up loans with columns of every kind, for the tests of the widget."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from lormika import Explainer, datasets

LABELS = {
    "income": {"label": "Yearly income", "unit": "k€"},
    "job": {"values": {"unemployed": "out of work"}},
}


class Loans:
    """A model, its rows, and their explainer."""

    def __init__(self, names: dict[str, str] | None = None) -> None:
        X, y = datasets.make_loans(400)
        towns = [f"town {number % 250:03}" for number in range(400)]  # more than a list shows
        frame = X[["income", "savings", "missed_payments", "phone"]].assign(job=X["employment"].astype(str), town=towns)
        self._tree = DecisionTreeClassifier(max_depth=6, min_samples_leaf=5, random_state=0)
        self._tree.fit(_encode(frame), y)
        self._names = {new: old for old, new in (names or {}).items()}
        self.rows = frame.rename(columns=names or {})
        self.fault: Exception | None = None
        self.explainer = Explainer(
            self.ask, self.rows, class_names=["accepted", "rejected"], labels=None if names else LABELS
        )

    def ask(self, frame: pd.DataFrame) -> np.ndarray:
        """The model as a function, which fails if it is told to."""
        if self.fault is not None:
            raise self.fault
        return self._tree.predict_proba(_encode(frame.rename(columns=self._names)))


def _encode(frame: pd.DataFrame) -> pd.DataFrame:
    jobs = frame["job"].map({"employed": 0, "self-employed": 1}).fillna(2)
    return frame.drop(columns="town").assign(job=jobs, phone=frame["phone"].astype(float)).astype(float).fillna(-1)

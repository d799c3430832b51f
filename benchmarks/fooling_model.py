"""A model that fools explainers (Slack et al. 2020); it imports nothing of lormika, so that rivals can load it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier

NOISE = 0.3  # standard deviations: the perturbations of the paper's code
COPIES = 10  # perturbed rows for each real one
LEAST_CHANGE = 1e-4


class FoolingModel:
    """Biased where a row looks real, harmless where it looks made up.

    A forest tells real rows from perturbed ones: numbers with Gaussian noise, categories drawn anew, as LIME does it.
    Real-looking rows get a class by the sensitive feature alone, all others by a feature that has nothing to do with
    anything.
    """

    def __init__(self, sensitive: tuple[str, Sequence[object]], innocuous: tuple[str, Sequence[object]]) -> None:
        self._sensitive, self._innocuous = sensitive, innocuous  # feature, and the values for the second class
        self.classes_ = np.array(["no", "yes"])
        self._forest = RandomForestClassifier(n_estimators=100, random_state=0)

    def fit(self, X: pd.DataFrame) -> FoolingModel:
        """Learn what real rows look like; how they are labelled is not learnt."""
        self._numeric = [name for name in X.columns if X[name].dtype.kind in "iuf"]
        numbers = X[self._numeric].to_numpy(dtype=np.float64)  # no pandas objects: older versions cannot read them
        self._medians, self._deviations = np.nanmedian(numbers, axis=0), np.nanstd(numbers, axis=0)
        self._categories = {name: list(X[name].cat.categories) for name in X.columns if name not in self._numeric}
        real = self._matrix(X)
        made = _perturbed(np.tile(real, (COPIES, 1)), len(self._numeric), np.random.default_rng(0))
        self._forest.fit(np.vstack([real, made]), np.repeat([1, 0], [len(real), len(made)]))
        return self

    def looks_real(self, X: pd.DataFrame) -> np.ndarray:
        """Which rows get the biased answer."""
        looks: np.ndarray = self._forest.predict(self._matrix(X)) == 1
        return looks

    def success(self, X: pd.DataFrame) -> tuple[float, float]:
        """Of real rows that it has not seen, and of the same with noise: the share that looks real."""
        real = self._matrix(X)
        made = _perturbed(real, len(self._numeric), np.random.default_rng(1))
        return float(self._forest.predict(real).mean()), float(self._forest.predict(made).mean())

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        """Certain in any case."""
        biased, harmless = (X[name].isin(values).to_numpy() for name, values in (self._sensitive, self._innocuous))
        second = np.where(self.looks_real(X), biased, harmless).astype(np.float64)
        return np.column_stack([1 - second, second])

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        """Class of each row."""
        labels: np.ndarray = self.classes_[self.predict_proba(X).argmax(axis=1)]
        return labels

    def _matrix(self, X: pd.DataFrame) -> np.ndarray:
        """Z-scores of numbers, and positions of categories."""
        numbers = X[self._numeric].to_numpy(dtype=np.float64)
        numbers = np.where(np.isnan(numbers), 0, (numbers - self._medians) / self._deviations)
        codes = [pd.Categorical(X[name], categories=values).codes for name, values in self._categories.items()]
        return np.column_stack([numbers, *codes])


def _perturbed(rows: np.ndarray, n_numbers: int, rng: np.random.Generator) -> np.ndarray:
    """Rows with noise; those that it leaves as they are would only confuse the forest, and are dropped."""
    made = rows.copy()
    made[:, :n_numbers] += rng.normal(0, NOISE, size=(len(rows), n_numbers))
    for f in range(n_numbers, rows.shape[1]):
        made[:, f] = rng.permutation(rows[:, f])
    return made[np.abs(made - rows).sum(axis=1) > LEAST_CHANGE]

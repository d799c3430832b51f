"""Probe: what the evaluation itself asks the model about an instance, besides what explainers ask.

Values come from the background, drawn with a seed that depends only on the instance: every explainer's rules are tested
with the same draws, which none of them knows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lormika.evaluation.setting import Setting
from lormika.stages.background import Background
from lormika.types import UserTable

_SEED = 20_200_102
_DECIMALS = 9  # batches of different sizes differ in the last digits
_SHARES = 11  # least, nine deciles, greatest
_RARE = 0.01  # share of the background below which a category is not tried
_MOST_REAL = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """What the model says about several rows."""

    labels: np.ndarray  # codes of classes
    certainties: np.ndarray  # rows x classes: probabilities, else margins, else 1 and 0


class Probe:
    """Asks the model of a setting, without counting, and draws from its background."""

    def __init__(self, setting: Setting, background: Background) -> None:
        self.background = background
        self.instances = background.schema.encode(setting.instances)
        classes = np.asarray(setting.model.classes_).tolist()
        self._codes = {label: code for code, label in enumerate(classes)}
        self.predictions = [self._codes[label] for label in setting.predictions]
        self._model = setting.model
        self._labels = setting.labels
        self._order: tuple[int, np.ndarray] = (-1, np.empty(0, dtype=np.int64))
        self._real: tuple[np.ndarray, np.ndarray] | None = None
        self._singles: dict[int, frozenset[int]] = {}

    def ask(self, rows: np.ndarray) -> Answers:
        """What the model says about encoded rows; duplicate rows are asked about only once."""
        distinct, places = np.unique(rows, axis=0, return_inverse=True)
        places = places.reshape(-1)
        certainties = self._certainties(self.background.schema.restore(distinct))
        return Answers(certainties.argmax(axis=1)[places], certainties[places])

    def _certainties(self, frame: UserTable) -> np.ndarray:
        certainties: np.ndarray
        if hasattr(self._model, "predict_proba"):
            certainties = np.round(self._model.predict_proba(frame), _DECIMALS)
        elif hasattr(self._model, "decision_function"):
            certainties = np.round(self._model.decision_function(frame), _DECIMALS)
            certainties = np.column_stack([-certainties, certainties]) if certainties.ndim == 1 else certainties
        else:
            codes = [self._codes[label] for label in np.asarray(self._model.predict(frame)).tolist()]
            certainties = np.eye(len(self._codes))[codes]
        return certainties

    def column(self, feature: int) -> np.ndarray:
        """Encoded values of a feature, of all rows of the background."""
        values: np.ndarray = self.background.distinct[feature][self.background.codes[feature]]
        return values

    def generator(self, instance: int) -> np.random.Generator:
        """Random numbers for an instance, the same for every rule and explainer."""
        return np.random.default_rng([_SEED, instance])

    def draw(self, instance: int, among: np.ndarray, count: int) -> np.ndarray:
        """Numbers of up to `count` rows of the background, of those marked."""
        if self._order[0] != instance:
            self._order = instance, self.generator(instance).permutation(len(self.background))
        order = self._order[1]
        rows: np.ndarray = order[among[order]][:count]
        return rows

    def turning_singles(self, instance: int) -> frozenset[int]:
        """Features that alone turn the instance, at a decile, the least, the greatest, or a category not rare."""
        if instance not in self._singles:
            features, values = self._single_changes(instance)
            rows = np.tile(self.instances[instance], (len(features), 1))
            rows[np.arange(len(features)), features] = values
            turned = self.ask(rows).labels != self.predictions[instance] if len(rows) else np.empty(0, dtype=bool)
            self._singles[instance] = frozenset(features[turned].tolist())
        return self._singles[instance]

    def _single_changes(self, instance: int) -> tuple[np.ndarray, np.ndarray]:
        changes = [
            (f, value)
            for f in range(len(self.background.schema))
            for value in self._values_to_try(f).tolist()
            if value != self.instances[instance, f]
        ]
        return np.array([f for f, _ in changes], dtype=np.int64), np.array([value for _, value in changes])

    def _values_to_try(self, feature: int) -> np.ndarray:
        if self.background.schema.features[feature].is_numeric:
            return np.unique(self.background.quantiles(feature, _SHARES))
        observed = self.background.observed(feature)
        counts = np.bincount(self.background.codes[feature], minlength=len(observed))[: len(observed)]
        frequent: np.ndarray = observed[counts >= _RARE * len(self.background)]
        return frequent

    def real_rows(self, label: int) -> np.ndarray:
        """Encoded rows of the background, of a fixed draw, that the model gives this label."""
        if self._real is None:
            order = np.random.default_rng(_SEED).permutation(len(self.background))[:_MOST_REAL]
            labels = np.array([self._codes[name] for name in np.asarray(self._labels)[order].tolist()])
            self._real = self.background.rows(order), labels
        rows, labels = self._real
        real: np.ndarray = rows[labels == label]
        return real

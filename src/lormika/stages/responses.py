"""Responses: what the model said about edits of an instance, and how its certainty of its prediction changed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lormika.models import Answer

_LEAST = 1e-4  # probabilities are kept so far from 0 and 1, where log-odds have no end


@dataclass(frozen=True, slots=True, eq=False)
class Responses:
    """The model's answers about several rows, compared with its answer about the instance."""

    prediction: int
    labels: np.ndarray
    certainty: np.ndarray  # of the prediction, in the model's unit
    change: np.ndarray  # of the log-odds (or the margin) of the prediction, from the instance on
    likelihood: np.ndarray  # of each row's own label; NaN if the model gives no probabilities

    @property
    def turned(self) -> np.ndarray:
        """Which rows have another label than the instance."""
        turned: np.ndarray = self.labels != self.prediction
        return turned

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, rows: slice) -> Responses:
        arrays = (self.labels, self.certainty, self.change, self.likelihood)
        return Responses(self.prediction, *(array[rows] for array in arrays))


def respond(instance: Answer, answer: Answer) -> Responses:
    """Compare answers about some rows with the one about the instance."""
    prediction = int(instance.labels[0])
    change = _evidence(answer, prediction) - _evidence(instance, prediction)[0]
    likelihood = np.full(len(answer.labels), np.nan)
    if answer.probabilities is not None:
        likelihood = answer.probabilities[np.arange(len(likelihood)), answer.labels]
    return Responses(prediction, answer.labels, answer.certainty(prediction), change, likelihood)


def _evidence(answer: Answer, c: int) -> np.ndarray:
    """Log-odds of a class, or its margin."""
    certainty = answer.certainty(c)
    if answer.unit == "margin":
        return certainty
    clipped = certainty.clip(_LEAST, 1 - _LEAST)
    odds: np.ndarray = np.log(clipped / (1 - clipped))
    return odds

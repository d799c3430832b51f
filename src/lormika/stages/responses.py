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

    @property
    def turned(self) -> np.ndarray:
        """Which rows have another label than the instance."""
        turned: np.ndarray = self.labels != self.prediction
        return turned

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, rows: slice) -> Responses:
        return Responses(self.prediction, self.labels[rows], self.certainty[rows], self.change[rows])


def respond(instance: Answer, answer: Answer) -> Responses:
    """Compare answers about some rows with the one about the instance."""
    prediction = int(instance.labels[0])
    change = _evidence(answer, prediction) - _evidence(instance, prediction)[0]
    return Responses(prediction, answer.labels, answer.certainty(prediction), change)


def _evidence(answer: Answer, c: int) -> np.ndarray:
    """Log-odds of a class, or its margin."""
    certainty = answer.certainty(c)
    if answer.unit == "margin":
        return certainty
    clipped = certainty.clip(_LEAST, 1 - _LEAST)
    odds: np.ndarray = np.log(clipped / (1 - clipped))
    return odds

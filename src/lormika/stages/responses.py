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
    shift: np.ndarray  # of the value of a regressor, whichever band it is in; of other models, the change
    values: np.ndarray | None = None  # of a regressor

    @property
    def turned(self) -> np.ndarray:
        """Which rows have another label than the instance."""
        turned: np.ndarray = self.labels != self.prediction
        return turned

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, rows: slice) -> Responses:
        labels, certainty, change = self.labels[rows], self.certainty[rows], self.change[rows]
        values = None if self.values is None else self.values[rows]
        return Responses(self.prediction, labels, certainty, change, self.likelihood[rows], self.shift[rows], values)

    def and_then(self, others: Responses, order: np.ndarray) -> Responses:
        """These and others, in this order."""

        def both(own: np.ndarray, other: np.ndarray) -> np.ndarray:
            joined: np.ndarray = np.append(own, other)[order]
            return joined

        return Responses(
            self.prediction,
            both(self.labels, others.labels),
            both(self.certainty, others.certainty),
            both(self.change, others.change),
            both(self.likelihood, others.likelihood),
            both(self.shift, others.shift),
            None if self.values is None or others.values is None else both(self.values, others.values),
        )

    def value(self, row: int) -> float | None:
        """The value of a regressor; None: the model is a classifier."""
        return None if self.values is None else float(self.values[row])


def mean(values: np.ndarray) -> float:
    """Of few values; numpy's own takes several times as long."""
    return float(np.add.reduce(values)) / len(values)


def respond(instance: Answer, answer: Answer) -> Responses:
    """Compare answers about some rows with the one about the instance."""
    prediction = int(instance.labels[0])
    change = _evidence(answer, prediction) - _evidence(instance, prediction)[0]
    likelihood = np.full(len(answer.labels), np.nan)
    if answer.probabilities is not None:
        places = np.arange(len(likelihood)) * answer.probabilities.shape[1] + answer.labels
        likelihood = answer.probabilities.take(places)  # quicker than by row and label
    shift = change
    if answer.values is not None and instance.values is not None and answer.bands is not None:
        shift = answer.bands.in_spreads(answer.values - instance.values[0])
    return Responses(prediction, answer.labels, answer.certainty(prediction), change, likelihood, shift, answer.values)


def _evidence(answer: Answer, c: int) -> np.ndarray:
    """Log-odds of a class, or its margin, or how far a value lies inside its band."""
    certainty = answer.certainty(c)
    if answer.unit in ("margin", "value"):
        return certainty
    clipped = certainty.clip(_LEAST, 1 - _LEAST)
    odds: np.ndarray = np.log(clipped / (1 - clipped))
    return odds

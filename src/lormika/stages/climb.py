"""Climb: one permitted change after the other, each the one that lowers the model's certainty most.

For instances that no change of a few features turns. The first step also tries the best value of every feature at once,
which is the best there is for models that add up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lormika.models import Answer
from lormika.stages.asking import Asking
from lormika.stages.background import Background
from lormika.stages.goal import Goal
from lormika.stages.responses import respond
from lormika.stages.trials import Trials
from lormika.stages.turning import Way, steps_of

_MOST_STEPS = 8
_MOST_BETWEEN = 24  # values of a number


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """Single changes that are permitted as far as their own values say, the nearest first."""

    features: np.ndarray
    values: np.ndarray
    certainty: np.ndarray

    @classmethod
    def of(cls, background: Background, trials: Trials, ends: list[Way], goal: Goal) -> Moves:
        """Those of the single edits, fine ones aside, and of further ways of one feature."""
        edits, kept = trials.edits, trials.edits.is_coarse
        if goal.permission is not None:
            kept = kept & goal.permission.values(edits.feature, edits.value)
        last = [way.features[0] for way in ends]
        features = np.concatenate([edits.feature[kept], np.array(last, dtype=edits.feature.dtype)])
        values = np.concatenate([edits.value[kept], [way.row[f] for way, f in zip(ends, last, strict=True)]])
        certainty = np.concatenate([trials.singles.certainty[kept], [way.certainty for way in ends]])
        order = np.argsort(steps_of(background, edits.instance, features, values), kind="stable")
        return cls(features[order], values[order], certainty[order])

    def each(self, row: np.ndarray) -> np.ndarray:
        """Copies of a row, each with one of the changes."""
        rows = np.repeat(row[None], len(self.features), axis=0)
        rows[np.arange(len(rows)), self.features] = self.values
        return rows

    def best(self, row: np.ndarray, below: float) -> np.ndarray:
        """A copy of a row with the best change of every feature that has one below a certainty."""
        row = row.copy()
        # The best comes last; of equal ones, the nearest.
        for place in np.lexsort((-np.arange(len(self.certainty)), -self.certainty)).tolist():
            if self.certainty[place] < below:
                row[self.features[place]] = self.values[place]
        return row


def retreat(
    background: Background, instance: np.ndarray, own: Answer, row: np.ndarray, goal: Goal
) -> Asking[np.ndarray]:
    """A row that leads to the goal with its numbers as near to the instance's as was seen to do, the farthest first."""
    differs = np.flatnonzero(background.numeric & (row != instance) & ~np.isnan(instance))
    far = steps_of(background, instance, differs, row[differs])
    for f in differs[np.argsort(-far, kind="stable")].tolist():
        values = _between(background.observed(f), float(instance[f]), float(row[f]))
        rows = np.repeat(row[None], len(values), axis=0)
        rows[:, f] = values
        rows = rows[goal.permits(rows)]
        if len(rows):
            hits = goal.reached(respond(own, (yield rows)))
            row = rows[int(hits.argmax())] if hits.any() else row
    return row


def _between(observed: np.ndarray, start: float, end: float) -> np.ndarray:
    """Some observed values between two, the nearest to the start first."""
    inside = observed[(min(start, end) < observed) & (observed < max(start, end))]
    chosen = (
        inside[np.unique(np.linspace(0, len(inside) - 1, _MOST_BETWEEN).astype(np.intp))] if len(inside) else inside
    )
    ordered: np.ndarray = chosen if start < end else chosen[::-1]
    return ordered


def climb(instance: np.ndarray, own: Answer, moves: Moves, goal: Goal) -> Asking[np.ndarray]:
    """The row that leads to the goal, by one change after the other, else by all at once; no row, if none was found."""
    row, certainty = instance, float(own.certainty(int(own.labels[0]))[0])
    together, spare = moves.best(instance, certainty)[None], np.empty((0, len(instance)))
    for _ in range(_MOST_STEPS):
        steps = moves.each(row)
        steps = steps[(steps != row).any(axis=1) & goal.permits(steps)]
        together = together[goal.permits(together)]
        if len(steps) + len(together) == 0:
            break
        answers = respond(own, (yield np.concatenate([steps, together])))
        hits = goal.reached(answers)
        if hits[: len(steps)].any():
            places = np.flatnonzero(hits[: len(steps)])
            turned: np.ndarray = steps[places[answers.certainty[places].argmin()]]
            return turned[None]
        if hits.any():
            spare = together
        if len(steps) == 0:
            break
        best = int(answers.certainty[: len(steps)].argmin())
        if answers.certainty[best] >= certainty:
            break
        row, certainty, together = steps[best], float(answers.certainty[best]), together[:0]
    return spare

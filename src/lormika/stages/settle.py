"""Settle: how far the ranges of a way that changes several features extend.

Only a few of their values were tried. So the model is asked about a grid: starting at the values that turned the
prediction, away from the instance, to the ends of the background. The ranges end where less than nine tenths of the
grid turn.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from itertools import product

import numpy as np

from lormika.models import Answer
from lormika.rule import Condition
from lormika.stages.asking import Asking
from lormika.stages.goal import Goal
from lormika.stages.responses import Responses, mean, respond
from lormika.stages.spread import Spread
from lormika.stages.targets import origin
from lormika.stages.turning import Way, permitted_range

# Shares of the background's rows beyond the first value: dense at first, where most ranges end.
_STEPS = (0.0, 1 / 16, 1 / 8, 1 / 3, 2 / 3, 0.97)
_MOST_POINTS = 216  # of a grid
_ENOUGH = 0.9


def settle(spread: Spread, instance: np.ndarray, own: Answer, ways: Sequence[Way], goal: Goal) -> Asking[list[Way]]:
    """The same ways, each as wide as a grid of further values allows."""
    grids = [_Grid(spread, instance, way, goal) for way in ways]
    answers = respond(own, (yield np.concatenate([grid.rows() for grid in grids])))
    settled, start = [], 0
    for grid in grids:
        end = start + len(grid.points)
        settled.append(grid.widest(answers, slice(start, end)))
        start = end
    return settled


class _Grid:
    """Values of each changed feature, and all their combinations (or those along the axes, if there are too many)."""

    def __init__(self, spread: Spread, instance: np.ndarray, way: Way, goal: Goal) -> None:
        self._background, self._instance, self._way, self._goal = spread.background, instance, way, goal
        steps = [_steps(spread, f, instance[f], way.row[f]) for f in way.features]
        self._values = [_permitted(goal, f, values) for f, values in zip(way.features, steps, strict=True)]
        self._to_the_end = [len(own) == len(all_) for own, all_ in zip(self._values, steps, strict=True)]
        sizes = [len(values) for values in self._values]
        if math.prod(sizes) <= _MOST_POINTS:
            self.points = list(product(*map(range, sizes)))
        else:
            axes = [tuple(s if i == j else 0 for j in range(len(sizes))) for i, n in enumerate(sizes) for s in range(n)]
            together = [tuple(min(step, n - 1) for n in sizes) for step in range(max(sizes))]
            self.points = list(dict.fromkeys(axes + together))

    def rows(self) -> np.ndarray:
        """Encoded rows of all points."""
        rows = np.repeat(self._way.row[None], len(self.points), axis=0)
        for place, f in enumerate(self._way.features):
            rows[:, f] = self._values[place][[point[place] for point in self.points]]
        return rows

    def widest(self, answers: Responses, own: slice) -> Way:
        """The largest box, starting at the first values, that mostly leads to the way's class."""
        points = np.array(self.points)
        hits = (answers.labels[own] == self._way.label) & self._goal.reached(answers[own])
        ranges = [range(len(values)) for values in self._values]
        up_to = [[points[:, place] <= step for step in steps] for place, steps in enumerate(ranges)]
        best, most, box = tuple(0 for _ in ranges), 1, (points == 0).all(axis=1)
        for corner, sides in zip(product(*ranges), product(*up_to), strict=True):
            inside = reduce(operator.and_, sides)
            size = int(np.count_nonzero(inside))
            if size > most and np.count_nonzero(inside & hits) / size >= _ENOUGH:
                best, most, box = corner, size, inside
        return replace(
            self._way,
            conditions=tuple(self._condition(place, corner) for place, corner in enumerate(best)),
            asked=most,
            turned=int(np.count_nonzero(hits & box)),
            after=mean(answers.certainty[own][box]),
        )

    def _condition(self, place: int, corner: int) -> Condition:
        f, values = self._way.features[place], self._values[place]
        start, end, own = float(values[0]), float(values[corner]), float(self._instance[f])
        upwards = start >= origin(self._background, f, own)
        is_last = corner == len(values) - 1 and self._to_the_end[place]
        if is_last and self._background.schema.features[f].is_numeric:
            end = math.inf if upwards else -math.inf
        return permitted_range(self._background, self._goal, f, self._way.row, end, own)


def _permitted(goal: Goal, f: int, values: np.ndarray) -> np.ndarray:
    """Values that a number may change to; all of them, if nothing limits it."""
    permission = goal.permission
    if permission is None:
        return values
    inside: np.ndarray = values[(permission.low[f] <= values) & (values <= permission.high[f])]
    return inside


def _steps(spread: Spread, f: int, before: float, start: float) -> np.ndarray:
    """Values from the first one, away from the instance's, chosen by the shares of rows beyond it."""
    if not spread.background.schema.features[f].is_numeric:
        return np.array([start])
    observed, below = spread.background.observed(f), spread.below_of(f)
    if start < origin(spread.background, f, before):
        rows = int(below[np.searchsorted(observed, start, side="right") - 1])
        ranks = [max(1, rows - int(share * rows)) for share in _STEPS[1:]]
    else:
        first = int(np.searchsorted(observed, start))
        done = int(below[first - 1]) if first else 0
        rows = int(below[-1]) - done
        ranks = [min(done + 1 + int(share * rows), int(below[-1])) for share in _STEPS[1:]]
    values = observed[np.searchsorted(below, np.maximum(ranks, 1))]
    return np.array(list(dict.fromkeys([start, *values.tolist()])))

"""Goal: what a change of the instance must lead to, and what it may change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lormika.stages.edits import Edits
from lormika.stages.permission import Permission
from lormika.stages.responses import Responses


@dataclass(frozen=True, slots=True, eq=False)
class Goal:
    """By default, any change to any other class."""

    target: int | None = None  # the class to reach; None: any other than the prediction
    at_least: float | None = None  # the least probability of the class that is reached
    permission: Permission | None = None  # None: everything may change
    costs: np.ndarray | None = None  # of a change of each feature; None: all cost the same

    def reached(self, responses: Responses) -> np.ndarray:
        """Which answers are what the change must lead to."""
        hits = responses.turned
        if self.target is not None:
            hits = hits & (responses.labels == self.target)
        return hits if self.at_least is None else hits & (responses.likelihood >= self.at_least)

    def cost(self, features: Sequence[int]) -> float:
        """What it costs to change some features."""
        return float(len(features) if self.costs is None else self.costs[list(features)].sum())

    def permits(self, rows: np.ndarray) -> np.ndarray:
        """Which changed rows are permitted."""
        return np.ones(len(rows), dtype=bool) if self.permission is None else self.permission(rows)

    def permits_edits(self, edits: Edits, singles: np.ndarray) -> np.ndarray:
        """Which changes are permitted, each made of some single edits (changes x edits)."""
        if self.permission is None:
            return np.ones(len(singles), dtype=bool)
        values = self.permission.values(edits.feature, edits.value)
        permitted: np.ndarray = values[singles].all(axis=1)
        bound = self.permission.bound
        if bound.any():
            touched = bound[edits.feature][singles].any(axis=1)
            permitted[~touched] &= self.permission.permits_now
            places = np.flatnonzero(permitted & touched)
            permitted[places] = self.permission(edits.rows(singles[places]))
        return permitted


ANY = Goal()

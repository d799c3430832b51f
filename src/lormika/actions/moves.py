"""Candidates: actions made from changes that turned single rows.

A value that turned one row is the smallest that did; to turn many, it may have to go further. So changes of the same
features in the same directions are taken together, and numbers are proposed at shares of them, from the last that any
row needed to the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from lormika.stages.background import Background
from lormika.stages.targets import origin

MOST_FEATURES = 2
"""That an action changes."""

_SINGLE = (1, 1 / 2, 3 / 4, 1 / 4, 7 / 8, 3 / 8, 5 / 8, 1 / 8, 0)  # shares, in the order in which they are proposed
_PAIR = (1, 1 / 2, 3 / 4, 1 / 4, 0)  # of each of two numbers


@dataclass(frozen=True, slots=True)
class Move:
    """A feature of a row that was turned, before and after, encoded."""

    feature: int
    before: float
    after: float


@dataclass(frozen=True, slots=True, order=True)
class Action:
    """Features, ascending, and the encoded values that they are given. Actions are ordered by these."""

    size: int
    features: tuple[int, ...]
    values: tuple[float, ...]

    @classmethod
    def of(cls, steps: Iterable[tuple[int, float]]) -> Action:
        """From features and their values, in any order."""
        features, values = zip(*sorted(steps), strict=True)
        return cls(len(features), features, values)


@dataclass(frozen=True, eq=False)
class Actions:
    """Several actions as arrays, which are applied to a row at once."""

    actions: tuple[Action, ...]

    def __len__(self) -> int:
        return len(self.actions)

    @cached_property
    def features(self) -> np.ndarray:
        """Of each action (actions x 2); an action of one feature has it twice."""
        return np.array([(a.features[0], a.features[-1]) for a in self.actions], dtype=np.intp).reshape(-1, 2)

    @cached_property
    def values(self) -> np.ndarray:
        """What the features are set to (actions x 2)."""
        return np.array([(a.values[0], a.values[-1]) for a in self.actions]).reshape(-1, 2)

    def applied(self, row: np.ndarray) -> np.ndarray:
        """An encoded row after each action (actions x features)."""
        rows = np.repeat(row[None], len(self), axis=0)
        places = np.arange(len(self))
        for features, values in zip(self.features.T, self.values.T, strict=True):
            rows[places, features] = values
        return rows


def propose(background: Background, changes: Iterable[Sequence[Move]], most: int) -> list[Action]:
    """Actions from changes that turned rows, those that occurred most often first; at most so many."""
    groups: dict[tuple[tuple[int, float], ...], list[list[float]]] = {}
    for moves in changes:
        if 0 < len(moves) <= MOST_FEATURES:
            ordered = sorted(moves, key=lambda move: move.feature)
            key = tuple((move.feature, _way(background, move)) for move in ordered)
            groups.setdefault(key, []).append([move.after for move in ordered])
    ranked = sorted(groups, key=lambda key: (-len(groups[key]), key))
    proposed = [
        (rank, place, action)
        for place, key in enumerate(ranked)
        for rank, action in enumerate(_of_group(background, key, np.array(groups[key])))
    ]
    return list(dict.fromkeys(action for _, _, action in sorted(proposed)))[:most]


def _way(background: Background, move: Move) -> float:
    """What changes have in common: the category that a feature is given, or the direction in which a number goes."""
    if not background.numeric[move.feature]:
        return move.after
    return 1.0 if move.after >= origin(background, move.feature, move.before) else -1.0


def _of_group(background: Background, key: tuple[tuple[int, float], ...], values: np.ndarray) -> list[Action]:
    """Actions of changes that have everything but their numbers in common, the furthest first."""
    shares = _SINGLE if len(key) == 1 else _PAIR
    levels = [
        _levels(values[:, place], way, shares) if background.numeric[feature] else [way]
        for place, (feature, way) in enumerate(key)
    ]
    features = [feature for feature, _ in key]
    chosen = sorted(product(*(range(len(some)) for some in levels)), key=lambda places: (sum(places), places))
    actions = [
        Action.of(zip(features, (some[at] for some, at in zip(levels, places, strict=True)), strict=True))
        for places in chosen
    ]
    return list(dict.fromkeys(actions))


def _levels(values: np.ndarray, way: float, shares: Sequence[float]) -> list[float]:
    """Numbers up to which these shares of the changes went.

    >>> _levels(np.array([5.0, 1.0, 3.0]), 1.0, [1, 0.5, 0.9]), _levels(np.array([5.0, 1.0, 3.0]), -1.0, [1, 0.5])
    ([5.0, 3.0], [1.0, 3.0])
    """
    outward = np.sort(values)[:: int(way)]
    return list(dict.fromkeys(float(outward[int(share * (len(outward) - 1) + 0.5)]) for share in shares))


def pair_up(singles: Sequence[Action]) -> list[Action]:
    """All pairs of actions of one feature each, all of which differ; pairs of the first ones first."""
    places = sorted((i + j, i, j) for j in range(len(singles)) for i in range(j))
    return [Action.of([(one.features[0], one.values[0]) for one in (singles[i], singles[j])]) for _, i, j in places]

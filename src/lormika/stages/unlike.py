"""Unlike: a way to turn the prediction, made from the nearest real row that the model labels differently.

It is the last resort, for an instance that no change of a few features turns: as many of the row's values as possible
are reset to the instance's, until every remaining one is needed.
"""

from __future__ import annotations

import numpy as np

from lormika.models import Answer
from lormika.stages.asking import Asking
from lormika.stages.background import Background
from lormika.stages.goal import Goal
from lormika.stages.responses import respond
from lormika.stages.turning import Way, exact_way

_MOST_ROWS = 10
_MOST_APPROACHED = 50  # where constraints leave only a part of each row


def unlike_way(
    background: Background, instance: np.ndarray, own: Answer, unlike: np.ndarray, goal: Goal
) -> Asking[Way | None]:
    """Find a way from encoded rows with other labels, the nearest first; None if there are no such rows."""
    rows = _permitted(background, instance, unlike, goal)
    if len(rows) == 0:
        return None
    units = _units(instance, goal)
    # The nearest row is most likely still unlike: what it needs is asked about at once.
    first = _each_restored(rows[0], instance, units)
    answers = respond(own, (yield np.concatenate([rows, first])))
    hits = goal.reached(answers)
    if not hits[: len(rows)].any():
        return None
    at = int(hits[: len(rows)].argmax())
    row, there = rows[at], answers
    back = answers[len(rows) :] if at == 0 else respond(own, (yield _each_restored(row, instance, units)))
    while (spare := goal.reached(back) & goal.permits(_each_restored(row, instance, units))).any():
        # Those with the most to spare first; and as many of them at once as keep the row turned.
        differing = _differing(row, instance, units)
        ranked = np.argsort(np.where(spare, back.change, np.inf), kind="stable")[: spare.sum()]
        order = [differing[place] for place in ranked.tolist()]
        steps = _restored_so_far(row, instance, order)
        there = respond(own, (yield steps))
        kept = goal.reached(there) & goal.permits(steps)
        if not kept.any():  # a model that does not repeat itself
            return None
        at = int(np.flatnonzero(kept)[-1])
        row = steps[at]
        if not _differs(row, instance).any():  # the same
            return None
        back = respond(own, (yield _each_restored(row, instance, units)))
    features = tuple(np.flatnonzero(_differs(row, instance)).tolist())
    return exact_way(background, instance, features, row, there, at, goal)


def _permitted(background: Background, instance: np.ndarray, unlike: np.ndarray, goal: Goal) -> np.ndarray:
    """The nearest rows, as far as they may be reached: with the instance's values where these may not change."""
    rows, most = np.where(np.isnan(unlike), instance, unlike), _MOST_ROWS  # missing is no target
    if goal.permission is not None:
        rows = goal.permission.approach(rows, background.observed)
        rows, most = rows[_differs(rows, instance).any(axis=1) & goal.permits(rows)], _MOST_APPROACHED
    nearest = rows[:most]
    return nearest[_differs(nearest, instance).any(axis=1)]


def _units(instance: np.ndarray, goal: Goal) -> list[list[int]]:
    """Features that change together; most of them by themselves."""
    together = [] if goal.permission is None else list(map(list, goal.permission.units))
    bound = {f for unit in together for f in unit}
    return [[f] for f in range(len(instance)) if f not in bound] + together


def _differing(row: np.ndarray, instance: np.ndarray, units: list[list[int]]) -> list[list[int]]:
    differs = _differs(row, instance).tolist()
    return [unit for unit in units if any(differs[f] for f in unit)]


def _each_restored(row: np.ndarray, instance: np.ndarray, units: list[list[int]]) -> np.ndarray:
    """Copies of a row, each with one unit as the instance has it."""
    differing = _differing(row, instance, units)
    copies = np.repeat(row[None], len(differing), axis=0)
    places = np.repeat(np.arange(len(differing)), list(map(len, differing)))
    features = np.array([f for unit in differing for f in unit], dtype=np.intp)
    copies[places, features] = instance[features]
    return copies


def _restored_so_far(row: np.ndarray, instance: np.ndarray, units: list[list[int]]) -> np.ndarray:
    """Copies of a row: with the first unit as the instance has it, with the first two, and so on."""
    copies = np.repeat(row[None], len(units), axis=0)
    for place, unit in enumerate(units):
        copies[place:, unit] = instance[unit]
    return copies


def _differs(row: np.ndarray, instance: np.ndarray) -> np.ndarray:
    differs: np.ndarray = ~((row == instance) | (np.isnan(row) & np.isnan(instance)))
    return differs

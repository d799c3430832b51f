"""Unlike: a way to turn the prediction, made from the nearest real row that the model labels differently.

It is the last resort, for an instance that no change of a few features turns: as many of the row's values as possible
are reset to the instance's, until every remaining one is needed.
"""

from __future__ import annotations

import numpy as np

from lormika.models import Answer
from lormika.stages.asking import Asking
from lormika.stages.background import Background
from lormika.stages.responses import respond
from lormika.stages.turning import Way, exact_way

_MOST_ROWS = 10


def unlike_way(background: Background, instance: np.ndarray, own: Answer, unlike: np.ndarray) -> Asking[Way | None]:
    """Find a way from encoded rows with other labels, the nearest first; None if there are no such rows."""
    rows = np.where(np.isnan(unlike[:_MOST_ROWS]), instance, unlike[:_MOST_ROWS])  # missing is no target
    rows = rows[_differs(rows, instance).any(axis=1)]
    if len(rows) == 0:
        return None
    # The nearest row is most likely still unlike: what it needs is asked about at once.
    answers = respond(own, (yield np.concatenate([rows, _each_restored(rows[0], instance)])))
    if not answers.turned[: len(rows)].any():
        return None
    chosen = int(answers.turned[: len(rows)].argmax())
    row, there, at = rows[chosen], answers, chosen
    back = answers[len(rows) :] if chosen == 0 else respond(own, (yield _each_restored(row, instance)))
    while back.turned.any():
        # Those with the most to spare first; and as many of them at once as keep the row turned.
        differing = np.flatnonzero(_differs(row, instance))
        order = differing[np.argsort(np.where(back.turned, back.change, np.inf), kind="stable")][: back.turned.sum()]
        steps = np.vstack([_restored(row, instance, order[None, : size + 1]) for size in range(len(order))])
        there = respond(own, (yield steps))
        if not there.turned.any():  # a model that does not repeat itself
            return None
        at = int(np.flatnonzero(there.turned)[-1])
        row = steps[at]
        if not _differs(row, instance).any():  # the same
            return None
        back = respond(own, (yield _each_restored(row, instance)))
    return exact_way(background, instance, tuple(np.flatnonzero(_differs(row, instance)).tolist()), row, there, at)


def _each_restored(row: np.ndarray, instance: np.ndarray) -> np.ndarray:
    """Copies of a row, each with one feature as the instance has it."""
    return _restored(row, instance, np.flatnonzero(_differs(row, instance))[:, None])


def _differs(row: np.ndarray, instance: np.ndarray) -> np.ndarray:
    differs: np.ndarray = ~((row == instance) | (np.isnan(row) & np.isnan(instance)))
    return differs


def _restored(row: np.ndarray, instance: np.ndarray, features: np.ndarray) -> np.ndarray:
    """Copies of a row, each with some features (copies x features) as the instance has them."""
    rows = np.repeat(row[None], len(features), axis=0)
    for column in features.T:
        rows[np.arange(len(rows)), column] = instance[column]
    return rows

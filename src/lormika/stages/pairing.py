"""Pairing: two features at a time, at values further away than those that all pairs were tried at.

Most pairs that turn a prediction do so near the values of similar rows. Where none does, it may take a value that no
similar row has, and that does nothing by itself.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lormika.stages.asking import Asking
from lormika.stages.background import Background
from lormika.stages.edits import Edits
from lormika.stages.goal import Goal
from lormika.stages.responses import Responses, respond
from lormika.stages.targets import origin
from lormika.stages.trials import Trials
from lormika.stages.turning import Way, exact_way, single_hits

_MOST_ROWS = 1000
_CATEGORIES = 3  # of one feature


def wide_pairs(background: Background, edits: Edits, singles: Responses, effects: np.ndarray, goal: Goal) -> np.ndarray:
    """Single edits of two features each (pairs x 2): all pairs of those with the largest effects, as many as fit."""
    ranked = sorted(set(edits.feature.tolist()), key=lambda f: (-effects[f], f))
    chosen: list[int] = []
    pairs = 0
    for own in (_apart(background, edits, singles, f, goal) for f in ranked):
        pairs += len(own) * len(chosen)
        if pairs > _MOST_ROWS:
            break
        chosen += own
    apart = np.array(sorted(chosen), dtype=np.intp)
    features = edits.feature[apart]  # ascending
    return apart[np.column_stack(np.nonzero(features[:, None] < features))]


def _apart(background: Background, edits: Edits, singles: Responses, f: int, goal: Goal) -> list[int]:
    """Permitted single edits of a feature: to its ends, and to where the model is least certain."""
    first, last = np.searchsorted(edits.feature, [f, f + 1]).tolist()
    own = first + np.flatnonzero(edits.is_coarse[first:last])
    if goal.permission is not None:
        own = own[goal.permission.values(edits.feature[own], edits.value[own])]
    lowest = own[np.argsort(singles.change[own], kind="stable")].tolist()
    if not background.numeric[f]:
        return sorted(lowest[:_CATEGORIES])
    return sorted({*own[:1].tolist(), *own[-1:].tolist(), *lowest[:1]})


def draw_in(background: Background, trials: Trials, ways: Sequence[Way], goal: Goal) -> Asking[list[Way]]:
    """Ways of two features with smaller changes: of the first, then of the other, to the nearest value that does.

    Values that lead to the goal alone are none of theirs; ways of more features stay as they are.
    """
    edits, own, drawn = trials.edits, trials.own, list(ways)
    kept = edits.is_coarse & ~single_hits(edits, trials.singles, goal)
    for turn in range(2):
        tried = [_nearer(background, edits, kept, way, way.features[turn]) for way in drawn]
        rows = np.concatenate(tried)
        if len(rows) == 0:
            continue
        answers = respond(own, (yield rows))
        hits = goal.reached(answers) & goal.permits(rows)
        start = 0
        for place, some in enumerate(tried):
            nearest = np.flatnonzero(hits[start : start + len(some)])[:1].tolist()
            for at in nearest:
                features = drawn[place].features
                drawn[place] = exact_way(background, edits.instance, features, some[at], answers, start + at, goal)
            start += len(some)
    return drawn


def _nearer(background: Background, edits: Edits, kept: np.ndarray, way: Way, f: int) -> np.ndarray:
    """The row of a way with those values of a number instead that lie between the instance's and its own, in order."""
    asked, end = edits.value[(edits.feature == f) & kept], way.row[f]
    start = origin(background, f, float(edits.instance[f]))
    if not background.numeric[f] or len(way.features) != 2:
        values = asked[:0]
    elif end >= start:
        values = asked[(asked >= start) & (asked < end)]
    else:
        values = asked[(asked < start) & (asked > end)][::-1]
    rows = np.repeat(way.row[None], len(values), axis=0)
    rows[:, f] = values
    return rows

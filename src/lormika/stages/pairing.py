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
from lormika.stages.turning import Way, exact_way, single_hits, steps_of

_MOST_ROWS = 1000
_CATEGORIES = 3  # of one feature
_MOST_NEARER = 15  # values of one feature


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
    """Ways of two features with smaller changes: of all that values asked about allow, the nearest that does.

    Values that lead to the goal alone are none of theirs; ways of more features stay as they are.
    """
    edits, drawn = trials.edits, list(ways)
    kept = ~single_hits(edits, trials.singles, goal)
    tried = [_nearer_rows(background, edits, kept, way) for way in drawn]
    rows = np.concatenate(tried)
    if len(rows) == 0:
        return drawn
    answers = respond(trials.own, (yield rows))
    hits = goal.reached(answers) & goal.permits(rows)
    start = 0
    for place, (way, some) in enumerate(zip(ways, tried, strict=True)):
        reaching = np.flatnonzero(hits[start : start + len(some)])
        if len(reaching):
            at = int(reaching[_distances(background, edits.instance, way, some[reaching]).argmin()])
            drawn[place] = exact_way(background, edits.instance, way.features, some[at], answers, start + at, goal)
        start += len(some)
    return drawn


def _nearer_rows(background: Background, edits: Edits, kept: np.ndarray, way: Way) -> np.ndarray:
    """The row of a way with nearer values of one of its features, or of both; of the first, the nearest come first."""
    if len(way.features) != 2:
        return np.empty((0, len(way.row)))
    first, second = (np.append(_nearer(background, edits, kept, way, f), way.row[f]) for f in way.features)
    rows = np.repeat(way.row[None], len(first) * len(second), axis=0)
    rows[:, way.features[0]], rows[:, way.features[1]] = np.repeat(first, len(second)), np.tile(second, len(first))
    return rows[:-1]  # the last is the way itself


def _nearer(background: Background, edits: Edits, kept: np.ndarray, way: Way, f: int) -> np.ndarray:
    """Some values of a number that lie between the instance's and that of a way, the nearest first."""
    if not background.numeric[f]:
        return np.empty(0)
    start, end = origin(background, f, float(edits.instance[f])), float(way.row[f])
    asked: np.ndarray = edits.value[(edits.feature == f) & kept]
    values: np.ndarray = (
        asked[(start <= asked) & (asked < end)] if start <= end else asked[(end < asked) & (asked < start)][::-1]
    )
    if len(values) > _MOST_NEARER:
        values = values[np.arange(_MOST_NEARER) * (len(values) - 1) // (_MOST_NEARER - 1)]
    return values


def _distances(background: Background, instance: np.ndarray, way: Way, rows: np.ndarray) -> np.ndarray:
    """How far the features of a way move in each row, squared."""
    first, second = (steps_of(background, instance, np.full(len(rows), f), rows[:, f]) for f in way.features)
    total: np.ndarray = first + second
    return total

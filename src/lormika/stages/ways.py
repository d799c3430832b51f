"""Ways: changes of the instance that lead to a goal, found among the edits that were tried.

The model is asked again only where these do not do: about the last permitted values, linked features, three features at
a time, further values of ranges, and, as a last resort, rows made from the nearest real one with another label, and by
one change after the other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from lormika.models import Answer
from lormika.stages.asking import Asking
from lormika.stages.background import Background
from lormika.stages.climb import Moves, climb, retreat
from lormika.stages.edits import LEVELS, Edits
from lormika.stages.goal import ANY, Goal
from lormika.stages.pairing import draw_in, wide_pairs
from lormika.stages.responses import Responses, respond
from lormika.stages.settle import settle
from lormika.stages.spread import Spread
from lormika.stages.trials import Trials
from lormika.stages.turning import Combinations, TargetPairs, Way, combined_ways, exact_way, single_hits, single_ways
from lormika.stages.unlike import unlike_way

_MOST_TRIPLES = 500  # rows
_FEW = 3  # features that are changed at once where all is tried
_STRONGEST = 40  # pairs that triples extend
_ENOUGH = 3  # ways that change one feature: then others need not be wide
_SETTLED = 5  # ways that are widened
_MOST_LINKED = 50  # rows of a group of linked features


Resort = Literal["row", "changes"]
"""The last one: a real row with another label, or single changes, one after the other."""


@dataclass(frozen=True, slots=True, eq=False)
class Ways:
    """The ways that were seen to lead to a goal."""

    ways: tuple[Way, ...]
    resort: Resort | None = None  # what the only way was made from, since none of up to three features was found
    best: tuple[np.ndarray, float] | None = None  # without a way, the best permitted edit: its row, and the certainty


def find_ways(spread: Spread, trials: Trials, goal: Goal) -> Asking[Ways]:
    """Ways to a goal, from the edits that were tried; the model is asked again only where these do not do."""
    background, edits, own = spread.background, trials.edits, trials.own
    if goal.target == int(own.labels[0]):  # it is there already
        return Ways(())
    hits = single_hits(edits, trials.singles, goal)
    reducible = hits[trials.pairs.singles[:, :, 0]] | hits[trials.pairs.singles[:, :, 1]]
    ways = single_ways(background, edits, trials.singles, goal)
    ends = yield from _try_ends(background, trials, {way.features[0] for way in ways}, goal)
    ways += [way for way, is_hit in ends if is_hit]
    ways += combined_ways(background, edits, trials.pairs, reducible, trials.effects, goal)
    if goal.permission is not None and goal.permission.units:
        ways += yield from _unit_ways(background, trials, ways, goal)
    if not ways:
        ways = yield from _further_ways(background, trials, goal)
        if trials.asked_pairs < trials.wanted_pairs:
            ways = yield from _irreducible(background, edits.instance, own, ways, goal)
    if ways:
        ways = yield from _settled(spread, trials, ways, goal)
        return Ways(tuple(ways))
    return (yield from _last_ways(background, trials, goal, ends))


def _last_ways(background: Background, trials: Trials, goal: Goal, ends: list[tuple[Way, bool]]) -> Asking[Ways]:
    """A way that changes as many features as it takes; without one, how far the best permitted edit goes."""
    unlike = trials.unlike
    rows = unlike.rows if goal.target is None else unlike.rows[unlike.labels == goal.target]
    way = yield from unlike_way(background, trials.edits.instance, trials.own, rows, goal)
    if way is None or len(way.features) > _FEW:  # a real row differs in many features, of which fewer may do
        climbed = yield from _climbed(background, trials, goal, ends)
        if climbed is not None and (way is None or len(climbed.features) < len(way.features)):
            return Ways((climbed,), "changes")
    if way is not None:
        return Ways((way,), "row")
    return Ways((), best=None if goal is ANY else _best(trials, goal, ends))


def _climbed(background: Background, trials: Trials, goal: Goal, ends: list[tuple[Way, bool]]) -> Asking[Way | None]:
    """A way of one change after the other, each of which is needed, with numbers as near as was seen to do."""
    instance, own = trials.edits.instance, trials.own
    rows = yield from climb(instance, own, Moves.of(background, trials, [way for way, _ in ends], goal), goal)
    way = yield from unlike_way(background, instance, own, rows, goal)
    if way is None:
        return None
    row = yield from retreat(background, instance, own, way.row, goal)
    answers = respond(own, (yield row[None]))
    return exact_way(background, instance, way.features, row, answers, 0, goal)


def _try_ends(background: Background, trials: Trials, done: set[int], goal: Goal) -> Asking[list[tuple[Way, bool]]]:
    """Ways to the last permitted values of numbers whose limits were not asked about; and whether they lead there."""
    if goal.permission is None or len(done) >= _ENOUGH:
        return []
    edits, instance = trials.edits, trials.edits.instance
    coarse = edits.is_coarse
    rows, features = [], []
    for f in range(len(instance)):
        if f in done or not background.schema.features[f].is_numeric:
            continue
        asked = edits.value[(edits.feature == f) & coarse]
        for value in goal.permission.ends(f, background.observed(f)):
            if value not in asked and value != instance[f]:
                row = instance.copy()
                row[f] = value
                rows.append(row)
                features.append(f)
    encoded = np.array(rows).reshape(len(rows), len(instance))
    permitted = np.flatnonzero(goal.permits(encoded))
    if len(permitted) == 0:
        return []
    answers = respond(trials.own, (yield encoded[permitted]))
    hits = goal.reached(answers)
    return [
        (exact_way(background, instance, (features[place],), rows[place], answers, at, goal), bool(hits[at]))
        for at, place in enumerate(permitted.tolist())
    ]


def _best(trials: Trials, goal: Goal, ends: list[tuple[Way, bool]]) -> tuple[np.ndarray, float] | None:
    """The permitted edit that lowers the certainty most, of singles, pairs and ends: its row, and the certainty."""
    edits, pairs = trials.edits, trials.pairs
    before = float(trials.own.certainty(int(trials.own.labels[0]))[0])
    moves = [(way.row, way.certainty) for way, _ in ends]
    for singles, responses, asked in (
        (np.arange(len(edits))[:, None], trials.singles, np.arange(len(edits))),
        (pairs.singles.reshape(-1, pairs.singles.shape[-1]), pairs.responses, pairs.asked.ravel()),
    ):
        places = np.flatnonzero(goal.permits_edits(edits, singles))
        if len(places):
            place = places[responses.certainty[asked[places]].argmin()]
            moves.append((edits.row(singles[place]), float(responses.certainty[asked[place]])))
    return min((move for move in moves if move[1] < before), key=lambda move: move[1], default=None)


def _unit_ways(background: Background, trials: Trials, ways: list[Way], goal: Goal) -> Asking[list[Way]]:
    """Ways that change features which cannot change one by one, and nothing else."""
    instance, found = trials.edits.instance, {way.features for way in ways}
    rows = [row for row in _unit_rows(trials, goal) if _changed(row, instance) not in found]
    if not rows:
        return []
    answers = respond(trials.own, (yield np.array(rows)))
    fresh: dict[tuple[int, ...], Way] = {}
    for at in np.flatnonzero(goal.reached(answers)).tolist():
        features = _changed(rows[at], instance)
        if features not in fresh:
            fresh[features] = exact_way(background, instance, features, rows[at], answers, at, goal)
    return list(fresh.values())


def _unit_rows(trials: Trials, goal: Goal) -> Iterator[np.ndarray]:
    """Permitted rows: linked features as the nearest rows with other labels have them, one-hot ones with another 1."""
    assert goal.permission is not None
    instance = trials.edits.instance
    for group in map(list, goal.permission.linked):
        changed = np.repeat(instance[None], len(trials.unlike.rows), axis=0)
        changed[:, group] = trials.unlike.rows[:, group]
        differs = ~np.isnan(changed[:, group]).any(axis=1) & (changed[:, group] != instance[group]).all(axis=1)
        changed = changed[differs]
        kept = dict.fromkeys(map(bytes, changed[goal.permits(changed)]))
        yield from map(np.frombuffer, list(kept)[:_MOST_LINKED])
    for one in goal.permission.one_of:
        switched = one.switches(instance)
        yield from switched[goal.permits(switched)]


def _changed(row: np.ndarray, instance: np.ndarray) -> tuple[int, ...]:
    return tuple(np.flatnonzero(~((row == instance) | (np.isnan(row) & np.isnan(instance)))).tolist())


def _settled(spread: Spread, trials: Trials, ways: list[Way], goal: Goal) -> Asking[list[Way]]:
    """Draw in and widen the first ways that change several features, unless enough of them change one."""
    several = [way for way in ways if len(way.features) > 1]
    if len(ways) - len(several) >= _ENOUGH or not several:
        return ways
    chosen, rest = several[:_SETTLED], several[_SETTLED:]
    chosen = yield from draw_in(spread.background, trials, chosen, goal)
    wide = [way for way in chosen if _has_number(spread.background, way) and not _is_tested(way, goal)]
    if wide:
        settled = iter((yield from settle(spread, trials.edits.instance, trials.own, wide, goal)))
        chosen = [next(settled) if way in wide else way for way in chosen]
    return [way for way in ways if len(way.features) == 1] + chosen + rest


def _is_tested(way: Way, goal: Goal) -> bool:
    """Whether a test of whole rows speaks of its features: then only its own values are known to be permitted."""
    return goal.permission is not None and not goal.permission.tested.isdisjoint(way.features)


def _has_number(background: Background, way: Way) -> bool:
    return any(background.schema.features[f].is_numeric for f in way.features)


def _further_ways(background: Background, trials: Trials, goal: Goal) -> Asking[list[Way]]:
    """Ways of two features at values further away, else of three features, where nothing smaller leads to the goal."""
    edits, pairs = trials.edits, trials.pairs
    far = edits.far[pairs.targets][:, None]
    fresh = (far != pairs.singles).any(axis=2).all(axis=1)  # neither the nearest values nor the typical ones
    far = far[fresh]
    wide = wide_pairs(background, edits, trials.singles, trials.effects, goal)[:, None]
    triples = _triples(edits, trials.singles, pairs, goal)
    levels = edits.levels[triples].transpose(0, 2, 1)
    rows = np.concatenate([edits.rows(far[:, 0]), edits.rows(wide[:, 0]), edits.rows(levels.reshape(-1, 3))])
    if len(rows) == 0 or not goal.permits(rows).any():
        return []
    answers = respond(trials.own, (yield rows))
    places = np.arange(len(rows))
    for singles, asked in (
        (far, places[: len(far)].reshape(-1, 1)),
        (wide, places[len(far) : len(far) + len(wide)].reshape(-1, 1)),
        (levels, places[len(far) + len(wide) :].reshape(-1, LEVELS)),
    ):
        combinations = Combinations(singles, asked, answers)
        irreducible = np.zeros(asked.shape, dtype=bool)  # nothing smaller turned
        ways = combined_ways(background, edits, combinations, irreducible, trials.effects, goal)
        if ways:
            return ways if singles is levels else (yield from draw_in(background, trials, ways, goal))
    return []


def _irreducible(
    background: Background, instance: np.ndarray, own: Answer, ways: list[Way], goal: Goal
) -> Asking[list[Way]]:
    """Ways of three features, or of two of them if these also turn it, since not all pairs were asked about."""
    places = [(way, f) for way in ways for f in way.features if len(way.features) > 2]
    if not places:
        return ways
    rows = np.array([np.where(np.arange(len(instance)) == f, instance, way.row) for way, f in places])
    answers = respond(own, (yield rows))
    hits = goal.reached(answers) & goal.permits(rows)
    irreducible: dict[tuple[int, ...], Way] = {}
    for way in ways:
        shorter = [i for i, (longer, _) in enumerate(places) if longer is way and hits[i]]
        if shorter:
            at = min(shorter, key=lambda i: float(answers.change[i]))
            features = tuple(f for f in way.features if f != places[at][1])
            way = exact_way(background, instance, features, rows[at], answers, at, goal)
        irreducible.setdefault(way.features, way)
    return list(irreducible.values())


def _triples(edits: Edits, singles: Responses, pairs: TargetPairs, goal: Goal) -> np.ndarray:
    """Targets of three features: the pairs that lower the certainty most, each with a third one, by the sum of both."""
    is_open, most = _open_targets(edits, goal), _MOST_TRIPLES // LEVELS
    lowest = pairs.responses.change[pairs.asked].min(axis=1)
    alone = singles.change[edits.levels].min(axis=1)
    open_pairs = np.flatnonzero(is_open[pairs.targets].all(axis=1))
    strongest = open_pairs[np.argsort(lowest[open_pairs], kind="stable")[:_STRONGEST]]
    own, third = pairs.targets[strongest], edits.pairable[is_open[edits.pairable]]
    features = edits.target_feature
    differs = (features[own[:, :1]] != features[third]) & (features[own[:, 1:]] != features[third])
    sums = np.where(differs, lowest[strongest, None] + alone[third], np.inf)
    i, j = np.nonzero(differs & (sums <= _at_rank(sums, 3 * most)))  # each triple can be made in three ways
    triples, totals = np.sort(np.column_stack([own[i], third[j]]), axis=1), sums[i, j]
    keys = triples @ (len(features) ** 2, len(features), 1)
    order = np.lexsort((totals, keys))  # a triple counts by its least sum
    order = order[np.diff(keys[order], prepend=-1) > 0]
    chosen = order[np.argsort(totals[order], kind="stable")][:most]
    return triples[chosen[np.argsort(keys[chosen])]]


def _at_rank(values: np.ndarray, rank: int) -> float:
    """The value at a rank, counted from 1; none is greater, if there are fewer."""
    return float(np.partition(values, rank - 1, axis=None)[rank - 1]) if rank <= values.size else math.inf


def _open_targets(edits: Edits, goal: Goal) -> np.ndarray:
    """Which targets a feature may change to, at one of their levels, whatever else changes."""
    if goal.permission is None:
        return np.ones(len(edits.target_item), dtype=bool)
    permitted = goal.permission.values(edits.feature, edits.value)
    is_open: np.ndarray = permitted[edits.levels].any(axis=1)
    return is_open

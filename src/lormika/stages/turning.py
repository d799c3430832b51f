"""Turning: changes of the instance that turn its prediction, each as wide as was observed.

A change is *irreducible* if no part of it turns the prediction. It becomes a *way*: ranges and categories that start at
the values which turned it, and extend away from the instance as long as all values asked about turned it to the same
class.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from lormika.rule import Condition, Equals, Interval
from lormika.stages.background import Background
from lormika.stages.edits import LEVELS, Edits, Pairs
from lormika.stages.goal import Goal
from lormika.stages.responses import Responses, mean
from lormika.stages.targets import origin

_MOST_SETS = 12  # sets of several features for which a way is made


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """A way to turn the prediction."""

    features: tuple[int, ...]  # that change, ascending
    conditions: tuple[Condition, ...]
    row: np.ndarray  # the smallest change, encoded
    label: int
    certainty: float  # of the prediction, after that change
    likelihood: float  # of the new label, after that change; NaN: the model gives no probabilities
    asked: int  # rows inside the conditions
    turned: int  # those of them that the model labels so
    after: float  # mean certainty of the prediction over them
    value: float | None  # of a regressor, after that change


def single_ways(background: Background, edits: Edits, singles: Responses, goal: Goal) -> list[Way]:
    """Ways that change one feature: the nearest one; of equally near ones, the one with the least certainty."""
    ways = []
    hits, steps = single_hits(edits, singles, goal), squared_steps(background, edits)
    for f in dict.fromkeys(edits.feature[hits].tolist()):  # ascending
        own = np.flatnonzero(edits.feature == f)
        if background.schema.features[f].is_numeric:
            start = origin(background, f, float(edits.instance[f]))
            sides = (own[edits.value[own] >= start], own[edits.value[own] < start][::-1])
            runs = [_run(singles, side, hits) for side in sides if hits[side].any()]
            run = min(runs, key=lambda run: (steps[run[0]], singles.change[run[0]]))
            ways.append(_number_way(background, edits, singles, f, run, goal))
        else:
            i = min(own[hits[own]].tolist(), key=lambda i: (singles.change[i], i))
            value = float(edits.value[i])
            ways.append(_way(edits, singles, between(background, f, value, value, value), np.array([i])))
    return ways


def single_hits(edits: Edits, singles: Responses, goal: Goal) -> np.ndarray:
    """Which single edits are permitted, and lead to the goal."""
    hits = goal.reached(singles)
    if goal.permission is not None:
        places = np.flatnonzero(hits)
        hits = hits.copy()
        hits[places] = goal.permits_edits(edits, places[:, None])
    return hits


def _run(singles: Responses, outward: np.ndarray, hits: np.ndarray) -> np.ndarray:
    """Single edits in one direction: from the first that leads to the goal, as long as they lead to its class."""
    first = int(hits[outward].argmax())
    same = hits[outward[first:]] & (singles.labels[outward[first:]] == singles.labels[outward[first]])
    run: np.ndarray = outward[first:][: len(same) if same.all() else int((~same).argmax())]
    return run


def _number_way(background: Background, edits: Edits, singles: Responses, f: int, run: np.ndarray, goal: Goal) -> Way:
    observed = background.observed(f)
    start, end, own = float(edits.value[run[0]]), float(edits.value[run[-1]]), float(edits.instance[f])
    upwards = start >= origin(background, f, own)
    if upwards and end >= observed[-1]:
        end = math.inf
    elif not upwards and end <= observed[0]:
        end = -math.inf
    condition = permitted_range(background, goal, f, edits.row(run[:1]), end, own)
    assert isinstance(condition, Interval)
    inside = (condition.low <= edits.value[run]) & (edits.value[run] < condition.high)
    return _way(edits, singles, condition, run[inside])


def _way(edits: Edits, singles: Responses, condition: Condition, run: np.ndarray) -> Way:
    first = int(run[0])
    return Way(
        (int(edits.feature[first]),),
        (condition,),
        edits.row(run[:1]),
        int(singles.labels[first]),
        float(singles.certainty[first]),
        float(singles.likelihood[first]),
        len(run),
        len(run),
        mean(singles.certainty[run]),
        singles.value(first),
    )


def permitted_range(background: Background, goal: Goal, f: int, row: np.ndarray, end: float, own: float) -> Condition:
    """A category, or the range from a row's value to an end, as far as all of it is permitted."""
    start, permission = float(row[f]), goal.permission
    feature = background.schema.features[f]
    if permission is None or not feature.is_numeric or not permission.is_limited(f):
        return between(background, f, start, end, own)
    end = permission.extent(f, row, end, background.observed(f))
    if f in permission.tested and not feature.integer:  # not rounded: who knows what is between two values
        return Interval(feature.name, min(start, end), math.nextafter(max(start, end), math.inf), False)
    condition = between(background, f, start, end, own)
    assert isinstance(condition, Interval)
    low, high = float(permission.low[f]), math.nextafter(float(permission.high[f]), math.inf)
    return replace(condition, low=max(condition.low, low), high=min(condition.high, high))


# Several features at a time


@dataclass(frozen=True, slots=True, eq=False)
class Combinations:
    """Single edits of different features, tried together, each combination at one or several levels."""

    singles: np.ndarray  # combinations x levels x features
    asked: np.ndarray  # combinations x levels: which row of the responses; equal levels share one
    responses: Responses

    def fresh(self) -> np.ndarray:
        """Which levels are not the same as the one before (combinations x levels)."""
        fresh = np.ones(self.asked.shape, dtype=bool)
        fresh[:, 1:] = self.asked[:, 1:] != self.asked[:, :-1]
        return fresh

    def __len__(self) -> int:
        return len(self.singles)


@dataclass(frozen=True, slots=True, eq=False)
class TargetPairs(Combinations):
    """Pairs of targets, tried at their levels."""

    targets: np.ndarray  # pairs x 2


def combine_pairs(edits: Edits, pairs: Pairs, responses: Responses) -> TargetPairs:
    """Pairs by their targets; a level that is the same as the previous one shares its answer."""
    starts = np.flatnonzero(pairs.level == 0)
    asked = np.empty((len(starts), LEVELS), dtype=np.intp)
    asked[:, 0] = starts
    number = np.cumsum(pairs.level == 0) - 1
    for level in range(1, LEVELS):
        asked[:, level] = asked[:, level - 1]
        own = np.flatnonzero(pairs.level == level)
        asked[number[own], level] = own
    targets = pairs.targets.take(starts, axis=0)
    return TargetPairs(edits.levels.take(targets, axis=0).transpose(0, 2, 1), asked, responses, targets)


def combined_ways(
    background: Background,
    edits: Edits,
    combinations: Combinations,
    reducible: np.ndarray,
    effects: np.ndarray,
    goal: Goal,
) -> list[Way]:
    """Ways that change several features, one for each set of them, for the sets whose features matter most.

    `reducible` (combinations x levels) says where a part of the change leads to the goal already.
    """
    hits = goal.reached(combinations.responses)[combinations.asked] & ~reducible
    if goal.permission is not None:
        places = np.nonzero(hits)
        hits[places] = goal.permits_edits(edits, combinations.singles[places])
    chosen = _nearest_of_each_set(background, edits, combinations, hits, effects)
    return [_combined_way(background, edits, combinations, i, int(hits[i].argmax()), goal) for i in chosen]


def _nearest_of_each_set(
    background: Background, edits: Edits, combinations: Combinations, turned: np.ndarray, effects: np.ndarray
) -> list[int]:
    """The nearest turning change of each set of features, ordered by effect."""
    hits = np.flatnonzero(turned.any(axis=1))
    if len(hits) == 0:
        return []
    first = turned[hits].argmax(axis=1)
    singles = combinations.singles[hits, first]
    distance = squared_steps(background, edits)[singles].sum(axis=1)
    change = combinations.responses.change[combinations.asked[hits, first]]
    order = np.lexsort((*singles.T[::-1], change, distance))  # single edits are in the order of their values
    sets: dict[tuple[int, ...], int] = {}
    for features, hit in zip(map(tuple, edits.feature[singles[order]].tolist()), hits[order].tolist(), strict=True):
        sets.setdefault(features, hit)
    least = effects[np.array(list(sets))].min(axis=1).tolist()
    ranked = sorted(zip(sets, least, strict=True), key=lambda one: (-one[1], one[0]))
    return [sets[features] for features, _ in ranked[:_MOST_SETS]]


def squared_steps(background: Background, edits: Edits) -> np.ndarray:
    """How far each single edit takes the instance, in the distance measure used between rows."""
    return steps_of(background, edits.instance, edits.feature, edits.value)


def steps_of(background: Background, instance: np.ndarray, features: np.ndarray, values: np.ndarray) -> np.ndarray:
    """How far an instance moves, squared, if each of these features alone changes to the value beside it."""
    scales, before = background.scales[features], instance[features]
    before = np.where(np.isnan(before), background.means[features], before)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        steps = np.where(scales > 0, ((values - before) / scales) ** 2, 0.0)
    return np.where(background.numeric[features], steps, 2.0)


def _combined_way(
    background: Background, edits: Edits, combinations: Combinations, i: int, level: int, goal: Goal
) -> Way:
    singles, asked = combinations.singles[i, level], int(combinations.asked[i, level])
    row = edits.row(singles)
    features = tuple(int(f) for f in edits.feature[singles])
    return exact_way(background, edits.instance, features, row, combinations.responses, asked, goal)


def exact_way(
    background: Background,
    instance: np.ndarray,
    features: tuple[int, ...],
    row: np.ndarray,
    answers: Responses,
    at: int,
    goal: Goal,
) -> Way:
    """A way with exactly these values, the only ones observed; `settle` may widen it."""
    certainty = float(answers.certainty[at])
    conditions = tuple(permitted_range(background, goal, f, row, float(row[f]), float(instance[f])) for f in features)
    likelihood = float(answers.likelihood[at])
    value = answers.value(at)
    return Way(features, conditions, row, int(answers.labels[at]), certainty, likelihood, 1, 1, certainty, value)


def between(background: Background, f: int, start: float, end: float, own: float) -> Condition:
    """A category, or a range of numbers from one value to the other, in any direction.

    Its ends are rounded where that lets in neither another observed value nor the instance's own.
    """
    feature = background.schema.features[f]
    if not feature.is_numeric:
        category = feature.decode(start)
        assert category is not None
        return Equals(feature.name, category)
    low, high = sorted((start, end))
    if background.is_whole(f) and _are_small_and_whole(low, high, own):
        return Interval(feature.name, low - 0.5, high + 0.5, True)
    observed = background.observed(f)
    below, above = observed[: np.searchsorted(observed, low)], observed[np.searchsorted(observed, high, "right") :]
    below_limit = max([-math.inf, *below[-1:].tolist(), *([own] if own < low else [])])
    above_limit = min([math.inf, *above[:1].tolist(), *([own] if own > high else [])])
    low, high = _shortened(low, below_limit), _shortened(high, above_limit)
    return Interval(feature.name, low, math.nextafter(high, math.inf), False)  # intervals end before their end


def _are_small_and_whole(*numbers: float) -> bool:
    """Whether numbers (or none, or no limit at all) are whole, and halves between them can be told apart."""
    return all(not math.isfinite(number) or (number == round(number) and abs(number) < _HALVES) for number in numbers)


def _shortened(value: float, limit: float) -> float:
    """An end of a range with fewer digits, if it has endless ones: moved a bit towards a limit, without reaching it.

    >>> _shortened(0.12345678912, 0.1), _shortened(0.12345678912, 0.13)
    (0.123456, 0.123457)
    >>> _shortened(30570.97, 0.0), _shortened(29.099999999999998, 28.1)
    (30570.97, 29.099999999999998)
    """
    if not math.isfinite(value) or value == 0 or float(f"{value:.{_MOST_WRITTEN}g}") == value:
        return value
    digits = _DIGITS - 1 - math.floor(math.log10(abs(value)))
    if abs(digits) > _MOST_DIGITS:
        return value
    scale = 10.0**digits
    if limit < value:
        rounded = math.floor(value * scale) / scale
        return rounded if limit < rounded <= value else value
    rounded = math.ceil(value * scale) / scale
    return rounded if value <= rounded < limit else value


_DIGITS, _MOST_WRITTEN, _MOST_DIGITS = 6, 9, 300
_HALVES = 2.0**51

"""Rules of any explainer as rules of this library, so that the same code measures them all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from lormika import frames
from lormika.frames.feature import Feature
from lormika.frames.values import Scalar
from lormika.rule import Category, Condition, Counts, Equals, Interval, Missing, Rule
from lormika.stages.background import Background
from lormika.stages.edits import smallest_edit as edit
from lormika.types import JsonObject, UserTable

_NO_COUNTS = Counts(0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Among:
    """One of several categories: LORE also has conditions on which category it is not.

    >>> str(Among("purpose", ("car", "repairs")))
    'purpose is one of car, repairs'
    """

    feature: str
    values: tuple[Scalar, ...]

    def holds(self, column: frames.ColumnReader) -> np.ndarray:
        """Which values of a column are among them."""
        members = set(self.values)
        return np.fromiter((value in members for value in column.objects()), dtype=bool)

    def __str__(self) -> str:
        return f"{self.feature} is one of {', '.join(map(str, self.values))}"


@dataclass(frozen=True, slots=True)
class OrMissing:
    """A condition that also holds for missing values: a rival got another value for them, for which it holds.

    >>> str(OrMissing(Interval("income", 20, math.inf)))
    'income ≥ 20 or missing'
    """

    condition: Interval | Equals | Among

    @property
    def feature(self) -> str:
        """Its name."""
        return self.condition.feature

    def holds(self, column: frames.ColumnReader) -> np.ndarray:
        """Which values of a column satisfy it."""
        mask: np.ndarray = self.condition.holds(column) | Missing(self.feature).holds(column)
        return mask

    def __str__(self) -> str:
        return f"{self.condition} or missing"


AnyCondition = Condition | Among | OrMissing


def read_rule(form: JsonObject, background: Background, filled: np.ndarray, classes: Sequence[Scalar]) -> Rule:
    """A rule from a rival's neutral form, with all conditions on one feature combined.

    `filled` are the values that the rival got for missing ones.
    """
    by_feature: dict[str, list[JsonObject]] = {}
    for condition in form["conditions"]:
        by_feature.setdefault(condition["feature"], []).append(condition)
    conditions = [_condition(background, filled, feature, parts) for feature, parts in by_feature.items()]
    return Rule(tuple(conditions), classes[form["consequent"]], _NO_COUNTS, math.nan)


def _condition(background: Background, filled: np.ndarray, name: str, parts: Sequence[JsonObject]) -> Condition:
    f = background.schema.index(name)
    feature = background.schema.features[f]
    condition: Interval | Equals | Among
    if feature.categories is None:
        low = max((_after(part["above"]) for part in parts if part["above"] is not None), default=-math.inf)
        high = min((_after(part["up_to"]) for part in parts if part["up_to"] is not None), default=math.inf)
        condition, of_missing = Interval(name, low, high, feature.integer), low <= filled[f] < high
    else:
        codes = set(range(len(feature.categories) + 1))  # the last one stands for a missing value
        for part in parts:
            codes = codes & {part["is"]} if "is" in part else codes - {part["is_not"]}
        of_missing = len(feature.categories) in codes
        values = tuple(feature.categories[code] for code in sorted(codes - {len(feature.categories)}))
        condition = Equals(name, values[0]) if len(values) == 1 else Among(name, values)
    has_missing = bool(np.isnan(background.distinct[f][-1]))
    # Rules take any condition that can tell for which rows it holds.
    return cast(Condition, OrMissing(condition) if of_missing and has_missing else condition)


def _after(value: float) -> float:
    """The next number: intervals here include their lower end, not their upper one; for rivals it is the opposite."""
    return math.nextafter(value, math.inf)


def with_category(rule: Rule, x: UserTable, prediction: Scalar) -> Rule:
    """The rule with what it says about an instance, a frame of one row."""
    current, supporting = bool(rule.holds(x)[0]), rule.consequent == prediction
    category = next(kind for kind in Category if (kind.is_current, kind.is_supporting) == (current, supporting))
    return replace(rule, category=category)


def smallest_edit(rule: Rule, background: Background, instance: np.ndarray) -> np.ndarray | None:
    """The encoded instance, changed just enough to make all conditions true; None if nothing can satisfy them.

    This uses the code of this library's own re-runs. The ends of a rival's intervals need not be values of the data;
    where no such value lies in an interval, its middle is taken.
    """
    settled = [_settled(condition, background, instance) for condition in rule.conditions]
    conditions = [condition for condition in settled if condition is not None]
    if len(conditions) < len(settled):
        return None
    inside = np.zeros((1, len(instance)))
    for condition in conditions:
        if isinstance(condition, Interval):
            f = background.schema.index(condition.feature)
            inside[0, f] = _middle(condition)
    return edit(background, inside, instance, conditions)


def _settled(condition: AnyCondition, background: Background, instance: np.ndarray) -> Condition | None:
    """A condition that `edits` knows: of several categories, the instance's own, otherwise the most common one."""
    if isinstance(condition, OrMissing):
        is_missing = bool(np.isnan(instance[background.schema.index(condition.feature)]))
        settled = None if is_missing else _settled(condition.condition, background, instance)
        return settled or Missing(condition.feature)
    if isinstance(condition, Interval):
        return condition if condition.low < condition.high else None
    if not isinstance(condition, Among):
        return condition
    if not condition.values:
        return None
    f = background.schema.index(condition.feature)
    feature = background.schema.features[f]
    own = feature.decode(instance[f])
    if own in condition.values:
        return Equals(condition.feature, own)
    counts = dict(zip(background.distinct[f].tolist(), np.bincount(background.codes[f]).tolist(), strict=True))
    return Equals(condition.feature, max(condition.values, key=lambda value: counts.get(feature.positions[value], 0)))


def fulfils(condition: AnyCondition, values: np.ndarray, feature: Feature) -> np.ndarray:
    """Which encoded values of a feature satisfy a condition on it."""
    mask: np.ndarray
    match condition:
        case Interval():
            mask = (condition.low <= values) & ((values < condition.high) | (condition.high == math.inf))
        case Equals():
            mask = values == feature.positions.get(condition.value, -1)
        case Among():
            mask = np.isin(values, [feature.positions[value] for value in condition.values])
        case Missing():
            mask = np.isnan(values)
        case OrMissing():
            mask = fulfils(condition.condition, values, feature) | np.isnan(values)
        case _:
            raise TypeError(f"{condition!r} is no condition")
    return mask


def values_inside(condition: AnyCondition, feature: Feature) -> np.ndarray:
    """Encoded values that satisfy a condition which no value of the data satisfies; none if nothing can."""
    match condition:
        case Interval() if condition.low < condition.high:
            return np.array([_middle(condition)])
        case Equals() if condition.value in feature.positions:
            return np.array([float(feature.positions[condition.value])])
        case Among():
            return np.array([float(feature.positions[value]) for value in condition.values])
        case OrMissing():
            return values_inside(condition.condition, feature)
    return np.empty(0)


def _middle(interval: Interval) -> float:
    if math.isinf(interval.low):
        return math.nextafter(interval.high, -math.inf)
    return interval.low if math.isinf(interval.high) else (interval.low + interval.high) / 2

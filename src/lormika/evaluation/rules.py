"""Rules of any explainer as rules of this library, so that the same code measures all."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from lormika import frames
from lormika.background import Background
from lormika.rerun import edit
from lormika.rule import Category, Condition, Counts, Equals, Interval, Rule
from lormika.values import Scalar

_NO_COUNTS = Counts(0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Among:
    """One of several categories: LORE also says which one it is not.

    >>> str(Among("purpose", ("car", "repairs")))
    'purpose is one of car, repairs'
    """

    feature: str
    values: tuple[Scalar, ...]

    def holds(self, column: frames.ColumnReader) -> np.ndarray:
        """Which values of a column are among them."""
        wanted = set(self.values)
        return np.fromiter((value in wanted for value in column.objects()), dtype=bool)

    def __str__(self) -> str:
        return f"{self.feature} is one of {', '.join(map(str, self.values))}"


def read_rule(told: Mapping[str, Any], background: Background, classes: Sequence[Scalar]) -> Rule:
    """A rule from a rival's neutral form, with all conditions on one feature put together."""
    by_feature: dict[str, list[Mapping[str, Any]]] = {}
    for condition in told["conditions"]:
        by_feature.setdefault(condition["feature"], []).append(condition)
    conditions = [_condition(background, feature, parts) for feature, parts in by_feature.items()]
    return Rule(tuple(conditions), classes[told["consequent"]], _NO_COUNTS, math.nan)


def _condition(background: Background, name: str, parts: Sequence[Mapping[str, Any]]) -> Condition:
    feature = background.schema.features[background.schema.index(name)]
    if feature.categories is None:
        low = max((_after(part["above"]) for part in parts if part["above"] is not None), default=-math.inf)
        high = min((_after(part["up_to"]) for part in parts if part["up_to"] is not None), default=math.inf)
        return Interval(name, low, high, feature.integer)
    left = set(range(len(feature.categories)))
    for part in parts:
        left = left & {part["is"]} if "is" in part else left - {part["is_not"]}
    values = tuple(feature.categories[code] for code in sorted(left))
    # Rules take any condition that can tell for which rows it holds.
    return Equals(name, values[0]) if len(values) == 1 else cast(Condition, Among(name, values))


def _after(value: float) -> float:
    """The next number: intervals here include their lower end, and not their upper one; with rivals it is opposite."""
    return math.nextafter(value, math.inf)


def with_category(rule: Rule, x: Any, prediction: Scalar) -> Rule:
    """The rule with what it says about an instance, a frame of one row."""
    kinds = list(Category)
    current, supporting = bool(rule.holds(x)[0]), rule.consequent == prediction
    category = kinds[2 * (not current) + (not supporting)]
    return Rule(
        rule.conditions, rule.consequent, rule.counts, rule.score, rule.p_value, category, rule.real, rule.rerun
    )


def smallest_edit(rule: Rule, background: Background, instance: np.ndarray) -> np.ndarray | None:
    """The encoded instance, changed as little as makes all conditions true; None: nothing can satisfy them.

    This is the code of this library's own re-runs. Where no value of the data lies in an interval of a rival, whose
    ends are not made of such values, its middle is taken.
    """
    known = [_settled(condition, background, instance) for condition in rule.conditions]
    conditions = [condition for condition in known if condition is not None]
    if len(conditions) < len(known):
        return None
    inside = np.zeros((1, len(instance)))
    for condition in conditions:
        if isinstance(condition, Interval):
            f = background.schema.index(condition.feature)
            inside[0, f] = _middle(condition)
    return edit(background, inside, instance, conditions)


def _settled(condition: Any, background: Background, instance: np.ndarray) -> Condition | None:
    """A condition that `edit` knows: of several categories, the instance's own, else the commonest."""
    if isinstance(condition, Interval):
        return condition if condition.low < condition.high else None
    if not isinstance(condition, Among):
        return cast(Condition, condition)
    if not condition.values:
        return None
    f = background.schema.index(condition.feature)
    feature = background.schema.features[f]
    own = feature.decode(instance[f])
    if own in condition.values:
        return Equals(condition.feature, own)
    counts = dict(zip(background.distinct[f].tolist(), np.bincount(background.codes[f]).tolist(), strict=True))
    return Equals(condition.feature, max(condition.values, key=lambda value: counts.get(feature.positions[value], 0)))


def _middle(interval: Interval) -> float:
    if math.isinf(interval.low):
        return math.nextafter(interval.high, -math.inf)
    return interval.low if math.isinf(interval.high) else (interval.low + interval.high) / 2

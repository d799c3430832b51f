"""Truth: whether a rule is true of this instance, and not only of similar rows.

A current rule is broken, a hypothetical one made true, with values of the background; all other values of the instance
stay as they are. Then the model is asked how certain it is of its prediction. See docs/compare.md.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lormika.evaluation.probe import Probe
from lormika.evaluation.rules import AnyCondition, fulfils, values_inside
from lormika.rule import Category, Rule
from lormika.types import JsonObject

_DRAWS = 200
_TOO_FEW = 5  # rows that satisfy a rule: then its features are drawn one by one
_TOLERANCE = 1e-9


def measure_truth(probe: Probe, instance: int, rules: Sequence[Rule]) -> JsonObject:
    """The truth of each rule, by kind; and what the counterfactual rules miss and repeat."""
    trials = [trial_rows(probe, instance, rule) for rule in rules]
    prediction = probe.predictions[instance]
    answers = probe.ask(np.concatenate([probe.instances[[instance]], *trials]))
    certainty, turned = answers.certainties[:, prediction], answers.labels != prediction
    truth: JsonObject = {kind.value: [] for kind in Category}
    start = 1
    for rule, rows in zip(rules, trials, strict=True):
        own = slice(start, start + len(rows))
        start += len(rows)
        assert rule.category is not None
        verdict = _verdict(rule.category, certainty[0], certainty[own], turned[own])
        if verdict is not None:
            truth[rule.category.value].append(verdict)
    return truth | _changes(probe, instance, rules)


def _verdict(kind: Category, before: float, after: np.ndarray, turned: np.ndarray) -> float | None:
    """1 or 0; for a counterfactual rule, the share of the changed instances that turn; None if it cannot be tested."""
    if len(after) == 0:
        # A current rule that no row breaks says nothing; a hypothetical one that nothing can satisfy is false.
        return None if kind.is_current else 0.0
    if kind is Category.COUNTERFACTUAL:
        return float(turned.mean())
    rise = float(after.mean()) - before
    effect = -rise if kind is Category.CURRENT_SUPPORTING else rise  # what the rule says is above zero
    return float(effect > _TOLERANCE)


def trial_rows(probe: Probe, instance: int, rule: Rule) -> np.ndarray:
    """Copies of the encoded instance in which the rule was broken, or made true; none, if that is impossible."""
    assert rule.category is not None
    x = probe.instances[instance]
    holding: dict[int, np.ndarray] = {}
    for condition in rule.conditions:  # explainers of others may have several on one feature
        f = probe.background.schema.index(condition.feature)
        holding[f] = _holding(probe, condition) & holding.get(f, np.True_)
    if rule.category.is_current:
        rows = probe.draw(instance, ~_all(holding, len(probe.background)), _DRAWS)
        return _changed(x, list(holding), [probe.column(f)[rows] for f in holding])
    features = [probe.background.schema.index(name) for name in changed_features(probe, instance, rule)]
    rows = probe.draw(instance, _all(holding, len(probe.background)), _DRAWS)
    if len(rows) >= _TOO_FEW:
        return _changed(x, features, [probe.column(f)[rows] for f in features])
    generator = probe.generator(instance)
    values = [_values_inside(probe, f, holding[f], rule, generator) for f in features]
    return _changed(x, features, values) if all(map(len, values)) else np.empty((0, len(x)))


def changed_features(probe: Probe, instance: int, rule: Rule) -> tuple[str, ...]:
    """Features of a rule whose conditions are not true of the instance."""
    schema, x = probe.background.schema, probe.instances[[instance]]
    changed = {}
    for condition in rule.conditions:
        f = schema.index(condition.feature)
        if not fulfils(condition, x[:, f], schema.features[f])[0]:
            changed[condition.feature] = f
    return tuple(changed)


def _holding(probe: Probe, condition: AnyCondition) -> np.ndarray:
    """Rows of the background for which a condition holds."""
    f = probe.background.schema.index(condition.feature)
    mask = fulfils(condition, probe.background.distinct[f], probe.background.schema.features[f])
    holding: np.ndarray = mask[probe.background.codes[f]]
    return holding


def _all(masks: dict[int, np.ndarray], rows: int) -> np.ndarray:
    mask: np.ndarray = np.logical_and.reduce([np.ones(rows, dtype=bool), *masks.values()])
    return mask


def _values_inside(
    probe: Probe, feature: int, holding: np.ndarray, rule: Rule, generator: np.random.Generator
) -> np.ndarray:
    inside = probe.column(feature)[holding]
    if len(inside) == 0:  # a range of a rival, between two values of the data
        column = probe.background.schema.features[feature]
        condition = next(condition for condition in rule.conditions if condition.feature == column.name)
        inside = values_inside(condition, column)
    return generator.choice(inside, _DRAWS) if len(inside) else inside


def _changed(x: np.ndarray, features: list[int], values: list[np.ndarray]) -> np.ndarray:
    rows = np.tile(x, (len(values[0]) if values else 0, 1))
    for f, column in zip(features, values, strict=True):
        rows[:, f] = column
    return rows


def _changes(probe: Probe, instance: int, rules: Sequence[Rule]) -> JsonObject:
    """Which hypothetical rules change the same features as an earlier one of their kind; and missed single features."""
    repeated: dict[str, list[float]] = {}
    earlier: set[tuple[str, frozenset[str]]] = set()
    alone = False
    for rule in rules:
        assert rule.category is not None
        if rule.category.is_current:
            continue
        change = rule.category.value, frozenset(changed_features(probe, instance, rule))
        repeated.setdefault(change[0], []).append(float(change in earlier))
        earlier.add(change)
        alone |= rule.category is Category.COUNTERFACTUAL and len(change[1]) == 1
    return {"repeated": repeated, "missed_single": missed_single(probe, instance, alone)}


def missed_single(probe: Probe, instance: int, alone: bool) -> float | None:
    """Whether a feature alone turns the instance, but no counterfactual shown changes just one; None if none does."""
    return float(not alone) if probe.turning_singles(instance) else None

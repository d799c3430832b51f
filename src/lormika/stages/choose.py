"""Choose: the k best rules of each kind that are true of the instance and say different things."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce

import numpy as np

from lormika.frames.schema import Schema
from lormika.models import Unit
from lormika.options import SearchOptions
from lormika.rule import Category, Check, Condition, Counts, Equals, Interval, Missing, Rerun, Rule
from lormika.stages.background import Background
from lormika.stages.edits import describe
from lormika.stages.goal import Goal
from lormika.stages.search import Candidate, Space, as_bits
from lormika.stages.sides import Sides
from lormika.stages.trials import Trials
from lormika.stages.turning import Way, between
from lormika.stages.ways import Ways


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """Chooses rules of one case, all of whose questions have been answered."""

    background: Background
    space: Space
    sample: np.ndarray  # encoded rows
    trials: Trials
    ways: Ways
    goal: Goal
    sides: Sides
    unit: Unit
    before: float  # certainty of the prediction

    def rules(self, options: SearchOptions) -> list[Rule]:
        """Rules of all kinds, each in its order; with `per="overall"`, the k best of them."""
        kept = self._searched(options)
        if not kept[Category.CURRENT_SUPPORTING]:
            kept[Category.CURRENT_SUPPORTING] = self._weak(options)
        ranked = [rule for own in kept.values() for rule in own] + self._counterfactuals(options)
        if options.per == "overall":
            best = sorted(ranked, key=lambda rule: self._order(rule, options))[: options.k]
            return [rule for kind in Category for rule in best if rule.category == kind]
        return ranked

    def _weak(self, options: SearchOptions) -> list[Rule]:
        """The value of the instance without which the model is least certain, even if all similar rows have it."""
        needed = self.sides.why.most_needed()
        if needed is None:
            return []
        places, check = needed
        conditions = [self._own_condition(f) for f in places]
        prediction = self.space.prediction
        assert prediction is not None
        counted = self._counted(places, conditions, prediction, options)
        return [counted(category=Category.CURRENT_SUPPORTING, check=check, weak=True)]

    def _own_condition(self, f: int) -> Condition:
        """The item of the instance; its value alone if the feature is constant, or if the item turns the prediction."""
        items = self.sides.by_kind[Category.CURRENT_SUPPORTING].space.items
        own = float(self.trials.edits.instance[f])
        row = items.row_of(f)
        if row is not None and items.instance[row] >= 0 and not self.sides.why.turns_inside(row):
            return items.condition(items.first_of(row) + int(items.instance[row]))
        if math.isnan(own):
            return Missing(self.background.schema.features[f].name)
        return between(self.background, f, own, own, own)

    def _searched(self, options: SearchOptions) -> dict[Category, list[Rule]]:
        """The first k rules of each kind that is searched for."""
        sides = self.sides.by_kind
        return {
            kind: [self._finished(candidate, kind, check, options) for candidate, check in sides[kind].best(options)]
            for kind in sides
        }

    def _finished(self, candidate: Candidate, kind: Category, check: Check, options: SearchOptions) -> Rule:
        space = self.sides.by_kind[kind].space
        if kind.is_current:
            return space.make_rule(candidate, check, None)
        row, label, certainty, value = self.sides.more.nearest(candidate.items)
        rule = space.make_rule(candidate, check, self._rerun(row, label, certainty, value))
        return rule if self.goal.permission is None else self._cut(rule, row, options)

    def _cut(self, rule: Rule, row: np.ndarray, options: SearchOptions) -> Rule:
        """A rule whose ranges end where values are no longer permitted, counted anew."""
        places = [self.background.schema.index(name) for name in rule.features]
        conditions = tuple(self._cut_range(c, f, row) for c, f in zip(rule.conditions, places, strict=True))
        if conditions == rule.conditions:
            return rule
        label = self.space.classes.index(rule.consequent)
        counted = self._counted(places, conditions, label, options)
        return counted(category=rule.category, rerun=rule.rerun, check=rule.check)

    def _cut_range(self, condition: Condition, f: int, row: np.ndarray) -> Condition:
        permission = self.goal.permission
        assert permission is not None
        is_changed = row[f] != self.trials.edits.instance[f]
        if not isinstance(condition, Interval) or not is_changed or not permission.is_limited(f):
            return condition
        observed = self.background.observed(f)
        last = condition.high if condition.high == math.inf else math.nextafter(condition.high, -math.inf)
        if f in permission.tested and self._changes_several(row):  # together, values inside could break a condition
            low = high = float(row[f])
        else:
            low, high = (float(permission.extent(f, row, end, observed)) for end in (condition.low, last))
        if condition.integer:
            low = math.ceil(low) - 0.5 if math.isfinite(low) else low
            high = math.floor(high) + 0.5 if math.isfinite(high) else high
        else:
            high = math.nextafter(high, math.inf)
        return replace(condition, low=max(condition.low, low), high=min(condition.high, high))

    def _changes_several(self, row: np.ndarray) -> bool:
        instance = self.trials.edits.instance
        return int((~((row == instance) | (np.isnan(row) & np.isnan(instance)))).sum()) > 1

    def _rerun(
        self, row: np.ndarray, label: int, certainty: float, value: float | None, likelihood: float = math.nan
    ) -> Rerun:
        edits, turned = describe(self.background, self.trials.edits.instance, row), label != self.space.prediction
        probability = certainty if self.unit == "probability" else None
        is_new = turned and len(self.space.classes) > 2 and not math.isnan(likelihood)  # else it follows from the other
        reached, margin = likelihood if is_new else None, certainty if self.unit == "margin" else None
        return Rerun(edits, self.space.classes[label], probability, turned, reached, value, margin)

    # Counterfactuals

    def _counterfactuals(self, options: SearchOptions) -> list[Rule]:
        """Ways to turn the prediction as rules: those with the fewest changes first."""
        rules: list[Rule] = []
        by_cost: dict[float, list[Way]] = {}
        for way in self.ways.ways:
            by_cost.setdefault(self.goal.cost(way.features), []).append(way)
        for cost in sorted(by_cost):
            if len(rules) < options.k or options.spread:
                alike = [self._way_rule(way, options) for way in by_cost[cost]]
                rules += sorted(alike, key=lambda rule: self._order(rule, options))
        return _spread(rules, options.k) if options.spread else rules[: options.k]

    def _way_rule(self, way: Way, options: SearchOptions) -> Rule:
        rerun = self._rerun(way.row, way.label, way.certainty, way.value, way.likelihood)
        check = Check(way.asked, way.turned, self.before, way.after)
        counted = self._counted(way.features, way.conditions, way.label, options)
        return counted(category=Category.COUNTERFACTUAL, rerun=rerun, check=check)

    def _counted(
        self, features: Sequence[int], conditions: Sequence[Condition], label: int, options: SearchOptions
    ) -> partial[Rule]:
        """A rule that was not searched for, counted on the sample, without what the model said about it."""
        matching = reduce(operator.and_, map(self._holds, conditions, features))
        has_class, n_class, _ = self.space.with_class(label)
        counts = Counts(len(self.sample), matching.bit_count(), n_class, (matching & has_class).bit_count())
        score = counts.score(options.objective, options.m)
        real = self.space.count_real(matching, label)
        worth = 0.0 if math.isnan(score) else score
        return partial(Rule, tuple(conditions), self.space.classes[label], counts, worth, real=real)

    def _holds(self, condition: Condition, f: int) -> int:
        """Which rows of the sample satisfy a condition, as bits."""
        column = self.sample[:, f]
        if isinstance(condition, Interval):
            return as_bits((condition.low <= column) & (column < condition.high))
        if isinstance(condition, Missing):
            return as_bits(np.isnan(column))
        return as_bits(column == self.background.schema.features[f].positions[condition.value])

    def _order(self, rule: Rule, options: SearchOptions) -> tuple[float, int, int, int, list[tuple[int, float]], int]:
        """The total order of rules, with their weights."""
        schema = self.background.schema
        places = [schema.index(name) for name in rule.features]
        weight = self.trials.weights[places].min() if options.weight == "effect" else 1.0
        counts = rule.counts
        conditions = [(f, _value_order(schema, c)) for f, c in zip(places, rule.conditions, strict=True)]
        label = self.space.classes.index(rule.consequent)
        return -rule.score * weight, -counts.antecedent, -counts.both, len(places), conditions, label


def _value_order(schema: Schema, condition: Condition) -> float:
    """Position of a condition among those of its feature: numbers ascending, categories as listed, missing last."""
    if isinstance(condition, Interval):
        return condition.low
    if isinstance(condition, Equals):
        return schema.features[schema.index(condition.feature)].positions[condition.value]
    return math.inf


def _spread(rules: list[Rule], k: int) -> list[Rule]:
    """The first rule, and then, again and again, the first of those that share the fewest features with the chosen."""
    chosen: list[Rule] = []
    rest = list(rules)
    while rest and len(chosen) < k:
        used = [set(rule.features) for rule in chosen]
        shared = [max((len(own & set(rule.features)) for own in used), default=0) for rule in rest]
        chosen.append(rest.pop(shared.index(min(shared))))
    return [rule for rule in rules if rule in chosen]

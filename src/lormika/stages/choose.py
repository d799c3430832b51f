"""Choose: the k best rules of each kind that are true of the instance and say different things."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lormika.frames.schema import Schema
from lormika.models import Unit
from lormika.options import SearchOptions
from lormika.rule import Category, Check, Condition, Counts, Equals, Interval, Missing, Rerun, Rule
from lormika.stages.background import Background
from lormika.stages.confirm import Confirmation
from lormika.stages.edits import describe
from lormika.stages.goal import Goal
from lormika.stages.search import Candidate, Space, make_lists
from lormika.stages.trials import Trials
from lormika.stages.turning import Way, between
from lormika.stages.ways import Ways

_AT_FIRST = 3  # times k candidates of each kind
_SAME = 0.9  # Jaccard coefficient of the rows that two rules match, from which on they say the same
_SEARCHED = (Category.CURRENT_SUPPORTING, Category.CURRENT_CONTRADICTING, Category.HYPOTHETICAL_SUPPORTING)
_CONFIRMED_BY_LABELS = _SEARCHED[:1]


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """Chooses rules of one case, all of whose questions have been answered."""

    background: Background
    space: Space
    sample: np.ndarray  # encoded rows
    trials: Trials
    ways: Ways
    goal: Goal
    confirmation: Confirmation
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
        needed = self.confirmation.most_needed()
        if needed is None:
            return []
        places, check = needed
        conditions = [self._own_condition(f) for f in places]
        prediction = self.space.prediction
        assert prediction is not None
        rule = self._counted_rule(places, conditions, prediction, options)
        return [replace(rule, category=Category.CURRENT_SUPPORTING, check=check, weak=True)]

    def _own_condition(self, f: int) -> Condition:
        """The item of the instance, as far as no value turns the prediction; for a constant feature, its value."""
        items, own = self.space.items, float(self.trials.edits.instance[f])
        row = items.row_of(f)
        if row is not None and items.instance[row] >= 0:
            condition = items.conditions[items.first_of(row) + int(items.instance[row])]
            return self._narrowed(condition, f, own) if isinstance(condition, Interval) else condition
        if math.isnan(own):
            return Missing(self.background.schema.features[f].name)
        return between(self.background, f, own, own, own)

    def _narrowed(self, item: Interval, f: int, own: float) -> Interval:
        """From the instance's value, in both directions, as far as no value asked about turns the prediction."""
        edits, turned = self.trials.edits, self.trials.singles.turned
        inside = (edits.feature == f) & (item.low <= edits.value) & (edits.value < item.high)
        turning, staying = edits.value[inside & turned], edits.value[inside & ~turned]
        if len(turning) == 0:
            return item
        below, above = max(turning[turning < own], default=-math.inf), min(turning[turning > own], default=math.inf)
        kept = [own, *staying[(below < staying) & (staying < above)].tolist()]
        narrow = between(self.background, f, min(kept), max(kept), own)
        assert isinstance(narrow, Interval)
        low, high = item.low if math.isinf(below) else narrow.low, item.high if math.isinf(above) else narrow.high
        return replace(item, low=low, high=high, integer=item.integer and narrow.integer)

    def _weights(self, options: SearchOptions) -> np.ndarray:
        """The weight of each feature that varies; 0 if none of its values matters."""
        effects = self.trials.weights[list(self.space.items.features)] if options.weight == "effect" else 1.0
        return np.where(self.confirmation.matters, effects, 0.0)

    def _searched(self, options: SearchOptions) -> dict[Category, list[Rule]]:
        """The first k rules of each kind; ever longer lists are searched until there are k, or no more."""
        kinds = _CONFIRMED_BY_LABELS if self.unit == "label" else _SEARCHED
        kept: dict[Category, list[Rule]] = {kind: [] for kind in kinds}
        weights, size = self._weights(options), _AT_FIRST * options.k
        lists = self._candidates(options, weights, kinds, size)
        while lists:
            for kind, own in list(lists.items()):
                kept[kind] = self._distinct(own, kind, options)
                if len(kept[kind]) == options.k or len(own) < size:
                    del lists[kind]
            size *= 2
            for kind, known in list(lists.items()):  # each by itself
                if self.space.incomplete:
                    del lists[kind]
                else:
                    lists[kind] = self._candidates(options, weights, (kind,), size, known)[kind]
        return kept

    def _candidates(
        self,
        options: SearchOptions,
        weights: np.ndarray,
        kinds: tuple[Category, ...],
        size: int,
        known: Sequence[Candidate] = (),
    ) -> dict[Category, list[Candidate]]:
        """The first rules of each kind, up to the given size; a search that is stopped keeps the known ones."""
        candidates: dict[Category, list[Candidate]] = {kind: [] for kind in kinds}
        possible = [self.confirmation.possible(kind, options.max_conditions) for kind in kinds]
        if not weights.any() or not np.any(possible):
            return candidates
        every = make_lists(self.space, replace(options, per="category"))
        if self.goal.target not in (None, self.space.prediction):  # what speaks against the prediction speaks for it
            every[:, [c not in (self.space.prediction, self.goal.target) for c in range(len(self.space.classes))]] = -1
        places = [tuple(Category).index(kind) for kind in kinds]
        lists = np.where(np.isin(every, places), every, -1)
        allowed = np.zeros((len(Category), len(self.space.items.conditions)), dtype=bool)
        allowed[places] = possible
        for candidate in self.space.find(options, lists, size, weights, known, allowed):
            candidates[self.space.category(candidate)].append(candidate)
        return candidates

    def _distinct(self, candidates: list[Candidate], kind: Category, options: SearchOptions) -> list[Rule]:
        """The first k that are confirmed, and match other rows and change other features than earlier ones."""
        rules: list[Rule] = []
        covers: list[np.ndarray] = []
        changes: set[tuple[int, ...]] = set()
        for candidate in candidates:
            changed = () if kind.is_current else self._changed(candidate)
            check = None if changed in changes else self.confirmation(candidate.items, kind)
            if check is None:
                continue
            cover = self.space.matching(candidate)
            if any(_jaccard(cover, earlier) >= _SAME for earlier in covers):
                continue
            covers.append(cover)
            changes |= {changed} if changed else set()
            rules.append(self._finished(candidate, kind, check, options))
            if len(rules) == options.k:
                break
        return rules

    def _changed(self, candidate: Candidate) -> tuple[int, ...]:
        items = self.space.items
        return tuple(items.places[i][0] for i in candidate.items if i not in items.own)

    def _finished(self, candidate: Candidate, kind: Category, check: Check, options: SearchOptions) -> Rule:
        if kind.is_current:
            return self.space.make_rule(candidate, check, None)
        row, label, certainty = self.confirmation.nearest(candidate.items)
        rule = self.space.make_rule(candidate, check, self._rerun(row, label, certainty))
        return rule if self.goal.permission is None else self._cut(rule, row, options)

    def _cut(self, rule: Rule, row: np.ndarray, options: SearchOptions) -> Rule:
        """A rule whose ranges end where values are no longer permitted, counted anew."""
        places = [self.background.schema.index(name) for name in rule.features]
        conditions = tuple(self._cut_range(c, f, row) for c, f in zip(rule.conditions, places, strict=True))
        if conditions == rule.conditions:
            return rule
        counted = self._counted_rule(places, conditions, self.space.classes.index(rule.consequent), options)
        return replace(counted, category=rule.category, rerun=rule.rerun, check=rule.check)

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

    def _rerun(self, row: np.ndarray, label: int, certainty: float, likelihood: float = math.nan) -> Rerun:
        edits, turned = describe(self.background, self.trials.edits.instance, row), label != self.space.prediction
        probability = certainty if self.unit == "probability" else None
        is_new = turned and len(self.space.classes) > 2 and not math.isnan(likelihood)  # else it follows from the other
        return Rerun(edits, self.space.classes[label], probability, turned, likelihood if is_new else None)

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
        return replace(
            self._counted_rule(way.features, way.conditions, way.label, options),
            category=Category.COUNTERFACTUAL,
            rerun=self._rerun(way.row, way.label, way.certainty, way.likelihood),
            check=Check(way.asked, way.turned, self.before, way.after),
        )

    def _counted_rule(
        self, features: Sequence[int], conditions: Sequence[Condition], label: int, options: SearchOptions
    ) -> Rule:
        """A rule that was not searched for, counted on the sample."""
        matching = np.ones(len(self.sample), dtype=bool)
        for f, condition in zip(features, conditions, strict=True):
            matching &= self._holds(condition, f)
        has_class, n_class, _ = self.space.with_class(label)
        both = int(np.count_nonzero(matching & has_class))
        counts = Counts(len(matching), int(np.count_nonzero(matching)), n_class, both)
        score = counts.score(options.objective, options.m)
        real = self.space.count_real(matching, label)
        return Rule(
            tuple(conditions), self.space.classes[label], counts, 0.0 if math.isnan(score) else score, real=real
        )

    def _holds(self, condition: Condition, f: int) -> np.ndarray:
        """Which rows of the sample satisfy a condition."""
        column = self.sample[:, f]
        if isinstance(condition, Interval):
            inside: np.ndarray = (condition.low <= column) & (column < condition.high)
            return inside
        if isinstance(condition, Missing):
            return np.asarray(np.isnan(column))
        positions = self.background.schema.features[f].positions
        equal: np.ndarray = column == positions[condition.value]
        return equal

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


def _jaccard(first: np.ndarray, second: np.ndarray) -> float:
    either = np.count_nonzero(first | second)
    return float(np.count_nonzero(first & second) / either) if either else 0.0

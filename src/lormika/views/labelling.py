"""An explanation in the words of its labels: views show this one, and need not know of labels themselves.

Numbers with few decimals stay true: a range is rounded inwards, and where that would change what is true of the
instance, or of a suggested change, the number is shown with all its digits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING

from lormika.frames.values import Quantity, Scalar, format_exact
from lormika.label_entries import FeatureLabel
from lormika.labels import NO_LABELS, Labels, is_like_number
from lormika.rule import Condition, Edit, Equals, Interval, Missing, Rerun, Rule

if TYPE_CHECKING:
    from lormika.explanation import Explanation
    from lormika.summaries import Effect, FeatureSummary


def labelled(explanation: Explanation) -> Explanation:
    """The same explanation with names, values and classes as people know them."""
    labels = explanation.labels
    if not labels and not any(is_like_number(feature.name) for feature in explanation.features):
        return explanation
    words = _Words(explanation)
    options = dict(explanation.options)
    if options.get("target") is not None:
        options["target"] = labels.outcome(options["target"])
    return replace(
        explanation,
        instance={labels.name(name): value for name, value in words.instance.items()},
        prediction=labels.outcome(explanation.prediction),
        rules=tuple(map(words.rule, explanation.rules)),
        features=tuple(_feature(one, labels) for one in explanation.features),
        classes=tuple(replace(one, label=labels.outcome(one.label)) for one in explanation.classes),
        options=options,
        effects=tuple(map(words.effect, _beside(explanation.effects, labels))),
        labels=NO_LABELS,
    )


def label_rules(rules: Iterable[Rule], labels: Labels) -> tuple[Rule, ...]:
    """Rules without an instance in the words of labels."""
    return tuple(
        replace(
            rule,
            conditions=tuple(_condition(condition, labels, None) for condition in rule.conditions),
            consequent=labels.outcome(rule.consequent),
        )
        for rule in rules
    )


def _feature(feature: FeatureSummary, labels: Labels) -> FeatureSummary:
    entry = labels.features.get(feature.name)
    quantiles = feature.quantiles
    if entry is not None:
        quantiles = tuple(Quantity(value, entry.write(value)) for value in quantiles)
    return replace(feature, name=labels.name(feature.name), quantiles=quantiles)


def _beside(effects: tuple[Effect, ...], labels: Labels) -> list[Effect]:
    """Effects in their order, those of a group beside its largest one."""
    first: dict[str, int] = {}
    for place, effect in enumerate(effects):
        first.setdefault(labels.group_of(effect.feature) or effect.feature, place)
    return sorted(effects, key=lambda effect: first[labels.group_of(effect.feature) or effect.feature])


@dataclass(frozen=True, slots=True)
class _Range:
    """A range as it is read: both ends, and whether the upper one belongs to it."""

    low: float
    high: float
    closed: bool

    def has(self, value: float) -> bool:
        return self.low <= value <= self.high if self.closed else self.low <= value < self.high

    @classmethod
    def of(cls, interval: Interval) -> _Range:
        low, high, sign = interval.ends
        return cls(low, high, sign == "≤")

    def inwards(self, decimals: int | None) -> _Range:
        """With ends of so few decimals, if anything is left between them."""
        low, high = _rounded(self.low, ROUND_CEILING, decimals), _rounded(self.high, ROUND_FLOOR, decimals)
        return replace(self, low=low, high=high) if low < high else self


def _rounded(end: float, rounding: str, decimals: int | None) -> float:
    if decimals is None or not math.isfinite(end) or "e" in format_exact(end):
        return end
    return float(Decimal(format_exact(end)).quantize(Decimal(1).scaleb(-decimals), rounding=rounding))


class _Words:
    """The parts of an explanation in the words of its labels."""

    def __init__(self, explanation: Explanation) -> None:
        self.labels, self.given = explanation.labels, explanation.instance
        self.ends: dict[str, list[float]] = {}
        for condition in (condition for rule in explanation.rules for condition in rule.conditions):
            if isinstance(condition, Interval):
                self.ends.setdefault(condition.feature, []).extend((condition.low, condition.high))
        self.instance = {name: self._own(name, value) for name, value in explanation.instance.items()}

    def _own(self, name: str, value: Scalar | None) -> Scalar | None:
        """A value of the instance: on the same side of all ends, however it is rounded."""
        shown = self.labels.value(name, value)
        if not isinstance(shown, Quantity):
            return shown
        moved = any((shown < end) != (self._read(name, shown) < end) for end in self.ends.get(name, ()))
        return self.labels.value(name, value, exactly=True) if moved else shown

    def _read(self, name: str, value: Quantity) -> float:
        """What people read where a value is written."""
        entry = self.labels.features[name]
        return entry.shown(value) if value.text == entry.write(value) else float(value)

    def rule(self, rule: Rule) -> Rule:
        """Conditions, changes and classes."""
        after = {} if rule.rerun is None else {edit.feature: edit.after for edit in rule.rerun.edits}
        ranges = {c.feature: self._range(c, after.get(c.feature)) for c in rule.conditions if isinstance(c, Interval)}
        return replace(
            rule,
            conditions=tuple(_condition(c, self.labels, ranges.get(c.feature)) for c in rule.conditions),
            consequent=self.labels.outcome(rule.consequent),
            rerun=None if rule.rerun is None else self._rerun(rule.rerun, ranges),
        )

    def _range(self, interval: Interval, after: Scalar | None) -> _Range:
        """A range as it is shown: as true of the instance, as that is shown, as it is; and with the new value in it."""
        name, real = interval.feature, _Range.of(interval)
        entry = self.labels.features.get(name)
        shown = real if entry is None else real.inwards(entry.decimals)
        own = self.instance[name]
        same = not isinstance(own, Quantity) or shown.has(self._read(name, own)) == real.has(own)
        keeps = not isinstance(after, int | float) or shown.has(after) == real.has(after)
        return shown if same and keeps else real

    def _rerun(self, rerun: Rerun, ranges: dict[str, _Range]) -> Rerun:
        edits = tuple(self._edit(edit, ranges.get(edit.feature)) for edit in rerun.edits)
        return replace(rerun, edits=edits, label=self.labels.outcome(rerun.label))

    def _edit(self, edit: Edit, shown: _Range | None) -> Edit:
        """A change: the new value is rounded only if the rule has the rounded one in its range."""
        name = edit.feature
        before, after = self.instance[name], self.labels.value(name, edit.after)
        if isinstance(after, Quantity):
            inside = shown is not None and shown.has(self._read(name, after))
            if not inside or (isinstance(before, Quantity) and before.text == after.text):
                after = Quantity(after, self.labels.features[name].write_end(after))
                before = self.labels.value(name, edit.before, exactly=True)
        return Edit(self.labels.name(name), before, after)

    def effect(self, effect: Effect) -> Effect:
        """Values that were asked about: rounded only as far as the model's answers are the same on the way."""
        entry = self.labels.features.get(effect.feature)
        values = effect.values
        if entry is not None:
            answers = dict(zip(effect.values, effect.labels, strict=True))
            values = tuple(self._asked(effect.feature, value, answers, entry) for value in effect.values)
        return replace(
            effect,
            feature=self.labels.name(effect.feature),
            values=values,
            labels=tuple(map(self.labels.outcome, effect.labels)),
        )

    def _asked(self, name: str, value: Scalar, answers: Mapping[Scalar, Scalar], entry: FeatureLabel) -> Scalar:
        """A value, with fewer decimals if it then lies on the way to a neighbour with the same answer."""
        exact = self.labels.value(name, value, exactly=True)
        assert exact is not None
        if not isinstance(exact, Quantity) or entry.decimals is None:
            return exact
        own = self.given[name]
        numbers = sorted(other for other in (*answers, own) if isinstance(other, int | float))
        place = numbers.index(float(exact))
        for neighbour, rounding in ((place - 1, ROUND_FLOOR), (place + 1, ROUND_CEILING)):
            if not 0 <= neighbour < len(numbers) or answers.get(numbers[neighbour]) != answers[value]:
                continue
            rounded = _rounded(float(exact), rounding, entry.decimals)
            if min(numbers[neighbour], exact) <= rounded <= max(numbers[neighbour], exact):
                return Quantity(float(exact), entry.write(rounded))
        return exact


def _condition(condition: Condition, labels: Labels, shown: _Range | None) -> Condition:
    name, entry = labels.name(condition.feature), labels.features.get(condition.feature)
    match condition:
        case Missing():
            return Missing(name)
        case Equals(feature, value):
            text = labels.value(feature, value)
            assert text is not None
            return Equals(name, text)
        case Interval():
            if entry is None:
                return replace(condition, feature=name)
            if labels.is_hot(condition.feature):  # 0 or 1, whatever its type
                condition = replace(condition, integer=True, single=True)
                shown = _Range.of(condition)
            shown = shown or _Range.of(condition).inwards(entry.decimals)
            return replace(condition, feature=name, texts=(entry.write_end(shown.low), entry.write_end(shown.high)))

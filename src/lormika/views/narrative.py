"""An explanation in a few sentences, with the same careful words in every view.

The sentences say what holds among similar cases and what the model answered; they never say "because".
"""

from __future__ import annotations

from dataclasses import dataclass

from lormika.frames.values import format_value
from lormika.rule import Category, Rule
from lormika.views import narrative_changes
from lormika.views.certainty import Scale, scale
from lormika.views.effects import FeatureEffect, feature_effects
from lormika.views.payload import Payload, load_rule
from lormika.views.spans import Span, Tone, listed
from lormika.views.words import percent, percents

_MATTERS = 3  # features with so large an effect are named if similar cases cannot speak of them


@dataclass(frozen=True, slots=True)
class Narrative:
    """The sentences, by what they are about; each begins a new one, or is empty."""

    prediction: list[Span]
    reasons: list[Span]
    changes: list[Span]
    checked: list[Span]  # small print

    @property
    def parts(self) -> list[list[Span]]:
        """Those that are not empty."""
        return [part for part in (self.prediction, self.reasons, self.changes, self.checked) if part]


def to_summary(payload: Payload) -> str:
    """The sentences as plain text."""
    return " ".join("".join(span.text for span in part) for part in narrative(payload).parts)


def narrative(payload: Payload) -> Narrative:
    """What the model predicts, the best reason, what speaks against it most, and what turned the prediction."""
    rules = [load_rule(rule) for rule in payload["rules"]]
    measure = scale(payload)
    effects = feature_effects(payload, measure)
    counterfactuals = [rule for rule in rules if rule.category == Category.COUNTERFACTUAL]
    return Narrative(
        _prediction(payload),
        _reasons(rules, measure),
        narrative_changes.changes(payload, counterfactuals, effects) + _constant(effects, measure),
        narrative_changes.checked(payload, rules),
    )


def _prediction(payload: Payload) -> list[Span]:
    label = payload["prediction"]
    chance = next(c["probability"] for c in payload["classes"] if c["label"] == label)
    end = "." if chance is None else f" ({percent(chance)})."
    return [Span("The model predicts "), Span(format_value(label), "for"), Span(end)]


def _reasons(rules: list[Rule], measure: Scale) -> list[Span]:
    """The best rule that is true now on each side."""
    supporting = next((rule for rule in rules if rule.category == Category.CURRENT_SUPPORTING), None)
    contradicting = next((rule for rule in rules if rule.category == Category.CURRENT_CONTRADICTING), None)
    spans: list[Span] = []
    if supporting is not None and supporting.weak:
        spans += _needed(supporting, measure)
    elif supporting is not None:
        spans += [*_among(supporting, "for", "Among"), *_without(supporting, measure), Span(".")]
    elif rules:
        spans += [Span("No rule that is true of this case supports that.")]
    if contradicting is not None:
        spans += [Span(" On the other hand, " if supporting else " " if spans else "")]
        spans += [*_among(contradicting, "against", "among" if supporting else "Among"), Span(".")]
    return spans


def _needed(rule: Rule, measure: Scale) -> list[Span]:
    """What the prediction needs, where no rule of similar cases was confirmed."""
    needs = listed([str(condition) for condition in rule.conditions], "and")
    check = rule.check
    if check is None or measure.unit == "label":
        end = "it turns" if check is None else f"it turned in {check} tries"
    else:
        average = " on average" if check.asked > 1 else ""
        end = f"it is less certain{average} ({measure.change(check.before, check.after)})"
    return [Span("No rule of similar cases was confirmed; with other values than "), *needs, Span(f", {end}.")]


def _without(rule: Rule, measure: Scale) -> list[Span]:
    """What the model said of this case with the rule made false."""
    if rule.check is None or measure.unit == "label":
        return []
    before, after = measure.change(rule.check.before, rule.check.after).removeprefix("margin ").split(" → ")
    average = " on average" if rule.check.asked > 1 else ""
    what = "margin" if measure.unit == "margin" else "probability"
    label = Span(format_value(rule.consequent), "for")
    return [Span(f"; without that, the {what} of "), label, Span(f" falls from {before} to {after}{average}")]


def _among(rule: Rule, tone: Tone, among: str) -> list[Span]:
    """A share of similar cases; below a half, it is told as a shift, so that nobody takes it for most of them."""
    label, share, usual = (
        Span(format_value(rule.consequent), tone),
        *percents(rule.confidence, rule.counts.share_without),
    )
    spans = [Span(f"{among} similar cases with "), *listed([str(condition) for condition in rule.conditions], "and")]
    if rule.confidence < 0.5:
        spans += [Span(", the share predicted "), label, Span(f" is {share} instead of {usual}")]
    else:
        also = "also predicted" if tone == "for" else "predicted"
        spans += [Span(f", {share} are {also} "), label, Span(f" ({usual} of all similar cases are)")]
    return spans


def _constant(effects: list[FeatureEffect], measure: Scale) -> list[Span]:
    """Features that no rule can speak of, because all similar cases have the same value, and that still matter."""
    names = [
        effect.feature
        for number, effect in enumerate(effects)
        if effect.constant and (effect.turns or (number < _MATTERS and effect.effect > 0))
    ]
    if not names:
        return []
    which = {1: "it", 2: "both"}.get(len(names), "them")
    same = listed([f"{'' if number else 'the same '}{name}" for number, name in enumerate(names)], "and")
    return [Span(" All similar cases have "), *same, Span(f"; still, the prediction depends on {which}.")]

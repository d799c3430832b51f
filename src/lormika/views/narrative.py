"""An explanation in a few sentences, with the same careful words in every view.

The sentences say what holds among similar cases and what the model answered; they never say "because".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lormika.frames.values import Quantity, format_value
from lormika.rule import Check, Missing, Rule
from lormika.views import narrative_changes
from lormika.views.certainty import Scale
from lormika.views.reading import Reading
from lormika.views.spans import Span, Tone, listed
from lormika.views.values import ValueScale, write_values
from lormika.views.words import percent, percents

if TYPE_CHECKING:
    from lormika.explanation import Explanation

_MATTERS = 3  # features with so large an effect are named if similar cases cannot speak of them


@dataclass(frozen=True, slots=True)
class Narrative:
    """The sentences, by what they are about; each begins a new one, or is empty."""

    prediction: list[Span]
    reasons: list[Span]
    changes: list[Span]
    checked: list[Span]  # small print

    def __str__(self) -> str:
        parts = (self.prediction, self.reasons, self.changes, self.checked)
        return " ".join("".join(span.text for span in part) for part in parts if part)


def to_summary(explanation: Explanation) -> str:
    """The sentences as plain text."""
    return str(narrate(Reading.of(explanation)))


def narrate(reading: Reading) -> Narrative:
    """What the model predicts, the best reason, what speaks against it most, and what turned the prediction."""
    return Narrative(
        _prediction(reading.explanation),
        _reasons(reading),
        narrative_changes.changes(reading) + _constant(reading),
        narrative_changes.checked(reading.explanation),
    )


def _prediction(explanation: Explanation) -> list[Span]:
    if explanation.value is not None:
        value, band = write_values([explanation.value], explanation.bands)[0], format_value(explanation.prediction)
        return [Span("The model predicts "), Span(value, "for"), Span(f" ({band}).")]
    end = "." if explanation.probability is None else f" ({percent(explanation.probability)})."
    return [Span("The model predicts "), Span(format_value(explanation.prediction), "for"), Span(end)]


def _reasons(reading: Reading) -> list[Span]:
    """The best rule that is true now on each side."""
    explanation, scale = reading.explanation, reading.scale
    supporting = next(iter(explanation.current_supporting), None)
    contradicting = next(iter(explanation.current_contradicting), None)
    spans: list[Span] = []
    if supporting is not None and supporting.weak:
        spans += _needed(supporting, scale)
    elif supporting is not None:
        spans += [*_among(supporting, "for", "Among"), *_without(supporting, scale), Span(".")]
    elif explanation.rules:
        spans += [Span("No rule was found that supports it.")]
    if contradicting is not None:
        spans += [Span(" On the other hand, " if supporting else " " if spans else "")]
        spans += [*_among(contradicting, "against", "among" if supporting else "Among"), Span(".")]
    return spans


def _needed(rule: Rule, scale: Scale) -> list[Span]:
    """What the prediction needs, if no rule from similar cases was confirmed."""
    needs = listed([str(condition) for condition in rule.conditions], "and")
    check = rule.check
    if check is None or scale.unit == "label":
        end = "it turns" if check is None else f"it turned in {check} tries"
    elif isinstance(scale, ValueScale):
        end = _moves(check, scale)
    else:
        average = " on average" if check.asked > 1 else ""
        end = f"it is less certain{average} ({scale.change(check.before, check.after)})"
    that = "that" if len(rule.conditions) == 1 else "these"
    return [Span("No rule of similar cases was confirmed, but it rests on "), *needs, Span(f": without {that}, {end}.")]


def _without(rule: Rule, scale: Scale) -> list[Span]:
    """What the model said about this case with the rule made false."""
    if rule.check is None or scale.unit == "label":
        return []
    if isinstance(scale, ValueScale):
        return [Span(f"; without that, {_moves(rule.check, scale)}")]
    before, after = scale.pair(rule.check.before, rule.check.after)
    average = " on average" if rule.check.asked > 1 else ""
    what = "margin" if scale.unit == "margin" else "probability"
    label = Span(format_value(rule.consequent), "for")
    return [Span(f"; without that, the {what} of "), label, Span(f" falls from {before} to {after}{average}")]


def _moves(check: Check, scale: ValueScale) -> str:
    """Where the value of a regressor goes when a rule is made false."""
    values = scale.checked(check)
    before, after = scale.pair(*values)
    is_distance = isinstance(values[1], Quantity)
    average = " on average" if check.asked > 1 else ""
    if is_distance:
        return f"the prediction moves from {before} the edge of that band to {after} it{average}"
    return f"the predicted value {'rises' if values[1] > values[0] else 'falls'} from {before} to {after}{average}"


def _among(rule: Rule, tone: Tone, among: str) -> list[Span]:
    """A share of similar cases; below a half it is worded as a shift, so that nobody takes it for a majority."""
    label = Span(format_value(rule.consequent), tone)
    share, usual = percents(rule.confidence, rule.counts.share_without)
    such = "where" if isinstance(rule.conditions[0], Missing) else "with"
    spans = [Span(f"{among} similar cases {such} "), *listed([str(condition) for condition in rule.conditions], "and")]
    is_usual = share == usual  # but for digits that mean nothing
    if rule.confidence < 0.5:
        beside = ", as usual" if is_usual else f" instead of {usual}"
        spans += [Span(", the share predicted "), label, Span(f" is {share}{beside}")]
    else:
        also = "also predicted" if tone == "for" else "predicted"
        beside = "as many as of all similar cases" if is_usual else f"{usual} of all similar cases are"
        spans += [Span(f", {share} are {also} "), label, Span(f" ({beside})")]
    return spans


def _constant(reading: Reading) -> list[Span]:
    """Features that still matter, though no rule can mention them because all similar cases have the same value."""
    names = [
        effect.feature
        for number, effect in enumerate(reading.effects)
        if effect.constant and (effect.turns or (number < _MATTERS and effect.effect > 0))
    ]
    if not names:
        return []
    which = {1: "it", 2: "both"}.get(len(names), "them")
    values = "value" if len(names) == 1 else "values"
    beginning = Span(f" All similar cases have the same {values} of ")
    return [beginning, *listed(names, "and"), Span(f"; still, the prediction depends on {which}.")]

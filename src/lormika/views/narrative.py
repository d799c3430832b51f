"""An explanation in a few sentences, with the same careful words in every view.

The sentences say what holds among similar cases and what the model answered; they never say "because".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lormika.payload import Payload, load_rule
from lormika.rule import Category, Edit, Rule
from lormika.values import format_value
from lormika.views.words import percent

Tone = Literal["plain", "strong", "for", "against"]

_MOST_CHANGES = 2


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a sentence, and how to show it."""

    text: str
    tone: Tone = "plain"


def to_summary(payload: Payload) -> str:
    """The sentences as plain text."""
    return "".join(span.text for span in narrative(payload))


def narrative(payload: Payload) -> list[Span]:
    """What the model predicts, the best reason, what speaks against it most, and what turned the prediction."""
    rules = [load_rule(rule) for rule in payload["rules"]]
    kinds = {category: [rule for rule in rules if rule.category == category] for category in Category}
    spans = _prediction(payload)
    if kinds[Category.CURRENT_SUPPORTING]:
        spans += _among(kinds[Category.CURRENT_SUPPORTING][0], "for")
    if kinds[Category.CURRENT_CONTRADICTING]:
        spans += [Span(" On the other hand,"), *_among(kinds[Category.CURRENT_CONTRADICTING][0], "against", " among")]
    return spans + _changes(payload, kinds[Category.COUNTERFACTUAL])


def _prediction(payload: Payload) -> list[Span]:
    label = payload["prediction"]
    chance = next(c["probability"] for c in payload["classes"] if c["label"] == label)
    said = "." if chance is None else f" ({percent(chance)})."
    return [Span("The model predicts "), Span(format_value(label), "for"), Span(said)]


def _among(rule: Rule, tone: Tone, among: str = " Among") -> list[Span]:
    also = "also predicted" if tone == "for" else "predicted"
    return [
        Span(f"{among} similar cases with "),
        *_listed([str(condition) for condition in rule.conditions], "and"),
        Span(f", {percent(rule.confidence)} are {also} "),
        Span(format_value(rule.consequent), tone),
        Span(f" ({percent(rule.counts.share_without)} of all similar cases are)."),
    ]


def _changes(payload: Payload, rules: list[Rule]) -> list[Span]:
    """Changes that turned the prediction when the model was asked again, the smallest first."""
    turned = {rule.rerun.edits: rule.rerun for rule in rules if rule.rerun is not None and rule.rerun.turned}
    if not turned:
        if not rules:
            return []
        tried = "The change" if len(rules) == 1 else f"None of the {len(rules)} changes"
        verb = "did not turn" if len(rules) == 1 else "turned"
        return [Span(f" {tried} that the rules suggest {verb} the prediction when the model was asked again.")]
    first = sorted(turned.values(), key=lambda rerun: len(rerun.edits))[:_MOST_CHANGES]
    spans = [Span(" Changing ")]
    for number, rerun in enumerate(first):
        spans += [Span(" or ")] if number else []
        spans += [Span(_edits(rerun.edits), "strong")]
    labels = list(dict.fromkeys(rerun.label for rerun in first))
    spans += [Span(" turns the prediction to "), *_listed([format_value(label) for label in labels], "or", "against")]
    checked = "checked" if len(first) == 1 else "both checked"
    return [*spans, Span(f" – {checked} by asking the model again.")]


def _edits(edits: tuple[Edit, ...]) -> str:
    return " and ".join(f"{edit.feature} to {format_value(edit.after)}" for edit in edits)


def _listed(texts: list[str], last: str, tone: Tone = "strong") -> list[Span]:
    spans: list[Span] = []
    for number, text in enumerate(texts):
        if number:
            spans.append(Span(f" {last} " if number == len(texts) - 1 else ", "))
        spans.append(Span(text, tone))
    return spans

"""An explanation in a few sentences, with the same careful words in every view.

The sentences say what holds among similar cases and what the model answered; they never say "because".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lormika.payload import Payload, load_rule
from lormika.rule import Category, Edit, Rerun, Rule
from lormika.values import Scalar, format_value
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
    supporting, contradicting = kinds[Category.CURRENT_SUPPORTING], kinds[Category.CURRENT_CONTRADICTING]
    if supporting:
        spans += _among(supporting[0], "for")
    elif rules:
        spans += [Span(" No rule that is true of this instance supports that.")]
    if contradicting:
        spans += [Span(" On the other hand,")] if supporting else []
        spans += _among(contradicting[0], "against", " among" if supporting else " Among")
    return spans + _changes(kinds[Category.COUNTERFACTUAL])


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


def _changes(rules: list[Rule]) -> list[Span]:
    """Changes that turned the prediction when the model was asked again, the smallest first, and to what."""
    reruns = [rule.rerun for rule in rules if rule.rerun is not None]
    turned = _smallest([rerun for rerun in reruns if rerun.turned])[:_MOST_CHANGES]
    if not turned:
        return _failed(len({rerun.edits for rerun in reruns}))
    by_label: dict[tuple[bool, Scalar], list[str]] = {}  # True is no 1 here
    for rerun in turned:
        by_label.setdefault((isinstance(rerun.label, bool), rerun.label), []).append(_edits(rerun.edits))
    spans: list[Span] = []
    for (_, label), changes in by_label.items():
        first = not spans
        spans += [Span(" Changing " if first else "; changing ")]
        spans += _listed(changes, ", or" if " and " in "".join(changes) else "or")
        spans += [Span(f" turns {'the prediction' if first else 'it'} to ")]
        spans += [Span(format_value(label), "against")]
    checked = "checked" if len(turned) == 1 else "both checked"
    return [*spans, Span(f" – {checked} by asking the model again.")]


def _failed(tried: int) -> list[Span]:
    if tried == 0:
        return []
    some = {1: "The one change", 2: "Neither of the two changes"}.get(tried, f"None of the {tried} changes")
    turned = "did not turn" if tried == 1 else "turned"
    return [Span(f" {some} that the rules suggest {turned} the prediction when the model was asked again.")]


def _smallest(reruns: list[Rerun]) -> list[Rerun]:
    """Those with the fewest edits first; none that holds a smaller one with the same answer."""
    kept: list[Rerun] = []
    for rerun in sorted(reruns, key=lambda rerun: len(rerun.edits)):
        if not any(set(small.edits) <= set(rerun.edits) and small.label == rerun.label for small in kept):
            kept.append(rerun)
    return kept


def _edits(edits: tuple[Edit, ...]) -> str:
    return " and ".join(f"{edit.feature} to {format_value(edit.after)}" for edit in edits)


def _listed(texts: list[str], last: str, tone: Tone = "strong") -> list[Span]:
    spans: list[Span] = []
    for number, text in enumerate(texts):
        if number:
            spans.append(Span(f" {last} ".replace(" ,", ",") if number == len(texts) - 1 else ", "))
        spans.append(Span(text, tone))
    return spans

"""Answers about a case as a live view needs them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lormika.errors import InputError
from lormika.live.axes import on_shown_axes
from lormika.live.bordering import border_json
from lormika.live.plain import plain_json
from lormika.live.turning import turning_pieces
from lormika.live.wording import certainty_text, rule_sentence
from lormika.models import Answer
from lormika.rule import Category, Rule
from lormika.views.html import to_board
from lormika.views.narrative import narrate
from lormika.views.reading import Reading
from lormika.views.values import write_values
from lormika.views.words import HEADINGS, heading

if TYPE_CHECKING:
    from collections.abc import Callable

    from lormika.explanation import Explanation
    from lormika.frames.values import Scalar
    from lormika.labels import Labels
    from lormika.parts import Parts
    from lormika.summaries import Effect
    from lormika.types import JsonObject
    from lormika.views.spans import Span


def prediction_json(parts: Parts, answer: Answer) -> JsonObject:
    """What the model says of one row."""
    place = int(answer.labels[0])
    label = parts.model.names[place]
    if answer.values is not None and answer.bands is not None:
        value, edges = float(answer.values[0]), answer.bands.edges
        band = f" ({parts.labels.outcome(label)})" if edges else ""  # around each value, none says more than that
        text = f"{write_values([value], edges)[0]}{band}"
        figures = {"certainty": value, "certainty_text": None, "unit": "value", "probabilities": None}
        return {"prediction": label, "text": text, **figures}
    certainty = None if answer.unit == "label" else float(answer.certainty(place)[0])
    chances = None if answer.probabilities is None else answer.probabilities[0].tolist()
    return {
        "prediction": label,
        "text": str(parts.labels.outcome(label)),
        "certainty": certainty,
        "certainty_text": None if certainty is None else certainty_text(answer.unit, certainty),
        "unit": answer.unit,
        "border": border_json(parts, answer),
        "probabilities": None
        if chances is None
        else [
            {"label": one, "text": str(parts.labels.outcome(one)), "probability": chance}
            for one, chance in zip(parts.model.names, chances, strict=True)
        ],
    }


def explanation_json(explanation: Explanation, own_labels: Labels, *, detailed: bool) -> JsonObject:
    """Everything that an explanation says, in the order of the board; the payload has the labels that were given."""
    reading = Reading.of(explanation)
    story = narrate(reading)
    pairs = dict(zip(map(id, reading.explanation.rules), explanation.rules, strict=True))
    shown = [rule for category in HEADINGS for rule in reading.explanation.rules_of(category)]
    asked = explanation.asked
    numeric = {feature.name for feature in explanation.features if feature.kind == "numeric"}
    return {
        "summary": str(story),
        "story": {name: _spans(getattr(story, name)) for name in ("prediction", "reasons", "changes", "checked")},
        "plain": plain_json(explanation, reading, {id(rule): number for number, rule in enumerate(shown)}),
        "board": to_board(on_shown_axes(explanation), detailed=detailed),
        "kinds": [_kind(reading.explanation, category) for category in HEADINGS],
        "rules": [_rule(number, pairs[id(rule)], rule) for number, rule in enumerate(shown)],
        "effects": [_effect(explanation, effect, effect.feature in numeric) for effect in explanation.effects],
        "notes": [note.text for note in reading.explanation.notes],
        "asked": None if asked is None else {name: getattr(asked, name) for name in asked.__slots__},
        "explanation": replace(explanation, labels=own_labels).to_dict(),
    }


def board_json(explanation: Explanation) -> JsonObject:
    """The board alone, and the changes of its rules in their order; None: a rule that is true now."""
    rules = [rule for category in HEADINGS for rule in explanation.rules_of(category)]
    return {"html": to_board(explanation), "changes": [_changes(rule) for rule in rules]}


def _changes(rule: Rule) -> dict[str, Scalar | None] | None:
    return None if rule.rerun is None else {edit.feature: edit.after for edit in rule.rerun.edits}


def _spans(spans: Sequence[Span]) -> list[JsonObject]:
    return [{"text": span.text, "tone": span.tone} for span in spans]


def _kind(explanation: Explanation, category: Category) -> JsonObject:
    """A kind of rules; the explanation is in the words of its labels."""
    reasons = [note.text for note in explanation.notes if note.category == category]
    return {
        "category": category.value,
        "heading": heading(category, explanation.prediction, explanation.unit),
        "meaning": HEADINGS[category][1],
        "tone": "for" if category.is_supporting else "against",
        "hypothetical": not category.is_current,
        "reason": None if explanation.rules_of(category) else " ".join(reasons) or "No rule of this kind was found.",
    }


def _rule(number: int, rule: Rule, shown: Rule) -> JsonObject:
    """A rule: as data, and in the words of the labels."""
    rerun, check = rule.rerun, rule.check
    return {
        "number": number,
        "category": None if rule.category is None else rule.category.value,
        "kind": None if rule.category is None else HEADINGS[rule.category][1],
        "text": str(shown),
        "sentence": rule_sentence(shown),
        "features": list(rule.features),
        "confidence": _finite(rule.confidence),
        "share": _finite(rule.counts.share_without),
        "changes": _changes(rule),
        "changes_text": None if shown.rerun is None else str(shown.rerun),
        "turned": None if rerun is None else rerun.turned,
        "after": None if check is None else check.after,
        "sql": _said(rule.to_sql),
        "query": _said(rule.to_query),
    }


def _finite(number: float) -> float | None:
    return number if number == number else None


def _said(write: Callable[[], str]) -> str | None:
    """A rule in another language; None if that language cannot say it."""
    try:
        return write()
    except InputError:
        return None


def _effect(explanation: Explanation, effect: Effect, numeric: bool) -> JsonObject:
    labels, own = explanation.labels, explanation.instance[effect.feature]
    answers = zip(effect.values, effect.certainties, effect.labels, strict=True)
    return {
        "feature": effect.feature,
        "effect": effect.effect,
        "largest": effect.largest,
        "constant": effect.constant,
        "value": own,
        "asked": [
            {
                "value": value,
                "text": labels.write(effect.feature, value),
                "certainty": certainty,
                "label": label,
                "turned": label != explanation.prediction,
            }
            for value, certainty, label in answers
        ],
        "turning": turning_pieces(effect, own, explanation.prediction, numeric=numeric),
    }


def texts_of(labels: Labels, values: Mapping[str, Scalar | None]) -> dict[str, str]:
    """Values as people read them."""
    return {name: labels.write(name, value) for name, value in values.items()}

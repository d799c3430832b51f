"""Rules as rows of an aligned matrix for the HTML view: conditions, shares, and what the model said."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from lormika.frames.values import format_value
from lormika.rule import Category, Condition, Interval, Rule
from lormika.views.answers import Answer, changes
from lormika.views.axis import axes, percent_at, span
from lormika.views.certainty import Scale
from lormika.views.effects import FeatureEffect
from lormika.views.reading import Reading
from lormika.views.words import (
    HEADINGS,
    WEAK,
    condition_label,
    heading,
    is_true,
    leverage,
    p_value,
    percent,
    shares,
    short,
)

MOST_COLUMNS = 5
"""Beyond so many features, each rule shows its own features instead of all of them in aligned columns."""

_SHORTEST, _LONGEST = 9, 16  # letters that a column's width follows
_FRAME = 2  # letters that a chip's edges take
_WHOLE = 14  # letters: longer ranges may take two lines
_ENDLESS = re.compile(r"-?\d+\.\d{6,}")
_LEAST_ARROW = 4.0  # per cent: a shorter one would hide behind its own dot
_MEANINGS = {
    Category.CURRENT_SUPPORTING: "true now, leads here",
    Category.CURRENT_CONTRADICTING: "true now, leads elsewhere",
    Category.HYPOTHETICAL_SUPPORTING: "not true now, leads here",
    Category.HYPOTHETICAL_CONTRADICTING: "not true now, leads elsewhere",
}


def context(reading: Reading) -> dict[str, object]:
    """Columns, groups and notes."""
    explanation, view = reading.explanation, _View(reading)
    return {
        "columns": view.columns() if len(view.used) <= MOST_COLUMNS else [],
        "groups": [view.group(category) for category in HEADINGS],
        "notes": [note.text for note in explanation.notes if note.category is None],
        "confirmed": reading.is_confirmed,
        "turning": any(effect.turns and effect.quantiles and effect.feature in view.used for effect in reading.effects),
    }


class _View:
    """What all rules of an explanation share."""

    def __init__(self, reading: Reading) -> None:
        self.reading, self.explanation = reading, reading.explanation
        self.quantiles = axes(self.explanation)
        self.used = reading.used
        self.turning = {effect.feature: _turning(effect) for effect in reading.effects if effect.quantiles}

    def columns(self) -> list[dict[str, object]]:
        """Headings of the features; those with longer words get more room."""
        labels: dict[str, list[str]] = {name: [] for name in self.used}
        for condition in (condition for rule in self.explanation.rules for condition in rule.conditions):
            labels[condition.feature].append(_label(condition))
        return [self._column(name, labels[name]) for name in self.used]

    def _column(self, name: str, labels: Sequence[str]) -> dict[str, object]:
        value, is_numeric = self.explanation.instance[name], bool(self.quantiles[name])
        words = re.split(r"[\s_.\-/]+", name) + " ".join([short(value), *labels]).split(" ")
        at = percent_at(self.quantiles[name], value)
        return {
            "name": name,
            "value": format_value(value),
            "short": short(value),
            "at": at,
            "side": "left" if at is None else _side(at / 100),
            "width": min(max(_SHORTEST, *map(len, words)), _LONGEST) + (0 if is_numeric else _FRAME),
            "numeric": is_numeric,
            "turning": self.turning.get(name, []),
        }

    def group(self, category: Category) -> dict[str, object]:
        """The rules of a kind, or why there are none."""
        rules = self.explanation.rules_of(category)
        consequent = _common_consequent(category, rules)
        reasons = [note.text for note in self.explanation.notes if note.category == category]
        return {
            "heading": heading(category, self.explanation.prediction, self.explanation.unit).replace(
                " …", "\N{NO-BREAK SPACE}…"
            ),
            "term": HEADINGS[category][1],
            "meaning": _MEANINGS[category],
            "remark": self.reading.remark(category),
            "consequent": consequent,
            "tone": "for" if category.is_supporting else "against",
            "hypothetical": not category.is_current,
            "rules": [self._rule(rule, consequent) for rule in rules],
            "reason": " ".join(reasons) or "No rule of this kind was found.",
        }

    def _rule(self, rule: Rule, consequent: str | None) -> dict[str, object]:
        """A rule: what everyone reads, and the figures."""
        cells = {condition.feature: self._cell(condition) for condition in rule.conditions}
        supporting = rule.category is None or rule.category.is_supporting
        return {
            "text": str(rule),
            "cells": [cells.get(name) for name in self.used],
            "own": list(cells.values()),
            "consequent": None if supporting else format_value(rule.consequent),
            "seen": rule.counts.antecedent > 0,
            "confidence": round(100 * rule.confidence, 1),
            "share": round(100 * rule.counts.share_without, 1),
            "weak": WEAK if rule.weak else None,
            "shares": shares(rule),
            "changes": changes(len(rule.rerun.edits)) if rule.rerun is not None and not supporting else None,
            "figures": _figures(rule),
            "answer": self._answer(rule, consequent),
        }

    def _cell(self, condition: Condition) -> dict[str, object]:
        """A condition: a bar on the axis of a number, else a chip."""
        value, quantiles = self.explanation.instance[condition.feature], self.quantiles[condition.feature]
        bar = isinstance(condition, Interval) and bool(quantiles)
        low, high = span(quantiles, condition.low, condition.high) if isinstance(condition, Interval) else (0.0, 1.0)
        return {
            "feature": condition.feature,
            "text": str(condition),
            "now": format_value(value),
            "at": percent_at(quantiles, value),
            "bar": bar,
            "left": round(100 * low, 1),
            "width": round(100 * (high - low), 1),
            "label": _label(condition),
            "side": _side((low + high) / 2) if bar else "left",
            "holds": is_true(condition, value),
            "turning": self.turning.get(condition.feature, []),
        }

    def _answer(self, rule: Rule, consequent: str | None) -> dict[str, object] | None:
        reply, scale = self.reading.answer(rule), self.reading.scale
        if reply is None:
            return None
        before, after = reply.certainties or (None, None)
        return {
            "before": before,
            "after": after,
            "outcome": _outcome(reply, consequent),
            "mark": reply.mark,
            "tone": {"✔": "kept", "✖": "failed"}.get(reply.mark, "strong"),
            "how": "without it" if rule.rerun is None else "on average" if reply.mean and before else None,
            "count": _count(rule, reply, scale),
            "edits": [(edit.feature, *edit.texts) for edit in reply.edits],
            "arrow": _arrow(reply),
            "border": scale.border,
            "margin": scale.unit == "margin",
        }


def _outcome(reply: Answer, consequent: str | None) -> tuple[str, str] | None:
    """What the label is after a change, unless the heading or the figures say so."""
    if reply.label is not None:
        return None if reply.label == consequent and reply.certainties else ("now", reply.label)
    return ("still", reply.prediction) if reply.edits and reply.certainties is None else None


def _count(rule: Rule, reply: Answer, scale: Scale) -> str | None:
    """What was checked, in a few words."""
    if rule.check is None:
        return None
    if rule.rerun is None and scale.unit == "label":
        return reply.count
    turns = rule.category == Category.COUNTERFACTUAL
    if rule.check.asked == 1:
        return "turned" if turns else "agrees"
    return f"turned {rule.check} ways" if turns else f"{rule.check} agree"


def _arrow(reply: Answer) -> dict[str, object] | None:
    """From the certainty of the prediction to the one after the change, in per cent; None: there are none."""
    if reply.before is None or reply.after is None:
        return None
    start, end = (round(100 * reply.scale.place(certainty), 1) for certainty in (reply.before, reply.after))
    way = "still" if abs(end - start) < _LEAST_ARROW else "up" if end > start else "down"
    return {"start": start, "end": end, "left": min(start, end), "width": round(abs(end - start), 1), "way": way}


def _turning(effect: FeatureEffect) -> list[tuple[float, float]]:
    """Left ends and widths of the pieces of an axis where this feature alone turns the prediction, in per cent."""
    pieces: list[tuple[float, float]] = []
    for low, high, asked in effect.segments():
        if asked.turned and pieces and pieces[-1][1] == low:
            pieces[-1] = (pieces[-1][0], high)
        elif asked.turned:
            pieces.append((low, high))
    return [(round(100 * low, 1), round(100 * (high - low), 1)) for low, high in pieces]


def _label(condition: Condition) -> str:
    """A condition without its feature's name; a sign stays with its number, and a short range on one line.

    Endless numbers are cut to few digits: the rule's own text, which is also there, has them all.
    """
    label = condition_label(condition)
    if not isinstance(condition, Interval):
        return label
    label = _ENDLESS.sub(lambda number: f"{float(number[0]):.4g}", label)
    pattern = " " if len(label) <= _WHOLE else r"(?<=[<≤≥=]) "
    return re.sub(pattern, "\N{NO-BREAK SPACE}", label)


def _common_consequent(category: Category, rules: Sequence[Rule]) -> str | None:
    """Where all contradicting rules of a kind lead, if that is one class."""
    labels = {format_value(rule.consequent) for rule in rules}
    return labels.pop() if len(labels) == 1 and not category.is_supporting else None


def _figures(rule: Rule) -> list[tuple[str, str]]:
    """What a rule's measures are, for those who want them."""
    real = rule.real.antecedent if rule.real is not None else 0
    made = rule.counts.antecedent - real
    figures = [
        ("lift", lift(rule)),
        ("leverage", leverage(rule)),
        ("coverage", f"{percent(rule.coverage)}: {real:,} real, {made:,} generated"),
    ]
    return [*figures, ("p-value", p_value(rule))] if p_value(rule) else figures


def lift(rule: Rule) -> str:
    """The lift, if any row matches."""
    return "–" if math.isnan(rule.lift) else f"{rule.lift:.2f}"


def _side(at: float) -> str:
    return "left" if at < 0.4 else "right" if at > 0.6 else "middle"

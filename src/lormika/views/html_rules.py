"""Rules as rows of an aligned matrix for the HTML view: conditions, shares, and what the model said."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from lormika.frames.values import Scalar, format_value
from lormika.rule import Category, Condition, Interval, Rule
from lormika.views.answers import Answer, answer, changes, remark
from lormika.views.axis import position, span
from lormika.views.certainty import Scale
from lormika.views.effects import FeatureEffect
from lormika.views.payload import Payload
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


def context(rules: list[Rule], effects: Sequence[FeatureEffect], payload: Payload, scale: Scale) -> dict[str, Any]:
    """Columns, groups and notes."""
    used = list(dict.fromkeys(feature for rule in rules for feature in rule.features))
    view = _View(payload, scale, used, effects)
    in_columns = len(used) <= MOST_COLUMNS
    reasons = {
        category: note
        for note in payload["notes"]
        for category in HEADINGS
        if note.startswith(f"No {category.value.replace('_', ' ')} rule")
    }
    return {
        "columns": view.columns(rules) if in_columns else [],
        "groups": [
            view.group(category, [rule for rule in rules if rule.category == category])
            | {"reason": reasons.get(category, "No rule of this kind was found.")}
            for category in HEADINGS
        ],
        "notes": [note for note in payload["notes"] if note not in reasons.values()],
        "confirmed": any(rule.check is not None for rule in rules),
        "turning": any(effect.turns and effect.quantiles and effect.feature in used for effect in effects),
    }


class _View:
    """What all rules of an explanation share."""

    def __init__(self, payload: Payload, scale: Scale, used: list[str], effects: Sequence[FeatureEffect]) -> None:
        self.instance: Mapping[str, Scalar | None] = payload["instance"]
        self.prediction: Scalar = payload["prediction"]
        self.quantiles: dict[str, list[float]] = {f["name"]: f["quantiles"] for f in payload["features"]}
        self.scale, self.used = scale, used
        self.turning = {effect.feature: _turning(effect) for effect in effects if effect.quantiles}

    def columns(self, rules: list[Rule]) -> list[dict[str, Any]]:
        """Headings of the features; who has longer words gets more room."""
        conditions = [condition for rule in rules for condition in rule.conditions]
        columns: list[dict[str, Any]] = []
        for name in self.used:
            value = self.instance[name]
            labels = [_label(condition) for condition in conditions if condition.feature == name]
            words = re.split(r"[\s_.\-/]+", name) + " ".join([short(value), *labels]).split(" ")
            frame = 0 if self.quantiles[name] else _FRAME
            at = _at(value, self.quantiles[name])
            columns.append(
                {
                    "name": name,
                    "value": format_value(value),
                    "short": short(value),
                    "at": at,
                    "side": "left" if at is None else _side(at / 100),
                    "width": min(max(_SHORTEST, *map(len, words)), _LONGEST) + frame,
                    "numeric": bool(self.quantiles[name]),
                    "turning": self.turning.get(name, []),
                }
            )
        return columns

    def group(self, category: Category, rules: list[Rule]) -> dict[str, Any]:
        """The rules of a kind."""
        consequent = _common_consequent(category, rules)
        return {
            "heading": heading(category, self.prediction).replace(" …", "\N{NO-BREAK SPACE}…"),
            "term": HEADINGS[category][1],
            "meaning": _MEANINGS[category],
            "remark": remark(category, rules, self.prediction, self.scale),
            "consequent": consequent,
            "tone": "for" if category.is_supporting else "against",
            "hypothetical": not category.is_current,
            "rules": [self.rule(rule, consequent) for rule in rules],
        }

    def rule(self, rule: Rule, consequent: str | None) -> dict[str, Any]:
        """A rule: what everybody reads, and the figures."""
        cells = {condition.feature: self._cell(condition) for condition in rule.conditions}
        supporting = rule.category is None or rule.category.is_supporting
        return {
            "text": str(rule),
            "cells": [cells.get(name) for name in self.used],
            "own": list(cells.values()),
            "consequent": None if supporting else format_value(rule.consequent),
            "seen": rule.counts.antecedent > 0,
            "confidence": rule.confidence,
            "share": rule.counts.share_without,
            "weak": WEAK if rule.weak else None,
            "shares": shares(rule),
            "changes": changes(len(rule.rerun.edits)) if rule.rerun is not None and not supporting else None,
            "figures": _figures(rule),
            "answer": self._answer(rule, consequent),
        }

    def _cell(self, condition: Condition) -> dict[str, Any]:
        """A condition: a bar on the axis of a number, else a chip."""
        value, quantiles = self.instance[condition.feature], self.quantiles[condition.feature]
        bar = isinstance(condition, Interval) and bool(quantiles)
        low, high = span(quantiles, condition.low, condition.high) if isinstance(condition, Interval) else (0.0, 1.0)
        return {
            "feature": condition.feature,
            "text": str(condition),
            "now": format_value(value),
            "at": _at(value, quantiles),
            "bar": bar,
            "left": round(100 * low, 1),
            "width": round(100 * (high - low), 1),
            "label": _label(condition),
            "side": _side((low + high) / 2) if bar else "left",
            "holds": is_true(condition, value),
            "turning": self.turning.get(condition.feature, []),
        }

    def _answer(self, rule: Rule, consequent: str | None) -> dict[str, Any] | None:
        reply = answer(rule, self.prediction, self.scale)
        if reply is None:
            return None
        return {
            "before": _certainties(reply)[0],
            "after": _certainties(reply)[1],
            "outcome": _outcome(reply, consequent),
            "mark": reply.mark,
            "tone": {"✔": "kept", "✖": "failed"}.get(reply.mark, "strong"),
            "how": "without it" if rule.rerun is None else "on average" if reply.mean and reply.certainty else None,
            "count": _count(rule, reply, self.scale),
            "edits": [(edit.feature, *_values(str(edit), edit.feature)) for edit in reply.edits],
            "arrow": _arrow(reply, self.scale),
            "border": self.scale.border,
            "margin": reply.certainty.startswith("margin "),
        }


def _outcome(reply: Answer, consequent: str | None) -> tuple[str, str] | None:
    """What the label is after a change, unless the heading or the figures say so."""
    if reply.label is not None:
        return None if reply.label == consequent and reply.certainty else ("now", reply.label)
    return ("still", reply.prediction) if reply.edits and not reply.certainty else None


def _certainties(reply: Answer) -> tuple[str, str] | tuple[None, None]:
    before, arrow, after = reply.certainty.removeprefix("margin ").partition(" → ")
    return (before, after) if arrow else (None, None)


def _values(text: str, feature: str) -> tuple[str, str]:
    """Both values of an edit, as `Edit` writes them."""
    before, _, after = text[len(feature) + 1 :].rpartition(" → ")
    return before, after


def _count(rule: Rule, reply: Answer, scale: Scale) -> str | None:
    """What was checked, in few words."""
    if rule.check is None:
        return None
    if rule.rerun is None and scale.unit == "label":
        return reply.count
    turns = rule.category == Category.COUNTERFACTUAL
    if rule.check.asked == 1:
        return "turned" if turns else "agrees"
    return f"turned {rule.check} ways" if turns else f"{rule.check} agree"


def _arrow(reply: Answer, scale: Scale) -> dict[str, Any] | None:
    """From the certainty of the prediction to the one after the change, in per cent; None: there are none."""
    if reply.before is None or reply.after is None or not reply.certainty:
        return None
    start, end = round(100 * scale.place(reply.before), 1), round(100 * scale.place(reply.after), 1)
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


def _at(value: Any, quantiles: list[float]) -> float | None:
    """Where the instance's value lies on its feature's axis, in per cent; None: the axis has no such place."""
    return None if value is None or not quantiles else round(100 * position(quantiles, value), 1)


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


def _common_consequent(category: Category, rules: list[Rule]) -> str | None:
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

"""An explanation as HTML: a fragment for notebooks and pages, and a self-contained report.

Pure HTML, CSS and inline SVG: no script and no network. Everything that comes from data passes through the templates'
automatic escaping.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from lormika.payload import Payload, load_rule
from lormika.rule import Category, Condition, Interval, Rule
from lormika.values import format_value
from lormika.views.axis import position, span
from lormika.views.narrative import narrative
from lormika.views.words import (
    HEADINGS,
    MEANINGS,
    condition_label,
    heading,
    is_true,
    p_value,
    percent,
    remark,
    rerun_verdict,
)

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

MOST_COLUMNS = 5
"""Beyond so many features, each rule shows its own features instead of all of them in aligned columns."""

_FEATURES_WIDTH = 47.0  # per cent of the table's width, for all features together
_SHORTEST, _LONGEST = 7, 15  # letters that a column's width follows
_LEAST_ARROW = 4.0  # per cent: a shorter one would hide behind its own dot

MOST_CHARACTERS = 300
"""Of any one text."""

_BRIEF = 60  # characters in a narrow place


def to_html(payload: Payload) -> str:
    """The explanation as a fragment."""
    return environment().get_template("explanation.html.j2").render(_context(payload))


def to_report(payload: Payload) -> str:
    """The explanation as a page of its own, with the instance, the neighbourhood, all rules and the options."""
    from lormika.views import scatter

    context = _context(payload) | {
        "payload": payload,
        "scatter": scatter.points(payload),
        "table": [_table_row(load_rule(rule)) for rule in payload["rules"]],
    }
    return environment().get_template("report.html.j2").render(context)


@cache
def environment() -> Environment:
    """Templates of all pages; whatever is put into them is escaped, and shortened if it is endless."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    found = Environment(
        loader=PackageLoader("lormika.views"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shorten,
    )
    found.filters |= {"percent": percent, "value": format_value, "breakable": _breakable}
    return found


def _breakable(name: str) -> Markup:
    """A text in a narrow place: brief, and a name may be broken after each underscore, dot or hyphen."""
    from markupsafe import Markup, escape

    return Markup(re.sub(r"(?<=[_.\-/])(?=[^\W\d])", "<wbr>", str(escape(_shorten(name, _BRIEF)))))


def _shorten(value: Any, most: int = MOST_CHARACTERS) -> Any:
    """Texts from data may be endless; whoever needs them whole has the JSON."""
    is_long = isinstance(value, str) and not hasattr(value, "__html__") and len(value) > most
    return f"{value[:most]}…" if is_long else value


def _context(payload: Payload) -> dict[str, Any]:
    from markupsafe import escape

    rules = [load_rule(rule) for rule in payload["rules"]]
    used = list(dict.fromkeys(feature for rule in rules for feature in rule.features))
    quantiles = {f["name"]: f["quantiles"] for f in payload["features"]}
    in_columns = len(used) <= MOST_COLUMNS
    reasons = {
        category: note
        for note in payload["notes"]
        for category in HEADINGS
        if note.startswith(f"No {category.value.replace('_', ' ')} rule")
    }
    return {
        "spans": narrative(payload),
        "columns": _columns(used, rules, payload, quantiles) if in_columns else [],
        "slots": 0 if in_columns else min(3, max(len(rule.conditions) for rule in rules)),
        "groups": [
            _group(category, [rule for rule in rules if rule.category == category], payload, used, quantiles)
            | {"reason": reasons.get(category, "No rule of this kind was found.")}
            for category in HEADINGS
        ],
        "notes": [note for note in payload["notes"] if note not in reasons.values()],
        "meanings": {name: escape(meaning) for name, meaning in MEANINGS.items()},  # whole, since they are not data
        "near": payload["neighbourhood"],
        "classes": payload["classes"],
        "total": sum(c["rows"] for c in payload["classes"]),
        "prediction": payload["prediction"],
    }


def _columns(
    used: list[str], rules: list[Rule], payload: Payload, quantiles: dict[str, list[float]]
) -> list[dict[str, Any]]:
    """Headings of the features; who has longer words gets more room."""
    conditions = [condition for rule in rules for condition in rule.conditions]
    columns: list[dict[str, Any]] = []
    for name in used:
        value = payload["instance"][name]
        labels = [_label(condition) for condition in conditions if condition.feature == name]
        words = re.split(r"[\s_.\-/]+", name) + " ".join([_short(value), *labels]).split(" ")
        at = _at(value, quantiles[name])
        columns.append(
            {
                "name": name,
                "value": format_value(value),
                "short": _short(value),
                "at": at,
                "side": "left" if at is None else _side(at / 100),
                "width": min(max(_SHORTEST, *map(len, words)), _LONGEST),
            }
        )
    total = sum(column["width"] for column in columns)
    return [column | {"width": round(_FEATURES_WIDTH * column["width"] / total, 2)} for column in columns]


def _at(value: Any, quantiles: list[float]) -> float | None:
    """Where the instance's value lies on its feature's axis, in per cent; None: the axis has no such place."""
    return None if value is None or not quantiles else round(100 * position(quantiles, value), 1)


def _short(value: Any) -> str:
    """A value in a narrow place: few digits."""
    return f"{value:.4g}" if isinstance(value, float) and 1e-4 <= abs(value) < 1e4 else format_value(value)


def _label(condition: Condition) -> str:
    """A condition without its feature's name; a sign stays with its number."""
    label = condition_label(condition)
    return re.sub(r"([<≤≥=]) ", "\\1\N{NO-BREAK SPACE}", label) if isinstance(condition, Interval) else label


def _group(
    category: Category, rules: list[Rule], payload: Payload, used: list[str], quantiles: dict[str, list[float]]
) -> dict[str, Any]:
    prediction = payload["prediction"]
    return {
        "heading": heading(category, prediction).replace(" …", "\N{NO-BREAK SPACE}…"),
        "term": HEADINGS[category][1],
        "remark": remark(category, rules, prediction, _probability(payload)),
        "consequent": _common_consequent(category, rules),
        "tone": "for" if category.is_supporting else "against",
        "hypothetical": not category.is_current,
        "rules": [_rule(rule, payload, used, quantiles) for rule in rules],
    }


def _common_consequent(category: Category, rules: list[Rule]) -> str | None:
    """Where all contradicting rules of a kind lead, if that is one class."""
    labels = {format_value(rule.consequent) for rule in rules}
    return labels.pop() if len(labels) == 1 and not category.is_supporting else None


def _rule(rule: Rule, payload: Payload, used: list[str], quantiles: dict[str, list[float]]) -> dict[str, Any]:
    cells = {c.feature: _cell(c, payload["instance"][c.feature], quantiles[c.feature]) for c in rule.conditions}
    real = rule.real.antecedent if rule.real is not None else 0
    return {
        "text": str(rule),
        "cells": [cells.get(name) for name in used],
        "own": list(cells.values()),
        "consequent": None if rule.category is None or rule.category.is_supporting else format_value(rule.consequent),
        "confidence": rule.confidence,
        "share": rule.counts.share_without,
        "coverage": rule.coverage,
        "lift": f"{rule.lift:.2f}",
        "leverage": f"{rule.leverage:.3f}",
        "real": real,
        "made": rule.counts.antecedent - real,
        "rerun": _rerun(rule, payload),
    }


def _cell(condition: Condition, value: Any, quantiles: list[float]) -> dict[str, Any]:
    """A condition as a bar on its feature's axis; a category, or a missing value, takes the whole width."""
    low, high = 0.0, 1.0
    if isinstance(condition, Interval) and quantiles:
        low, high = span(quantiles, condition.low, condition.high)
    return {
        "feature": condition.feature,
        "now": format_value(value),
        "at": _at(value, quantiles),
        "left": round(100 * low, 1),
        "width": round(100 * (high - low), 1),
        "label": _label(condition),
        "side": _side((low + high) / 2),
        "holds": is_true(condition, value),
    }


def _side(at: float) -> str:
    return "left" if at < 0.4 else "right" if at > 0.6 else "middle"


def _rerun(rule: Rule, payload: Payload) -> dict[str, Any] | None:
    if rule.rerun is None:
        return None
    before = _probability(payload)
    said, mark = rerun_verdict(rule, payload["prediction"], before)
    return {
        "said": said,
        "mark": mark,
        "tone": {"✔": "kept", "✖": "failed"}.get(mark, "strong"),
        "edits": [(edit.feature, format_value(edit.before), format_value(edit.after)) for edit in rule.rerun.edits],
        "arrow": _arrow(before, rule.rerun.probability),
        "halves": len(payload["classes"]) == 2,
    }


def _probability(payload: Payload) -> float | None:
    chance: float | None = next(c["probability"] for c in payload["classes"] if c["label"] == payload["prediction"])
    return chance


def _arrow(before: float | None, after: float | None) -> dict[str, Any] | None:
    """From the probability of the prediction to the one after the change, in per cent; None: there are none."""
    if before is None or after is None:
        return None
    start, end = round(100 * before, 1), round(100 * after, 1)
    way = "still" if abs(end - start) < _LEAST_ARROW else "up" if end > start else "down"
    return {"start": start, "end": end, "left": min(start, end), "width": round(abs(end - start), 1), "way": way}


def _table_row(rule: Rule) -> dict[str, Any]:
    return {
        "kind": "" if rule.category is None else rule.category.value.replace("_", " "),
        "rule": str(rule),
        "figures": [
            percent(rule.support), percent(rule.coverage), percent(rule.confidence), f"{rule.lift:.2f}",
            f"{rule.leverage:.3f}", p_value(rule),
        ],
        "rows": f"{rule.counts.antecedent:,}",
        "real": "" if rule.real is None else f"{rule.real.antecedent:,}",
    }  # fmt: skip

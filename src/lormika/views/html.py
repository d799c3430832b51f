"""An explanation as HTML: a fragment for notebooks and pages, and a self-contained report.

Pure HTML, CSS and inline SVG: no script and no network. Everything that comes from data passes through the templates'
automatic escaping.
"""

from __future__ import annotations

import math
import re
from functools import cache
from typing import TYPE_CHECKING, Any

from lormika.payload import Payload, load_rule
from lormika.rule import Category, Condition, Interval, Rule
from lormika.values import format_value
from lormika.views.axis import position, span
from lormika.views.narrative import narrative
from lormika.views.words import HEADINGS, MEANINGS, condition_label, is_true, percent, rerun_verdict

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

MOST_COLUMNS = 4
"""Beyond so many features, conditions are listed in words instead of standing in a column each."""

MOST_CHARACTERS = 300
"""Of any one text."""


def to_html(payload: Payload) -> str:
    """The explanation as a fragment."""
    return _environment().get_template("explanation.html.j2").render(_context(payload))


def to_report(payload: Payload) -> str:
    """The explanation as a page of its own, with the instance, the neighbourhood, all rules and the options."""
    from lormika.views import scatter

    context = _context(payload) | {
        "payload": payload,
        "scatter": scatter.points(payload),
        "table": [_table_row(load_rule(rule)) for rule in payload["rules"]],
    }
    return _environment().get_template("report.html.j2").render(context)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("lormika.views"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shorten,
    )
    environment.filters |= {"percent": percent, "value": format_value, "breakable": _breakable}
    return environment


def _breakable(name: str) -> Markup:
    """A name that may be broken after each underscore, dot or hyphen."""
    from markupsafe import Markup, escape

    return Markup(re.sub(r"(?<=[_.\-/])", "<wbr>", str(escape(_shorten(name)))))


def _shorten(value: Any) -> Any:
    """Texts from data may be endless; whoever needs them whole has the JSON."""
    is_long = isinstance(value, str) and not hasattr(value, "__html__") and len(value) > MOST_CHARACTERS
    return f"{value[:MOST_CHARACTERS]}…" if is_long else value


def _context(payload: Payload) -> dict[str, Any]:
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
        "columns": [_column(name, payload["instance"][name], quantiles[name]) for name in used] if in_columns else [],
        "in_columns": in_columns,
        "groups": [
            _group(category, [rule for rule in rules if rule.category == category], payload, used, quantiles)
            | {"reason": reasons.get(category, "No rule of this kind was found.")}
            for category in HEADINGS
        ],
        "notes": [note for note in payload["notes"] if note not in reasons.values()],
        "meanings": MEANINGS,
        "near": payload["neighbourhood"],
        "classes": payload["classes"],
        "total": sum(c["rows"] for c in payload["classes"]),
        "prediction": payload["prediction"],
    }


def _column(name: str, value: Any, quantiles: list[float]) -> dict[str, Any]:
    """Heading of a feature: its name, the instance's value, and where that lies on the axis."""
    if not quantiles or value is None:
        return {"name": name, "value": format_value(value), "at": None, "side": "left"}
    at = position(quantiles, value)
    return {"name": name, "value": format_value(value), "at": round(100 * at, 1), "side": _side(at)}


def _group(
    category: Category, rules: list[Rule], payload: Payload, used: list[str], quantiles: dict[str, list[float]]
) -> dict[str, Any]:
    heading, term = HEADINGS[category]
    return {
        "heading": heading.format(prediction=format_value(payload["prediction"])),
        "term": term,
        "tone": "for" if category.is_supporting else "against",
        "hypothetical": not category.is_current,
        "rules": [_rule(rule, payload, used, quantiles) for rule in rules],
    }


def _rule(rule: Rule, payload: Payload, used: list[str], quantiles: dict[str, list[float]]) -> dict[str, Any]:
    cells = {c.feature: _cell(c, payload["instance"][c.feature], quantiles[c.feature]) for c in rule.conditions}
    real = rule.real.antecedent if rule.real is not None else 0
    return {
        "text": str(rule),
        "cells": [cells.get(name) for name in used],
        "conditions": [cell | {"feature": name} for name, cell in cells.items()],
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
        "left": round(100 * low, 1),
        "width": round(100 * (high - low), 1),
        "label": condition_label(condition),
        "side": _side((low + high) / 2),
        "holds": is_true(condition, value),
        "ranged": isinstance(condition, Interval),
    }


def _side(at: float) -> str:
    return "left" if at < 0.4 else "right" if at > 0.6 else "middle"


def _rerun(rule: Rule, payload: Payload) -> dict[str, Any] | None:
    if rule.rerun is None:
        return None
    before = next(c["probability"] for c in payload["classes"] if c["label"] == payload["prediction"])
    said, mark = rerun_verdict(rule, payload["prediction"], before)
    return {
        "said": said,
        "mark": mark,
        "tone": {"✔": "kept", "✖": "failed"}.get(mark, "same"),
        "edits": str(rule.rerun),
    }


def _table_row(rule: Rule) -> dict[str, Any]:
    return {
        "kind": "" if rule.category is None else rule.category.value.replace("_", " "),
        "rule": str(rule),
        "figures": [
            percent(rule.support), percent(rule.coverage), percent(rule.confidence), f"{rule.lift:.2f}",
            f"{rule.leverage:.3f}", "" if math.isnan(rule.p_value) else f"{rule.p_value:.1e}",
        ],
        "rows": f"{rule.counts.antecedent:,}",
        "real": "" if rule.real is None else f"{rule.real.antecedent:,}",
    }  # fmt: skip

"""An explanation as HTML: a fragment for notebooks and pages, and a self-contained report.

Pure HTML, CSS and inline SVG: no script and no network. Everything that comes from data passes through the templates'
automatic escaping.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from lormika.frames.values import format_value
from lormika.rule import Rule
from lormika.views import html_effects, html_rules
from lormika.views.certainty import Scale, scale
from lormika.views.effects import feature_effects
from lormika.views.narrative import narrative
from lormika.views.payload import Payload, load_rule
from lormika.views.words import MEANINGS, leverage, p_value, percent

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

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

    templates = Environment(
        loader=PackageLoader("lormika.views"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shorten,
    )
    templates.filters |= {"percent": percent, "value": format_value, "breakable": _breakable}
    return templates


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
    measure = scale(payload)
    effects = feature_effects(payload, measure)
    return {
        "card": _card(payload, measure),
        "effects": html_effects.context(effects, payload, measure),
        **html_rules.context(rules, effects, payload, measure),
        "meanings": {name: escape(meaning) for name, meaning in MEANINGS.items()},  # whole, since they are not data
        "near": payload["neighbourhood"],
        "classes": payload["classes"],
        "total": sum(c["rows"] for c in payload["classes"]),
        "prediction": payload["prediction"],
    }


def _card(payload: Payload, measure: Scale) -> dict[str, Any]:
    """What the model says, how sure it is, and the sentences."""
    story = narrative(payload)
    chance = measure.before if measure.unit == "probability" else None
    return {
        "label": format_value(payload["prediction"]),
        "chance": None if chance is None else percent(chance),
        "width": None if chance is None else round(100 * chance, 1),
        "margin": None
        if measure.unit != "margin" or measure.before is None
        else measure.span(measure.before, measure.before),
        "border": measure.border,
        "story": story,
    }


def _table_row(rule: Rule) -> dict[str, Any]:
    return {
        "kind": "" if rule.category is None else rule.category.value.replace("_", " "),
        "rule": str(rule),
        "figures": [
            percent(rule.support), percent(rule.coverage), percent(rule.confidence), html_rules.lift(rule),
            leverage(rule), p_value(rule) or "–",
        ],
        "rows": f"{rule.counts.antecedent:,}",
        "real": "" if rule.real is None else f"{rule.real.antecedent:,}",
        "agreed": "" if rule.check is None else str(rule.check),
    }  # fmt: skip

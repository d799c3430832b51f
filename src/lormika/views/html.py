"""An explanation as HTML: a fragment for notebooks and pages, and a self-contained report.

Pure HTML, CSS and inline SVG: no script and no network. Everything that comes from data passes through the templates'
automatic escaping.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from lormika.frames.values import format_value
from lormika.rule import Rule
from lormika.views import html_effects, html_rules
from lormika.views.narrative import narrate
from lormika.views.reading import Reading
from lormika.views.words import MEANINGS, leverage, p_value, percent

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

    from lormika.explanation import Explanation

MOST_CHARACTERS = 300
"""Of any one text."""

_BRIEF = 60  # characters in a narrow place


def to_html(explanation: Explanation) -> str:
    """The explanation as a fragment."""
    return environment().get_template("explanation.html.j2").render(_context(Reading.of(explanation)))


def to_report(explanation: Explanation) -> str:
    """The explanation as a separate page, with the instance, the neighbourhood, all rules and the options."""
    from lormika.views import scatter

    reading = Reading.of(explanation)
    explanation = reading.explanation
    context = _context(reading) | {
        "instance": explanation.instance,
        "options": explanation.options,
        "versions": explanation.versions,
        "scatter": scatter.points(explanation),
        "table": [_table_row(rule) for rule in explanation.rules],
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


def _shorten(value: object, most: int = MOST_CHARACTERS) -> object:
    """Shorten texts from data, which may be endless; the JSON has them in full."""
    if isinstance(value, str) and not hasattr(value, "__html__") and len(value) > most:
        return f"{value[:most]}…"
    return value


def _context(reading: Reading) -> dict[str, object]:
    from markupsafe import escape

    return {
        "card": _card(reading),
        "effects": html_effects.context(reading),
        **html_rules.context(reading),
        "meanings": {name: escape(meaning) for name, meaning in MEANINGS.items()},  # whole, since they are not data
        "near": reading.explanation.neighbourhood,
        "classes": reading.explanation.classes,
    }


def _card(reading: Reading) -> dict[str, object]:
    """What the model says, how sure it is, and the sentences."""
    scale, label = reading.scale, format_value(reading.explanation.prediction)
    card: dict[str, object] = {"label": label, "border": scale.border, "story": narrate(reading)}
    if scale.before is None or scale.unit == "label":
        return card | {"chance": None, "margin": None}
    certainty = scale.text(scale.before)
    if scale.unit == "margin":
        return card | {"chance": None, "margin": certainty}
    return card | {"chance": certainty, "width": round(100 * scale.before, 1)}


def _table_row(rule: Rule) -> dict[str, object]:
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

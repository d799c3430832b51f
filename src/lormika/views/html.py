"""An explanation as HTML: a fragment for notebooks and pages, and a self-contained report.

Pure HTML, CSS and inline SVG: no script and no network. Everything that comes from data passes through the templates'
automatic escaping.
"""

from __future__ import annotations

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


def to_html(explanation: Explanation) -> str:
    """The explanation as a fragment."""
    return environment().get_template("explanation.html.j2").render(_context(Reading.of(explanation)))


def to_board(explanation: Explanation, *, detailed: bool = False) -> str:
    """The fragment without its styles, for a page that has them already; detailed: the figures of rules are open."""
    context = _context(Reading.of(explanation)) | {"detailed": detailed}
    return environment().get_template("board.html.j2").render(context)


def board_styles() -> str:
    """The styles of that fragment."""
    return environment().get_template("board.css.j2").render()


def to_report(explanation: Explanation, case: str | None = None) -> str:
    """The explanation as a separate page, with the instance, the neighbourhood, all rules and the options.

    `case`: what the instance is called, where it has a name.
    """
    from lormika.views import scatter

    reading = Reading.of(explanation)
    explanation = reading.explanation
    context = _context(reading) | {
        "case": case,
        "instance": explanation.instance,
        "options": explanation.options,
        "versions": explanation.versions,
        "scatter": scatter.points(explanation),
        "table": [_table_row(rule) for rule in explanation.rules],
    }
    return environment().get_template("report.html.j2").render(context)


@cache
def environment() -> Environment:
    """Templates of all pages, with the filters that they use."""
    from lormika.views.templating import Templates, breakable

    templates = Templates()
    templates.filters |= {"percent": percent, "value": format_value, "breakable": breakable}
    return templates


def _context(reading: Reading) -> dict[str, object]:
    return {
        "card": _card(reading),
        "effects": html_effects.context(reading),
        **html_rules.context(reading),
        "meanings": _meanings(),
        "near": reading.explanation.neighbourhood,
        "classes": reading.explanation.classes,
    }


@cache
def _meanings() -> dict[str, Markup]:
    """What the figures mean: whole, since that is not data."""
    from markupsafe import escape

    return {name: escape(meaning) for name, meaning in MEANINGS.items()}


def _card(reading: Reading) -> dict[str, object]:
    """What the model says, how sure it is, and the sentences."""
    scale, label = reading.scale, format_value(reading.explanation.prediction)
    if reading.explanation.value is not None:
        value = scale.text(reading.explanation.value)
        return {"label": value, "band": label, "chance": None, "margin": None, "story": narrate(reading)}
    card: dict[str, object] = {"label": label, "border": scale.border, "band": None, "story": narrate(reading)}
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
            leverage(rule), p_value(rule) or "–", f"{rule.counts.antecedent:,}",
            "" if rule.real is None else f"{rule.real.antecedent:,}", "" if rule.check is None else str(rule.check),
        ],
    }  # fmt: skip

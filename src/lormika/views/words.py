"""Words and numbers as every view shows them."""

from __future__ import annotations

from lormika.rule import Category, Rule
from lormika.values import Scalar, format_value

HEADINGS = {
    Category.CURRENT_SUPPORTING: ("Why “{prediction}”", "current supporting"),
    Category.CURRENT_CONTRADICTING: ("Speaks against", "current contradicting"),
    Category.HYPOTHETICAL_SUPPORTING: ("More certain if …", "hypothetical supporting"),
    Category.HYPOTHETICAL_CONTRADICTING: ("Would turn if …", "hypothetical contradicting, counterfactual"),
}
"""Each kind of rule in plain words, and the paper's term."""


def percent(share: float) -> str:
    """A share in per cent, never rounded to certainty.

    >>> percent(0.614), percent(0.9999), percent(1.0), percent(0.0001)
    ('61%', '>99%', '100%', '<1%')
    """
    if 0 < share < 0.005:
        return "<1%"
    return ">99%" if 0.995 <= share < 1 else f"{share:.0%}"


def conditions(rule: Rule) -> str:
    """The conditions of a rule, and where it leads if not to the prediction."""
    text = " and ".join(map(str, rule.conditions))
    if rule.category is None or rule.category.is_supporting:
        return text
    return f"{text} ⇒ {format_value(rule.consequent)}"


def rerun_verdict(rule: Rule, prediction: Scalar, probability: float | None) -> tuple[str, bool]:
    """What the model said of the edited instance, and whether that is what the rule promises.

    A supporting rule promises more certainty, a contradicting one another label.
    """
    rerun = rule.rerun
    assert rerun is not None
    supporting = rule.category is not None and rule.category.is_supporting
    if rerun.probability is None or probability is None:
        kept = not rerun.turned if supporting else rerun.turned
        return f"{format_value(prediction)} → {format_value(rerun.label)}", kept
    said = f"{percent(probability)} → {percent(rerun.probability)}"
    if supporting:
        return said, not rerun.turned and rerun.probability > probability
    return said, rerun.turned


def printable(text: str) -> str:
    r"""Text from data without control characters, which a terminal would obey.

    >>> print(printable("a" + chr(27) + "[31mb"))
    a\x1b[31mb
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)

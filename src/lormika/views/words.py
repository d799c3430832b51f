"""Words and numbers as every view shows them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from lormika.rule import Category, Condition, Equals, Interval, Missing, Rule
from lormika.values import Scalar, format_exact, format_value

HEADINGS = {
    Category.CURRENT_SUPPORTING: ("Why “{prediction}”", "current supporting"),
    Category.CURRENT_CONTRADICTING: ("Speaks against", "current contradicting"),
    Category.HYPOTHETICAL_SUPPORTING: ("More certain if …", "hypothetical supporting"),
    Category.HYPOTHETICAL_CONTRADICTING: ("Would turn if …", "hypothetical contradicting, counterfactual"),
}
"""Each kind of rule in plain words, and the paper's term."""


def heading(category: Category, prediction: Scalar) -> str:
    """A kind of rule in plain words.

    >>> heading(Category.CURRENT_SUPPORTING, "High"), heading(Category.CURRENT_SUPPORTING, "< 1")
    ('Why “High”', 'Why “< 1”')
    """
    return HEADINGS[category][0].format(prediction=format_value(prediction).removeprefix("“").removesuffix("”"))


MEANINGS = {
    "confidence": "Of the similar rows that match the conditions, the share that the model labels so. "
    "The tick and “vs” are the share among all similar rows.",
    "coverage": "The share of all similar rows that match the conditions, and how many of these are real rows of the "
    "background and how many were generated.",
    "lift": "How many times as frequent the label is among the matching rows as among all similar rows.",
    "leverage": "The share of rows that match both sides, beyond what independent sides would give.",
    "model re-run": "The smallest change of this instance that makes the rule true was given to the model: the "
    "probability of its prediction before and after, and its new label if that changed. ✔: it did what the rule says; "
    "✖: it did not; ~: it turned, but to another class; =: it is as certain as before. With two classes, the dashed "
    "mark is at 50%.",
}
"""What each figure means, for whoever points at it."""


def condition_label(condition: Condition) -> str:
    """A condition without the name of its feature.

    >>> condition_label(Interval("age", 25.5, 29.5, integer=True)), condition_label(Equals("job", "clerk"))
    ('26 – 29', 'clerk')
    >>> condition_label(Interval("age", 25.5, float("inf"), integer=True)), condition_label(Missing("age"))
    ('≥ 26', 'missing')
    """
    match condition:
        case Interval():
            low, high, upper = condition.ends
            if low == -math.inf or high == math.inf or low == high:
                return str(condition).removeprefix(condition.feature).strip()
            return f"{format_exact(low)} – {upper if upper == '<' else ''}{format_exact(high)}"
        case Equals(_, value):
            return format_value(value)
        case Missing():
            return "missing"


def is_true(condition: Condition, value: Scalar | None) -> bool:
    """Whether a condition is true of a value.

    >>> is_true(Interval("age", 20, 30), 25), is_true(Equals("job", "clerk"), None), is_true(Missing("job"), None)
    (True, False, True)
    """
    match condition:
        case Interval(_, low, high, _):
            return isinstance(value, int | float) and low <= value < high
        case Equals(_, wanted):
            return bool(value == wanted)
        case Missing():
            return value is None


def percent(share: float) -> str:
    """A share in per cent, never rounded to certainty.

    >>> percent(0.614), percent(0.9999), percent(1.0), percent(0.0001)
    ('61%', '>99%', '100%', '<1%')
    """
    if 0 < share < 0.005:
        return "<1%"
    return ">99%" if 0.995 <= share < 1 else f"{share:.0%}"


def p_value(rule: Rule) -> str:
    """A p-value; nothing if there is none.

    >>> from lormika.rule import Counts
    >>> p_value(Rule((), "High", Counts(9, 3, 4, 2), 0.1, p_value=0.0))
    '<1e-300'
    """
    if math.isnan(rule.p_value):
        return ""
    return "<1e-300" if rule.p_value < 1e-300 else f"{rule.p_value:.1e}"


def conditions(rule: Rule) -> str:
    """The conditions of a rule, and where it leads if not to the prediction."""
    text = " and ".join(map(str, rule.conditions))
    if rule.category is None or rule.category.is_supporting:
        return text
    return f"{text} ⇒ {format_value(rule.consequent)}"


Mark = Literal["✔", "✖", "~", "="]


def rerun_verdict(rule: Rule, prediction: Scalar, probability: float | None) -> tuple[str, Mark]:
    """What the model said of the edited instance, and whether that is what the rule says.

    A contradicting rule says which label ("~": it became another one); a supporting one that the model would be more
    certain ("=": that did not change to be seen, or the model gives no probabilities).
    """
    rerun = rule.rerun
    assert rerun is not None
    if rerun.probability is None or probability is None:
        said = f"{format_value(prediction)} → {format_value(rerun.label)}"
    else:
        said = f"{percent(probability)} → {percent(rerun.probability)}"
        said += f", now {format_value(rerun.label)}" if rerun.turned else ""
    if rule.category is None or not rule.category.is_supporting:
        return said, "✔" if rerun.label == rule.consequent else "~" if rerun.turned else "✖"
    if rerun.turned:
        return said, "✖"
    if rerun.probability is None or probability is None or percent(probability) == percent(rerun.probability):
        return said, "="
    return said, "✔" if rerun.probability > probability else "✖"


def remark(category: Category, rules: Sequence[Rule], prediction: Scalar, probability: float | None) -> str | None:
    """What to say of a kind of rules none of which did what it says when the model was asked again."""
    if category.is_current or not rules:
        return None
    marks = {rerun_verdict(rule, prediction, probability)[1] for rule in rules if rule.rerun is not None}
    if not category.is_supporting:
        return (
            None
            if marks & {"✔", "~"}
            else "None of these changes turned the prediction when the model was asked again."
        )
    failed = "✔" not in marks and "✖" in marks
    return "None of these changes made the model more certain when it was asked again." if failed else None


_JOINERS = "\u200c\u200d"  # part of the spelling of some languages, and of emoji


def printable(text: str) -> str:
    r"""Text from data without control characters, which a terminal would obey.

    >>> print(printable("a" + chr(27) + "[31mb"))
    a\x1b[31mb
    """
    return "".join(c if c.isprintable() or c in _JOINERS else c.encode("unicode_escape").decode() for c in text)

"""Words and numbers as every view shows them."""

from __future__ import annotations

import math
from functools import lru_cache

from lormika.frames.values import Quantity, Scalar, format_value
from lormika.models import Unit
from lormika.rule import Category, Condition, Equals, Interval, Missing, Rule

HEADINGS = {
    Category.CURRENT_SUPPORTING: ("Why “{prediction}”", "current supporting"),
    Category.CURRENT_CONTRADICTING: ("Speaks against", "current contradicting"),
    Category.HYPOTHETICAL_SUPPORTING: ("More certain if …", "hypothetical supporting"),
    Category.HYPOTHETICAL_CONTRADICTING: ("Would turn if …", "hypothetical contradicting, counterfactual"),
}
"""Each kind of rule in plain words, and the paper's term."""

_DEEPER = "Further from the edge if …"


def heading(category: Category, prediction: Scalar, unit: Unit = "probability") -> str:
    """A kind of rule in plain words; a regressor is not more or less certain.

    >>> heading(Category.CURRENT_SUPPORTING, "High"), heading(Category.CURRENT_SUPPORTING, "< 1")
    ('Why “High”', 'Why “< 1”')
    """
    if unit == "value" and category == Category.HYPOTHETICAL_SUPPORTING:
        return _DEEPER
    return HEADINGS[category][0].format(prediction=format_value(prediction).removeprefix("“").removesuffix("”"))


MEANINGS = {
    "share": "Of the similar rows that match the conditions, the share that the model labels so (the rule's "
    "confidence), instead of the share among all similar rows, where the tick is.",
    "coverage": "The share of all similar rows that match the conditions, and how many of these are real rows of the "
    "background and how many were generated.",
    "lift": "How many times as frequent the label is among the matching rows as among all similar rows.",
    "leverage": "The share of rows that match both sides, beyond what independent sides would give.",
    "p-value": "The largest of Fisher's tests against the rule's generalisations. It speaks of the sample, which can "
    "be made as large as one likes, not of the world.",
}
"""What each figure means, as a tooltip."""


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
            low_text, high_text = condition.end_texts
            return f"{low_text} – {upper if upper == '<' else ''}{high_text}"
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


def short(value: Scalar | None) -> str:
    """A value for a narrow place: few digits.

    >>> short(2.84719), short(250000), short("car")
    ('2.847', '250000', 'car')
    """
    if isinstance(value, Quantity) or not isinstance(value, float) or not 1e-4 <= abs(value) < 1e4:
        return format_value(value)
    return f"{value:.4g}"


_REMEMBERED = 4096  # shares: a page shows the same ones again and again
_MOST_DIGITS = 2  # after the point
_SATURATED = 0.05  # from certainty: there, fractions of a per cent matter


@lru_cache(maxsize=_REMEMBERED)
def percent(share: float) -> str:
    """A share in per cent, never rounded to certainty.

    >>> percent(0.614), percent(0.9961), percent(1.0), percent(0.0002), percent(0.99999999)
    ('61%', '99.6%', '100%', '0.02%', '>99.99%')
    """
    if math.isnan(share):
        return "–"
    for digits in range(_MOST_DIGITS + 1):
        text = f"{share:.{digits}%}"
        if not _rounds_away(text, share):
            return text
    return "<0.01%" if share < 0.5 else ">99.99%"


WEAK = "weak: found by asking the model; no rule of similar rows was confirmed"
FEW = 10
"""Below this many rows, a share is shown as a count."""


def shares(rule: Rule) -> tuple[str, str]:
    """The share of a rule, and the usual one beside it; of a few rows, how many.

    >>> from lormika.rule import Counts
    >>> shares(Rule((), "High", Counts(200, 100, 40, 36), 0.1)), shares(Rule((), "High", Counts(200, 1, 40, 1), 0.1))
    (('36%', 'instead of 20%'), ('1 of 1', 'similar row'))
    >>> shares(Rule((), "High", Counts(200, 100, 40, 20), 0.1))
    ('20%', 'as usual')
    """
    counts = rule.counts
    if counts.antecedent < FEW:
        return f"{counts.both} of {counts.antecedent}", f"similar row{'' if counts.antecedent == 1 else 's'}"
    share, usual = percents(rule.confidence, counts.share_without)
    return share, "as usual" if share == usual else f"instead of {usual}"


def leverage(rule: Rule) -> str:
    """The leverage, without a sign if it rounds to zero.

    >>> from lormika.rule import Counts
    >>> leverage(Rule((), "High", Counts(9999, 3, 9998, 2), 0.1)), leverage(Rule((), "High", Counts(9, 3, 4, 2), 0.1))
    ('0.000', '0.074')
    """
    text = f"{rule.leverage:.3f}"
    return text if float(text) else text.removeprefix("-")


@lru_cache(maxsize=_REMEMBERED)
def percents(before: float, after: float) -> tuple[str, str]:
    """Two shares that are compared, with the digits that tell them apart.

    >>> percents(0.74, 0.04), percents(0.992, 0.999), percents(0.9996, 0.04)
    (('74%', '4%'), ('99.2%', '99.9%'), ('99.96%', '4%'))
    >>> percents(0.741, 0.743), percents(0.94, 0.9401), percents(0.5, 0.5)
    (('74.1%', '74.3%'), ('94%', '94%'), ('50%', '50%'))
    """
    plain = percent(before), percent(after)
    together = min(before, after) > 1 - _SATURATED or max(before, after) < _SATURATED
    if before == after or (plain[0] != plain[1] and not together):
        return plain
    for digits in range(_MOST_DIGITS if together else 1):
        texts = f"{before:.{digits + 1}%}", f"{after:.{digits + 1}%}"
        certain = [text for text, share in zip(texts, (before, after), strict=True) if _rounds_away(text, share)]
        if texts[0] != texts[1] and not certain:
            return texts
    return plain


def _rounds_away(text: str, share: float) -> bool:
    """Whether a share between 0 and 1 is written as one of these."""
    return 0 < share < 1 and not 0 < float(text[:-1]) < 100


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


_HARMLESS = "\u00a0\u200c\u200d"  # before a unit; part of the spelling of some languages, and of emoji


def printable(text: str) -> str:
    r"""Text from data without control characters, which a terminal would obey.

    >>> print(printable("a" + chr(27) + "[31mb"))
    a\x1b[31mb
    """
    return "".join(c if c.isprintable() or c in _HARMLESS else c.encode("unicode_escape").decode() for c in text)

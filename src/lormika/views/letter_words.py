"""What a letter says, as plain data for its template: words for the person whom the prediction is about.

Like all sentences of lormika, these say what the model did when it was asked; they never say "because".
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import TYPE_CHECKING

from lormika.condition import Condition, Equals, Interval
from lormika.errors import InputError
from lormika.frames import did_you_mean
from lormika.frames.values import Scalar, format_value
from lormika.rule import Rule
from lormika.views.effects import turning_words
from lormika.views.labelling import labelled
from lormika.views.narrative_changes import smallest
from lormika.views.reading import Reading
from lormika.views.reasons import Codes, Reason, find_reasons
from lormika.views.words import percent

if TYPE_CHECKING:
    from lormika.explanation import Explanation
    from lormika.labels import Labels
    from lormika.types import JsonObject

_MOST_CHANGES = 3
_MOST_EDITS = 5  # of all changes together
_LONGEST = 40  # characters of a name or a value
_LONGEST_TEXT = 160  # of a reason
_LONGEST_CODE = 20
_LONGEST_LISTED = 24  # of one of several values


def letter_reasons(explanation: Explanation, codes: Codes | None, top: int) -> tuple[Reason, ...]:
    """The principal reasons; where the table of codes has no words, the detail and its value stand for themselves."""
    unsaid = {reason.feature: reason.text for reason in find_reasons(explanation, None, len(explanation.instance))}
    shown = labelled(explanation)
    return tuple(
        replace(reason, text=_unsaid(reason, explanation.labels, shown))
        if reason.code is None and reason.text == unsaid.get(reason.feature)
        else reason
        for reason in find_reasons(explanation, codes, top)
    )


def _unsaid(reason: Reason, labels: Labels, shown: Explanation) -> str:
    name = labels.name(reason.feature)
    return f"{_name(name)}: {_value(shown.instance[name])}"


def letter_words(explanation: Explanation, reasons: Sequence[Reason]) -> JsonObject:
    """Everything that templates may say of an explanation."""
    labels, reading = explanation.labels, Reading.of(explanation)
    explanation = reading.explanation
    turning = {effect.feature: turning_words(effect, _LONGEST_LISTED) for effect in reading.effects}
    turned = turned_rules(explanation)
    names = [labels.name(reason.feature) for reason in reasons]
    others = [c.label for c in explanation.classes if c.label != explanation.prediction]
    return {
        "result": _value(explanation.prediction),
        "other_result": _value(others[0]) if len(others) == 1 else None,
        "probability": None if explanation.probability is None else percent(explanation.probability),
        "reasons": [
            _reason(reason, name, explanation.instance[name], turning.get(name))
            for reason, name in zip(reasons, names, strict=True)
        ],
        "changes": _changes(turned, set(names)),
        "fewest": min((len(rule.rerun.edits) for rule in turned if rule.rerun is not None), default=0),
        "asked": _was_asked(explanation),
        "wanted": None if explanation.options.get("target") is None else _value(explanation.options["target"]),
        "permitted": "constraints" in explanation.options,
        "enough": "at_least" in explanation.options,
    }


def changed_words(explanation: Explanation, instead_of: Mapping[str, Scalar | None]) -> list[JsonObject]:
    """Details that are not as they really are, with both values; other features are refused."""
    for name in instead_of:
        if name not in explanation.instance:
            raise InputError(f"instead_of: there is no feature {name!r}{did_you_mean(name, explanation.instance)}")
    labels = explanation.labels
    pairs = [
        (name, labels.value(name, explanation.instance[name]), labels.value(name, own))
        for name, own in instead_of.items()
    ]
    return [
        {"feature": _name(labels.name(name)), "now": _value(own), "then": _value(value)} for name, value, own in pairs
    ]


def _reason(reason: Reason, name: str, value: Scalar | None, otherwise: str | None) -> JsonObject:
    return {
        "feature": _name(name),
        "value": _value(value),
        "code": None if reason.code is None else _short(reason.code, _LONGEST_CODE),
        "text": _short(reason.text, _LONGEST_TEXT),
        "said": reason.text != f"{_name(name)}: {_value(value)}",  # in the words of a table
        "otherwise": otherwise,
        "tried": reason.certainty is not None,  # the model was asked about other values
        "weighs": reason.weighs,
    }


def _was_asked(explanation: Explanation) -> bool:
    """Whether it is known if some change leads to another result that was asked for."""
    target = explanation.options.get("target")
    aims_here = target is not None and str(target) == str(explanation.prediction)
    return not aims_here and (explanation.asked is not None or bool(explanation.counterfactual))


def turned_rules(explanation: Explanation) -> list[Rule]:
    """Rules whose change led to another result when the model was asked, those with the fewest details first.

    A number that must be hit exactly is no advice: it is left out where there is any other.
    """
    by_rerun = {id(rule.rerun): rule for rule in explanation.counterfactual}
    reruns = [rule.rerun for rule in explanation.counterfactual if rule.rerun is not None and rule.rerun.turned]
    rules = [by_rerun[id(rerun)] for rerun in smallest(reruns)]
    return [rule for rule in rules if not _is_point(rule)] or rules


def _is_point(rule: Rule) -> bool:
    """Whether a rule is about a single number, on both sides of which other values did not lead to the result."""
    if len(rule.conditions) != 1 or not isinstance(rule.conditions[0], Interval):
        return False
    low, high, _ = rule.conditions[0].ends
    return math.isfinite(low) and math.isfinite(high) and rule.check is not None and rule.check.asked == 1


def _changes(turned: Sequence[Rule], reasons: Set[str]) -> list[JsonObject]:
    """The first changes, as many as there is room for; `known` are those of one feature that is a reason, too."""
    found, room = [], _MOST_EDITS
    for rule in turned[:_MOST_CHANGES]:
        assert rule.rerun is not None
        room -= len(rule.rerun.edits)
        if room >= 0:
            known = len(rule.rerun.edits) == 1 and rule.rerun.edits[0].feature in reasons
            found.append({"result": _value(rule.rerun.label), "details": change_details(rule), "known": known})
    return found


def change_details(rule: Rule) -> list[JsonObject]:
    """What changes; a range only of a single number, where all values that were tried led to the same."""
    assert rule.rerun is not None
    edits, check = rule.rerun.edits, rule.check
    ranged = len(edits) == len(rule.conditions) == 1 and check is not None and check.agreed == check.asked
    return [
        {
            "feature": _name(edit.feature),
            "now": _short(edit.texts[0], _LONGEST),
            "then": _condition(rule.conditions[0], edit.texts[1]) if ranged else _short(edit.texts[1], _LONGEST),
        }
        for edit in edits
    ]


def _condition(condition: Condition, value: str) -> str:
    """The values of a condition in words.

    >>> _condition(Interval("savings", 5.8, math.inf), "5.8"), _condition(Interval("age", 3, 8.5, True), "8")
    ('5.8 or more', '3 to 8')
    >>> _condition(Interval("rate", -math.inf, 0.5), "0.4"), _condition(Equals("job", "clerk"), "clerk")
    ('less than 0.5', 'clerk')
    """
    if not isinstance(condition, Interval):
        return _value(condition.value) if isinstance(condition, Equals) else _short(value, _LONGEST)
    low, high, sign = condition.ends
    first, last = condition.end_texts
    if low == high:
        return first
    if math.isinf(low) and math.isinf(high):
        return value
    if math.isinf(low):
        return f"{last} or less" if sign == "≤" else f"less than {last}"
    if math.isinf(high):
        return f"{first} or more"
    return f"{first} to {last}" if sign == "≤" else f"{first} to less than {last}"


def _name(feature: str) -> str:
    """The name of a feature without what programmers put between words.

    >>> _name("missed_payments")
    'missed payments'
    """
    return _short(feature.replace("_", " ").strip() or feature, _LONGEST)


def _value(value: Scalar | None) -> str:
    return "not known" if value is None else _short(format_value(value), _LONGEST)


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"

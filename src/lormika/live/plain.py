"""The shortest answer: the main reasons of a prediction, and what would turn it, as the letter has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lormika.views.letter_words import change_details, letter_reasons, letter_words, turned_rules
from lormika.views.words import percents

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lormika.explanation import Explanation
    from lormika.rule import Rerun
    from lormika.types import JsonObject
    from lormika.views.reading import Reading

_MOST = 3  # reasons, and changes


def plain_json(explanation: Explanation, reading: Reading, numbers: Mapping[int, int]) -> JsonObject:
    """Reasons and changes; `numbers` are those of the rules on the board, by their identity."""
    reasons = letter_reasons(explanation, None, _MOST)
    words = letter_words(explanation, reasons)["reasons"]
    turned = turned_rules(reading.explanation)[:_MOST]
    return {
        "reasons": [
            {
                "name": reason.feature,
                "feature": said["feature"],
                "value": said["value"],
                "without": _without(reading, reason.certainty),
            }
            for reason, said in zip(reasons, words, strict=True)
        ],
        "changes": [
            {"rule": numbers[id(rule)], "details": change_details(rule), "result": _result(reading, rule.rerun)}
            for rule in turned
            if rule.rerun is not None
        ],
    }


def _without(reading: Reading, certainty: float | None) -> str | None:
    """What the model said with other values."""
    before, unit = reading.scale.before, reading.scale.unit
    if certainty is None or before is None or unit == "label":
        return None
    own, other = reading.scale.pair(before, certainty)
    if unit == "margin":
        return f"the margin is {own}, and on average {other} with other values"
    return f"{own} sure with it, on average {other} with other values"


def _result(reading: Reading, rerun: Rerun) -> JsonObject:
    """The label after a change, and how probable it then is, if that is known."""
    is_binary = len(reading.explanation.classes) == 2
    chance = rerun.reached
    if is_binary and rerun.probability is not None:
        chance = 1 - rerun.probability
    return {"text": str(rerun.label), "certainty_text": None if chance is None else percents(chance, chance)[0]}

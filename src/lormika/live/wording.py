"""Words of a live view: certainties, rules as sentences, and what every figure means."""

from __future__ import annotations

from lormika.frames.values import format_value
from lormika.models import Unit
from lormika.rule import Rule
from lormika.types import JsonObject
from lormika.views.certainty import Scale
from lormika.views.words import MEANINGS, percent

_MORE = {
    "certainty": "How sure the model is of its prediction: its probability of that class, or, if it gives none, "
    "the margin of its decision function. A model that gives only labels has none.",
    "prediction": "The class that the model gives this case, with exactly the values that are shown.",
    "border": "Where the prediction turns. With two classes it is a probability: half, unless the model has a "
    "threshold of its own. With more, it is where another class becomes as probable as the predicted one.",
    "exchanged values": "The model was asked about each case with this one value of the other case, and all other "
    "values as they are: how certain it is of its prediction before and after, and what it then predicts.",
    "bars and chips": "Values for which a condition is true: solid, if it is true of this case, and hatched, if "
    "something would have to change. The axis of a number is that of its slider: it goes half by the values and half "
    "by how many rows have them. The line is at this case's value.",
    "what the model said": "The arrow goes from the certainty of the prediction to the one after a rule was made "
    "false or true: on average, if it was made false; after the smallest change, if it was made true. “8 of 8 agree”: "
    "for so many of the changes that were tried, the model did what the rule says.",
    "similar cases": "The rows of the background that are nearest to this case, some of each class, and rows "
    "that were generated from them. Numbers are compared in standard deviations; categories are the same or not.",
    "confidence": "Of the similar rows that match the conditions of a rule, the share that the model labels as "
    "the rule says.",
    "support": "The share of all similar rows that match both the conditions and the label of a rule.",
    "effect": "How much the prediction depends on a feature here: the mean change of the model's log-odds (or "
    "margin), whatever its direction, if this feature alone takes other values of the background.",
    "checked": "Before a rule is shown, the model is asked about this very case: a rule that is true now is "
    "made false, one that is not is made true, and all other values stay as they are. The count says for how many "
    "of these changes the model did what the rule says.",
    "would turn if": "The smallest changes found that lead to another prediction: fewest changed features "
    "first. Each was tried on this case, and the model gave the other class.",
    "turning values": "Values of one feature at which the prediction turns, if everything else stays as it is.",
    "locks": "Features that must not change, or may only rise or fall. Suggested changes keep to them; reasons "
    "for the present prediction do not depend on them.",
    "generated": "Rows that do not exist: mixtures of similar rows, labelled by the model.",
}


def certainty_text(unit: Unit, certainty: float) -> str:
    """How sure the model is, as text.

    >>> certainty_text("probability", 0.744), certainty_text("margin", -1.5)
    ('74%', '-1.50')
    """
    return Scale(unit, certainty, 1.0, False).text(certainty)


def rule_sentence(rule: Rule) -> str:
    """A rule as a sentence; the rule has the words of the labels already.

    >>> from lormika.rule import Counts, Equals
    >>> rule_sentence(Rule((Equals("job", "none"),), "rejected", Counts(200, 100, 72, 72), 0.1))
    'Of similar cases with job = none, 72% are predicted rejected; of all similar cases, 36%.'
    """
    label = format_value(rule.consequent)
    conditions = " and ".join(map(str, rule.conditions)) or "any values"
    if not rule.counts.antecedent:
        return f"No similar case has {conditions}; tried on this case, the model then predicts {label}."
    share, usual = percent(rule.confidence), percent(rule.counts.share_without)
    return f"Of similar cases with {conditions}, {share} are predicted {label}; of all similar cases, {usual}."


def definitions() -> list[JsonObject]:
    """What every figure means."""
    return [{"name": name, "text": text} for name, text in sorted((MEANINGS | _MORE).items())]

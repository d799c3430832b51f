"""What the model said when a rule was tried on the instance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from lormika.frames.values import Scalar, format_value
from lormika.rule import Category, Check, Edit, Rerun, Rule
from lormika.views.certainty import Scale

Mark = Literal["✔", "✖", "~", "=", ""]

_NOT_TURNED = "None of these changes turned the prediction when the model was asked again."
_NOT_SURER = "None of these changes made the model more certain when it was asked again."


@dataclass(frozen=True, slots=True)
class Answer:
    """The model's answer to a rule, in pieces that each view puts together."""

    edits: tuple[Edit, ...]  # what was changed; empty: the rule was made false, in several ways
    before: float | None  # certainty of the prediction; None: not known
    after: float | None
    certainty: str  # both in words, or nothing
    mean: bool  # `after` is one over several changes
    prediction: str
    label: str | None  # the new one, if the prediction turned
    mark: Mark  # whether the model did what the rule says
    count: str | None  # in how many of the changes that were tried

    @property
    def outcome(self) -> str:
        """What became of the prediction.

        >>> Answer((), 0.74, 0.04, "74% → 4%", False, "rejected", "accepted", "✔", None).outcome
        '74% → 4%, now accepted'
        >>> Answer((), None, None, "", False, "rejected", None, "✖", None).outcome
        'still rejected'
        """
        certainty = f"{self.certainty} on average" if self.mean and self.certainty else self.certainty
        if self.label is None:
            return certainty or f"still {self.prediction}"
        return f"{certainty}, now {self.label}" if certainty else f"now {self.label}"


def answer(rule: Rule, prediction: Scalar, scale: Scale) -> Answer | None:
    """What the model said of a rule; None: it was not asked."""
    if rule.rerun is not None:
        return _made_true(rule, rule.rerun, prediction, scale)
    return None if rule.check is None else _made_false(rule.check, prediction, scale)


def _made_false(check: Check, prediction: Scalar, scale: Scale) -> Answer:
    """Of a rule that is true now: the mean over all changes that break it."""
    certainty = scale.change(check.before, check.after)
    count = f"{check} changes {'turn it' if scale.unit == 'label' else 'agree'}"
    if check.asked == 1:
        verb = "turns it" if scale.unit == "label" else "agrees"
        count = f"the one change {verb if check.agreed else 'does not'}"
    before, after = (None, None) if scale.unit == "label" else (check.before, check.after)
    mark: Mark = "✔" if 2 * check.agreed > check.asked else ""
    return Answer((), before, after, certainty, check.asked > 1, format_value(prediction), None, mark, count)


def _made_true(rule: Rule, rerun: Rerun, prediction: Scalar, scale: Scale) -> Answer:
    """Of a rule that is not true yet: the smallest change that makes it true."""
    before, after, mean = scale.before, rerun.probability, False
    if scale.unit == "margin" and rule.check is not None:  # a re-run knows probabilities alone
        before, after, mean = rule.check.before, rule.check.after, rule.check.asked > 1
    if scale.unit == "label":
        before = after = None
    certainty = "" if before is None or after is None else scale.change(before, after)
    label = format_value(rerun.label) if rerun.turned else None
    mark = _mark(rule, rerun, certainty, before, after)
    count = _count(rule, rule.check, mark, scale)
    return Answer(rerun.edits, before, after, certainty, mean, format_value(prediction), label, mark, count)


def _mark(rule: Rule, rerun: Rerun, certainty: str, before: float | None, after: float | None) -> Mark:
    """A contradicting rule says which label; a supporting one that the model would be more certain."""
    if rule.category is None or not rule.category.is_supporting:
        return "✔" if rerun.label == rule.consequent else "~" if rerun.turned else "✖"
    if rerun.turned:
        return "✖"
    if before is None or after is None:  # nobody knows how certain
        return ""
    if len(set(certainty.removeprefix("margin ").split(" → "))) == 1:
        return "="
    return "✔" if after > before else "✖"


def _count(rule: Rule, check: Check | None, mark: Mark, scale: Scale) -> str | None:
    """How many of the values inside the rule's ranges do the same; of one alone, all is told already."""
    if check is None or check.asked <= 1:
        return None
    if rule.category is None or not rule.category.is_supporting:
        return f"{check} {_tried(rule)} inside turn it"
    mean = f"{scale.change(check.before, check.after)} on average, " if mark == "=" else ""
    return f"{mean}{check} {_tried(rule)} inside agree"


def _tried(rule: Rule) -> str:
    return "values tried" if rule.rerun is None or len(rule.rerun.edits) < 2 else "combinations tried"


def remark(category: Category, rules: Sequence[Rule], prediction: Scalar, scale: Scale) -> str | None:
    """What to say of a kind of rules that nobody confirmed, if none did what it says when the model was asked again."""
    if category.is_current or not rules or any(rule.check is not None for rule in rules):
        return None
    answers = [answer(rule, prediction, scale) for rule in rules]
    marks = {each.mark for each in answers if each is not None}
    if not category.is_supporting:
        return None if marks & {"✔", "~"} else _NOT_TURNED
    return _NOT_SURER if "✖" in marks and "✔" not in marks else None


def sentence(rule: Rule, each: Answer) -> str:
    """One line: what was changed, and what the model then said.

    >>> from lormika.rule import Counts, Equals
    >>> rerun = Rerun((Edit("job", "none", "clerk"),), "no", 0.04, turned=True)
    >>> kind = Category.COUNTERFACTUAL
    >>> rule = Rule((Equals("job", "clerk"),), "no", Counts(9, 3, 4, 2), 0.1, category=kind, rerun=rerun)
    >>> sentence(rule, answer(rule, "yes", Scale("probability", 0.74, 1.0, border=True)))
    '1 change: job none → clerk: 74% → 4%, now no ✔'
    """
    if rule.rerun is None:
        count = f"({each.count})" if each.certainty else each.count
        return " ".join(filter(None, ["without it", each.certainty, count]))
    edits = ", ".join(map(str, each.edits)) or "no change"
    if rule.category == Category.COUNTERFACTUAL and each.edits:
        edits = f"{changes(len(each.edits))}: {edits}"
    return f"{edits}: {each.outcome} {each.mark}".rstrip() + (f" ({each.count})" if each.count else "")


def changes(number: int) -> str:
    """A number of changes in words.

    >>> changes(1), changes(2)
    ('1 change', '2 changes')
    """
    return "1 change" if number == 1 else f"{number} changes"

"""What the model said when a rule was tested on the instance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lormika.frames.values import Scalar, format_value
from lormika.rule import Category, Check, Edit, Rerun, Rule
from lormika.views.certainty import Scale
from lormika.views.words import percent

Mark = Literal["✔", "✖", "~", "=", ""]


@dataclass(frozen=True, slots=True)
class Answer:
    """The model's answer to a rule, in pieces that each view puts together."""

    edits: tuple[Edit, ...]  # what was changed; empty: the rule was made false, in several ways
    scale: Scale
    before: float | None  # certainty of the prediction, on the scale; None: not known
    after: float | None  # known if the one before is
    mean: bool  # `after` is one over several changes
    prediction: str
    label: str | None  # the new one, if the prediction turned
    mark: Mark  # whether the model did what the rule says
    count: str | None  # in how many of the changes that were tried

    @property
    def certainties(self) -> tuple[str, str] | None:
        """Both certainties as texts; None if not known."""
        return None if self.before is None or self.after is None else self.scale.pair(self.before, self.after)

    @property
    def certainty(self) -> str:
        """Both certainties in words, or nothing."""
        return "" if self.before is None or self.after is None else self.scale.change(self.before, self.after)

    @property
    def outcome(self) -> str:
        """What happened to the prediction.

        >>> scale = Scale("probability", 0.74, 1.0, border=True)
        >>> Answer((), scale, 0.74, 0.04, False, "rejected", "accepted", "✔", None).outcome
        '74% → 4%, now accepted'
        >>> Answer((), scale, None, None, False, "rejected", None, "✖", None).outcome
        'still rejected'
        """
        certainty = f"{self.certainty} on average" if self.mean and self.certainty else self.certainty
        if self.label is None:
            return certainty or f"still {self.prediction}"
        return f"{certainty}, now {self.label}" if certainty else f"now {self.label}"


def answer(rule: Rule, prediction: Scalar, scale: Scale) -> Answer | None:
    """What the model said about a rule; None if it was not asked."""
    if rule.rerun is not None:
        return _made_true(rule, rule.rerun, prediction, scale)
    return None if rule.check is None else _made_false(rule.check, prediction, scale)


def _made_false(check: Check, prediction: Scalar, scale: Scale) -> Answer:
    """For a rule that is true now: the mean over all changes that break it."""
    count = f"{check} changes {'turn the prediction' if scale.unit == 'label' else 'agree'}"
    if check.asked == 1:
        verb = "turns the prediction" if scale.unit == "label" else "agrees"
        count = f"the one change tried {verb if check.agreed else 'does not'}"
    before, after = (None, None) if scale.unit == "label" else scale.checked(check)
    mark: Mark = "✔" if 2 * check.agreed > check.asked else ""
    return Answer((), scale, before, after, check.asked > 1, format_value(prediction), None, mark, count)


def _made_true(rule: Rule, rerun: Rerun, prediction: Scalar, scale: Scale) -> Answer:
    """For a rule that is not true yet: the smallest change that makes it true."""
    known = {"value": rerun.value, "margin": rerun.margin}
    before, after, mean = scale.before, known.get(scale.unit, rerun.probability), False
    if scale.unit == "margin" and after is None and rule.check is not None:  # written by a release that did not keep it
        before, after, mean = rule.check.before, rule.check.after, rule.check.asked > 1
    if scale.unit == "label" or before is None or after is None:
        before = after = None
    label = f"{format_value(rerun.label)}{reached(rerun)}" if rerun.turned else None
    mark = _mark(rule, rerun, scale, before, after)
    count = _count(rule, rule.check, mark, scale)
    return Answer(rerun.edits, scale, before, after, mean, format_value(prediction), label, mark, count)


def reached(rerun: Rerun) -> str:
    """How probable the new label is, in brackets; nothing, if that is not known, or follows from the old one's."""
    return "" if rerun.reached is None else f" ({percent(rerun.reached)})"


def _mark(rule: Rule, rerun: Rerun, scale: Scale, before: float | None, after: float | None) -> Mark:
    """A contradicting rule says which label; a supporting one that the model would be more certain."""
    if rule.category is None or not rule.category.is_supporting:
        return "✔" if rerun.label == rule.consequent else "~" if rerun.turned else "✖"
    if rerun.turned:
        return "✖"
    if before is None or after is None:  # nobody knows how certain
        return ""
    first, second = scale.pair(before, after)
    return "=" if first == second else "✔" if scale.certainty(after) > scale.certainty(before) else "✖"


def _count(rule: Rule, check: Check | None, mark: Mark, scale: Scale) -> str | None:
    """How many of the values inside the rule's ranges do the same; for a single one, everything is said already."""
    if check is None or check.asked <= 1:
        return None
    if rule.category is None or not rule.category.is_supporting:
        return f"{check} {_tried(rule)} inside turn it"
    mean = f"{scale.change(*scale.checked(check))} on average, " if mark == "=" else ""
    return f"{mean}{check} {_tried(rule)} inside agree"


def _tried(rule: Rule) -> str:
    return "values tried" if rule.rerun is None or len(rule.rerun.edits) < 2 else "combinations tried"


def sentence(rule: Rule, reply: Answer) -> str:
    """One line: what was changed, and what the model then said.

    >>> from lormika.rule import Counts, Equals
    >>> rerun = Rerun((Edit("job", "none", "clerk"),), "no", 0.04, turned=True)
    >>> kind = Category.COUNTERFACTUAL
    >>> rule = Rule((Equals("job", "clerk"),), "no", Counts(9, 3, 4, 2), 0.1, category=kind, rerun=rerun)
    >>> sentence(rule, answer(rule, "yes", Scale("probability", 0.74, 1.0, border=True)))
    '1 change: job none → clerk: 74% → 4%, now no ✔'
    """
    if rule.rerun is None:
        if not reply.certainty:
            return f"without it, {reply.count}"
        return f"without it {reply.certainty} ({reply.count})"
    edits = ", ".join(map(str, reply.edits)) or "no change"
    if rule.category == Category.COUNTERFACTUAL and reply.edits:
        edits = f"{changes(len(reply.edits))}: {edits}"
    return f"{edits}: {reply.outcome} {reply.mark}".rstrip() + (f" ({reply.count})" if reply.count else "")


def changes(number: int) -> str:
    """A number of changes in words.

    >>> changes(1), changes(2)
    ('1 change', '2 changes')
    """
    return "1 change" if number == 1 else f"{number} changes"

"""An explanation as views read it, with what they have in common worked out once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lormika.rule import Category, Rule
from lormika.views.answers import Answer, answer
from lormika.views.certainty import Scale
from lormika.views.effects import FeatureEffect, feature_effects
from lormika.views.labelling import labelled

if TYPE_CHECKING:
    from lormika.explanation import Explanation

_NOT_TURNED = "None of these changes turned the prediction when the model was asked again."
_NOT_SURER = "None of these changes made the model more certain when it was asked again."


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """An explanation, how certainty is measured in it, and what the prediction depends on."""

    explanation: Explanation  # in the words of its labels
    scale: Scale
    effects: list[FeatureEffect]  # the largest first
    groups: Mapping[str, str]  # of the features that are shown together, by their names

    @classmethod
    def of(cls, explanation: Explanation) -> Reading:
        """Read an explanation."""
        labels, explanation = explanation.labels, labelled(explanation)
        scale = Scale.of(explanation)
        return cls(explanation, scale, feature_effects(explanation, scale), labels.members())

    @property
    def used(self) -> list[str]:
        """Features that rules use, in order of appearance; those of a group beside its first one."""
        names = dict.fromkeys(name for rule in self.explanation.rules for name in rule.features)
        first = {self.groups.get(name, name): place for place, name in reversed(list(enumerate(names)))}
        return sorted(names, key=lambda name: first[self.groups.get(name, name)])

    @property
    def is_confirmed(self) -> bool:
        """Some rule was tested on the instance before it was shown."""
        return any(rule.check is not None for rule in self.explanation.rules)

    def answer(self, rule: Rule) -> Answer | None:
        """What the model said about a rule; None if it was not asked."""
        return answer(rule, self.explanation.prediction, self.scale)

    def remark(self, category: Category) -> str | None:
        """What to say of a kind of rules that nobody confirmed, if none did what it says when the model was asked."""
        rules = self.explanation.rules_of(category)
        if category.is_current or not rules or any(rule.check is not None for rule in rules):
            return None
        marks = {reply.mark for reply in map(self.answer, rules) if reply is not None}
        if not category.is_supporting:
            return None if marks & {"✔", "~"} else _NOT_TURNED
        return _NOT_SURER if "✖" in marks and "✔" not in marks else None

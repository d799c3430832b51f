"""Scoring: the rules of any other explainer, measured as this library's are."""

from __future__ import annotations

from typing import Any

from lormika.evaluation.common import CommonGround
from lormika.evaluation.record import Record, kinds_of, on_common_ground
from lormika.evaluation.rules import smallest_edit, with_category
from lormika.evaluation.setting import Setting
from lormika.rule import Category, Rule
from lormika.values import Scalar


def recorded(
    setting: Setting,
    grounds: CommonGround,
    instance: int,
    found: list[Rule],
    costs: tuple[float, int, int],
    own: dict[str, float],
) -> Record:
    """What came of an explanation whose first rule is its best."""
    x, prediction = setting.instances.iloc[[instance]], setting.predictions[instance]
    rules = [with_category(rule, x, prediction) for rule in found]
    best = rules[0] if rules else None
    counterfactual = [rule for rule in rules if rule.category is Category.COUNTERFACTUAL]
    return Record(
        instance, None, *costs,
        rules=tuple(map(str, rules)),
        features=() if best is None else best.features,
        kinds=kinds_of(rules),
        own=own,
        common=on_common_ground(best, grounds[instance]),
        turned=tuple(turns(rule, grounds, x, prediction) for rule in counterfactual),
    )  # fmt: skip


def turns(rule: Rule, grounds: CommonGround, x: Any, prediction: Scalar) -> bool:
    """Whether the smallest edit that satisfies a rule changes what the model says."""
    explainer = grounds.explainer
    edited = smallest_edit(rule, explainer.background, explainer.schema.encode_instance(x))
    if edited is None:
        return False
    answer = explainer.model(explainer.schema.restore(edited[None]), 1)
    return bool(explainer.model.names[int(answer.labels[0])] != prediction)

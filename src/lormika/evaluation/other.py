"""Explainers of others: any function that a user registers, measured like the rest."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from lormika.errors import InputError
from lormika.evaluation.common import CommonGround
from lormika.evaluation.measures import of_counts
from lormika.evaluation.record import Record
from lormika.evaluation.rival import recorded
from lormika.evaluation.setting import Counted, Setting
from lormika.rule import Condition, Counts, Rule
from lormika.values import Scalar

Explain = Callable[[Any], Iterable["Rule | tuple[Sequence[Condition], Scalar]"]]
"""From an instance, a frame of one row, to rules, the best first: rules of this library, or conditions and a class."""
Factory = Callable[[Any, Any, int], Explain]
"""From a model, the background and a seed to the function that explains; what happens here is not timed."""


def load_factory(name: str) -> Factory:
    """The function that a text such as `package.module:function` names."""
    module, _, function = name.partition(":")
    try:
        factory = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise InputError(f"explainers: {name!r} cannot be loaded: {error}") from error
    if not callable(factory):
        raise InputError(f"explainers: {name!r} is no function")
    made: Factory = factory
    return made


class Other:
    """A registered explainer, in this process."""

    def __init__(self, factory: Factory, setting: Setting, grounds: CommonGround, seed: int) -> None:
        self._setting, self._grounds = setting, grounds
        self._model = Counted(setting.model)
        self._explain = factory(self._model, setting.background, seed)

    def __call__(self, instance: int) -> Record:
        """Explain an instance."""
        x = self._setting.instances.iloc[[instance]]
        self._model.reset()
        start = time.perf_counter()
        rules = [_rule(found) for found in self._explain(x)]
        costs = (time.perf_counter() - start, self._model.calls, self._model.rows)
        own = of_counts(rules[0].counts) if rules and rules[0].counts.rows else {}
        return recorded(self._setting, self._grounds, instance, rules, costs, own)


def _rule(found: Rule | tuple[Sequence[Condition], Scalar]) -> Rule:
    if isinstance(found, Rule):
        return found
    conditions, consequent = found
    return Rule(tuple(conditions), consequent, Counts(0, 0, 0, 0), float("nan"))

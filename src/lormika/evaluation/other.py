"""Other people's explainers: any function that a user registers, measured like the rest.

It takes the model (with `predict`, and `predict_proba` if the model has it), the background and a seed, and returns the
function that explains a frame of one row with rules, best first:

    from lormika.rule import Equals, Interval

    def make(model, background, seed):
        def explain(x):
            label = model.predict(x)[0]
            return [([Interval("age", 30, 50), Equals("job", "cook")], label)]  # 30 <= age < 50
        return explain

An error costs one explanation. It runs in this process, without a time limit. Of the paper's models, svm has no
`predict_proba`.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

from lormika.errors import InputError
from lormika.evaluation.common import CommonGround
from lormika.evaluation.measures import of_counts
from lormika.evaluation.record import Record
from lormika.evaluation.scoring import Shown, recorded
from lormika.evaluation.setting import Counted, Setting
from lormika.frames.values import Scalar
from lormika.rule import Condition, Counts, Equals, Interval, Missing, Rule
from lormika.types import UserModel, UserTable

UserRule = Rule | tuple[Sequence[Condition], Scalar]
"""A rule of this library, or conditions and a class."""
Explain = Callable[[UserTable], Iterable[UserRule]]
"""From an instance, a frame of one row, to rules, the best first."""
Factory = Callable[[UserModel, UserTable, int], Explain]
"""From a model, the background and a seed to the function that explains; what happens here is not timed."""


def load_factory(name: str) -> Factory:
    """The function that a text such as `package.module:function` names."""
    module, _, function = name.partition(":")
    try:
        factory = getattr(importlib.import_module(module), function)
    except (Exception, SystemExit) as error:  # whatever the module does
        raise InputError(f"explainers: {name!r} cannot be loaded: {type(error).__name__}: {error}") from error
    if not callable(factory):
        raise InputError(f"explainers: {name!r} is no function")
    made: Factory = factory
    return made


def digest(factory: Factory) -> str:
    """A hash of the code of a function and its module: after a change, old results no longer apply."""
    content = getattr(factory, "__qualname__", "")
    with suppress(OSError, TypeError):  # typed into a shell, or compiled
        content += inspect.getsource(inspect.getmodule(factory) or factory)
    return hashlib.sha256(content.encode()).hexdigest()


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
        answer = list(self._explain(x))
        costs = (time.perf_counter() - start, self._model.calls, self._model.rows)
        rules = [_rule(one, self._setting.model.classes_.tolist()) for one in answer]
        own = of_counts(rules[0].counts) if rules and rules[0].counts.rows else {}
        return recorded(self._setting, self._grounds, instance, Shown(rules), costs, own)


def _rule(answer: UserRule, classes: Sequence[Scalar]) -> Rule:
    """An explainer's rule, checked."""
    rule = answer if isinstance(answer, Rule) else _made(answer)
    for condition in rule.conditions:
        if not isinstance(condition, Interval | Equals | Missing):
            raise InputError(f"{condition!r} is no condition: give Interval, Equals or Missing of lormika.rule")
        if isinstance(condition, Interval) and not condition.low < condition.high:
            raise InputError(f"{condition!r} holds for nothing: its lower end comes first")
    if rule.consequent not in classes:
        raise InputError(f"the class {rule.consequent!r} of a rule is none of the model's: {classes}")
    return rule


def _made(pair: tuple[Sequence[Condition], Scalar]) -> Rule:
    try:
        conditions, consequent = pair
        return Rule(tuple(conditions), consequent, Counts(0, 0, 0, 0), float("nan"))
    except (TypeError, ValueError):
        raise InputError(f"an explainer gives rules, or pairs of conditions and a class, not {pair!r}") from None

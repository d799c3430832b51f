"""Goals: what a question asks changes to lead to, and what they may change, from its options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lormika.constraints import Constraints
from lormika.errors import InputError, quote
from lormika.frames import listing
from lormika.frames.schema import Schema
from lormika.frames.values import Scalar, is_too_large, plain
from lormika.models import Answer
from lormika.options import SearchOptions
from lormika.parts import Parts
from lormika.stages.binding import check_constraints
from lormika.stages.goal import ANY, Goal
from lormika.stages.permission import Permission


@dataclass(frozen=True, slots=True)
class Aim:
    """What a question asks changes to lead to, and what they may change, whatever the instance."""

    constraints: tuple[Constraints, ...] = ()
    target: Scalar | None = None
    at_least: float | None = None


def read_aim(parts: Parts, options: SearchOptions) -> Aim:
    """The aim of a question; options that are wrong whatever the instance are refused."""
    own = Constraints.all_of(options.constraints)
    for one in own:
        check_constraints(parts.schema, one)
    if options.at_least is not None and parts.model.bands is not None:
        raise InputError("at_least is about probabilities, which a regressor does not give: name a band as the target")
    if options.target is not None:
        find_class("target", parts.model.names, options.target)
    names = ("constraints", "target", "at_least")
    given = [name for name in names if getattr(options, name) is not None]
    if not options.confirm and (given or parts.constraints):
        name = given[0] if given else names[0]
        raise InputError(f"{name} needs rules that were tried on the instance: leave confirm as it is")
    return Aim((*parts.constraints, *own), options.target, options.at_least)


def make_goal(parts: Parts, instance: np.ndarray, answer: Answer, aim: Aim) -> Goal:
    """What changes of an instance must lead to, and what they may change."""
    if aim == Aim():
        return ANY
    if aim.at_least is not None and answer.probabilities is None:
        raise InputError("at_least is about probabilities, which this model does not give")
    target = None if aim.target is None else find_class("target", parts.model.names, aim.target)
    if not aim.constraints:
        return Goal(target, aim.at_least)
    schema = parts.background.schema
    permission = Permission.of(schema, instance, aim.constraints)
    return Goal(target, aim.at_least, permission, _costs(schema, aim.constraints))


def _costs(schema: Schema, constraints: Sequence[Constraints]) -> np.ndarray:
    costs = np.ones(len(schema))
    for one in constraints:
        for name, cost in one.cost.items():
            costs[schema.index(name)] = cost
    return costs


def find_class(option: str, classes: Sequence[Scalar], value: object) -> int:
    """Position of the class that an option names, for which its text may stand."""
    value = plain(value)
    if not isinstance(value, str | int | float | bool) or is_too_large(value):
        raise InputError(f"{option}={quote(value)}: give one of the classes {listing(classes)}")
    for place, name in enumerate(classes):
        if name == value or str(name) == str(value):
            return place
    raise InputError(f"{option}={quote(value)}: there is no such class; there are {listing(classes)}")

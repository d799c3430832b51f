"""Goals: what a question asks changes to lead to, and what they may change, from its options."""

from __future__ import annotations

from collections.abc import Sequence

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


def check_options(parts: Parts, options: SearchOptions) -> None:
    """Refuse options that are wrong whatever the instance."""
    for one in Constraints.all_of(options.constraints):
        check_constraints(parts.schema, one)
    if options.target is not None:
        find_class("target", parts.model.names, options.target)
    names = ("constraints", "target", "at_least")
    given = [name for name in names if getattr(options, name) is not None]
    if not options.confirm and (given or parts.constraints):
        name = given[0] if given else names[0]
        raise InputError(f"{name} needs rules that were tried on the instance: leave confirm as it is")


def make_goal(parts: Parts, instance: np.ndarray, answer: Answer, options: SearchOptions) -> Goal:
    """What changes must lead to, and what they may change."""
    check_options(parts, options)
    constraints = (*parts.constraints, *Constraints.all_of(options.constraints))
    if not constraints and options.target is None and options.at_least is None:
        return ANY
    if options.at_least is not None and answer.probabilities is None:
        raise InputError("at_least is about probabilities, which this model does not give")
    target = None if options.target is None else find_class("target", parts.model.names, options.target)
    if not constraints:
        return Goal(target, options.at_least)
    schema = parts.background.schema
    permission = Permission.of(schema, instance, constraints)
    return Goal(target, options.at_least, permission, _costs(schema, constraints))


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

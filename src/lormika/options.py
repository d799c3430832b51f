"""What to search for, and checks of options that name the wrong one."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

import numpy as np

from lormika.errors import InputError

MOST_CONDITIONS = 6
MOST_BINS = 1000
MOST_GENERATED = 10_000_000


class Objective(StrEnum):
    """The measure that makes one rule better than another."""

    SUPPORT = "support"
    COVERAGE = "coverage"
    CONFIDENCE = "confidence"
    LIFT = "lift"
    LEVERAGE = "leverage"


class Filter(StrEnum):
    """Which rules may enter the result; each filter implies the one before."""

    NONE = "none"
    NONREDUNDANT = "nonredundant"
    PRODUCTIVE = "productive"
    SIGNIFICANT = "significant"


class Correction(StrEnum):
    """How the critical value of the filter `significant` allows for the number of rules tried."""

    NONE = "none"
    BONFERRONI = "bonferroni"
    LAYERED = "layered"


Thin = Literal["nearest", "random"]
Design = Literal["even", "random"]
Per = Literal["category", "overall"]


@dataclass(frozen=True, slots=True)
class NeighbourhoodOptions:
    """Which rows make up a neighbourhood; checked, so that a wrong one is named."""

    min_neighbours: int
    max_neighbours: int
    thin: Thin
    n_generated: int
    design: Design
    snap: bool
    random_state: int

    def __post_init__(self) -> None:
        check_integer("min_neighbours", self.min_neighbours, 3)
        check_integer("max_neighbours", self.max_neighbours, self.min_neighbours)
        check_choice("thin", self.thin, ["nearest", "random"])
        check_integer("n_generated", self.n_generated, 0, MOST_GENERATED)
        check_choice("design", self.design, ["even", "random"])
        check_integer("random_state", self.random_state, 0)
        if not isinstance(self.snap, bool):
            raise InputError(f"snap={self.snap!r}: give True or False")


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """What to search for; checked, so that a wrong one is named."""

    k: int
    objective: str
    max_conditions: int
    min_count: int
    m: float
    filter: str
    alpha: float
    correction: str
    per: Per = "overall"

    def __post_init__(self) -> None:
        check_integer("k", self.k, 1)
        check_integer("max_conditions", self.max_conditions, 1, MOST_CONDITIONS)
        check_integer("min_count", self.min_count, 1)
        check_number("m", self.m, 0.0)
        check_number("alpha", self.alpha, 0.0, 1.0)
        check_choice("objective", self.objective, list(Objective))
        check_choice("filter", self.filter, list(Filter))
        check_choice("correction", self.correction, list(Correction))
        check_choice("per", self.per, ["category", "overall"])


def check_integer(name: str, value: Any, least: int, most: int | None = None) -> None:
    """Refuse an option that is not a whole number in its range."""
    is_integer = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_integer or value < least or (most is not None and value > most):
        limits = f"at least {least}" if most is None else f"from {least} to {most}"
        raise InputError(f"{name}={value!r}: give a whole number, {limits}")


def check_number(name: str, value: Any, least: float, most: float = math.inf) -> None:
    """Refuse an option that is not a finite number in its range."""
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not is_number or not least <= value <= most or value > sys.float_info.max:
        limits = f"at least {least:g}" if math.isinf(most) else f"from {least:g} to {most:g}"
        raise InputError(f"{name}={value!r}: give a finite number, {limits}")


def check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    """Refuse an option that is none of the choices."""
    if not isinstance(value, str) or value not in choices:
        raise InputError(f"{name}={value!r}: choose one of {', '.join(map(str, choices))}")

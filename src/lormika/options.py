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


Per = Literal["category", "overall"]


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """What to search for; checked, so that a wrong one is named."""

    k: int
    objective: Objective
    max_conditions: int
    min_count: int
    m: float
    filter: Filter
    alpha: float
    correction: Correction
    per: Per = "overall"

    @classmethod
    def of(cls, **given: Any) -> SearchOptions:
        """Check each option and take strings for choices."""
        check_integer("k", given["k"], 1)
        check_integer("max_conditions", given["max_conditions"], 1, MOST_CONDITIONS)
        check_integer("min_count", given["min_count"], 1)
        check_number("m", given["m"], 0.0)
        check_number("alpha", given["alpha"], 0.0, 1.0)
        for name, choices in (("objective", Objective), ("filter", Filter), ("correction", Correction)):
            given[name] = choices(check_choice(name, given[name], list(choices)))
        check_choice("per", given.get("per", "overall"), ["category", "overall"])
        return cls(**given)

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "k": int(self.k),
            "objective": str(self.objective),
            "max_conditions": int(self.max_conditions),
            "min_count": int(self.min_count),
            "m": float(self.m),
            "filter": str(self.filter),
            "alpha": float(self.alpha),
            "correction": str(self.correction),
            "per": self.per,
        }


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


def check_choice(name: str, value: Any, choices: Sequence[str]) -> str:
    """Refuse an option that is none of the choices."""
    if not isinstance(value, str) or value not in choices:
        raise InputError(f"{name}={value!r}: choose one of {', '.join(map(str, choices))}")
    return str(value)

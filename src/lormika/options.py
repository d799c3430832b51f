"""What to search for, and checks of options that name the wrong one."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Any, Literal, TypedDict

import numpy as np

from lormika.errors import InputError, quote

MOST_CONDITIONS = 6
MOST_BINS = 1000
MOST_GENERATED = 10_000_000
MOST_M = 1e9
MOST_NEIGHBOURS = 2**31 - 1  # as the scan of the background counts
MOST = 2**63 - 1  # of any number that is only compared


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
Weight = Literal["effect", "none"]
Preset = Literal["default", "paper"]


@dataclass(frozen=True, slots=True)
class NeighbourhoodOptions:
    """Which rows make up a neighbourhood, and how many edits are tried; checked, so that a wrong one is named."""

    min_neighbours: int = 40
    max_neighbours: int = 200
    thin: Thin = "nearest"
    n_generated: int = 2000
    design: Design = "even"
    snap: bool = True
    random_state: int = 0
    n_asked: int = 2000

    def __post_init__(self) -> None:
        _make_plain(self)
        check_integer("min_neighbours", self.min_neighbours, 3, MOST_NEIGHBOURS)
        check_integer("max_neighbours", self.max_neighbours, self.min_neighbours, MOST)
        check_choice("thin", self.thin, ["nearest", "random"])
        check_integer("n_generated", self.n_generated, 0, MOST_GENERATED)
        check_choice("design", self.design, ["even", "random"])
        check_integer("random_state", self.random_state, 0, MOST)
        check_integer("n_asked", self.n_asked, 0, MOST_GENERATED)
        check_switch("snap", self.snap)


class SearchKeywords(TypedDict, total=False):
    """What `explain` takes; see `SearchOptions`."""

    k: int
    objective: str
    max_conditions: int
    min_count: int
    m: float
    filter: str
    alpha: float
    correction: str
    per: Per
    confirm: bool
    weight: Weight


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """What to search for.

    Parameters
    ----------
    k, per
        How many rules: `per="category"` of each of the four kinds, `per="overall"` of all kinds together.
    objective
        The measure that ranks rules: support, coverage, confidence, lift or leverage.
    max_conditions, min_count, m
        Most conditions of a rule (up to 6), fewest rows of the sample it must match, and the m-estimate that tames
        the confidence and lift of rules with few rows.
    filter, alpha, correction
        `none`, `nonredundant`, `productive` or `significant`; significance level, and its correction for the number
        of rules tried: `none`, `bonferroni` or `layered`.
    confirm
        Whether only rules are shown that are true of the instance: the model was asked about edits of it.
    weight
        `effect`: rules are ranked by the objective times the square of the least effect of their features; `none`: by
        the objective alone. By default `effect`, if rules are confirmed.
    """

    k: int = 5
    objective: str = "leverage"
    max_conditions: int = 3
    min_count: int = 10
    m: float = 2.0
    filter: str = "significant"
    alpha: float = 0.05
    correction: str = "layered"
    per: Per = "category"
    confirm: bool = True
    weight: Weight | None = None

    def __post_init__(self) -> None:
        _make_plain(self)
        check_integer("k", self.k, 1, MOST)
        check_integer("max_conditions", self.max_conditions, 1, MOST_CONDITIONS)
        check_integer("min_count", self.min_count, 1, MOST)
        check_number("m", self.m, 0.0, MOST_M)
        check_number("alpha", self.alpha, 0.0, 1.0)
        check_choice("objective", self.objective, list(Objective))
        check_choice("filter", self.filter, list(Filter))
        check_choice("correction", self.correction, list(Correction))
        check_choice("per", self.per, ["category", "overall"])
        check_switch("confirm", self.confirm)
        if self.weight is None:
            object.__setattr__(self, "weight", "effect" if self.confirm else "none")
        check_choice("weight", self.weight, ["effect", "none"])

    def but(self, keywords: Mapping[str, Any]) -> SearchOptions:
        """These options, other than the ones that are named."""
        unknown = [name for name in keywords if name not in SearchKeywords.__annotations__]
        if unknown:
            elsewhere = unknown[0] in (*NeighbourhoodOptions.__annotations__, *_OF_EXPLAINER)
            raise InputError(
                f"{unknown[0]} is an option of Explainer(…), which holds for all that it explains"
                if elsewhere
                else f"there is no option {unknown[0]!r}; there are {', '.join(SearchKeywords.__annotations__)}"
            )
        changed = dict(keywords)
        if "confirm" in changed and "weight" not in changed:
            changed["weight"] = None  # its default follows
        return replace(self, **changed)


_OF_EXPLAINER = ("preset", "bins", "cuts", "kernel_width", "categorical", "class_names", "feature_names", "labels")


def _make_plain(options: NeighbourhoodOptions | SearchOptions) -> None:
    """Numbers of numpy as Python's, which do not overflow."""
    for field in fields(options):
        value = getattr(options, field.name)
        if isinstance(value, np.integer | np.floating):
            object.__setattr__(options, field.name, value.item())


def check_integer(name: str, value: Any, least: int, most: int | None = None) -> None:
    """Refuse an option that is not a whole number in its range."""
    is_integer = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_integer or value < least or (most is not None and value > most):
        limits = f"at least {least}" if most in (None, MOST) else f"from {least} to {most}"
        small = "smaller " if is_integer and most == MOST and value > most else ""
        raise InputError(f"{name}={quote(value)}: give a {small}whole number, {limits}")


def check_number(name: str, value: Any, least: float, most: float = math.inf) -> None:
    """Refuse an option that is not a finite number in its range."""
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not is_number or not least <= value <= most or value > sys.float_info.max:
        limits = f"at least {least:g}" if math.isinf(most) else f"from {least:g} to {most:g}"
        raise InputError(f"{name}={quote(value)}: give a finite number, {limits}")


def check_switch(name: str, value: Any) -> None:
    """Refuse an option that is neither true nor false."""
    if not isinstance(value, bool):
        raise InputError(f"{name}={quote(value)}: give True or False")


def check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    """Refuse an option that is none of the choices."""
    if not isinstance(value, str) or value not in choices:
        raise InputError(f"{name}={quote(value)}: choose one of {', '.join(map(str, choices))}")


PAPER_NEIGHBOURHOOD: dict[str, Any] = {"thin": "random", "design": "random", "snap": False, "n_asked": 0}
"""What the paper's neighbourhood has other than the defaults; the numbers of neighbours are the same."""

PAPER_SEARCH = SearchOptions(max_conditions=4, filter="productive", per="overall", confirm=False)
"""The paper's search, as far as it is told: an m-estimate and a filter, of which it gives neither m nor the name."""

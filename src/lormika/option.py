"""Option: what there is to know about an option besides its name and default."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import ClassVar, Self, TypeVar

import numpy as np

from lormika.checks import MOST, check_choice, check_integer, check_number, check_switch
from lormika.errors import InputError, did_you_mean

Number = TypeVar("Number", bound=float | None)
Word = TypeVar("Word", bound=str | None)


@dataclass(frozen=True, slots=True)
class Option:
    """The type, the help text and the limits of an option."""

    type: type
    text: str  # one sentence, for `--help` and the documentation
    check: Callable[[str, object], None]
    choices: tuple[str, ...] = ()
    unset: str | None = None  # what None stands for; such an option need not be given at all


def integer(default: int, text: str, least: int, most: int = MOST) -> int:
    """A field for a whole number."""
    option = Option(int, text, partial(check_integer, least=least, most=most))
    return field(default=default, metadata={"option": option})


def number(default: Number, text: str, least: float, most: float = math.inf, unset: str | None = None) -> Number:
    """A field for a finite number."""
    option = Option(float, text, partial(check_number, least=least, most=most), unset=unset)
    return field(default=default, metadata={"option": option})


def choice(default: Word, text: str, choices: Sequence[str], unset: str | None = None) -> Word:
    """A field for one of several words."""
    names = tuple(map(str, choices))
    option = Option(str, text, partial(check_choice, choices=names), names, unset)
    return field(default=default, metadata={"option": option})


def switch(default: bool, text: str) -> bool:
    """A field that is true or false."""
    return field(default=default, metadata={"option": Option(bool, text, check_switch)})


@dataclass(frozen=True, slots=True)
class Options:
    """Options that check themselves; the error names a wrong one."""

    place: ClassVar[str]  # where to give them, for error messages if they are given elsewhere

    def __post_init__(self) -> None:
        for name, option in options_of(type(self)).items():
            value = getattr(self, name)
            if isinstance(value, np.integer | np.floating):  # these overflow
                object.__setattr__(self, name, value.item())
            if value is not None or option.unset is None:
                option.check(name, value)

    def but(self, keywords: Mapping[str, object]) -> Self:
        """A copy with the given options changed."""
        if not keywords:
            return self
        names = [one.name for one in fields(self)]
        for name in keywords:
            if name not in names:
                others = did_you_mean(name, names, len(names))
                raise InputError(_elsewhere(name) or f"there is no option {name!r}{others}")
        return replace(self, **keywords)


def options_of(kind: type[Options]) -> dict[str, Option]:
    """The options of a class, by name."""
    return {one.name: one.metadata["option"] for one in fields(kind) if "option" in one.metadata}


def _elsewhere(name: str) -> str | None:
    """Where an option given in the wrong place belongs."""
    explainer = "Explainer(…), which holds for all that it explains"
    places = dict.fromkeys(("preset", "categorical", "class_names", "feature_names", "labels", "threshold"), explainer)
    places |= {one.name: kind.place for kind in Options.__subclasses__() for one in fields(kind)}
    return f"{name} is an option of {places[name]}" if name in places else None

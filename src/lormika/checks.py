"""Checks of options: a wrong value is refused with the option's name and advice on what to give."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence

import numpy as np

from lormika.errors import InputError, quote

MOST = 2**63 - 1  # of any number that is only compared


def check_integer(name: str, value: object, least: int, most: int | None = None) -> None:
    """Refuse an option that is not a whole number in its range."""
    small = ""
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        if value >= least and (most is None or value <= most):
            return
        small = "smaller " if most == MOST and value > MOST else ""
    limits = f"at least {least}" if most in (None, MOST) else f"from {least} to {most}"
    raise InputError(f"{name}={quote(value)}: give a {small}whole number, {limits}")


def check_number(name: str, value: object, least: float, most: float = math.inf) -> None:
    """Refuse an option that is not a finite number in its range."""
    is_truth = isinstance(value, bool)
    greatest = min(most, sys.float_info.max)
    if isinstance(value, int | float | np.integer | np.floating) and not is_truth and least <= value <= greatest:
        return
    limits = f"at least {least:g}" if math.isinf(most) else f"from {least:g} to {most:g}"
    raise InputError(f"{name}={quote(value)}: give a finite number, {limits}")


def check_switch(name: str, value: object) -> None:
    """Refuse an option that is neither true nor false."""
    if not isinstance(value, bool):
        raise InputError(f"{name}={quote(value)}: give True or False")


def check_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Refuse an option that is none of the choices."""
    if not isinstance(value, str) or value not in choices:
        raise InputError(f"{name}={quote(value)}: choose one of {', '.join(map(str, choices))}")

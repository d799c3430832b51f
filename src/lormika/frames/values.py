"""Single values: plain Python scalars, and how they are written."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable

import numpy as np

from lormika.types import UserValue

Scalar = str | int | float | bool

_OPERATORS = frozenset("<>=≤≥→⇒")
_FEW = 9  # digits that are written in full
_LONG = 1e21  # floats from here on are written with an exponent


def is_missing(value: object) -> bool:
    """Whether a value is None, NaN, pandas.NA, NaT or masked.

    >>> is_missing(None), is_missing(float("nan")), is_missing(np.ma.masked), is_missing(""), is_missing(0)
    (True, True, True, False, False)
    """
    if value is None or isinstance(value, float | np.floating):
        return value is None or math.isnan(value)
    return type(value).__name__ in ("NAType", "NaTType", "MaskedConstant")


def first_masked(values: object) -> int | None:
    """Row of the first value that a masked array hides; None if it hides none.

    >>> first_masked(np.ma.masked_equal([1, 2, 3], 2)), first_masked(np.array([1, 2])), first_masked([1, 2])
    (1, None, None)
    """
    if not isinstance(values, np.ma.MaskedArray):
        return None
    hidden = np.argwhere(np.ma.getmaskarray(values))
    return int(hidden[0][0]) if hidden.size else None


def plain(value: UserValue) -> UserValue:
    """Turn a numpy scalar, or an instance of a string subclass, into a plain Python value.

    >>> plain(np.int8(3)), plain(np.str_("a")), plain(None)
    (3, 'a', None)
    """
    if isinstance(value, np.generic):
        return value.item()
    return str(value) if isinstance(value, str) else value


def is_list(value: object) -> bool:
    """Whether something holds a sequence of values rather than a single one; an array may have no dimension.

    >>> is_list(["a"]), is_list(np.array([1, 2])), is_list("ab"), is_list(np.array(3))
    (True, True, False, False)
    """
    return isinstance(value, Iterable) and not isinstance(value, str | bytes) and getattr(value, "ndim", 1) != 0


def is_too_large(value: object) -> bool:
    """Whether a whole number is beyond all float64 values: neither JSON nor a message can hold it.

    >>> is_too_large(10**400), is_too_large(10**30), is_too_large("9" * 400)
    (True, False, False)
    """
    return isinstance(value, int) and abs(value) > sys.float_info.max


def value_order(value: Scalar) -> tuple[bool, Scalar]:
    """Sort key of values that may be of different types: numbers before strings.

    >>> sorted(["b", 2, "a", True], key=value_order)
    [True, 2, 'a', 'b']
    """
    return isinstance(value, str), value


class Quantity(float):
    """A number that is written in words of its own.

    >>> format_value(Quantity(35.25, "35 k€")), Quantity(35.25, "35 k€") > 35
    ('35 k€', True)
    """

    __slots__ = ("text",)
    text: str

    def __new__(cls, value: float, text: str) -> Quantity:
        """A number, and how it is written."""
        quantity = super().__new__(cls, value)
        quantity.text = text
        return quantity


def format_number(value: float) -> str:
    """Write a number as people do: in full if it is whole or has few digits, otherwise to six digits.

    >>> format_number(40.0), format_number(0.1 + 0.2), format_number(1234567.5), format_number(30570.97)
    ('40', '0.3', '1234567.5', '30570.97')
    >>> format_number(1700000000000001.0), format_number(10**25 + 1), format_number(1e300)
    ('1700000000000001', '10000000000000000000000001', '1e+300')
    """
    if isinstance(value, int):
        return str(int(value))
    if abs(value) >= _LONG or math.isnan(value):
        return repr(float(value))  # as few digits as tell it from all others
    if value == int(value):
        return str(int(value))
    few = f"{value:.{_FEW}g}"
    return few if float(few) == value and "e" not in few else f"{value:.{max(6, len(str(int(abs(value)))) + 1)}g}"


def format_exact(value: float) -> str:
    """Write a number in full, with as few digits as distinguish it from all others.

    >>> format_exact(28.0), format_exact(0.305), format_exact(0.1 + 0.2)
    ('28', '0.305', '0.30000000000000004')
    """
    return format_number(value) if not math.isfinite(value) or value == int(value) else repr(float(value))


def format_value(value: Scalar | None) -> str:
    """Write a value of any feature.

    Text that could be read as part of a condition is quoted.

    >>> format_value(2.0), format_value(True), format_value("car"), format_value(None), format_value("< 0 DM")
    ('2', 'True', 'car', 'missing', '“< 0 DM”')
    """
    if value is None:
        return "missing"
    if isinstance(value, str):
        return f"“{value}”" if value == "" or not _OPERATORS.isdisjoint(value) else str(value)
    if isinstance(value, Quantity):
        return value.text
    return str(value) if isinstance(value, bool) else format_number(value)


def nearest(values: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Nearest of the sorted values to each number, the lower of two equally near.

    >>> nearest(np.array([1.0, 2.0, 5.0]), np.array([1.5, 4.0, 9.0, np.nan]))
    array([ 1.,  5.,  5., nan])
    """
    if len(values) == 0:
        return np.full(len(numbers), np.nan)
    above = np.searchsorted(values, numbers).clip(1, max(len(values) - 1, 1))
    low, high = values[above - 1], values[np.minimum(above, len(values) - 1)]
    with np.errstate(over="ignore"):
        is_low = numbers - low <= high - numbers
    return np.where(np.isnan(numbers), np.nan, np.where(is_low, low, high))

"""Conditions of rules: a range of numbers, a category, or no value; tested on columns, written as SQL and pandas."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from lormika.frames import ColumnReader
from lormika.frames.queries import query_name, query_value, sql_name, sql_value
from lormika.frames.values import Scalar, format_exact, format_value

_MOST_DIGITS = 16  # that people write: a number with more was made by stepping to the next one


@dataclass(frozen=True, slots=True)
class Interval:
    """A number from `low` (inclusive) to `high` (exclusive); a missing value is in no interval.

    >>> str(Interval("age", 25.5, 29.5, integer=True)), str(Interval("rate", 0.25, math.inf))
    ('26 ≤ age ≤ 29', 'rate ≥ 0.25')
    """

    feature: str
    low: float
    high: float
    integer: bool = False  #: all values are whole numbers: say "age ≥ 28", not "age ≥ 27.5"
    single: bool = field(default=False, compare=False)  #: only words: its last number is the background's, too
    texts: tuple[str, str] | None = field(default=None, compare=False)  #: of its ends, in words of their own

    def holds(self, column: ColumnReader) -> np.ndarray:
        """Which values of a column lie inside."""
        values = column.numbers()
        return (self.low <= values) & ((values < self.high) | (self.high == math.inf))

    def to_sql(self) -> str:
        """A condition of a WHERE clause."""
        name = sql_name(self.feature)
        low = [f"{name} >= {sql_value(self.low)}"] if self.low != -math.inf else []
        high = [f"{name} < {sql_value(self.high)}"] if self.high != math.inf else []
        return " AND ".join(low + high) or f"{name} IS NOT NULL"

    def to_query(self) -> str:
        """A condition of a pandas query."""
        if self.low == -math.inf and self.high == math.inf:
            return f"{query_name(self.feature)}.notna()"
        low = f"{query_value(self.low)} <= " if self.low != -math.inf else ""
        high = f" < {query_value(self.high)}" if self.high != math.inf else ""
        # As float64, because pandas rounds the ends to the type of the column, and leaves NA in the result.
        return f"{low}{query_name(self.feature)}.astype('float64'){high}"

    @property
    def ends(self) -> tuple[float, float, str]:
        """Both ends as they are written, and the sign before the upper one: whole numbers include it.

        >>> Interval("age", 25.5, 29.5, integer=True).ends, Interval("rate", 0.25, 0.5).ends
        ((26, 29, '≤'), (0.25, 0.5, '<'))
        >>> Interval("rate", 0.25, math.nextafter(0.5, 1)).ends
        (0.25, 0.5, '≤')
        >>> str(Interval("children", -math.inf, 0.5, integer=True, single=True))
        'children = 0'
        """
        if not self.integer:
            # A range that was seen to end at a value, that one included, is stored with the next number as its end.
            below = math.nextafter(self.high, -math.inf)
            is_closed = math.isfinite(self.high) and len(repr(below)) < len(repr(self.high)) > _MOST_DIGITS
            return (self.low, below, "≤") if is_closed else (self.low, self.high, "<")
        low = math.ceil(self.low) if math.isfinite(self.low) else self.low
        high = math.ceil(self.high) - 1 if math.isfinite(self.high) else self.high
        if self.single:
            low, high = (high, high) if low == -math.inf else (low, low)
        return low, high, "≤" if math.isfinite(high) else "<"

    @property
    def end_texts(self) -> tuple[str, str]:
        """Both ends in words."""
        low, high, _ = self.ends
        return self.texts or (format_exact(low), format_exact(high))

    def __str__(self) -> str:
        low, high, upper = self.ends
        low_text, high_text = self.end_texts
        if low == high:
            return f"{self.feature} = {low_text}"
        if low == -math.inf and high == math.inf:
            return f"{self.feature} is not missing"
        if low == -math.inf:
            return f"{self.feature} {upper} {high_text}"
        if high == math.inf:
            return f"{self.feature} ≥ {low_text}"
        return f"{low_text} ≤ {self.feature} {upper} {high_text}"


@dataclass(frozen=True, slots=True)
class Equals:
    """A category.

    >>> str(Equals("purpose", "car"))
    'purpose = car'
    """

    feature: str
    value: Scalar

    def holds(self, column: ColumnReader) -> np.ndarray:
        """Which values of a column are this one."""
        values, codes = column.coded()
        held: np.ndarray = np.array([*(value == self.value for value in values), False])[codes]  # the last: missing
        return held

    def to_sql(self) -> str:
        """A condition of a WHERE clause."""
        return f"{sql_name(self.feature)} = {sql_value(self.value)}"

    def to_query(self) -> str:
        """A condition of a pandas query."""
        # Not with ==, which leaves NA in the result, and fails for negative numbers among objects if numexpr is there.
        return f"{query_name(self.feature)} in [{query_value(self.value)}]"

    def __str__(self) -> str:
        return f"{self.feature} = {format_value(self.value)}"


@dataclass(frozen=True, slots=True)
class Missing:
    """No value.

    >>> str(Missing("income"))
    'income is missing'
    """

    feature: str

    def holds(self, column: ColumnReader) -> np.ndarray:
        """Which values of a column are missing."""
        missing: np.ndarray = column.coded()[1] < 0
        return missing

    def to_sql(self) -> str:
        """A condition of a WHERE clause."""
        return f"{sql_name(self.feature)} IS NULL"

    def to_query(self) -> str:
        """A condition of a pandas query."""
        return f"{query_name(self.feature)}.isna()"

    def __str__(self) -> str:
        return f"{self.feature} is missing"


Condition = Interval | Equals | Missing

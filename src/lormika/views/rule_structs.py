"""Conditions and changes as structs, which columns of tables hold as they are: no text has to be parsed.

A value is a struct, too, since one column holds those of all features. Its text is exact, and its type says what it
is the text of: True is not 1, and 1 is not "1". Numbers stand beside it, ready to be compared; those of more than 53
bits are exact as text only. A missing value is null.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Literal, TypedDict

from lormika.frames.values import Scalar
from lormika.rule import Condition, Edit, Equals, Interval
from lormika.views.column import StructOf

VALUE = StructOf((("type", "string"), ("text", "string"), ("number", "float64")))
CONDITION = StructOf(
    (
        ("type", "string"),
        ("feature", "string"),
        ("low", "float64"),
        ("high", "float64"),
        ("integer", "bool"),
        ("single", "bool"),
        ("value", VALUE),
    )
)
EDIT = StructOf((("feature", "string"), ("before", VALUE), ("after", VALUE)))

ValueType = Literal["string", "integer", "float", "boolean"]

READERS: Mapping[str, Callable[[str], Scalar]] = {
    "string": str,
    "integer": int,
    "float": float,
    "boolean": lambda text: text == "true",
}
"""From the exact text of a value to the value, for each of its types."""


class ValueStruct(TypedDict):
    """A value that is not missing."""

    type: ValueType
    text: str
    number: float | None  # of an integer or float


class ConditionStruct(TypedDict):
    """A condition; what does not belong to its type is null, as is an open end."""

    type: Literal["interval", "equals", "missing"]
    feature: str
    low: float | None
    high: float | None
    integer: bool | None
    single: bool | None
    value: ValueStruct | None


class EditStruct(TypedDict):
    """A changed value."""

    feature: str
    before: ValueStruct | None
    after: ValueStruct | None


def exact_text(value: Scalar) -> str:
    """A value as text that loses nothing but its type: text as it is, everything else as in JSON.

    >>> exact_text("High"), exact_text(1), exact_text(True), exact_text(0.5)
    ('High', '1', 'true', '0.5')
    """
    return value if isinstance(value, str) else json.dumps(value)


def value_struct(value: Scalar | None) -> ValueStruct | None:
    """A value of any feature.

    >>> value_struct(2**53 + 1)
    {'type': 'integer', 'text': '9007199254740993', 'number': 9007199254740992.0}
    >>> value_struct(True), value_struct(None)
    ({'type': 'boolean', 'text': 'true', 'number': None}, None)
    """
    if value is None:
        return None
    kind = _value_type(value)
    return {"type": kind, "text": exact_text(value), "number": float(value) if kind in ("integer", "float") else None}


def _value_type(value: Scalar) -> ValueType:
    match value:
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "float"
        case _:
            return "string"


def condition_struct(condition: Condition) -> ConditionStruct:
    """A condition of a rule.

    >>> struct = condition_struct(Interval("age", 25.5, math.inf, integer=True))
    >>> [name for name, value in struct.items() if value is not None]
    ['type', 'feature', 'low', 'integer', 'single']
    """
    struct: ConditionStruct = {
        "type": "missing",
        "feature": condition.feature,
        "low": None,
        "high": None,
        "integer": None,
        "single": None,
        "value": None,
    }
    match condition:
        case Interval(_, low, high, integer, single):
            struct |= {"type": "interval", "integer": integer, "single": single}
            struct |= {"low": None if low == -math.inf else low, "high": None if high == math.inf else high}
        case Equals(_, value):
            struct |= {"type": "equals", "value": value_struct(value)}
    return struct


def edit_struct(edit: Edit) -> EditStruct:
    """A changed value of the instance."""
    return {"feature": edit.feature, "before": value_struct(edit.before), "after": value_struct(edit.after)}

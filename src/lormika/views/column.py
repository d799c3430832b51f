"""A column of a table: its name, its type, how its values are found, and what they mean."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

_FRAME_TYPES = {"int32": "int64", "int64": "int64", "float64": "float64", "bool": "bool"}
_FRAME_TYPES_WITH_MISSING = {"int64": "Int64", "bool": "boolean"}


@dataclass(frozen=True, slots=True)
class ListOf:
    """Any number of values.

    >>> str(ListOf(StructOf((("feature", "string"), ("low", "float64")))))
    'list<struct<feature: string, low: float64>>'
    """

    of: Type

    def __str__(self) -> str:
        return f"list<{self.of}>"


@dataclass(frozen=True, slots=True)
class StructOf:
    """Values with names."""

    fields: tuple[tuple[str, Type], ...]

    def __str__(self) -> str:
        return f"struct<{', '.join(f'{name}: {kind}' for name, kind in self.fields)}>"


Type = str | ListOf | StructOf
"""A plain one is `int64`, `int32`, `float64`, `bool`, `string`, or `class`: as it is in a frame, and text in a file."""


@dataclass(frozen=True, slots=True)
class Column(Generic[T]):
    """One column of a table whose rows are about things of one kind."""

    name: str
    type: Type
    of: Callable[[T], object]  # its value for one of these things; None: it has none
    about: str  # for the documentation
    has_missing: bool = False  # numbers and flags only: a type that has room for missing ones

    @property
    def file_type(self) -> str:
        """What its type is called in files, where a class is text."""
        return "string" if self.type == "class" else str(self.type)

    @property
    def frame_type(self) -> str:
        """What pandas calls its type.

        >>> Column("asked", "int32", len, "").frame_type, Column("asked", "int32", len, "", has_missing=True).frame_type
        ('int64', 'Int64')
        """
        plain = _FRAME_TYPES.get(str(self.type), "object")
        return _FRAME_TYPES_WITH_MISSING.get(plain, plain) if self.has_missing else plain

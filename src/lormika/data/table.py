"""`Table`: a frame, and what was detected while reading it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from lormika.frames.values import format_exact, format_value, plain

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """One column in a few words.

    >>> str(ColumnSummary("age", "int", missing=0, distinct=55, values="19 … 74"))
    'age: int, 55 distinct, 19 … 74'
    """

    name: str
    type: str  #: int, float, bool, text, category, date, empty, or the name of another pandas type
    missing: int
    distinct: int
    values: str  #: the range of numbers, the first values of anything else

    def __str__(self) -> str:
        gaps = f", {self.missing} missing" if self.missing else ""
        return f"{self.name}: {self.type}{gaps}, {self.distinct} distinct" + (f", {self.values}" if self.values else "")


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    r"""A frame that was read from a file, and what was detected about the file.

    Examples
    --------
    >>> import tempfile
    >>> from lormika.data import read_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "people.csv")
    ...     _ = path.write_text("age;job\n41;cook\n;clerk\n")
    ...     table = read_table(path)
    >>> table.delimiter, table.types, table.missing
    (';', {'age': 'float', 'job': 'text'}, {'age': {'': 1}})
    """

    frame: pd.DataFrame
    path: Path
    format: str  #: csv, json, jsonl, parquet or arrow
    compression: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    missing: Mapping[str, Mapping[str, int]] = field(default_factory=dict)  #: column: token: how often
    notes: tuple[str, ...] = ()  #: plain sentences about what a user would wonder about

    @property
    def types(self) -> dict[str, str]:
        """Type of each column: int, float, bool, text, category, date or empty."""
        return {str(name): type_name(self.frame[name]) for name in self.frame}

    def describe(self) -> tuple[ColumnSummary, ...]:
        """Describe each column: its type, how much is missing, and which values it has."""
        return tuple(_summary(str(name), self.frame[name]) for name in self.frame)


def type_name(column: pd.Series) -> str:
    """Type of a column in one word.

    >>> import pandas as pd
    >>> type_name(pd.Series([1, 2])), type_name(pd.Series(["a", None])), type_name(pd.Series([None, None]))
    ('int', 'text', 'empty')
    """
    from pandas.api import types

    present = column.dropna()
    if present.empty:
        return "empty"
    if isinstance(column.dtype, types.CategoricalDtype):
        return "category"
    if types.is_bool_dtype(column.dtype) or all(type(value) is bool for value in present.head(100)):
        return "bool"
    if types.is_integer_dtype(column.dtype):
        return "int"
    if types.is_float_dtype(column.dtype):
        return "float"
    if types.is_datetime64_any_dtype(column.dtype):
        return "date"
    return "text" if types.is_string_dtype(present) or column.dtype == object else str(column.dtype)


def _summary(name: str, column: pd.Series) -> ColumnSummary:
    kind, present = type_name(column), column.dropna()
    distinct = int(present.nunique())
    if present.empty:
        values = ""
    elif kind in ("int", "float"):
        low, high = (format_exact(plain(value)) for value in (present.min(), present.max()))
        values = low if distinct == 1 else f"{low} … {high}"
    else:
        first = [_short(format_value(plain(value))) for value in present.drop_duplicates().head(3)]
        values = ", ".join(first) + (", …" if distinct > 3 else "")
    return ColumnSummary(name, kind, int(column.isna().sum()), distinct, values)


def _short(text: str, most: int = 24) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"

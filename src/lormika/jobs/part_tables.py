"""Explanations as rows of two tables, and their types in Arrow and Spark."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeVar

from lormika.explanation import Explanation
from lormika.jobs.part_columns import INSTANCES, RULES, RankedRule, RowResult
from lormika.views.column import Column, ListOf, StructOf, Type
from lormika.views.rule_structs import exact_text

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

T = TypeVar("T")
Record = dict[str, object]

_SPARK_TYPES = {
    "int64": "bigint",
    "int32": "int",
    "float64": "double",
    "bool": "boolean",
    "string": "string",
    "class": "string",
}


def rules_table(rows: Iterable[RowResult]) -> pa.Table:
    """The rules about several rows."""
    return to_table((rule for row in rows for rule in rule_rows(row)), RULES)


def instances_table(rows: Iterable[RowResult]) -> pa.Table:
    """The results for several rows."""
    return to_table(map(instance_row, rows), INSTANCES)


def rule_rows(row: RowResult) -> Iterator[Record]:
    """Rows of the table of rules; none if the row failed."""
    if isinstance(row.result, Explanation):
        for rank, rule in enumerate(row.result.rules):
            yield _record(RULES, RankedRule(row.row, row.id, row.result, rank, rule))


def instance_row(row: RowResult) -> Record:
    """A row of the table of instances."""
    return _record(INSTANCES, row)


def _record(columns: Mapping[str, Column[T]], thing: T) -> Record:
    return {name: _value(column.type, column.of(thing)) for name, column in columns.items()}


def _value(kind: Type, value: object) -> object:
    """A value as files store it: classes as text, so that all types fit into one column; undefined measures as null."""
    if kind == "class" and isinstance(value, int | float):
        return exact_text(value)
    return None if isinstance(value, float) and math.isnan(value) else value


def identifiers(frame: pd.DataFrame, column: str | None) -> list[str | None]:
    """Names of the rows of a frame, from a column that may lack some."""
    if column is None:
        return [None] * len(frame)
    return [None if missing else str(name) for name, missing in zip(frame[column], frame[column].isna(), strict=True)]


def to_table(rows: Iterable[Record], columns: Mapping[str, Column[T]]) -> pa.Table:
    """An Arrow table of these columns."""
    import pyarrow as pa

    return pa.Table.from_pylist(list(rows), schema=arrow_schema(columns))


def arrow_schema(columns: Mapping[str, Column[T]]) -> pa.Schema:
    """Names and types of columns, as Arrow has them."""
    import pyarrow as pa

    return pa.schema([(name, _arrow_type(column.type)) for name, column in columns.items()])


def _arrow_type(kind: Type) -> pa.DataType:
    import pyarrow as pa

    match kind:
        case ListOf(of):
            return pa.list_(_arrow_type(of))
        case StructOf(fields):
            return pa.struct([(name, _arrow_type(of)) for name, of in fields])
        case _:
            return pa.string() if kind == "class" else pa.type_for_alias(kind)


def spark_type(kind: Type) -> str:
    """A type as Spark writes it.

    >>> spark_type(ListOf(StructOf((("feature", "string"), ("low", "float64")))))
    'array<struct<feature: string, low: double>>'
    """
    match kind:
        case ListOf(of):
            return f"array<{spark_type(of)}>"
        case StructOf(fields):
            return f"struct<{', '.join(f'{name}: {spark_type(of)}' for name, of in fields)}>"
        case _:
            return _SPARK_TYPES[kind]

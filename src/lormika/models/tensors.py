"""From a table of any library to the tensors that a model takes: one for all columns, or one per column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lormika import frames
from lormika.errors import InputError, listing
from lormika.frames.readers import ColumnReader, TableReader
from lormika.frames.values import Scalar
from lormika.types import UserTable


@dataclass(frozen=True, slots=True)
class Input:
    """What a model takes under one name."""

    name: str
    dtype: np.dtype  # numbers or booleans; objects: text
    width: int | None  # how many columns; None: any number
    rank: int  # dimensions of the tensor, 1 or 2
    missing_text: str | None = None  # what stands for a missing category


def feature_names(inputs: Sequence[Input]) -> list[str] | None:
    """Names of the columns, if each has its own input."""
    return [one.name for one in inputs] if all(one.width == 1 for one in inputs) else None


def check_inputs(inputs: Sequence[Input], source: object) -> None:
    """Refuse a model that takes anything but one table, or one column per input."""
    if not inputs:
        raise InputError(f"{source}: the model takes no input")
    wide = [one.name for one in inputs if one.width != 1]
    if wide and len(inputs) > 1:
        raise InputError(
            f"{source}: the model takes {len(inputs)} inputs, and {wide[0]!r} is not a single column; only one table "
            "of all columns, or one input for each column, can be explained"
        )


def tensors(inputs: Sequence[Input], table: UserTable) -> dict[str, np.ndarray]:
    """Convert the table to what the model takes, by the names of its inputs."""
    reader = frames.read(table)
    if feature_names(inputs) is None:
        return {inputs[0].name: _matrix(inputs[0], reader)}
    readers = _by_name(inputs, reader, has_names=not isinstance(table, np.ndarray))
    columns = {one.name: _values(one, column) for one, column in zip(inputs, readers, strict=True)}
    return {one.name: columns[one.name].reshape((-1, 1)[: one.rank]) for one in inputs}


def _matrix(one: Input, reader: TableReader) -> np.ndarray:
    if one.width is not None and len(reader.columns) != one.width:
        raise InputError(
            f"the model takes {one.width} columns; the table has {len(reader.columns)}: {listing(reader.columns)}"
        )
    table = np.empty((reader.n_rows, len(reader.columns)), dtype=one.dtype)
    for position, column in enumerate(reader.columns.values()):
        table[:, position] = _values(one, column)
    return table


def _by_name(inputs: Sequence[Input], reader: TableReader, *, has_names: bool) -> list[ColumnReader]:
    """Columns in the order of the inputs; those of an array have only an order, no names."""
    names = [one.name for one in inputs]
    if not has_names and len(reader.columns) == len(names):
        return list(reader.columns.values())
    missing = [name for name in names if name not in reader.columns]
    unknown = [name for name in reader.columns if name not in names]
    if missing or unknown:
        lacks = f"lacks {listing(missing)}" if missing else f"has {listing(unknown)} beside them"
        raise InputError(f"the model takes the columns {listing(names)}; the table {lacks}")
    return [reader[name] for name in names]


def _values(one: Input, column: ColumnReader) -> np.ndarray:
    if one.dtype.kind == "O":
        return _texts(one, column)
    numbers = _numbers(column)
    if one.dtype.kind == "f":
        return numbers.astype(one.dtype)
    low, high = (0, 1) if one.dtype.kind == "b" else (np.iinfo(one.dtype).min, np.iinfo(one.dtype).max)
    fits = (numbers == np.rint(numbers)) & (numbers >= low) & (numbers <= high)  # NaN does not
    if not fits.all():
        row = int((~fits).argmax())
        kind = "true or false" if one.dtype.kind == "b" else f"whole numbers ({one.dtype})"
        value = "a missing value" if np.isnan(numbers[row]) else f"{numbers[row]:g}"
        raise InputError(f"column {column.name!r}, row {row}: the model takes {kind} here, not {value}")
    return numbers.astype(one.dtype)


def _numbers(column: ColumnReader) -> np.ndarray:
    try:
        return column.numbers()
    except InputError as error:
        raise InputError(f"{error}; the model takes numbers here") from None


def _texts(one: Input, column: ColumnReader) -> np.ndarray:
    values: list[Scalar | None] = column.objects()
    for row, value in enumerate(values):
        if not isinstance(value, str | None):
            raise InputError(
                f"column {column.name!r}, row {row}: the model takes text here, not {value!r}; turn the column into "
                "strings"
            )
    texts = np.empty(len(values), dtype=object)
    texts[:] = [one.missing_text if value is None else value for value in values]
    return texts

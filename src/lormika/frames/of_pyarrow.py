"""Columns and tables of Arrow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lormika.frames.restorer import Assembler, Categories, Coded, Lookup, Restorer
from lormika.frames.values import Scalar

if TYPE_CHECKING:
    import pyarrow as pa

    from lormika.types import UserValue


@dataclass(frozen=True, slots=True, eq=False)
class PyarrowNumber:
    """Numbers of an Arrow type; missing ones as null, unless the background marks them as NaN."""

    dtype: pa.DataType
    null: bool
    holds_missing: bool = True

    def __call__(self, values: np.ndarray) -> pa.Array:
        """An array of the type."""
        import pyarrow as pa

        if pa.types.is_integer(self.dtype):
            values = np.rint(values)
        return pa.array(values, from_pandas=self.null).cast(self.dtype)


def column(native_column: pa.ChunkedArray, categories: Categories) -> Restorer:
    """Restorer of a column like this one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = native_column.type
    has_nan = pa.types.is_floating(kind) and bool(pc.any(pc.is_nan(native_column)).as_py())
    null = not has_nan or native_column.null_count > 0
    if categories is None:
        return PyarrowNumber(kind, null)
    if pa.types.is_dictionary(kind):
        positions = pa.array([*range(len(categories)), None], type=kind.index_type)
        dictionary = pa.array(categories, type=kind.value_type)
        native = pa.DictionaryArray.from_arrays(positions, dictionary, ordered=kind.ordered)
    else:
        kind = pa.string() if str(kind) == "string_view" else kind  # Arrow takes no rows of a view
        native = pa.array([*categories, None if null else np.nan], type=kind)
    return Lookup(native, len(categories), holds_missing=True)


@dataclass(frozen=True, slots=True, eq=False)
class PyarrowAssembler:
    """Columns to an Arrow table."""

    schema: pa.Schema

    def __call__(self, columns: Sequence[pa.Array]) -> pa.Table:
        """Put them side by side."""
        import pyarrow as pa

        typed = [column.cast(kind) for column, kind in zip(columns, self.schema.types, strict=True)]
        return pa.Table.from_arrays(typed, schema=self.schema)


def assembler(table: pa.Table) -> Assembler:
    """What assembles restored columns into a table like this one."""
    return PyarrowAssembler(table.schema)


def declared_categories(column: pa.ChunkedArray) -> Categories:
    """Category list of a column's type, in its order; None: the column is empty."""
    return tuple(column.unify_dictionaries().chunk(0).dictionary.to_pylist()) if column.num_chunks else None


def coded(column: pa.ChunkedArray) -> Coded:
    """Different values, and the position of each row's among them; missing: -1."""
    import pyarrow as pa
    import pyarrow.compute as pc

    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    chunks = encoded.unify_dictionaries().chunks
    values: list[UserValue] = chunks[0].dictionary.to_pylist() if chunks else []
    codes = [pc.fill_null(chunk.indices.cast(pa.int64()), -1).to_numpy() for chunk in chunks]
    return values, np.concatenate(codes) if codes else np.empty(0, dtype=np.intp)


def widen(native: pa.Array, size: int, more: Sequence[Scalar]) -> pa.Array:
    """Categories after the first so many, and before what stands for a missing value."""
    import pyarrow as pa

    kind = native.type
    if not has_list(native):
        return pa.concat_arrays([native[:size], pa.array(more, type=kind), native[size:]])
    dictionary = pa.concat_arrays([native.dictionary, pa.array(more, type=kind.value_type)])
    positions = pa.array([*range(len(dictionary)), None], type=kind.index_type)
    return pa.DictionaryArray.from_arrays(positions, dictionary, ordered=kind.ordered)


def as_stored(native: pa.Array, value: Scalar) -> UserValue:
    """What the type of a column, or of its categories, makes of a value."""
    import pyarrow as pa

    kind = native.type
    return pa.scalar(value, type=kind.value_type if has_list(native) else kind).as_py()


def has_list(native: pa.Array) -> bool:
    """Whether a column's type lists its categories, so that a model may rely on their positions."""
    return str(native.type).startswith("dictionary")


def is_ordered(native: pa.Array) -> bool:
    """Whether a column's type says that its categories have an order."""
    return bool(getattr(native.type, "ordered", False))

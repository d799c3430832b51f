"""Back from encoded columns to a table of the user's library, with its own types and category lists.

A restorer turns one encoded column into a native one: numbers as they are, categories as positions in their list,
missing values as NaN. All are plain picklable objects, so that a schema can travel to other processes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from lormika.errors import InputError
from lormika.frames.values import Scalar

Categories = tuple[Scalar, ...] | None
Assembler = Callable[[Sequence[Any]], Any]


class Restorer(Protocol):
    """Turns an encoded column into a native one."""

    @property
    def holds_missing(self) -> bool:
        """Whether the native type has a missing value."""

    def __call__(self, values: np.ndarray) -> Any:
        """Restore the column."""


def library(native: Any) -> str:
    """Library of a table or column."""
    for ancestor in type(native).__mro__:  # of a class derived from a frame, too
        name = ancestor.__module__.partition(".")[0]
        if name in ("pandas", "polars", "pyarrow"):
            return name
    raise InputError(f"a {type(native).__module__} table cannot be built again: give a pandas, polars or pyarrow frame")


def frame_column(column: Any, categories: Categories) -> Restorer:
    """Restorer of a column like this native one."""
    make = {"pandas": _pandas_column, "polars": _polars_column, "pyarrow": _pyarrow_column}[library(column)]
    return make(column, categories)


def assembler(table: Any) -> Assembler:
    """What puts restored columns together to a table like this native one."""
    match library(table):
        case "pandas":
            return PandasAssembler(table.columns)
        case "polars":
            return PolarsAssembler(tuple(table.columns))
        case _:
            return PyarrowAssembler(table.schema)


def declared_categories(column: Any) -> Categories:
    """Category list of a native column's type, in its order; None: the type has no list of its own."""
    match library(column):
        case "pandas" if hasattr(column.dtype, "categories"):
            return tuple(column.dtype.categories.tolist())
        case "pandas":  # an Arrow dictionary
            return declared_categories(column.array.__arrow_array__())
        case "polars":
            listed: Any = getattr(column.dtype, "categories", None)
            return tuple(listed.to_list()) if hasattr(listed, "to_list") else None
        case _:
            return tuple(column.unify_dictionaries().chunk(0).dictionary.to_pylist()) if column.num_chunks else None


def _positions(values: np.ndarray, missing: int) -> np.ndarray:
    return np.where(np.isnan(values), missing, values).astype(np.intp)


# Arrays


@dataclass(frozen=True, slots=True)
class ArrayNumber:
    """Numbers of an array; whole ones stay whole."""

    dtype: np.dtype[Any]

    def __call__(self, values: np.ndarray) -> np.ndarray:
        """Cast to the array's type."""
        return (np.rint(values) if self.dtype.kind in "iu" else values).astype(self.dtype)

    @property
    def holds_missing(self) -> bool:
        """Only floats have a NaN."""
        return self.dtype.kind == "f"


@dataclass(frozen=True, slots=True, eq=False)
class Lookup:
    """Categories of any library: positions into a native column of them, whose last entry is the missing value."""

    categories: Any
    size: int
    holds_missing: bool

    def __call__(self, values: np.ndarray) -> Any:
        """Take the categories at these positions."""
        assert not (values >= self.size).any(), "a category of another list"
        positions = _positions(values, self.size)
        gather = getattr(self.categories, "gather", None)  # polars
        return self.categories.take(positions) if gather is None else gather(positions)


def array_column(dtype: np.dtype[Any], categories: Categories) -> Restorer:
    """Restorer of a column of a homogeneous array."""
    if categories is None:
        return ArrayNumber(dtype)
    if dtype.kind == "f":
        return Lookup(np.array([*categories, np.nan], dtype=dtype), len(categories), holds_missing=True)
    return Lookup(np.array(categories, dtype=dtype), len(categories), holds_missing=False)


@dataclass(frozen=True, slots=True)
class ObjectNumber:
    """Numbers of an object array: Python integers where they are whole in the background."""

    integer: bool
    holds_missing: bool = True

    def __call__(self, values: np.ndarray) -> np.ndarray:
        """Python numbers, missing ones as NaN."""
        whole = [int(v) if self.integer and v == v else v for v in values.tolist()]
        return np.array(whole, dtype=object)


def object_column(categories: Categories, integer: bool) -> Restorer:
    """Restorer of a column of an object array."""
    if categories is None:
        return ObjectNumber(integer)
    lookup = np.empty(len(categories) + 1, dtype=object)
    lookup[:-1] = categories
    lookup[-1] = None
    return Lookup(lookup, len(categories), holds_missing=True)


@dataclass(frozen=True, slots=True)
class ArrayAssembler:
    """Columns to a 2-D array."""

    dtype: np.dtype[Any]

    def __call__(self, columns: Sequence[np.ndarray]) -> np.ndarray:
        """Stack them side by side."""
        dtype = np.result_type(*columns) if self.dtype.kind == "U" else self.dtype  # new texts may be longer
        table = np.empty((len(columns[0]), len(columns)), dtype=dtype)
        for position, column in enumerate(columns):
            table[:, position] = column
        return table


def no_table(columns: Sequence[Any]) -> Any:
    """Refuse: a mapping of columns is only read."""
    raise InputError("a dict of columns cannot be given to a model: make a frame of it")


# pandas


@dataclass(frozen=True, slots=True)
class PandasExtensionNumber:
    """Numbers of a pandas extension type, such as Int64 or double[pyarrow]."""

    dtype: Any
    holds_missing: bool = True

    def __call__(self, values: np.ndarray) -> Any:
        """An array of the extension type."""
        import pandas as pd

        numbers = pd.array(values, dtype="Float64")
        if not pd.api.types.is_float_dtype(self.dtype):
            numbers = pd.array(np.rint(values), dtype="Float64").astype("Int64")
        return numbers.astype(self.dtype)


def _pandas_column(series: Any, categories: Categories) -> Restorer:
    import pandas as pd

    dtype = series.dtype
    if categories is None:
        return ArrayNumber(dtype) if isinstance(dtype, np.dtype) else PandasExtensionNumber(dtype)
    size = len(categories)
    if isinstance(dtype, pd.CategoricalDtype):
        codes = np.append(np.arange(size), -1)
        return Lookup(pd.Categorical.from_codes(codes, dtype=dtype), size, holds_missing=True)
    if isinstance(dtype, np.dtype) and dtype.kind in "biu":
        return Lookup(np.array(categories, dtype=dtype), size, holds_missing=False)
    missing = series[series.isna()].head(1).tolist() or [np.nan]  # as it was: None, NaN or NA
    values = np.empty(size + 1, dtype=object)
    values[:-1] = categories
    values[-1] = missing[0]
    native = values.astype(dtype) if isinstance(dtype, np.dtype) else pd.array(values, dtype=dtype)
    return Lookup(native, size, holds_missing=True)


@dataclass(frozen=True, slots=True, eq=False)
class PandasAssembler:
    """Columns to a pandas DataFrame."""

    columns: Any

    def __call__(self, columns: Sequence[Any]) -> Any:
        """Put them side by side, under a plain index."""
        import pandas as pd

        # A frame would turn an array of objects that are all strings into its string type; a series is left alone.
        kept = [pd.Series(c, dtype=object, copy=False) if c.dtype == object else c for c in columns]
        table = pd.DataFrame(dict(enumerate(kept)), copy=False)
        table.columns = self.columns
        return table


# polars


@dataclass(frozen=True, slots=True, eq=False)
class PolarsNumber:
    """Numbers of a polars type; missing ones as null, unless the background marks them as NaN."""

    dtype: Any
    null: bool
    holds_missing: bool = True

    def __call__(self, values: np.ndarray) -> Any:
        """A series of the type."""
        import polars as pl

        if self.dtype.is_integer():
            values = np.rint(values)
        return pl.Series(values, nan_to_null=self.null).cast(self.dtype)


def _polars_column(series: Any, categories: Categories) -> Restorer:
    import polars as pl

    has_nan = series.dtype.is_float() and bool(series.is_nan().any())
    null = not has_nan or series.null_count() > 0
    if categories is None:
        return PolarsNumber(series.dtype, null)
    values = pl.Series([*categories, None if null else np.nan], dtype=series.dtype)
    return Lookup(values, len(categories), holds_missing=True)


@dataclass(frozen=True, slots=True)
class PolarsAssembler:
    """Columns to a polars DataFrame."""

    names: tuple[str, ...]

    def __call__(self, columns: Sequence[Any]) -> Any:
        """Put them side by side."""
        import polars as pl

        return pl.DataFrame([column.alias(name) for name, column in zip(self.names, columns, strict=True)])


# pyarrow


@dataclass(frozen=True, slots=True, eq=False)
class PyarrowNumber:
    """Numbers of an Arrow type; missing ones as null, unless the background marks them as NaN."""

    dtype: Any
    null: bool
    holds_missing: bool = True

    def __call__(self, values: np.ndarray) -> Any:
        """An array of the type."""
        import pyarrow as pa

        if pa.types.is_integer(self.dtype):
            values = np.rint(values)
        return pa.array(values, from_pandas=self.null).cast(self.dtype)


def _pyarrow_column(column: Any, categories: Categories) -> Restorer:
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    has_nan = pa.types.is_floating(kind) and bool(pc.any(pc.is_nan(column)).as_py())
    null = not has_nan or column.null_count > 0
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

    schema: Any

    def __call__(self, columns: Sequence[Any]) -> Any:
        """Put them side by side."""
        import pyarrow as pa

        typed = [column.cast(kind) for column, kind in zip(columns, self.schema.types, strict=True)]
        return pa.Table.from_arrays(typed, schema=self.schema)

"""Columns and tables of polars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lormika.frames.restorer import Assembler, Categories, Coded, Lookup, Restorer
from lormika.frames.values import Scalar

if TYPE_CHECKING:
    import polars as pl

    from lormika.types import UserColumn, UserValue


@dataclass(frozen=True, slots=True, eq=False)
class PolarsNumber:
    """Numbers of a polars type; missing ones as null, unless the background marks them as NaN."""

    dtype: pl.DataType
    null: bool
    holds_missing: bool = True

    def __call__(self, values: np.ndarray) -> pl.Series:
        """A series of the type."""
        import polars as pl

        if self.dtype.is_integer():
            values = np.rint(values)
        return pl.Series(values, nan_to_null=self.null).cast(self.dtype)


def column(series: pl.Series, categories: Categories) -> Restorer:
    """Restorer of a column like this one."""
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

    def __call__(self, columns: Sequence[pl.Series]) -> pl.DataFrame:
        """Put them side by side."""
        import polars as pl

        return pl.DataFrame([column.alias(name) for name, column in zip(self.names, columns, strict=True)])


def assembler(table: pl.DataFrame) -> Assembler:
    """What assembles restored columns into a table like this one."""
    return PolarsAssembler(tuple(table.columns))


def declared_categories(column: pl.Series) -> Categories:
    """Category list of a column's type, in its order; None: the type has no list of its own."""
    categories: UserColumn = getattr(column.dtype, "categories", None)
    return tuple(categories.to_list()) if hasattr(categories, "to_list") else None


def coded(column: pl.Series) -> Coded:
    """Different values, and the position of each row's among them; missing: -1."""
    import polars as pl

    if column.dtype == pl.String:
        column = column.cast(pl.Categorical)
    if column.dtype not in (pl.Categorical, pl.Enum):
        values = column.drop_nulls().unique(maintain_order=True)
        places = pl.Series(range(len(values)), dtype=pl.Int32)
        return values.to_list(), column.replace_strict(values, places, default=-1, return_dtype=pl.Int32).to_numpy()
    values = column.drop_nulls().unique()
    positions = values.to_physical().to_numpy()  # in a list that other columns may share
    codes = np.full(int(positions.max(initial=0)) + 2, -1)
    codes[positions] = np.arange(len(positions))
    return values.cast(pl.String).to_list(), codes[column.to_physical().fill_null(len(codes) - 1).to_numpy()]


def widen(native: pl.Series, size: int, more: Sequence[Scalar]) -> pl.Series:
    """Categories after the first so many, and before what stands for a missing value."""
    import polars as pl

    if not has_list(native):
        return pl.concat([native[:size], pl.Series(native.name, more, dtype=native.dtype), native[size:]])
    values, dtype = native.to_list(), native.dtype
    if isinstance(dtype, pl.Enum):
        dtype = pl.Enum([*dtype.categories, *map(str, more)])
    return pl.Series([*values[:size], *more, *values[size:]], dtype=dtype)


def as_stored(native: pl.Series, value: Scalar) -> UserValue:
    """What the type of a column, or of its categories, makes of a value."""
    import polars as pl

    return pl.Series([value], dtype=pl.String if has_list(native) else native.dtype).to_list()[0]


def has_list(native: pl.Series) -> bool:
    """Whether a column's type lists its categories, so that a model may rely on their positions."""
    return str(native.dtype).startswith(("Categorical", "Enum"))


def is_ordered(native: pl.Series) -> bool:
    """Whether a column's type says that its categories have an order."""
    return str(native.dtype).startswith("Enum")

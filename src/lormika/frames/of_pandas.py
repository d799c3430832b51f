"""Columns and tables of pandas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lormika.frames import of_pyarrow
from lormika.frames.of_numpy import ArrayNumber
from lormika.frames.restorer import Assembler, Categories, Coded, Lookup, Restorer
from lormika.frames.values import Scalar

if TYPE_CHECKING:
    import pandas as pd
    from pandas.api.extensions import ExtensionArray, ExtensionDtype

    from lormika.types import UserColumn, UserValue


_ALIKE = ("string", "boolean", "integer", "floating")  # what objects may all be


@dataclass(frozen=True, slots=True)
class PandasExtensionNumber:
    """Numbers of a pandas extension type, such as Int64 or double[pyarrow]."""

    dtype: ExtensionDtype
    holds_missing: bool = True

    def __call__(self, values: np.ndarray) -> ExtensionArray:
        """An array of the extension type."""
        import pandas as pd

        numbers = pd.array(values, dtype="Float64")
        if not pd.api.types.is_float_dtype(self.dtype):
            numbers = pd.array(np.rint(values), dtype="Float64").astype("Int64")
        return numbers.astype(self.dtype)


def column(series: UserColumn, categories: Categories) -> Restorer:
    """Restorer of a column like this one."""
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

    columns: pd.Index

    def __call__(self, columns: Sequence[np.ndarray | ExtensionArray]) -> pd.DataFrame:
        """Put them side by side, under a plain index."""
        import pandas as pd

        internals = getattr(pd.api, "internals", None)
        if internals is not None:  # since pandas 3: the usual way looks at every column with care, which takes longer
            blocks = [(c[None] if isinstance(c, np.ndarray) else c, np.array([i])) for i, c in enumerate(columns)]
            index = pd.RangeIndex(len(columns[0]))
            frame: pd.DataFrame = internals.create_dataframe_from_blocks(blocks, index, self.columns)
            return frame
        # A frame would turn an array of objects that are all strings into its string type; a series is left alone.
        series = [pd.Series(c, dtype=object, copy=False) if c.dtype == object else c for c in columns]
        table = pd.DataFrame(dict(enumerate(series)), copy=False)
        table.columns = self.columns
        return table

    def of_floats(self, rows: np.ndarray) -> pd.DataFrame:
        """All columns at once, if they are as they are encoded."""
        import pandas as pd

        return pd.DataFrame(rows, columns=self.columns, copy=False)


def assembler(table: pd.DataFrame) -> Assembler:
    """What assembles restored columns into a table like this one."""
    return PandasAssembler(table.columns)


def declared_categories(column: pd.Series) -> Categories:
    """Category list of a column's type, in its order."""
    if hasattr(column.dtype, "categories"):
        return tuple(column.dtype.categories.tolist())
    return of_pyarrow.declared_categories(column.array.__arrow_array__())


def coded(column: pd.Series) -> Coded:
    """Different values, and the position of each row's among them; missing: -1."""
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.cat.categories.tolist(), column.cat.codes.to_numpy()
    if column.dtype == object and pd.api.types.infer_dtype(column) not in _ALIKE:
        raise TypeError("values of several types, such as 1 and True, may be equal")
    codes, values = pd.factorize(column)
    return values.tolist(), codes


def widen(native: UserColumn, size: int, more: Sequence[Scalar]) -> UserColumn:
    """Categories after the first so many, and before what stands for a missing value."""
    import pandas as pd

    if isinstance(native.dtype, pd.CategoricalDtype):
        categories = native.categories.append(pd.Index(more, dtype=native.categories.dtype))
        codes = np.append(np.arange(len(categories)), -1)
        return pd.Categorical.from_codes(codes, dtype=pd.CategoricalDtype(categories, native.ordered))
    if has_list(native):  # pieces with lists of their own would stay apart
        return pd.array([*native[:size], *more, *native[size:]], dtype=native.dtype)
    pieces = [native[:size], pd.array(more, dtype=native.dtype), native[size:]]
    return pd.concat([pd.Series(piece) for piece in pieces], ignore_index=True).array


def as_stored(native: UserColumn, value: Scalar) -> UserValue:
    """What the type of a column, or of its categories, makes of a value."""
    import pandas as pd

    dtype = native.categories.dtype if isinstance(native.dtype, pd.CategoricalDtype) else native.dtype
    return pd.Index([value], dtype=dtype).tolist()[0]


def has_list(native: UserColumn) -> bool:
    """Whether a column's type lists its categories, so that a model may rely on their positions."""
    return str(native.dtype).startswith(("category", "dictionary"))


def is_ordered(native: UserColumn) -> bool:
    """Whether a column's type says that its categories have an order."""
    return bool(getattr(native.dtype, "ordered", False))

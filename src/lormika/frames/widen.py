"""Widen: restorers of categories that the background does not have, beside all that it has.

Those it has keep their positions: new ones come after them, also in the category list of a column's type.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lormika.frames.restore import Lookup, library
from lormika.frames.values import Scalar

_LISTS = ("category", "dictionary", "Categorical", "Enum")  # how names of types begin that list their categories


def widen(lookup: Lookup, more: Sequence[Scalar]) -> Lookup:
    """Take more categories, as `stored` gives them, after those that there are."""
    native, size = lookup.categories, lookup.size
    make = _wide_array if isinstance(native, np.ndarray) else _WIDE[library(native)]
    return Lookup(make(native, size, list(more)), size + len(more), lookup.holds_missing)


def stored(lookup: Lookup, value: Scalar) -> Scalar | None:
    """A category as the column's type stores it; None: the type has no place for it."""
    try:
        found = _through_type(lookup.categories, value)
    except Exception:  # whatever a library says of a value that does not fit
        return None
    if isinstance(value, str) != isinstance(found, str):  # some types turn one into the other
        return None
    is_rounded = isinstance(found, float) and np.isfinite(found)
    return found if found == value or is_rounded else None


def has_list(lookup: Lookup) -> bool:
    """Whether the column's type lists its categories, so that a model may go by their positions."""
    return _is_listed(lookup.categories)


def _is_listed(native: Any) -> bool:
    return str(native.type if hasattr(native, "type") else native.dtype).startswith(_LISTS)


def _through_type(native: Any, value: Scalar) -> Any:
    """What the type of a native column, or of its categories, makes of a value."""
    if isinstance(native, np.ndarray):
        return _array(native, [value]).tolist()[0]
    match library(native):
        case "pandas":
            import pandas as pd

            dtype = native.categories.dtype if isinstance(native.dtype, pd.CategoricalDtype) else native.dtype
            return pd.Index([value], dtype=dtype).tolist()[0]
        case "polars":
            import polars as pl

            return pl.Series([value], dtype=pl.String if _is_listed(native) else native.dtype).to_list()[0]
        case _:
            import pyarrow as pa

            kind = native.type
            return pa.scalar(value, type=kind.value_type if _is_listed(native) else kind).as_py()


def _array(like: np.ndarray, values: list[Any]) -> np.ndarray:
    """An array of the same type; texts may be longer than all so far."""
    return np.array(values, dtype=str if like.dtype.kind == "U" else like.dtype)


def _wide_array(native: np.ndarray, size: int, more: list[Scalar]) -> np.ndarray:
    return np.concatenate([native[:size], _array(native, more), native[size:]])


def _wide_pandas(native: Any, size: int, more: list[Scalar]) -> Any:
    import pandas as pd

    if isinstance(native.dtype, pd.CategoricalDtype):
        listed = native.categories.append(pd.Index(more, dtype=native.categories.dtype))
        codes = np.append(np.arange(len(listed)), -1)
        return pd.Categorical.from_codes(codes, dtype=pd.CategoricalDtype(listed, native.ordered))
    if _is_listed(native):  # pieces with lists of their own would stay apart
        return pd.array([*native[:size], *more, *native[size:]], dtype=native.dtype)
    pieces = [native[:size], pd.array(more, dtype=native.dtype), native[size:]]
    return pd.concat([pd.Series(piece) for piece in pieces], ignore_index=True).array


def _wide_polars(native: Any, size: int, more: list[Scalar]) -> Any:
    import polars as pl

    if not _is_listed(native):
        return pl.concat([native[:size], pl.Series(native.name, more, dtype=native.dtype), native[size:]])
    values, dtype = native.to_list(), native.dtype
    if isinstance(dtype, pl.Enum):
        dtype = pl.Enum([*dtype.categories, *map(str, more)])
    return pl.Series([*values[:size], *more, *values[size:]], dtype=dtype)


def _wide_pyarrow(native: Any, size: int, more: list[Scalar]) -> Any:
    import pyarrow as pa

    kind = native.type
    if not _is_listed(native):
        return pa.concat_arrays([native[:size], pa.array(more, type=kind), native[size:]])
    listed = pa.concat_arrays([native.dictionary, pa.array(more, type=kind.value_type)])
    positions = pa.array([*range(len(listed)), None], type=kind.index_type)
    return pa.DictionaryArray.from_arrays(positions, listed, ordered=kind.ordered)


_WIDE = {"pandas": _wide_pandas, "polars": _wide_polars, "pyarrow": _wide_pyarrow}

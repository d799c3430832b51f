"""Back from encoded columns to a table of the user's library, with its own types and category lists.

Each library has a module: `column` (a restorer of a column), `assembler` (of tables), `declared_categories`, `coded`;
and, for categories that the background lacks, `widen`, `as_stored` and `has_list`; and `is_ordered`.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType

import numpy as np

from lormika.errors import InputError
from lormika.frames import of_numpy, of_pandas, of_polars, of_pyarrow
from lormika.frames.restorer import Assembler, Categories, Coded, Lookup, Restorer
from lormika.frames.values import Scalar
from lormika.types import UserColumn, UserTable

_LIBRARIES = {"numpy": of_numpy, "pandas": of_pandas, "polars": of_polars, "pyarrow": of_pyarrow}


def _library(native: UserTable | UserColumn) -> ModuleType:
    """The module for the library of a table or column."""
    for ancestor in type(native).__mro__:  # of a class derived from a frame, too
        name = ancestor.__module__.partition(".")[0]
        if name in _LIBRARIES:
            return _LIBRARIES[name]
    raise InputError(f"a {type(native).__module__} table cannot be built again: give a pandas, polars or pyarrow frame")


def frame_column(column: UserColumn, categories: Categories) -> Restorer:
    """Restorer of a column like this native one."""
    restorer: Restorer = _library(column).column(column, categories)
    return restorer


def assembler(table: UserTable) -> Assembler:
    """What assembles restored columns into a table like this native one."""
    assemble: Assembler = _library(table).assembler(table)
    return assemble


def declared_categories(column: UserColumn) -> Categories:
    """Category list of a native column's type, in its order; None if the type has no list of its own."""
    categories: Categories = _library(column).declared_categories(column)
    return categories


def coded(column: UserColumn) -> Coded:
    """Different values of a native column, and the position of each row's among them; missing: -1."""
    values: Coded = _library(column).coded(column)
    return values


# Categories that the background lacks: those it has keep their positions, and new ones come after them.


def widen(lookup: Lookup, more: Sequence[Scalar]) -> Lookup:
    """Add categories, as `as_stored` gives them, after the existing ones."""
    native = _library(lookup.categories).widen(lookup.categories, lookup.size, list(more))
    return Lookup(native, lookup.size + len(more), lookup.holds_missing)


def as_stored(lookup: Lookup, value: Scalar) -> Scalar | None:
    """A category as the column's type stores it; None if the type has no place for it."""
    try:
        stored = _library(lookup.categories).as_stored(lookup.categories, value)
    except Exception:  # whatever a library says of a value that does not fit
        return None
    if isinstance(value, str) != isinstance(stored, str):  # some types turn one into the other
        return None
    is_rounded = isinstance(stored, float) and np.isfinite(stored)
    return stored if stored == value or is_rounded else None


def has_list(lookup: Lookup) -> bool:
    """Whether the column's type lists its categories, so that a model may rely on their positions."""
    return bool(_library(lookup.categories).has_list(lookup.categories))


def is_ordered(lookup: Lookup) -> bool:
    """Whether the column's type says that its categories have an order."""
    return bool(_library(lookup.categories).is_ordered(lookup.categories))

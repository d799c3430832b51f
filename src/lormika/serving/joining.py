"""Tables of one library put under each other, for a model that is to see them at once."""

from __future__ import annotations

from collections.abc import Sequence

import narwhals.stable.v2 as nw
import numpy as np

from lormika.types import UserTable


def alike(one: UserTable, other: UserTable) -> bool:
    """Whether two tables have the same columns of the same types, category lists included."""
    return type(one) is type(other) and bool(_types(one) == _types(other))


def join(tables: Sequence[UserTable]) -> UserTable:
    """All rows of tables that are alike."""
    if len(tables) == 1:
        return tables[0]
    if isinstance(tables[0], np.ndarray):
        return np.concatenate(list(tables))
    whole = nw.concat([nw.from_native(table, eager_only=True) for table in tables]).to_native()
    return whole.reset_index(drop=True) if hasattr(whole, "reset_index") else whole


def _types(table: UserTable) -> object:
    if isinstance(table, np.ndarray):
        return table.dtype, table.shape[1:]
    if hasattr(table, "dtypes") and hasattr(table, "iloc"):  # of pandas
        return list(table.columns), list(table.dtypes)
    return table.schema

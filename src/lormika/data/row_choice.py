"""Choosing rows by number or by a condition."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np

from lormika.errors import InputError
from lormika.frames.where import matching

if TYPE_CHECKING:
    import pandas as pd


def select_rows(frame: pd.DataFrame, rows: Sequence[int] = (), where: str | None = None) -> pd.DataFrame:
    """Rows with these numbers, in this order, or those for which a condition holds; the index stays.

    Row numbers count from 0. See `lormika.frames.where` for conditions.

    >>> import pandas as pd
    >>> select_rows(pd.DataFrame({"age": [20, 30, 40]}), where="age >= 30").index.tolist()
    [1, 2]
    """
    if where is not None:
        if len(rows):
            raise InputError("give row numbers or a condition, not both")
        numbers = np.flatnonzero(matching(frame, where))
        if not len(numbers):
            raise InputError(f"no row of {len(frame):,} matches {where!r}")
        return frame.iloc[numbers]
    for row in rows:
        if isinstance(row, bool) or not isinstance(row, Integral):
            raise InputError(f"row {row!r} is not a whole number")
        if not 0 <= row < len(frame):
            raise InputError(f"there is no row {row}: {len(frame):,} rows are numbered from 0 to {len(frame) - 1:,}")
    return frame.iloc[[int(row) for row in dict.fromkeys(rows)]] if len(rows) else frame

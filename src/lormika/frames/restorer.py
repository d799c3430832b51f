"""Restorer: turns one encoded column into a native one of the user's library.

Numbers stand for themselves, categories for positions in their list, NaN for a missing value. All restorers are plain
picklable objects, so that a schema can travel to other processes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from lormika.frames.values import Scalar
from lormika.types import UserColumn, UserTable

Categories = tuple[Scalar, ...] | None
Coded = tuple[Sequence[object], UserColumn]
"""Different values of a column, and the position of each row's among them; missing: -1."""
Assembler = Callable[[Sequence[UserColumn]], UserTable]
"""Puts restored columns together to a table."""


class Restorer(Protocol):
    """Turns an encoded column into a native one."""

    @property
    def holds_missing(self) -> bool:
        """Whether the native type has a missing value."""

    def __call__(self, values: np.ndarray) -> UserColumn:
        """Restore the column."""


@dataclass(frozen=True, slots=True, eq=False)
class Lookup:
    """Categories of any library: positions into a native column of them, whose last entry is the missing value."""

    categories: UserColumn
    size: int
    holds_missing: bool

    def __call__(self, values: np.ndarray) -> UserColumn:
        """Take the categories at these positions."""
        if not values.max(initial=0.0) < self.size:  # NaN, if a value is missing
            assert not (values >= self.size).any(), "a category of another list"
            values = np.where(np.isnan(values), self.size, values)
        positions = values.astype(np.intp)
        gather = getattr(self.categories, "gather", None)  # polars
        return self.categories.take(positions) if gather is None else gather(positions)

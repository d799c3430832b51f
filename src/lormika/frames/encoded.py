"""Encoded: rows of a table that become a frame only if somebody needs one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lormika.frames.schema import Schema
from lormika.types import UserTable


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """Rows, and the schema by which they are encoded."""

    schema: Schema
    rows: np.ndarray

    def __len__(self) -> int:
        return len(self.rows)

    def restore(self) -> UserTable:
        """The frame that the user would give."""
        return self.schema.restore(self.rows)

"""Instances: encoded rows to be explained, possibly with categories that do not occur in the background."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from lormika.frames.values import Scalar

Unseen = Mapping[int, Scalar]
"""Categories that do not occur in the background, by the position of their feature."""

_BLOCK = 16


@dataclass(frozen=True, slots=True, eq=False)
class Instances:
    """Encoded rows, and what is unseen in each of them.

    An unseen category, whatever it is, is encoded by the position after all categories of its feature: so a row is
    encoded the same alone and among others, and only its own part of this object says what that position stands for.
    """

    rows: np.ndarray  # instances x features
    unseen: Sequence[Unseen]  # of each instance

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, numbers: np.ndarray) -> Self:
        return replace(self, rows=self.rows[numbers], unseen=[self.unseen[number] for number in numbers.tolist()])

    def blocks(self) -> list[np.ndarray]:
        """Encoded rows in blocks that one thread works on."""
        return [self.rows[start : start + _BLOCK] for start in range(0, len(self), _BLOCK)]

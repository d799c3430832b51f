"""Instances: encoded rows to be explained, which may have categories that the background does not have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lormika.frames.values import Scalar

Unseen = Mapping[int, Scalar]
"""By the position of its feature, a category that the background does not have."""

_BLOCK = 16


@dataclass(frozen=True, slots=True, eq=False)
class Instances:
    """Encoded rows, and what is unseen in each of them.

    An unseen category is encoded by the position after all that its feature has, whatever it is: so a row is encoded
    the same alone and beside others, and only its own part of this object says what that position stands for.
    """

    rows: np.ndarray  # instances x features
    unseen: Sequence[Unseen]  # of each instance

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, numbers: np.ndarray) -> Instances:
        return Instances(self.rows[numbers], [self.unseen[number] for number in numbers.tolist()])

    def blocks(self) -> list[np.ndarray]:
        """Encoded rows in blocks that one thread works on."""
        return [self.rows[start : start + _BLOCK] for start in range(0, len(self), _BLOCK)]

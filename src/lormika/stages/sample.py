"""Sample: the neighbourhood with the model's labels, from one model call."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lormika import _core
from lormika.frames.schema import Schema
from lormika.frames.values import Scalar
from lormika.types import UserTable


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Rows around the instance, without the instance, and what the model says about them."""

    schema: Schema
    encoded: np.ndarray  # rows x features
    labels: np.ndarray  # position of each row's label in the model's classes
    n_real: int  # this many rows, the first ones, come from the background
    classes: tuple[Scalar, ...]

    @property
    def rows(self) -> UserTable:
        """The rows as a frame like the background."""
        return self.schema.restore(self.encoded)

    @property
    def label_names(self) -> list[Scalar]:
        """The model's label of each row."""
        return [self.classes[label] for label in self.labels]

    @property
    def real(self) -> np.ndarray:
        """Which rows come from the background."""
        real: np.ndarray = np.arange(len(self)) < self.n_real
        return real

    def __len__(self) -> int:
        return len(self.labels)


def distinct_rows(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the rows that differ, in order; and which of them each row is a copy of.

    >>> first, copies = distinct_rows(np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]]))
    >>> first.tolist(), copies.tolist()
    ([0, 1], [0, 1, 0])
    """
    return _core.distinct(np.ascontiguousarray(rows).view(np.uint64))

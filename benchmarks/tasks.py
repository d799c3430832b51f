"""The standard search tasks: seeded random tables of three-valued features with planted rules and noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Task:
    """A table of codes 0, 1, 2 (rows x features) and a binary class."""

    name: str
    table: np.ndarray
    labels: np.ndarray
    min_count: int = 10


def make_task(name: str) -> Task:
    """Task A, B or C, or one of the wide ones: D with 500 features, and E with 1,000.

    The class is 1 where one of three planted rules holds (of 2, 3 and 4 conditions), flipped in a tenth of the rows.
    """
    sizes = {"A": (2_400, 20), "B": (2_400, 54), "C": (100_000, 33), "D": (2_400, 500), "E": (2_400, 1_000)}
    rows, features = sizes[name]
    rng = np.random.default_rng([ord(name), rows, features])
    table = rng.integers(0, 3, size=(rows, features), dtype=np.int32)
    planted = np.zeros(rows, dtype=bool)
    for length in (2, 3, 4):
        chosen = rng.choice(features, size=length, replace=False)
        planted |= (table[:, chosen] == rng.integers(0, 3, size=length)).all(axis=1)
    labels = (planted ^ (rng.random(rows) < 0.1)).astype(np.int32)
    return Task(name, table, labels)

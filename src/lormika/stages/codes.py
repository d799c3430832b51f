"""Codes: whole numbers that may stand for categories rather than for amounts."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

_FEWEST, _MOST = 3, 12  # different numbers: of two, ranges and categories say the same
_ROWS_EACH = 10  # on average, to see how they are spread
_CLEAR = 3.0  # standard deviations by which a share must rise again


def may_be_codes(values: np.ndarray, counts: np.ndarray) -> bool:
    """Whether sorted numbers with these counts are unlike amounts: few, whole, and negative or unevenly distributed.

    Amounts, such as numbers of children, mostly have one most frequent value, and get rarer the farther they are from
    it. Where they become clearly more frequent again, the order may mean nothing.

    >>> may_be_codes(np.array([0, 1, 2, 3, 4]), np.array([300, 140, 60, 12, 14]))
    False
    >>> may_be_codes(np.array([0, 1, 2, 3, 4, 5, 6]), np.array([14, 10585, 14030, 4917, 123, 280, 51]))
    True
    >>> may_be_codes(np.array([-2, -1, 0, 1]), np.array([50, 80, 300, 20]))
    True
    >>> may_be_codes(np.array([-2.5, 0.5, 1.5]), np.array([50, 80, 300]))
    False
    """
    if not _FEWEST <= len(values) <= _MOST or counts.sum() < _ROWS_EACH * len(values):
        return False
    if not (values == np.rint(values)).all():
        return False
    return bool(values[0] < 0) or _rises_again(counts.tolist())


def _rises_again(counts: list[int]) -> bool:
    """Whether the counts rise again somewhere, going away from the largest in either direction."""
    peak = counts.index(max(counts))
    outwards = [counts[peak:], counts[: peak + 1][::-1]]
    return any(_is_clear(near, far) for side in outwards for near, far in pairwise(side))


def _is_clear(near: int, far: int) -> bool:
    """Whether more rows have the farther value than the nearer one, by more than chance would explain."""
    return far - near > _CLEAR * math.sqrt(near + far)

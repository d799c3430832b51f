"""Points that determine how new rows are mixed: spread evenly and always the same, or drawn independently.

An even design is the Sobol sequence: any part of it fills the cube more evenly than random points do, and nothing is
left to chance, so that an explanation does not depend on a seed.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

DIMENSIONS = 4
"""Up to three parents and a step."""

_BITS = 32
# Of each dimension after the first: coefficients of its primitive polynomial (the highest and the lowest, which are
# always one, left out) and the first odd numbers of its recurrence. From S. Joe and F. Y. Kuo (2008).
_POLYNOMIALS = (("", (1,)), ("1", (1, 3)), ("01", (1, 3, 1)))


def random_points(rng: np.random.Generator, count: int) -> np.ndarray:
    """Independent points of the unit cube, one in each row."""
    return rng.random((count, DIMENSIONS))


@lru_cache(maxsize=8)
def even_points(count: int) -> np.ndarray:
    """The first points of the Sobol sequence after the corner of the cube, one in each row.

    >>> even_points(3)
    array([[0.5 , 0.5 , 0.5 , 0.5 ],
           [0.75, 0.25, 0.25, 0.25],
           [0.25, 0.75, 0.75, 0.75]])
    """
    numbers = np.arange(1, count + 1, dtype=np.uint64)
    numbers ^= numbers >> np.uint64(1)  # Gray code: neighbouring points differ in one direction
    points = np.zeros((DIMENSIONS, count), dtype=np.uint64)
    for bit in range(int(count).bit_length()):
        bits = (numbers >> np.uint64(bit)) & np.uint64(1)
        for point, directions in zip(points, _DIRECTIONS, strict=True):
            point ^= bits * np.uint64(directions[bit])
    even = points.T / 2.0**_BITS
    even.setflags(write=False)
    return even


def _directions(inner: str, first: tuple[int, ...]) -> list[int]:
    """Direction numbers of a dimension, scaled to whole numbers of `_BITS` bits."""
    degree = len(first)
    odd = list(first)
    for k in range(degree, _BITS):
        new = odd[k - degree] ^ (odd[k - degree] << degree)
        for i, coefficient in enumerate(inner, start=1):
            if coefficient == "1":
                new ^= odd[k - i] << i
        odd.append(new)
    return [number << (_BITS - 1 - k) for k, number in enumerate(odd)]


_DIRECTIONS = [[1 << (_BITS - 1 - k) for k in range(_BITS)], *(_directions(*given) for given in _POLYNOMIALS)]

"""Bands: ranges of the values that a regressor predicts; they are its classes.

A value on an edge belongs to the band above it. How surely a value is in a band is its distance from the nearest edge.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np

from lormika.errors import InputError, quote
from lormika.frames.values import format_exact, is_list, plain
from lormika.models.calls import round_value
from lormika.types import UserValue

BandsLike = Sequence[float] | Literal["around"] | Mapping[str, float] | None
"""Edges; `around`, or `{"around": 10}` with a tolerance; None: the model is a classifier."""

AROUND = ("below", "about", "above")
"""Names of the bands around the value of an instance, whatever that is."""

_WANTED = 'give increasing edges, such as [100, 200], or "around", or {"around": 10} for 10 to both sides'
_SHARE = 0.5  # of the spread: the tolerance of bands around a value
_DIGITS = 2  # of an edge around a value, beyond the first digit of the tolerance
_MOST = 1e300  # of an edge: sums of values must not overflow
_DECIMALS = 9
_MOST_SPREADS = 1e12  # nor squares of distances


@dataclass(frozen=True, slots=True)
class Bands:
    """The bands of a regressor: fixed, or around the value of each instance.

    >>> Bands((100.0, 200.0)).names
    ('below 100', '100 to 200', '200 and above')
    """

    edges: tuple[float, ...]  #: increasing; none, until it is known around which value
    spread: float = 1.0  #: of the background's values: the unit in which changes of them are measured
    tolerance: float | None = None  #: to both sides of an instance's value; None: the edges are fixed

    @property
    def is_around(self) -> bool:
        """Whether every instance has bands of its own."""
        return self.tolerance is not None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the bands, by which they are known whatever the instance.

        >>> Bands((0.5, 100.0)).names
        ('below 0.5', '0.5 to 100', '100 and above')
        """
        return AROUND if self.is_around else self.texts

    @property
    def texts(self) -> tuple[str, ...]:
        """The bands in words, with their edges in full."""
        ends = [format_exact(edge) for edge in self.edges]
        return f"below {ends[0]}", *(f"{low} to {high}" for low, high in pairwise(ends)), f"{ends[-1]} and above"

    def at(self, value: float) -> Bands:
        """The bands for an instance with this value.

        >>> Bands((), tolerance=14.0).at(187.3456).edges
        (173.3, 201.3)
        """
        if self.tolerance is None:
            return self
        digits = _DIGITS - math.floor(math.log10(self.tolerance))
        low, high = (round(end, digits) for end in (value - self.tolerance, value + self.tolerance))
        low, high = min(low, math.nextafter(value, -math.inf)), max(high, math.nextafter(value, math.inf))
        return replace(self, edges=(low, high))

    def positions(self, values: np.ndarray) -> np.ndarray:
        """The band of each value.

        >>> Bands((100.0, 200.0)).positions(np.array([99.9, 100.0, 250.0])).tolist()
        [0, 1, 2]
        """
        return np.searchsorted(self.edges, values, side="right")

    def ends(self, band: int) -> tuple[float, float]:
        """The edges of a band; infinite, where it has none."""
        edges = (-math.inf, *self.edges, math.inf)
        return edges[band], edges[band + 1]

    def depths(self, values: np.ndarray, band: int) -> np.ndarray:
        """How far values lie inside a band, from its nearest edge, in spreads; negative: outside.

        >>> Bands((100.0, 200.0), spread=10.0).depths(np.array([187.0, 90.0, 230.0]), 1).tolist()
        [1.3, -1.0, -3.0]
        """
        low, high = self.ends(band)
        return self.in_spreads(np.minimum(values - low, high - values))

    def in_spreads(self, distances: np.ndarray) -> np.ndarray:
        """Distances between values, whatever these are about; to nine decimals, so that equal ones compare equal."""
        with np.errstate(over="ignore"):
            shares: np.ndarray = (distances / self.spread).clip(-_MOST_SPREADS, _MOST_SPREADS)
        return shares.round(_DECIMALS)


def read_bands(bands: BandsLike) -> Bands:
    """Bands as the user gives them; what they are measured by is learnt from the background.

    >>> read_bands([100, 200]).names, read_bands({"around": 10}).is_around
    (('below 100', '100 to 200', '200 and above'), True)
    """
    if isinstance(bands, str) and bands == "around":
        return Bands((), tolerance=0.0)
    if isinstance(bands, Mapping) and list(bands) == ["around"]:
        tolerance = _number(bands["around"])
        if tolerance <= 0:
            raise InputError(f"bands={quote(bands)}: give a tolerance above 0")
        return Bands((), tolerance=tolerance)
    if bands is None or isinstance(bands, Mapping) or not is_list(bands):
        raise InputError(f"bands={quote(bands)}: {_WANTED}")
    edges = tuple(_edge(edge) for edge in bands)
    if not edges or any(low >= high for low, high in pairwise(edges)):
        raise InputError(f"bands={quote(list(edges))}: {_WANTED}")
    return Bands(edges)


def fit_bands(bands: Bands, values: np.ndarray) -> Bands:
    """The same bands, measured by the values that the model gives the background."""
    spread = find_spread(values)
    if spread == 0:
        only = format_exact(float(values[0]))
        raise InputError(f"the model predicts {only} for every row of the background: there is nothing to compare")
    return replace(bands, spread=spread, tolerance=_SHARE * spread if bands.tolerance == 0 else bands.tolerance)


def find_spread(values: np.ndarray) -> float:
    """Half the distance between the quartiles; if that is 0, the mean distance from the median.

    >>> find_spread(np.array([1.0, 2.0, 3.0, 4.0])), find_spread(np.array([5.0, 5.0, 5.0, 9.0]))
    (1.0, 1.0)
    """
    low, middle, high = np.quantile(values, (0.25, 0.5, 0.75), method="inverted_cdf").tolist()
    return float(high / 2 - low / 2) or float(np.abs(values - middle).mean())


def _edge(value: UserValue) -> float:
    """An edge with as many digits as values of a model have, so that one of these can be an edge."""
    number = _number(value)
    is_single = isinstance(value, np.floating) and value.dtype.itemsize < np.dtype(np.float64).itemsize
    return float(str(value)) if is_single else round_value(number)


def _number(value: UserValue) -> float:
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < _MOST:
        raise InputError(f"bands: {quote(value)} is not a finite number below 1e300; {_WANTED}")
    return float(value) + 0.0  # one zero

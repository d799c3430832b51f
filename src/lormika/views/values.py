"""Values of a regressor in words, and the scale of an explanation by bands of them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context
from typing import TYPE_CHECKING

from lormika.frames.values import Quantity
from lormika.models.bands import Bands
from lormika.views.certainty import Scale

if TYPE_CHECKING:
    from lormika.explanation import Explanation
    from lormika.rule import Check

_DIGITS = range(3, 18)  # of a value: more, where fewer do not tell it from an edge or another value
_ROUNDING = 1e-6  # of the largest distance
_PLAIN = range(-5, 15)  # powers of ten that are written without an exponent


def write_values(values: Iterable[float], edges: Iterable[float] = ()) -> tuple[str, ...]:
    """Values with as few digits, at least three, as keep each on its side of all edges and tell different ones apart.

    >>> write_values([187.345]), write_values([199.97], [100, 200]), write_values([0.01204, 0.01203])
    (('187',), ('199.97',), ('0.01204', '0.01203'))
    """
    values, edges = list(values), list(edges)
    texts: tuple[str, ...] = ()
    for digits in _DIGITS:
        texts = tuple(_write(value, digits) for value in values)
        kept = all((float(text) < e) == (v < e) for text, v in zip(texts, values, strict=True) for e in edges)
        if kept and len(set(texts)) == len(set(values)):
            break
    return texts


def _write(value: float, digits: int) -> str:
    """A value with so many digits; those before the point are always written.

    >>> _write(1234567.8, 3), _write(2.5, 3), _write(-0.00123456, 3), _write(6.02e23, 3)
    ('1234568', '2.5', '-0.00123', '6.02e+23')
    """
    power = math.floor(math.log10(abs(value))) if value else 0
    if power not in _PLAIN:
        return f"{value:.{digits}g}"
    text = f"{value:.{max(0, digits - 1 - power)}f}"
    return text.rstrip("0").removesuffix(".") if "." in text else text


def write_above(distance: float) -> str:
    """A distance between values, never rounded down.

    >>> write_above(0.012341), write_above(250.0)
    ('0.0124', '250')
    """
    return _write(float(Context(prec=3, rounding=ROUND_CEILING).create_decimal(repr(distance))), 3)


@dataclass(frozen=True, slots=True)
class ValueScale(Scale):
    """Values of a regressor, from the least to the greatest that it gave; certainty is the distance from an edge."""

    bands: Bands
    band: int  # of the prediction
    extent: tuple[float, float]  # the least and the greatest value

    @classmethod
    def of_values(cls, explanation: Explanation) -> ValueScale:
        """The scale of an explanation by bands."""
        assert explanation.value is not None
        values = [explanation.value, *(value for effect in explanation.effects for value in effect.certainties)]
        values += [rule.rerun.value for rule in explanation.rules if rule.rerun and rule.rerun.value is not None]
        band = [one.label for one in explanation.classes].index(explanation.prediction)
        bands = Bands(explanation.bands)
        depths = [abs(_depth(bands, band, value)) for value in values]
        return cls("value", explanation.value, max(depths) or 1.0, False, bands, band, (min(values), max(values)))

    def change(self, before: float, after: float) -> str:
        """Two values, one after the other."""
        return " → ".join(self.pair(before, after))

    def pair(self, before: float, after: float) -> tuple[str, str]:
        """Two values that are compared, as texts."""
        if isinstance(before, Quantity) and isinstance(after, Quantity):
            return before.text, after.text
        first, second = write_values([before, after], self.bands.edges)
        return first, second

    def place(self, certainty: float) -> float:
        """Where a value lies between the least and the greatest one, from 0 to 1."""
        low, high = self.extent
        return min(max((certainty - low) / (high - low), 0.0), 1.0) if high > low else 0.5

    def certainty(self, shown: float) -> float:
        """How far a value lies inside the band."""
        return _depth(self.bands, self.band, shown)

    def sureness(self, shown: float) -> float:
        """The same, from 0 to 1: a half is an edge."""
        return min(max(0.5 + self.certainty(shown) / (2 * self.reach), 0.0), 1.0)

    def checked(self, check: Check) -> tuple[float, float]:
        """The value before, and the mean after the changes.

        If they lead to both sides of the middle of the band, their mean says nothing: then how far inside or outside
        the band they are, on average.
        """
        value = check.value
        one_sided = value is not None and abs(self.certainty(value) - check.after) <= _ROUNDING * self.reach
        if self.before is not None and value is not None and one_sided:
            return self.before, value
        first, second = write_values([abs(check.before), abs(check.after)])
        return self._distance(check.before, first), self._distance(check.after, second)

    def _distance(self, depth: float, text: str) -> Quantity:
        """A distance from an edge, drawn at the edge that is nearer to the instance's value."""
        low, high = self.bands.ends(self.band)
        own = low if self.before is None else self.before
        value = low + depth if own - low <= high - own else high - depth
        return Quantity(value, f"{text} {'inside' if depth >= 0 else 'outside'}")


def _depth(bands: Bands, band: int, value: float) -> float:
    low, high = bands.ends(band)
    return min(value - low, high - value)

"""Columns of the matrix: a feature each, and where its values and conditions lie."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lormika.frames.values import Scalar, format_value
from lormika.rule import Condition, Interval, Missing
from lormika.views.axis import axes, position, span
from lormika.views.plot_sheet import NAME, TEXT, VALUE, Typesetter
from lormika.views.words import condition_label, is_true

if TYPE_CHECKING:
    from lormika.views.reading import Reading

# All lengths are points.
_GAP = 12.0
_NARROWEST, _WIDEST = 54.0, 116.0
_LANE = 20.0  # at the left of a column, for what has no place on an axis of numbers
_BOX = 12.0  # what is drawn there
_PILL = 6.0  # what a pill adds to its text on each side


@dataclass(frozen=True, slots=True)
class Column:
    """A feature, and where it stands on the sheet."""

    name: str
    left: float
    width: float
    value: Scalar | None  # the instance's
    quantiles: tuple[float, ...]  # none: categories
    lane: float  # left of the axis, if a value or a condition needs it

    @property
    def right(self) -> float:
        """Right end."""
        return self.left + self.width

    @property
    def axis(self) -> tuple[float, float]:
        """Both ends of the axis."""
        return self.left + self.lane, self.right

    @property
    def line(self) -> float | None:
        """Where the line of the instance's value runs; None: categories have no places."""
        if not self.quantiles:
            return None
        if self.value is None:
            return self.left + _BOX / 2
        assert isinstance(self.value, int | float)
        return self._at(position(self.quantiles, self.value))

    def extent(self, condition: Condition) -> tuple[float, float]:
        """Both ends of a condition's bar: a line of the instance runs through it if the condition is true."""
        if isinstance(condition, Interval) and self.quantiles:
            low, high = span(self.quantiles, condition.low, condition.high)
            return self._beside(condition, self._at(low), self._at(high))
        return self.left, (self.left + _BOX if self.quantiles else self.right)

    def _beside(self, condition: Interval, left: float, right: float) -> tuple[float, float]:
        """Move a bar that was widened to be seen off the line, unless the condition is true."""
        if self.value is None or is_true(condition, self.value):
            return left, right
        assert isinstance(self.value, int | float)
        assert self.line is not None
        if not left - 1 < self.line < right + 1:
            return left, right
        aside = self.line + 1 - left if condition.low > self.value else self.line - 1 - right
        return left + aside, right + aside

    @property
    def room(self) -> float:
        """Width that the text of a condition may have."""
        return self.width if self.quantiles else self.width - 2 * _PILL

    def _at(self, share: float) -> float:
        left, right = self.axis
        return left + share * (right - left)

    def place(self, middle: float, width: float) -> float:
        """Middle of a text of this width, as near as the column allows."""
        return max(self.left + width / 2, min(middle, self.right - width / 2))


def columns(typesetter: Typesetter, reading: Reading, left: float) -> Iterator[Column]:
    """A column for each feature used, as wide as its texts need."""
    explanation = reading.explanation
    quantiles = axes(explanation)
    used: dict[str, list[Condition]] = {name: [] for name in reading.used}
    for condition in (condition for rule in explanation.rules for condition in rule.conditions):
        used[condition.feature].append(condition)
    for name, conditions in used.items():
        value, axis = explanation.instance[name], quantiles[name]
        has_lane = bool(axis) and (value is None or any(isinstance(c, Missing) for c in conditions))
        width = _width(typesetter, name, value, conditions, 0.0 if axis else 2 * _PILL)
        yield Column(name, left, width, value, axis, _LANE if has_lane else 0.0)
        left += width + _GAP


def _width(typesetter: Typesetter, name: str, value: Scalar | None, conditions: list[Condition], extra: float) -> float:
    natural = typesetter.natural
    widths = [natural(condition_label(condition), TEXT, _WIDEST) + extra for condition in conditions]
    widths.append(natural(format_value(value), VALUE, _WIDEST))
    widths.append(natural(name, NAME, 2 * _WIDEST) / 2 + 10)  # a name may take more lines
    return max(_NARROWEST, min(_WIDEST, max(widths) + 1))

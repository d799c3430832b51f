"""What the prediction depends on: one value changed, all others as they are."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from lormika.frames.values import Scalar, format_value
from lormika.views.axis import axes, position
from lormika.views.certainty import Scale
from lormika.views.values import write_above

if TYPE_CHECKING:
    from lormika.explanation import Explanation
    from lormika.summaries import Effect

MOST_SHOWN = 6
"""Features that are seen at once."""

_NUMBERS = int, float
_ALWAYS = 3  # features that are shown however little they move
_SLIGHT = 0.02  # change of a probability, or of a margin as a share of the largest, that is not worth a line
_PALEST = 0.3  # colour: a paler one would not be seen
_MOST_NAMES = 4  # of categories that turn
_MOST_RANGES = 3  # of ranges, or categories, in a sentence
_LONG = 24  # characters of a name, in a sentence that has several


@dataclass(frozen=True, slots=True)
class Asked:
    """A value of a feature, and what the model says with that value."""

    value: Scalar | None
    certainty: float
    label: Scalar
    turned: bool
    wanted: bool  # turned to what was asked for, if a target was given
    own: bool = False  # the instance's


@dataclass(frozen=True, slots=True)
class FeatureEffect:
    """A feature, and what the model says with each of its values."""

    feature: str
    value: Scalar | None  # the instance's
    quantiles: tuple[float, ...]  # none: categories
    constant: bool
    effect: float
    asked: tuple[Asked, ...]  # from the least to the greatest; with the instance's own, if its certainty is known
    before: float | None

    @property
    def turns(self) -> bool:
        """Some value of it alone turns the prediction, to what was asked for."""
        return any(asked.wanted for asked in self.asked)

    @property
    def move(self) -> float:
        """The largest change of the certainty."""
        if not self.asked:
            return 0.0
        if self.before is None:
            return self.bounds[1] - self.bounds[0]
        return max(abs(asked.certainty - self.before) for asked in self.asked)

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest certainty."""
        certainties = [asked.certainty for asked in self.asked]
        return min(certainties), max(certainties)

    @property
    def turning(self) -> str:
        """Where it turns: a bound, ranges or categories; empty if nowhere.

        Ranges hold for the values that were asked.
        """
        if not self.quantiles:
            names = [format_value(asked.value) for asked in self.asked if asked.wanted]
            more = len(names) - _MOST_NAMES
            return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
        return ", ".join(_range(*one) for one in self.ranges)

    @property
    def ranges(self) -> list[tuple[str, Scalar | None, Scalar | None]]:
        """Where numbers turn it: from a first to a last one; the sign says that either stands for all beyond it.

        The least number of the background, or the greatest, stands for itself alone.
        """
        runs = [list(run) for _, run in groupby(self._numbers, key=lambda asked: asked.wanted)]
        signs = ["≤", *[""] * (len(runs) - 2), "≥"] if len(runs) > 1 else [""]
        ends = [(sign, run[0].value, run[-1].value) for run, sign in zip(runs, signs, strict=False) if run[0].wanted]
        extremes = self.quantiles[:1] + self.quantiles[-1:]
        return [("" if first == last and first in extremes else sign, first, last) for sign, first, last in ends]

    @property
    def _numbers(self) -> list[Asked]:
        return [asked for asked in self.asked if asked.value is not None]

    def segments(self) -> Iterator[tuple[float, float, Asked]]:
        """Pieces of the quantile-stretched axis, each with the answer to the value inside; neighbours meet half-way."""
        numbers = self._numbers
        places = [position(self.quantiles, _number(asked.value)) for asked in numbers]
        borders = [0.0, *((low + high) / 2 for low, high in pairwise(places)), 1.0]
        for asked, (low, high) in zip(numbers, pairwise(borders), strict=False):  # none, if there are no numbers
            if high > low:
                yield low, high, asked


def _number(value: Scalar | None) -> float:
    assert isinstance(value, _NUMBERS)
    return value


def _range(sign: str, low: Scalar | None, high: Scalar | None) -> str:
    first, last = format_value(low), format_value(high)
    if sign:
        return f"{sign} {last if sign == '≤' else first}"
    return first if first == last else f"{first} – {last}"


def turning_words(effect: FeatureEffect, longest: int | None = None) -> str | None:
    """Values that alone lead to another result, in words, each at most so long; None if there are none."""
    if not effect.turns:
        return None
    if effect.quantiles:
        ranges, more = [_range_words(*one) for one in effect.ranges], len(effect.ranges) - _MOST_RANGES
        further = f" or {more} further range{'s' if more > 1 else ''}" if more > 0 else ""
        return f"{', or '.join(ranges[:_MOST_RANGES])}{further}"
    return _either([_cut(format_value(asked.value), longest) for asked in effect.asked if asked.wanted])


def _range_words(sign: str, first: Scalar | None, last: Scalar | None) -> str:
    """A range of numbers in words.

    >>> _range_words("≤", 0, 2), _range_words("≥", 5.8, 40), _range_words("", 3, 7), _range_words("", 3, 3)
    ('2 or less', '5.8 or more', '3 to 7', '3')
    """
    if sign:
        return f"{format_value(last)} or less" if sign == "≤" else f"{format_value(first)} or more"
    return format_value(first) if first == last else f"{format_value(first)} to {format_value(last)}"


def _either(names: Sequence[str]) -> str:
    """Some of several things.

    >>> _either(["a"]), _either(["a", "b"]), _either(list("abcdef"))
    ('a', 'a or b', 'a, b, c or 3 others')
    """
    more = len(names) - _MOST_RANGES
    if more > 0:
        return f"{', '.join(names[:_MOST_RANGES])} or {more} other{'s' if more > 1 else ''}"
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _cut(text: str, longest: int | None) -> str:
    return text if longest is None or len(text) <= longest else f"{text[: longest - 1]}…"


def feature_effects(explanation: Explanation, scale: Scale) -> list[FeatureEffect]:
    """All effects of an explanation, the largest first."""
    quantiles, effects = axes(explanation), []
    for effect in explanation.effects:
        value, axis = explanation.instance[effect.feature], quantiles[effect.feature]
        asked = _asked(effect, explanation)
        if scale.before is not None:
            own = Asked(value, scale.before, explanation.prediction, turned=False, wanted=False, own=True)
            asked.append(own)
        asked.sort(key=lambda one: _order(one, bool(axis)))
        effects.append(
            FeatureEffect(effect.feature, value, axis, effect.constant, effect.effect, tuple(asked), scale.before)
        )
    return effects


def _asked(effect: Effect, explanation: Explanation) -> list[Asked]:
    target, at_least = explanation.options.get("target"), explanation.options.get("at_least")
    is_known = explanation.unit == "probability" and len(explanation.classes) == 2  # how probable the other class is
    asked = []
    for value, certainty, label in zip(effect.values, effect.certainties, effect.labels, strict=True):
        turned = label != explanation.prediction
        wanted = turned and (target is None or str(label) == str(target))
        wanted = wanted and (at_least is None or not is_known or 1 - certainty >= at_least)
        asked.append(Asked(value, certainty, label, turned, wanted))
    return asked


def _order(asked: Asked, numeric: bool) -> tuple[float, float]:
    """Numbers ascend; of categories, the instance's own comes first, then the one that moves the model most."""
    if numeric:
        return 0.0, math.inf if asked.value is None else _number(asked.value)
    return (0.0, 0.0) if asked.own else (1.0, asked.certainty)


def shade(asked: Asked, scale: Scale) -> float:
    """How strong the colour of an answer is, up to 1: the surer of the label that is shown, the stronger."""
    if scale.unit == "label":
        return 0.8
    place = scale.sureness(asked.certainty)
    sure = 1 - place if asked.turned else place
    if scale.border:  # the label that is shown is the surer one: the other half of the scale is never used
        sure = max(0.0, 2 * sure - 1)
    return _PALEST + (1 - _PALEST) * sure


def shown(effects: Sequence[FeatureEffect], scale: Scale) -> tuple[list[FeatureEffect], list[FeatureEffect]]:
    """Effects that are worth their own line, and the rest.

    The largest effects are; then, of the other features, those that turn the prediction, and those with the widest
    ranges of certainties. Both parts begin with the widest range.
    """
    largest = max((effect.move for effect in effects), default=0.0)
    slight = _SLIGHT * (largest if scale.unit in ("margin", "value") else 1.0)
    ranked = sorted(effects, key=_reach, reverse=True)
    first = {effect.feature for effect in effects[:_ALWAYS] if effect.effect > 0}
    others = [e for e in ranked if e.feature not in first and (e.turns or e.move > slight)]
    others.sort(key=lambda effect: not effect.turns)  # and the wider range first
    chosen = first | {effect.feature for effect in others[: MOST_SHOWN - len(first)]}
    return [e for e in ranked if e.feature in chosen], [e for e in ranked if e.feature not in chosen]


def _reach(effect: FeatureEffect) -> tuple[float, float]:
    """How far apart the certainties are that stand beside a feature."""
    low, high = effect.bounds if effect.asked else (0.0, 0.0)
    return high - low, effect.effect


def others(rest: Sequence[FeatureEffect], worth: Sequence[FeatureEffect]) -> str:
    """How many more features there are."""
    if not worth:
        return "1 feature" if len(rest) == 1 else f"{len(rest)} features"
    return "1 other" if len(rest) == 1 else f"{len(rest)} others"


def rest_sentence(rest: Sequence[FeatureEffect], scale: Scale) -> str:
    """What can be said about the others in one line."""
    turning = [effect.feature for effect in rest if effect.turns]
    which = "no value of them that was tried" if len(rest) > 1 else "no value of it that was tried"
    if turning:
        short = [name if len(name) <= _LONG else f"{name[:_LONG]}…" for name in turning[:_MOST_NAMES]]
        names = ", ".join(short) + (" …" if len(turning) > _MOST_NAMES else "")
        return f"some values of {names} turn it alone"
    if scale.unit == "label":
        return f"{which} turns it"
    most = max(effect.move for effect in rest)
    if most == 0:
        return f"{which} moves it at all"
    if scale.unit == "value":
        return f"{which} moves the value by more than {write_above(most)}"
    if scale.unit == "margin":
        return f"{which} moves the margin by more than {_above(most, 2):g}"
    return f"{which} moves it by more than {_points(most)}"


def _points(move: float) -> str:
    """A change of a probability, never rounded down.

    >>> _points(0.0123), _points(0.0004), _points(0.3), _points(0.0)
    ('2 points', '0.04 points', '30 points', '0 points')
    """
    points = 100 * move
    value = _above(points, 0 if points > 1 else 2)
    return f"{value:g} point{'' if value == 1 else 's'}"


def _above(number: float, digits: int) -> float:
    """Round up, unless only the last bits are above."""
    unit = 10.0**digits
    return math.ceil(number * unit - 1e-6) / unit

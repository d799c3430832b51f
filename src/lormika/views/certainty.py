"""How certain the model is of its prediction: a probability, a margin, a value in a band, or nothing but the label."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lormika.frames.values import Scalar
from lormika.views.words import percents

if TYPE_CHECKING:
    from lormika.explanation import Explanation
    from lormika.models import Unit
    from lormika.rule import Check


_HALF = "50%"


@dataclass(frozen=True, slots=True)
class Scale:
    """The measure of certainty of one explanation."""

    unit: Unit
    before: float | None  # of the instance as it is; None: not known
    reach: float  # the largest margin, whatever its sign; 1 for other units
    border: bool  # the model turns in the middle of the scale: two classes, and every answer agrees with that

    @classmethod
    def of(cls, explanation: Explanation) -> Scale:
        """The scale of an explanation."""
        if explanation.unit == "value":
            from lormika.views.values import ValueScale

            return ValueScale.of_values(explanation)
        unit, before, reach = explanation.unit, explanation.probability, 1.0
        if unit == "label":
            before = 1.0
        elif unit == "margin":
            margins = (rule.check.before for rule in explanation.rules if rule.check is not None)
            before, reach = next(margins, None), _greatest(explanation) or 1.0
        elif before is None:  # confirm=False says nothing about the unit
            unit = "label"
        return cls(unit, before, reach, _has_border(explanation, unit))

    def change(self, before: float, after: float) -> str:
        """Two certainties, one after the other; nothing if only labels are known.

        >>> Scale("probability", 0.74, 1.0, True).change(0.74, 0.17)
        '74% → 17%'
        >>> Scale("margin", 1.24, 2.0, True).change(1.24, -0.31)
        'margin 1.24 → -0.31'
        """
        if self.unit == "label":
            return ""
        return f"{'margin ' if self.unit == 'margin' else ''}{' → '.join(self.pair(before, after))}"

    def text(self, certainty: float) -> str:
        """One certainty; nothing if only labels are known."""
        return "" if self.unit == "label" else self.pair(certainty, certainty)[0]

    def span(self, low: float, high: float) -> str:
        """From the least to the greatest.

        >>> Scale("probability", 0.74, 1.0, True).span(0.61, 0.77)
        '61% … 77%'
        """
        if self.unit == "label":
            return ""
        return " … ".join(dict.fromkeys(self.pair(low, high)))  # once, if they are the same

    def pair(self, before: float, after: float) -> tuple[str, str]:
        """Two certainties that are compared, as texts; where a half decides, it is told from what is nearly one.

        >>> Scale("probability", 0.53, 1.0, border=True).pair(0.53, 0.4972)
        ('53%', '49.7%')
        """
        if self.unit != "probability":
            return _margins(before, after)
        first, second = percents(before, after)
        if self.border and _HALF in (first, second):
            return _beside_half(before, first), _beside_half(after, second)
        return first, second

    def place(self, certainty: float) -> float:
        """Where a certainty lies, from 0 to 1; a margin of 0 in the middle."""
        share = certainty if self.unit != "margin" else 0.5 + certainty / (2 * self.reach)
        return min(max(share, 0.0), 1.0)

    def certainty(self, shown: float) -> float:
        """How certain the model is where this is shown."""
        return shown

    def sureness(self, shown: float) -> float:
        """The same, from 0 to 1."""
        return self.place(shown)

    def checked(self, check: Check) -> tuple[float, float]:
        """What is shown of a check: before, and on average after the changes."""
        return check.before, check.after


def _beside_half(share: float, text: str) -> str:
    return percents(0.5, share)[1] if text == _HALF else text


def _greatest(explanation: Explanation) -> float:
    """The largest margin that the model gave, whatever its sign."""
    checks = [rule.check for rule in explanation.rules if rule.check is not None]
    margins = [margin for check in checks for margin in (check.before, check.after)]
    margins += [margin for effect in explanation.effects for margin in effect.certainties]
    return max(map(abs, margins), default=1.0)


def _has_border(explanation: Explanation, unit: Unit) -> bool:
    """Whether two classes meet in the middle of the scale; not if the model decides by a threshold of its own."""
    if len(explanation.classes) != 2 or unit == "label":
        return False
    half = 0.5 if unit == "probability" else 0.0
    return all(
        certainty == half or (certainty > half) == (label == explanation.prediction)  # either may win a tie
        for certainty, label in _answers(explanation, unit)
    )


def _answers(explanation: Explanation, unit: Unit) -> Iterator[tuple[float, Scalar]]:
    """Certainties of the prediction, with the label that the model gave."""
    for effect in explanation.effects:
        yield from zip(effect.certainties, effect.labels, strict=True)
    if unit == "probability":
        if explanation.probability is not None:
            yield explanation.probability, explanation.prediction
        for rule in explanation.rules:
            if rule.rerun is not None and rule.rerun.probability is not None:
                yield rule.rerun.probability, rule.rerun.label


def _margins(before: float, after: float) -> tuple[str, str]:
    """Two margins, with as many digits as tell them apart.

    >>> _margins(1.2433, -0.31), _margins(0.0012, 0.0014), _margins(1234.5, 3.0), _margins(1.0, -0.001)
    (('1.24', '-0.31'), ('0.0012', '0.0014'), ('1234.50', '3.00'), ('1.00', '0.00'))
    """
    for digits in (2, 3, 4):
        texts = f"{before:.{digits}f}", f"{after:.{digits}f}"
        if before == after or texts[0] != texts[1]:
            break
    first, second = (text if float(text) else text.replace("-", "") for text in texts)
    return first, second

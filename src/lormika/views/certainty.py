"""How certain the model is of its prediction: a probability, a margin, or nothing but the label."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from lormika.frames.values import Scalar
from lormika.views.payload import Payload
from lormika.views.words import percents

Unit = Literal["probability", "margin", "label"]


@dataclass(frozen=True, slots=True)
class Scale:
    """The measure of certainty of one explanation."""

    unit: Unit
    before: float | None  # of the instance as it is; None: not known
    reach: float  # the largest margin, whatever its sign; 1 for other units
    border: bool  # the model turns in the middle of the scale: two classes, and every answer agrees with that

    def change(self, before: float, after: float) -> str:
        """Two certainties, one after the other; nothing if only labels are known.

        >>> Scale("probability", 0.74, 1.0, True).change(0.74, 0.17)
        '74% → 17%'
        >>> Scale("margin", 1.24, 2.0, True).change(1.24, -0.31)
        'margin 1.24 → −0.31'
        """
        if self.unit == "label":
            return ""
        return f"{'margin ' if self.unit == 'margin' else ''}{' → '.join(self._two(before, after))}"

    def span(self, low: float, high: float) -> str:
        """From the least to the greatest.

        >>> Scale("probability", 0.74, 1.0, True).span(0.61, 0.77)
        '61% … 77%'
        """
        if self.unit == "label":
            return ""
        return " … ".join(dict.fromkeys(self._two(low, high)))  # once, if they are the same

    def _two(self, before: float, after: float) -> tuple[str, str]:
        return percents(before, after) if self.unit == "probability" else _margins(before, after)

    def place(self, certainty: float) -> float:
        """Where a certainty lies, from 0 to 1; a margin of 0 in the middle."""
        share = certainty if self.unit != "margin" else 0.5 + certainty / (2 * self.reach)
        return min(max(share, 0.0), 1.0)


def scale(payload: Payload) -> Scale:
    """The scale of an explanation."""
    prediction = payload["prediction"]
    unit: Unit = payload["unit"]
    before: float | None = next(c["probability"] for c in payload["classes"] if c["label"] == prediction)
    if unit != "probability":
        checks = [rule["check"]["before"] for rule in payload["rules"] if rule["check"] is not None]
        before = 1.0 if unit == "label" else next(iter(checks), None)
    elif before is None:  # confirm=False says nothing about the unit
        unit = "label"
    reach = max((abs(c) for c in _certainties(payload)), default=1.0) if unit == "margin" else 1.0
    return Scale(unit, before, reach or 1.0, _has_border(payload, unit))


def _certainties(payload: Payload) -> Iterator[float]:
    for rule in payload["rules"]:
        if rule["check"] is not None:
            yield from (rule["check"]["before"], rule["check"]["after"])
    for effect in payload["effects"]:
        yield from effect["certainties"]


def _has_border(payload: Payload, unit: Unit) -> bool:
    """Whether two classes meet in the middle of the scale; not if the model decides by a threshold of its own."""
    if len(payload["classes"]) != 2 or unit == "label":
        return False
    half = 0.5 if unit == "probability" else 0.0
    return all(
        certainty == half or (certainty > half) == (label == payload["prediction"])  # either may win a tie
        for certainty, label in _answers(payload, unit)
    )


def _answers(payload: Payload, unit: Unit) -> Iterator[tuple[float, Scalar]]:
    """Certainties of the prediction, with the label that the model gave."""
    for effect in payload["effects"]:
        yield from zip(effect["certainties"], effect["labels"], strict=True)
    if unit == "probability":
        chances = {c["label"]: c["probability"] for c in payload["classes"]}
        if chances[payload["prediction"]] is not None:
            yield chances[payload["prediction"]], payload["prediction"]
        for rerun in (rule["rerun"] for rule in payload["rules"]):
            if rerun is not None and rerun["probability"] is not None:
                yield rerun["probability"], rerun["label"]


def _margins(before: float, after: float) -> tuple[str, str]:
    """Two margins, with as many digits as tell them apart, and a proper minus sign.

    >>> _margins(1.2433, -0.31), _margins(0.0012, 0.0014), _margins(1234.5, 3.0)
    (('1.24', '−0.31'), ('0.0012', '0.0014'), ('1234.50', '3.00'))
    """
    for digits in (2, 3, 4):
        texts = f"{before:.{digits}f}", f"{after:.{digits}f}"
        if before == after or texts[0] != texts[1]:
            break
    first, second = (text.replace("-", "−") if float(text) else text.replace("-", "") for text in texts)
    return first, second

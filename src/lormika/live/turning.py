"""Pieces of a feature's axis at which the prediction turns."""

from __future__ import annotations

from itertools import groupby

from lormika.frames.values import Scalar
from lormika.summaries import Effect
from lormika.types import JsonObject


def turning_pieces(effect: Effect, own: Scalar | None, prediction: Scalar, *, numeric: bool = True) -> list[JsonObject]:
    """Where, along this feature alone, the model says something else: pieces of a number's axis, or categories.

    A piece reaches from the first value asked about that turns to the last; it is open (None) where it holds the least
    or the greatest of all values asked about. The case's own value ends a piece.

    >>> effect = Effect("age", 1.0, 1.0, False, (10, 20, 40, 50), (0.6, 0.4, 0.6, 0.3), ("a", "b", "a", "b"))
    >>> turning_pieces(effect, 30, "a")
    [{'low': 20, 'high': 20, 'label': 'b'}, {'low': 50, 'high': None, 'label': 'b'}]
    """
    values, labels = effect.values, effect.labels
    if not numeric:
        pairs = zip(values, labels, strict=True)
        return [{"low": value, "high": value, "label": label} for value, label in pairs if label != prediction]
    pieces: list[JsonObject] = []

    def side(place: int) -> bool:
        value = values[place]
        return not isinstance(own, int | float) or isinstance(value, str) or value > own

    for (label, _), places in groupby(range(len(values)), key=lambda place: (labels[place], side(place))):
        run = list(places)
        if label == prediction:
            continue
        low = None if run[0] == 0 and (not side(0) or own is None) else values[run[0]]
        is_last = run[-1] == len(values) - 1
        high = None if is_last and (side(run[-1]) or own is None) else values[run[-1]]
        pieces.append({"low": low, "high": high, "label": label})
    return pieces

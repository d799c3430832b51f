"""How far a prediction is from the border, where the model would say something else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lormika.views.words import percent, percents

if TYPE_CHECKING:
    from lormika.models import Answer
    from lormika.parts import Parts
    from lormika.types import JsonObject

_NEAR = 0.001  # a smaller distance is not told in figures


def border_json(parts: Parts, answer: Answer) -> JsonObject | None:
    """The border of a prediction, and the class beyond it; None: the model does not say how near that is.

    Of two classes, the border is a probability; of more, it is where another class becomes as probable.
    """
    model, place = parts.model, int(answer.labels[0])
    if answer.unit == "label" or model.decide is not None:
        return None
    if answer.unit == "margin" or answer.probabilities is None:
        return {"at": 0.0, "distance": float(answer.certainty(place)[0]), "rival": None, "text": "zero is the border"}
    chances = answer.probabilities[0]
    if len(chances) == 2:
        at = 0.5 if model.threshold is None else model.threshold if place == 1 else 1 - model.threshold
        text = "half is the border" if at == 0.5 else f"{percent(at)} is the border"
        return {"at": at, "distance": float(chances[place] - at), "rival": None, "text": text}
    second = max((one for one in range(len(chances)) if one != place), key=lambda one: float(chances[one]))
    distance = float(chances[place] - chances[second])
    name = str(parts.labels.outcome(model.names[second]))
    rival = {"label": model.names[second], "text": name, "probability": float(chances[second])}
    return {"at": None, "distance": distance, "rival": rival, "text": _behind(name, chances[place], chances[second])}


def _behind(name: str, first: float, second: float) -> str:
    """How the second class follows the first.

    >>> _behind("late", 0.412, 0.388), _behind("late", 0.41201, 0.41199), _behind("late", 0.4, 0.4)
    ('next is late with 39%, 2.4 points behind', 'next is late, less than 0.1 points behind', 'late is as probable')
    """
    if first == second:
        return f"{name} is as probable"
    if first - second < _NEAR:
        return f"next is {name}, less than 0.1 points behind"
    return f"next is {name} with {percents(first, second)[1]}, {points(first - second)} behind"


def points(distance: float) -> str:
    """A difference of two probabilities.

    >>> points(0.24), points(0.013), points(0.01), points(0.0004)
    ('24 points', '1.3 points', '1 point', 'less than 0.1 points')
    """
    if abs(distance) < _NEAR:
        return "less than 0.1 points"
    number = f"{100 * abs(distance):.{0 if abs(distance) >= 0.0995 else 1}f}".removesuffix(".0")
    return f"{number} point{'' if number == '1' else 's'}"

"""Two cases with values exchanged: what the model says of each with a value of the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lormika.frames.instances import Instances
from lormika.models import Answer
from lormika.parts import Parts
from lormika.serving.questions import Asked
from lormika.stages.joining import joined
from lormika.types import JsonObject
from lormika.views.certainty import Scale


def ask_swapped(parts: Parts, cases: Sequence[Asked], names: Sequence[str]) -> list[list[JsonObject]]:
    """By feature, for each of two cases: the model's answer with the other's value of that feature alone."""
    if not names:
        return []
    places = [parts.schema.index(name) for name in names]
    own = ask_instances(parts, [case.instances for case in cases])
    found = []
    for one, other in ((0, 1), (1, 0)):
        if any(unseen for case in cases for unseen in case.instances.unseen):
            asked = [_swap_values(parts, cases[one], cases[other], name) for name in names]
            answers = [ask_instances(parts, [instances]) for instances in asked]
        else:
            rows = np.repeat(cases[one].instances.rows[:1], len(places), axis=0)
            rows[np.arange(len(places)), places] = cases[other].instances.rows[0, places]
            together = parts.model.about(parts.schema, rows)
            answers = [together[slice(place, place + 1)] for place in range(len(places))]
        label = int(own.labels[one])
        found.append([_answer(parts, own[slice(one, one + 1)], after, label) for after in answers])
    return [list(pair) for pair in zip(*found, strict=True)]


def ask_instances(parts: Parts, instances: Sequence[Instances]) -> Answer:
    """What the model says of some single rows, whatever their categories are."""
    unseen = [own for one in instances for own in one.unseen]
    schema, rows = joined(parts.schema, [one.rows for one in instances], unseen)
    return parts.model(schema.restore(np.concatenate(rows)))


def _swap_values(parts: Parts, one: Asked, other: Asked, name: str) -> Instances:
    return parts.schema.read_instance(one.values | {name: other.values[name]})


def _answer(parts: Parts, before: Answer, after: Answer, label: int) -> JsonObject:
    """The prediction, and how certain the model still is of the one before."""
    place = int(after.labels[0])
    certainties = [None if one.unit == "label" else float(one.certainty(label)[0]) for one in (before, after)]
    first, second = certainties
    texts = None
    if first is not None and second is not None:
        texts = list(Scale(after.unit, first, 1.0, False).pair(first, second))
    return {
        "prediction": parts.model.names[place],
        "text": str(parts.labels.outcome(parts.model.names[place])),
        "turned": place != label,
        "certainties": certainties,
        "certainty_texts": texts,
    }

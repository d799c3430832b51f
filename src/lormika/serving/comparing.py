"""Two cases side by side: where they differ, and which of them is closer to the border."""

from __future__ import annotations

from collections.abc import Sequence

from lormika.frames.values import Scalar
from lormika.labels import Labels
from lormika.types import JsonObject

_MOST_NAMES = 6


def compare(labels: Labels, cases: Sequence[JsonObject], names: Sequence[str]) -> JsonObject:
    """Two answers of `explain`, and what differs between them; names are how a sentence calls the cases."""
    effects = [{effect["feature"]: effect["effect"] for effect in case["effects"]} for case in cases]
    differences, same = [], []
    for name in cases[0]["values"]:
        values = [case["values"][name] for case in cases]
        if values[0] == values[1]:
            same.append(name)
            continue
        differences.append(
            {
                "feature": name,
                "label": labels.name(name),
                "values": values,
                "texts": [labels.write(name, value, exactly=True) for value in values],
                "effects": [own.get(name) for own in effects],
            }
        )
    differences.sort(key=lambda one: -max(effect or 0.0 for effect in one["effects"]))
    closer = _closer(cases)
    return {
        "cases": list(cases),
        "differences": differences,
        "same": same,
        "closer": closer,
        "names": list(names),
        "summary": _summary(cases, names, [one["label"] for one in differences], closer),
    }


def name_cases(rows: Sequence[int | None], ids: Sequence[Scalar | None], changes: Sequence[int]) -> tuple[str, str]:
    """How a sentence calls two cases: by their rows, or by what was done to one and the same.

    >>> name_cases([5, 7], ["A-5", None], [0, 2]), name_cases([5, 5], [None, None], [0, 1])
    (('case A-5', 'case 7, changed'), ('case 5', 'case 5, changed'))
    >>> name_cases([5, None], [None, None], [1, 0])
    ('the first case', 'the second case')
    """
    names = [
        None if row is None else f"case {row if own is None else own}{', changed' if count else ''}"
        for row, own, count in zip(rows, ids, changes, strict=True)
    ]
    if None in names or names[0] == names[1]:
        return "the first case", "the second case"
    return str(names[0]), str(names[1])


def _closer(cases: Sequence[JsonObject]) -> int | None:
    """The case of whose prediction the model is less certain."""
    first, second = (case["certainty"] for case in cases)
    if first is None or second is None or first == second:
        return None
    return int(second < first)


def _summary(cases: Sequence[JsonObject], names: Sequence[str], features: Sequence[str], closer: int | None) -> str:
    said = [
        case["text"] if case["certainty"] is None else f"{case['text']} ({case['certainty_text']})" for case in cases
    ]
    if closer is None:
        sentence = f"{names[0]}: {said[0]}; {names[1]}: {said[1]}."
    else:
        other = 1 - closer
        sentence = f"{names[closer]} is closer to the border: {said[closer]}; {names[other]}: {said[other]}."
    sentence = sentence[0].upper() + sentence[1:]
    if not features:
        return f"{sentence} They have the same values."
    more = f" and {len(features) - _MOST_NAMES} more" if len(features) > _MOST_NAMES else ""
    return f"{sentence} They differ in {', '.join(features[:_MOST_NAMES])}{more}."

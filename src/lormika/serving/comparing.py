"""Two cases side by side: where they differ, and which of them is closer to the border."""

from __future__ import annotations

from collections.abc import Sequence

from lormika.labels import Labels
from lormika.types import JsonObject

_MOST_NAMES = 6


def compare(labels: Labels, cases: Sequence[JsonObject]) -> JsonObject:
    """Two answers of `explain`, and what differs between them."""
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
        "summary": _summary(cases, [one["label"] for one in differences], closer),
    }


def _closer(cases: Sequence[JsonObject]) -> int | None:
    """The case of whose prediction the model is less certain."""
    first, second = (case["certainty"] for case in cases)
    if first is None or second is None or first == second:
        return None
    return int(second < first)


def _summary(cases: Sequence[JsonObject], names: Sequence[str], closer: int | None) -> str:
    said = [
        case["text"] if case["certainty"] is None else f"{case['text']} ({case['certainty_text']})" for case in cases
    ]
    if closer is None:
        sentence = f"Case 1: {said[0]}; case 2: {said[1]}."
    else:
        other = 1 - closer
        sentence = f"Case {closer + 1} is closer to the border: {said[closer]}; case {other + 1}: {said[other]}."
    if not names:
        return f"{sentence} They have the same values."
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"{sentence} They differ in {', '.join(names[:_MOST_NAMES])}{more}."

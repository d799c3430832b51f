"""The summary of a run in the words of its labels."""

from __future__ import annotations

from lormika.labels import Labels
from lormika.types import JsonObject, JsonValue

_CLASSES = ("label", "prediction", "to", "of", "target", "consequent")  # keys whose value is a class


def labelled_summary(summary: JsonObject) -> JsonObject:
    """The same summary with names, values and classes as people know them."""
    labels = Labels.of_data(summary.get("labels"))
    if not labels:
        return summary
    shown: JsonObject = _labelled(summary, labels)
    if shown["options"].get("target") is not None:
        shown["options"] = shown["options"] | {"target": labels.outcome(shown["options"]["target"])}
    return shown


def _labelled(part: JsonValue, labels: Labels) -> JsonValue:
    if isinstance(part, list):
        return [_labelled(one, labels) for one in part]
    if not isinstance(part, dict):
        return part
    found = {name: part[name] if name in ("labels", "options") else _labelled(part[name], labels) for name in part}
    found |= {name: labels.outcome(part[name]) for name in _CLASSES if part.get(name) is not None}
    if "feature" in part:
        feature = part["feature"]
        found["feature"] = labels.name(feature)
        if part.get("value") is not None:
            found["value"] = labels.value(feature, part["value"], exactly=True)
        if feature in labels.features:
            found["unit"] = labels.features[feature].unit
    return found

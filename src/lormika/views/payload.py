"""The versioned JSON form of explanations and rules: written, and read again.

Plain Python scalars, lists and dicts; `payload.schema.json` beside this file is its JSON Schema. An open end of an
interval is null, a missing value is null, and nothing is stored that follows from a rule's counts.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, TypeVar

from lormika.errors import InputError
from lormika.explanation import Explanation
from lormika.labels import Labels
from lormika.rule import Category, Check, Condition, Counts, Edit, Equals, Interval, Missing, Rerun, Rule
from lormika.stages.notes import Note
from lormika.summaries import AskedSummary, ClassSummary, Effect, FeatureSummary, Incomplete, NeighbourhoodSummary
from lormika.views.payload_coherence import find_clash
from lormika.views.payload_shape import find_fault

if TYPE_CHECKING:
    from lormika.types import JsonObject, JsonValue
    from lormika.views.rule_table import RuleList

FORMAT, VERSION = "lormika.explanation", 3
RULES_FORMAT, RULES_VERSION = "lormika.rules", 2
_MOST_DIGITS = 400  # of a whole number: more than any finite one has

_Flat = (
    Counts | Edit | Check | FeatureSummary | ClassSummary | NeighbourhoodSummary | Effect | AskedSummary | Incomplete
)
_T = TypeVar("_T")


def json_schema() -> JsonObject:
    """JSON Schema of an explanation's payload."""
    text = resources.files("lormika.views").joinpath("payload.schema.json").read_text(encoding="utf-8")
    schema: JsonObject = json.loads(text)
    return schema


_schema = cache(json_schema)  # for reading only: a caller of json_schema may change what it gets


def validate(payload: JsonValue) -> None:
    """Refuse a payload that violates the schema, or whose parts contradict each other, naming the place."""
    if not isinstance(payload, dict) or payload.get("format") != FORMAT:
        raise InputError(f"this is not an explanation: its format is not {FORMAT!r}")
    if payload.get("version") != VERSION:
        raise InputError(
            f"an explanation of version {payload.get('version')!r}; this release of lormika reads version {VERSION}: "
            "explain the instance again"
        )
    fault = find_fault(_schema(), payload) or find_clash(payload)
    if fault is not None:
        raise InputError(f"this explanation cannot be used: {fault}")
    try:
        json.dumps(payload, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError as error:
        half = error.object[error.start : error.end]
        raise InputError(f"this explanation cannot be used: it holds {half!r}, half a character") from None
    except ValueError:
        raise InputError("this explanation cannot be used: it holds a number that is not finite") from None


def parse(text: str | bytes) -> JsonValue:
    """Plain data from JSON, whatever the text holds."""
    if not isinstance(text, str | bytes | bytearray):
        raise InputError(f"give the JSON of an explanation as text, not as a {type(text).__name__}")
    try:
        return json.loads(text, parse_int=_parse_integer)
    except RecursionError:
        raise InputError("this is not an explanation: its JSON is nested too deeply") from None
    except ValueError as error:  # of the JSON, or of its encoding
        raise InputError(f"this is not JSON: {error}") from None


def _parse_integer(digits: str) -> float:
    """A whole number; infinity, which is refused in its place, if Python would not read so many digits."""
    return int(digits) if len(digits) <= _MOST_DIGITS else float(digits)


def dump_explanation(explanation: Explanation) -> JsonObject:
    """An explanation as plain data, without its sample."""
    payload = {
        "format": FORMAT,
        "version": VERSION,
        "instance": dict(explanation.instance),
        "prediction": explanation.prediction,
        "rules": [dump_rule(rule) for rule in explanation.rules],
        "notes": [_dump_note(note) for note in explanation.notes],
        "features": [_dump(feature) for feature in explanation.features],
        "classes": [_dump(one) for one in explanation.classes],
        "neighbourhood": _dump(explanation.neighbourhood),
        "options": dict(explanation.options),
        "versions": dict(explanation.versions),
        "unit": explanation.unit,
        "effects": [_dump_effect(effect) for effect in explanation.effects],
        "asked": _dump(explanation.asked),
    }
    incomplete = explanation.incomplete
    if incomplete is not None:
        payload["incomplete"] = _dump(incomplete)
    if explanation.value is not None:
        payload |= {"value": explanation.value, "bands": list(explanation.bands)}
    return payload | ({"labels": explanation.labels.to_dict()} if explanation.labels else {})


def load_explanation(payload: Mapping[str, JsonValue]) -> Explanation:
    """The inverse of `dump_explanation`; an invalid payload is refused."""
    validate(payload)
    labels = Labels.of_data(payload.get("labels"))
    labels.check({f["name"]: f["kind"] for f in payload["features"]}, [c["label"] for c in payload["classes"]])
    return Explanation(
        instance=dict(payload["instance"]),
        prediction=payload["prediction"],
        rules=tuple(load_rule(rule) for rule in payload["rules"]),
        notes=tuple(_load_note(note) for note in payload["notes"]),
        features=tuple(_load(FeatureSummary, feature) for feature in payload["features"]),
        classes=tuple(_load(ClassSummary, one) for one in payload["classes"]),
        neighbourhood=_load(NeighbourhoodSummary, payload["neighbourhood"]),
        options=dict(payload["options"]),
        versions=dict(payload["versions"]),
        unit=payload["unit"],
        effects=tuple(_load(Effect, effect) for effect in payload["effects"]),
        asked=_load_any(AskedSummary, payload["asked"]),
        incomplete=_load_any(Incomplete, payload.get("incomplete")),
        labels=labels,
        value=payload.get("value"),
        bands=tuple(payload.get("bands", ())),
    )


def _dump_effect(effect: Effect) -> JsonObject:
    payload = _dump(effect) or {}
    return payload if effect.shares else {name: value for name, value in payload.items() if name != "shares"}


def dump_rules(rules: RuleList) -> JsonObject:
    """Rules of a table, without an instance, and what they were searched with."""
    return {
        "format": RULES_FORMAT,
        "version": RULES_VERSION,
        "options": dict(rules.options),
        "rules": [dump_rule(rule) for rule in rules.rules],
    } | ({} if rules.incomplete is None else {"incomplete": _dump(rules.incomplete)})


def dump_rule(rule: Rule) -> JsonObject:
    """A rule as plain data.

    >>> dump_rule(Rule((Interval("age", -math.inf, 30.0),), "High", Counts(9, 3, 4, 2), 0.1))["conditions"]
    [{'type': 'interval', 'feature': 'age', 'low': None, 'high': 30.0, 'integer': False}]
    """
    return {
        "category": _dump_category(rule.category),
        "conditions": [_dump_condition(condition) for condition in rule.conditions],
        "consequent": rule.consequent,
        "counts": _dump(rule.counts),
        "real": _dump(rule.real),
        "score": rule.score,
        "p_value": None if math.isnan(rule.p_value) else rule.p_value,
        "rerun": _dump_rerun(rule.rerun),
        "check": _dump_check(rule.check),
        "weak": rule.weak,
    }


def load_rule(payload: JsonObject) -> Rule:
    """A rule from plain data: the inverse of `dump_rule`."""
    return Rule(
        conditions=tuple(_load_condition(condition) for condition in payload["conditions"]),
        consequent=payload["consequent"],
        counts=_load(Counts, payload["counts"]),
        score=payload["score"],
        p_value=math.nan if payload["p_value"] is None else payload["p_value"],
        category=_load_category(payload["category"]),
        real=_load_any(Counts, payload["real"]),
        rerun=_load_rerun(payload["rerun"]),
        check=_load_any(Check, payload["check"]),
        weak=payload["weak"],
    )


def _dump(part: _Flat | None) -> JsonObject | None:
    """The fields of a part that has no parts of its own."""
    if part is None:
        return None
    values = {field.name: getattr(part, field.name) for field in fields(part)}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def _load(make: Callable[..., _T], payload: JsonObject) -> _T:
    return make(**{name: tuple(value) if isinstance(value, list) else value for name, value in payload.items()})


def _load_any(make: Callable[..., _T], payload: JsonObject | None) -> _T | None:
    return None if payload is None else _load(make, payload)


def _dump_category(category: Category | None) -> str | None:
    return None if category is None else category.value


def _load_category(name: str | None) -> Category | None:
    return None if name is None else Category(name)


def _dump_note(note: Note) -> JsonObject:
    return {"text": note.text, "category": _dump_category(note.category)}


def _load_note(payload: JsonObject) -> Note:
    return Note(payload["text"], _load_category(payload["category"]))


def _dump_check(check: Check | None) -> JsonObject | None:
    """A check; of a classifier, without a value."""
    content = _dump(check)
    return content and {name: one for name, one in content.items() if name != "value" or one is not None}


def _dump_rerun(rerun: Rerun | None) -> JsonObject | None:
    if rerun is None:
        return None
    return {
        "edits": [_dump(edit) for edit in rerun.edits],
        "label": rerun.label,
        "probability": rerun.probability,
        "turned": rerun.turned,
    } | {name: value for name in ("reached", "value", "margin") if (value := getattr(rerun, name)) is not None}


def _load_rerun(payload: JsonObject | None) -> Rerun | None:
    if payload is None:
        return None
    return Rerun(**payload | {"edits": tuple(_load(Edit, edit) for edit in payload["edits"])})


def _dump_condition(condition: Condition) -> JsonObject:
    match condition:
        case Interval(feature, low, high, integer, single):
            return {
                "type": "interval",
                "feature": feature,
                "low": None if low == -math.inf else low,
                "high": None if high == math.inf else high,
                "integer": integer,
            } | ({"single": True} if single else {})
        case Equals(feature, value):
            return {"type": "equals", "feature": feature, "value": value}
        case _:
            return {"type": "missing", "feature": condition.feature}


def _load_condition(payload: JsonObject) -> Condition:
    match payload["type"]:
        case "interval":
            low = -math.inf if payload["low"] is None else payload["low"]
            high = math.inf if payload["high"] is None else payload["high"]
            return Interval(payload["feature"], low, high, payload["integer"], payload.get("single", False))
        case "equals":
            return Equals(payload["feature"], payload["value"])
        case _:
            return Missing(payload["feature"])

"""The versioned JSON form of rules and explanations: the only contract between processes, and all that views know.

Plain Python scalars, lists and dicts; `payload.schema.json` beside this file is its JSON Schema. An open end of an
interval is null, a missing value is null, and nothing is stored that follows from a rule's counts.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from functools import cache
from importlib import resources
from typing import Any

from lormika.errors import InputError
from lormika.rule import Category, Check, Condition, Counts, Edit, Equals, Interval, Missing, Rerun, Rule
from lormika.views.payload_coherence import find_clash
from lormika.views.payload_shape import find_fault

FORMAT, RULES_FORMAT = "lormika.explanation", "lormika.rules"
VERSION = 2
_MOST_DIGITS = 400  # of a whole number: more than any finite one has

Payload = dict[str, Any]


def json_schema() -> dict[str, Any]:
    """JSON Schema of an explanation's payload."""
    text = resources.files("lormika.views").joinpath("payload.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


_schema = cache(json_schema)  # for reading only: a caller of json_schema may change what it gets


def check(payload: Any) -> None:
    """Refuse what is no explanation, or of a version that is not understood."""
    if not isinstance(payload, dict) or payload.get("format") != FORMAT:
        raise InputError(f"this is not an explanation: its format is not {FORMAT!r}")
    if payload.get("version") != VERSION:
        raise InputError(
            f"an explanation of version {payload.get('version')!r}; this release of lormika reads version {VERSION}"
        )


def validate(payload: Any) -> None:
    """Refuse a payload that does not follow the schema, or whose parts do not fit together, naming the place."""
    check(payload)
    fault = find_fault(_schema(), payload) or find_clash(payload)
    if fault is not None:
        raise InputError(f"this explanation cannot be used: {fault}")


def parse(text: str | bytes) -> Any:
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
    """A whole number; infinity, which is refused where it stands, if Python would not read so many digits."""
    return int(digits) if len(digits) <= _MOST_DIGITS else float(digits)


def dump_rule(rule: Rule) -> Payload:
    """A rule as plain data.

    >>> dump_rule(Rule((Interval("age", -math.inf, 30.0),), "High", Counts(9, 3, 4, 2), 0.1))["conditions"]
    [{'type': 'interval', 'feature': 'age', 'low': None, 'high': 30.0, 'integer': False}]
    """
    return {
        "category": None if rule.category is None else rule.category.value,
        "conditions": [_dump_condition(condition) for condition in rule.conditions],
        "consequent": rule.consequent,
        "counts": asdict(rule.counts),
        "real": None if rule.real is None else asdict(rule.real),
        "score": rule.score,
        "p_value": None if math.isnan(rule.p_value) else rule.p_value,
        "rerun": None if rule.rerun is None else asdict(rule.rerun) | {"edits": [asdict(e) for e in rule.rerun.edits]},
        "check": None if rule.check is None else asdict(rule.check),
        "weak": rule.weak,
    }


def dump_rules(rules: Iterable[Rule], options: Mapping[str, Any]) -> Payload:
    """Rules of a table, without an instance, and what they were searched with."""
    return {
        "format": RULES_FORMAT,
        "version": VERSION,
        "options": dict(options),
        "rules": [dump_rule(rule) for rule in rules],
    }


def load_rule(payload: Payload) -> Rule:
    """A rule from plain data: the inverse of `dump_rule`."""
    real, rerun, check = payload["real"], payload["rerun"], payload["check"]
    return Rule(
        conditions=tuple(_load_condition(condition) for condition in payload["conditions"]),
        consequent=payload["consequent"],
        counts=Counts(**payload["counts"]),
        score=payload["score"],
        p_value=math.nan if payload["p_value"] is None else payload["p_value"],
        category=None if payload["category"] is None else Category(payload["category"]),
        real=None if real is None else Counts(**real),
        rerun=None if rerun is None else Rerun(**rerun | {"edits": tuple(Edit(**edit) for edit in rerun["edits"])}),
        check=None if check is None else Check(**check),
        weak=payload["weak"],
    )


def _dump_condition(condition: Condition) -> Payload:
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


def _load_condition(payload: Payload) -> Condition:
    match payload["type"]:
        case "interval":
            low = -math.inf if payload["low"] is None else payload["low"]
            high = math.inf if payload["high"] is None else payload["high"]
            return Interval(payload["feature"], low, high, payload["integer"], payload.get("single", False))
        case "equals":
            return Equals(payload["feature"], payload["value"])
        case _:
            return Missing(payload["feature"])

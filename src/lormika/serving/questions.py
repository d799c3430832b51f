"""Questions: what a request asks, read from JSON that anybody may have written."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from lormika.checks import check_choice, check_integer
from lormika.constraints import Constraints
from lormika.errors import InputError, quote
from lormika.frames import did_you_mean
from lormika.frames.instances import Instances
from lormika.frames.schema import Schema
from lormika.frames.values import Scalar
from lormika.serving.rowtable import RowTable
from lormika.types import JsonObject, JsonValue, Keywords

OPTIONS = ("objective", "k", "target", "at_least", "spread", "constraints")
"""Options of a search that a request may give."""

_MOST_RULES = 100
_LONGEST_WAIT = 60.0
_WAIT = 20.0

Detail = Literal["plain", "detailed"]


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """The case that a question is about."""

    row: int | None
    values: dict[str, Scalar | None]
    own: dict[str, Scalar | None]  # the row's values of features that are changed
    instances: Instances  # the same, encoded

    def to_record(self) -> JsonObject:
        """The case as a record names it: a row and what is changed, or all values."""
        if self.row is None:
            return {"values": self.values}
        return {"row": self.row, "changes": {name: self.values[name] for name in self.changed}}

    @property
    def changed(self) -> tuple[str, ...]:
        """Features whose values are not the row's."""
        return tuple(self.own)


@dataclass(frozen=True, slots=True)
class Search:
    """What is asked about it."""

    options: Keywords
    detail: Detail


def read_body(content: JsonValue, keys: tuple[str, ...]) -> JsonObject:
    """A request that is an object with some of these keys."""
    if not isinstance(content, dict):
        raise InputError("the body must be a JSON object")
    for key in content:
        if key not in keys:
            raise InputError(f"there is no {quote(key)} in this request{did_you_mean(key, keys)}")
    return content


def read_asked(content: JsonValue, rows: RowTable, schema: Schema) -> Asked:
    """The case of a request: a row with changes, or all values."""
    case = read_body(content, ("row", "changes", "values"))
    if ("row" in case) == ("values" in case) or ("changes" in case and "row" not in case):
        raise InputError('case: give {"row": 5, "changes": {…}}, or {"values": {…}} with all features')
    if "values" in case:
        return _asked(None, _values("values", case["values"], schema), {}, schema)
    row = rows.check(case["row"])
    before = rows.instance(row)
    values = before | _values("changes", case.get("changes") or {}, schema)
    own = {name: before[name] for name in values if _differ(values[name], before[name])}
    return _asked(row, values, own, schema)


def _values(place: str, content: JsonValue, schema: Schema) -> dict[str, Scalar | None]:
    if not isinstance(content, dict):
        raise InputError(f"{place}: give an object, values by the name of the feature")
    for name, value in content.items():
        if name not in schema.places:
            raise InputError(f"{place}: there is no feature {quote(name)}{did_you_mean(name, schema.names)}")
        if isinstance(value, dict | list):
            raise InputError(f"{place}: the value of {name!r} must be a number, a text, true, false or null")
    return content


def _asked(row: int | None, values: dict[str, Scalar | None], own: dict[str, Scalar | None], schema: Schema) -> Asked:
    try:
        instances = schema.read_instance(values)
    except InputError as error:
        raise InputError(str(error).replace(", row 0:", ":", 1)) from None
    decoded = schema.with_unseen(instances.unseen[0]).decode(instances.rows[0])
    return Asked(row, decoded, own, instances)


def _differ(one: Scalar | None, other: Scalar | None) -> bool:
    return one != other or isinstance(one, bool) != isinstance(other, bool)


def read_search(content: JsonObject) -> Search:
    """Options and detail of a request."""
    options: Keywords = dict(read_body(content.get("options") or {}, OPTIONS))
    options = {name: value for name, value in options.items() if value is not None}
    if "k" in options:
        check_integer("k", options["k"], 1, _MOST_RULES)
    if "constraints" in options:
        options["constraints"] = list(Constraints.all_of(options["constraints"]))
    detail = content.get("detail", "plain")
    check_choice("detail", detail, ["plain", "detailed"])
    return Search(options, detail)


def read_wait(content: object) -> float:
    """Seconds that a request waits for its answer."""
    if content is None:
        return _WAIT
    try:
        seconds = float(content) if isinstance(content, str | int | float) else math.nan
    except (ValueError, OverflowError):
        seconds = math.nan
    if not 0 <= seconds <= _LONGEST_WAIT:
        raise InputError(f"wait={quote(content)}: give seconds from 0 to {_LONGEST_WAIT:g}")
    return seconds

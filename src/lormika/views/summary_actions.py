"""Group actions on the page of a run: the few changes that together turn most rows of a class."""

from __future__ import annotations

from collections.abc import Sequence

from lormika.frames.values import format_value
from lormika.types import JsonObject
from lormika.views.words import percent

_COUNTS = {1: "one", 2: "two", 3: "three"}


def group_actions(classes: Sequence[JsonObject]) -> list[JsonObject]:
    """What the template shows of each class."""
    return [_class(one) for one in classes]


def _class(one: JsonObject) -> JsonObject:
    return {
        "prediction": format_value(one["of"]),
        "to": None if one["target"] is None else format_value(one["target"]),
        "actions": [_action(action) for action in one["actions"]],
        "remarks": [*_reach(one), *_about(one)],
    }


def _action(action: JsonObject) -> JsonObject:
    parts = [
        {"feature": change["feature"], "label": f"→ {format_value(change['value'])}", "spread": None}
        for change in action["changes"]
    ]
    cost = action["mean_cost"]
    counts = {name: action[name] for name in ("share", "turned", "newly", "permitted")}
    return {"parts": parts, "joiner": "and", "cost": "very high" if cost is None else f"{cost:.3g}", **counts}


def _reach(one: JsonObject) -> list[str]:
    """What they turn together, and what no others could."""
    if not one["actions"]:
        none = f"none of {one['candidates']:,} candidates turned" if one["candidates"] else "no change turned"
        return [f"{none} one of {one['tried']:,} rows"]
    some = f"any {_COUNTS.get(one['most'], one['most'])} of {one['candidates']:,} candidates"
    if one["candidates"] <= one["most"]:
        some = "the only candidate" if one["candidates"] == 1 else f"all {one['candidates']:,} candidates"
    verb = "can turn at most" if one["exact"] else "cannot turn more than"
    return [
        f"together {percent(one['share'])} of {one['tried']:,} rows",
        f"{some} {verb} {percent(one['bound_share'])}",
    ]


def _about(one: JsonObject) -> list[str]:
    """What restricts the figures."""
    chance = [] if one["at_least"] is None else [f"with a probability of at least {one['at_least']:g}"]
    few = [f"tried on {one['tried']:,} of {one['rows']:,} rows"] if one["tried"] < one["rows"] else []
    failed = [f"{one['failed']:,} rows of the run could not be asked about"] if one["failed"] else []
    return [*chance, *few, *failed]

"""The summary of a run as a self-contained page: what explains many predictions.

As in the report of one explanation: no script, no network, and everything from data passes through the templates'
automatic escaping.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from lormika.frames.values import format_exact, format_number, format_value
from lormika.rule import Category, Equals, Interval, Missing
from lormika.types import JsonObject
from lormika.views.html import environment
from lormika.views.summary_actions import group_actions
from lormika.views.summary_labels import labelled_summary
from lormika.views.words import HEADINGS, condition_label, heading, percent

Part = JsonObject  # of a summary
Context = JsonObject  # what a part of the template shows

SHOWN = 5
"""Entries of a list that are seen at once; the others unfold."""

_NOT_TURNED = "No change turned one of these predictions when the model was asked again."
_AT_TARGET = "These predictions are what was asked for already: nothing needs to change."
_COMMON = 1 / 3  # of the rules of a pattern: so many ranges of whole numbers that are the same stand for all


def to_summary(summary: Part) -> str:
    """The page."""
    return environment().get_template("summary.html.j2").render(_context(labelled_summary(summary)))


def _context(summary: Part) -> Context:
    classes, kinds = summary["classes"], list(HEADINGS)
    totals = summary["kinds"]
    turning = totals[Category.COUNTERFACTUAL]
    named = {one["label"]: one for one in classes}
    return {
        "summary": summary,
        "model": _model_name(summary["model"]),
        "kinds": [_kind(kind) | {"share": _ratio(totals[kind]["rows"], summary["explained"])} for kind in kinds],
        "classes": [_class(one, kinds) for one in classes],
        "leading": [_leading(one, named) for one in summary["details"][:2]],
        "failures": summary["failures"],
        "turned": _turned(summary),
        "counterfactuals": {"rules": turning["tested"], "share": _ratio(turning["kept"], turning["tested"])},
        "group_actions": None if summary.get("group_actions") is None else group_actions(summary["group_actions"]),
        "directions": _directions([_change(one) for one in summary["changes"]]),
        "columns": [format_value(one["label"]) for one in summary["details"]],
        "matrix": [_matrix_row(row, summary["details"], kinds) for row in summary["matrix"]],
        "sections": [_section(one, named[one["label"]], kinds, _is_target(summary, one)) for one in summary["details"]],
        "shown": SHOWN,
    }


def _turned(summary: Part) -> Context:
    """Rows that some change turned, of those that are not what was asked for already."""
    there = sum(one["rows"] for one in summary["classes"] if _is_target(summary, one))
    target = summary["options"].get("target")
    others, shares = summary["explained"] - there, {"all": _ratio(summary["turned"], summary["explained"])}
    shares["share"] = _ratio(summary["turned"], others)
    return {"of": others, "target": None if target is None else str(target), **shares}


def _is_target(summary: Part, one: Part) -> bool:
    return summary["options"].get("target") is not None and str(one["label"]) == str(summary["options"]["target"])


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _model_name(source: str | None) -> str | None:
    """A file's name alone: its location is nobody's business."""
    return source if source is None or "://" in source else source.replace("\\", "/").rsplit("/", 1)[-1]


def _kind(kind: Category) -> Context:
    """How a kind of rules is shown, whatever the prediction."""
    name = HEADINGS[kind][0].replace(" “{prediction}”", "")
    return {
        "name": name.replace(" …", "\N{NO-BREAK SPACE}…"),
        "term": HEADINGS[kind][1],
        "tone": "for" if kind.is_supporting else "against",
        "fill": "solid" if kind.is_current else "hatched",
    }


def _class(one: Part, kinds: Sequence[Category]) -> Context:
    return {
        "label": format_value(one["label"]),
        "rows": one["rows"],
        "share": one["share"],
        "probability": one["probability"],
        "found": [one["kinds"][kind]["rows"] / one["rows"] for kind in kinds],
        "turned": one["turned"] / one["rows"],
    }


def _leading(detail: Part, named: Mapping[str, Part]) -> Context:
    """What the sentences on top say about a class."""
    why = detail["rules"][Category.CURRENT_SUPPORTING]
    return {
        "label": format_value(detail["label"]),
        "share": named[detail["label"]]["share"],
        "why": _rule(why[0]) if why else None,
        "change": _change(detail["changes"][0]) if detail["changes"] else None,
    }


def _section(detail: Part, one: Part, kinds: Sequence[Category], is_target: bool) -> Context:
    """Everything about a class."""
    bands = [_band(kind, detail, one) for kind in kinds]
    changes = [_change(entry) for entry in detail["changes"]]
    labels = {change["to"] for change in changes}
    bands.append(
        {
            "heading": "What did turn it",
            "consequent": labels.pop() if len(labels) == 1 else None,
            "term": "changes that the model was asked about",
            "tone": "against",
            "fill": "hatched",
            "remarks": [f"turned {percent(one['turned'] / one['rows'])} of the rows"],
            "features": [entry | {"said": percent(entry["share"])} for entry in detail["changed"]],
            "entries": changes,
            "of": "changes",
            "verdict": None,
            "empty": _AT_TARGET if is_target else _NOT_TURNED,
        }
    )
    return {"label": format_value(detail["label"]), "class": one, "bands": bands}


def _band(kind: Category, detail: Part, one: Part) -> Context:
    """The rules of one kind."""
    count = one["kinds"][kind]
    remarks = [f"found for {percent(count['rows'] / one['rows'])} of the rows"]
    labels = {format_value(entry["consequent"]) for entry in detail["rules"][kind]}
    differ = len(labels) > 1 and not kind.is_supporting
    did = "turned it" if kind == Category.COUNTERFACTUAL else "made it more certain"
    if count["tested"]:
        remarks.append(f"{percent(count['kept'] / count['tested'])} of these {count['tested']:,} rules {did}")
    return _kind(kind) | {
        "heading": heading(kind, detail["label"]).replace(" …", "\N{NO-BREAK SPACE}…"),
        "consequent": labels.pop() if len(labels) == 1 and not kind.is_supporting else None,
        "remarks": remarks,
        "features": [entry | {"said": percent(entry["share"])} for entry in detail["features"][kind]],
        "entries": [_rule(entry, differ) for entry in detail["rules"][kind]],
        "of": "rules",
        "verdict": ("turned it" if kind == Category.COUNTERFACTUAL else "more certain") if count["tested"] else None,
        "empty": "No rule of this kind was found.",
    }


def _rule(entry: Part, leads_elsewhere: bool = False) -> Context:
    return {
        "parts": [_condition(condition) for condition in entry["conditions"]],
        "joiner": "and",
        "consequent": format_value(entry["consequent"]) if leads_elsewhere else None,
        "share": entry["share"],
        "rows": entry["rows"],
        "confidence": entry["confidence"],
        "kept": _ratio(entry["kept"], entry["tested"]),
    }


def _condition(condition: Part) -> Context:
    """A condition in words; the ends of its range, if they differ from row to row, by their mean."""
    name = condition["feature"]
    if condition["type"] == "equals":
        label, spread = f"= {condition_label(Equals(name, condition['value']))}", None
    elif condition["type"] == "missing":
        label, spread = f"is {condition_label(Missing(name))}", None
    else:
        label, spread = _range(condition)
        label = _with_unit(label, condition)
    return {"feature": name, "label": label, "spread": spread}


def _with_unit(text: str, part: Part) -> str:
    """Numbers with the unit of their feature, if its labels have one."""
    return f"{text} {part['unit']}" if part.get("unit") else text


def _range(condition: Part) -> tuple[str, str | None]:
    """A range in words, and from where to where its ends go.

    >>> end = {"mean": 0.4212, "least": 0.38, "most": 0.47}
    >>> _range({"feature": "debt", "low": end, "high": None, "integer": False})
    ('≥ ~0.421', '0.38 – 0.47')
    >>> _range({"feature": "age", "low": {"mean": 25.6, "least": 25.5, "most": 25.9}, "high": None, "integer": True})
    ('≥ 26', None)
    >>> low, high = {"mean": 0.9, "least": 0.5, "most": 1.5}, {"mean": 2.1, "least": 1.5, "most": 2.5}
    >>> few = {"feature": "children", "low": low, "high": high, "integer": True}
    >>> _range(few), _range(few | {"common": {"low": 1.0, "high": 2.0, "share": 0.7}})
    (('~1 – ~2', 'from 1 – 2 to 1 – 2'), ('1 – 2', 'from 1 – 2 to 1 – 2'))
    """
    low, high = (_end(condition[name], condition["integer"], upper) for name, upper in (("low", False), ("high", True)))
    if all(end is None or end["least"] == end["most"] for end in (low, high)):
        first, last = (
            limit if condition[name] is None else condition[name]["mean"]
            for name, limit in (("low", -math.inf), ("high", math.inf))
        )
        return condition_label(Interval(condition["feature"], first, last, condition["integer"])), None
    spreads = [None if end is None else _spread(end) for end in (low, high)]
    spread = f"from {spreads[0]} to {spreads[1]}" if low and high else spreads[0] or spreads[1]
    common = condition.get("common")
    if common is not None and common["share"] >= _COMMON:
        first = -math.inf if common["low"] is None else common["low"]
        last = math.inf if common["high"] is None else common["high"] + 1
        return condition_label(Interval(condition["feature"], first, last, integer=True)), spread
    ends = [None if end is None else _said(end) for end in (low, high)]
    if ends[0] is None or ends[1] is None:
        sign = "≤" if condition["integer"] else "<"
        return f"≥ {ends[0]}" if ends[1] is None else f"{sign} {ends[1]}", spread
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} – {ends[1]}", spread


def _end(end: Part | None, integer: bool, upper: bool) -> Part | None:
    """The end of a range as it is written: for whole numbers, the first or the last one inside."""
    if end is None or not integer:
        return end
    return {name: math.ceil(value) - upper for name, value in end.items()}


def _said(end: Part) -> str:
    return format_exact(end["mean"]) if end["least"] == end["most"] else f"~{_brief(end['mean'])}"


def _spread(end: Part) -> str:
    least, most = _brief(end["least"]), _brief(end["most"])
    return least if least == most else f"{least} – {most}"


def _brief(number: float) -> str:
    """A number to three digits, but whole ones in full.

    >>> _brief(0.42123), _brief(51234), _brief(1234.5)
    ('0.421', '51234', '1234')
    """
    return f"{number:.0f}" if abs(number) >= 1000 else format_number(float(f"{number:.3g}"))


def _change(entry: Part) -> Context:
    return {
        "parts": [_step(step) for step in entry["steps"]],
        "joiner": "and",
        "prediction": format_value(entry["prediction"]),
        "to": format_value(entry["to"]),
        "share": entry["share"],
        "rows": entry["rows"],
    }


def _directions(changes: Sequence[Part]) -> list[Context]:
    """Changes by what they turned into what; a direction's shares decrease with its rows, being shares of the same.

    >>> turned = [("a", "b", 9), ("b", "a", 8), ("a", "b", 7)]
    >>> some = [{"prediction": old, "to": new, "rows": rows} for old, new, rows in turned]
    >>> [(one["to"], [change["rows"] for change in one["changes"]]) for one in _directions(some)]
    [('b', [9, 7]), ('a', [8])]
    """
    directions: dict[tuple[str, str], list[Part]] = {}
    for one in changes:
        directions.setdefault((one["prediction"], one["to"]), []).append(one)
    return [{"prediction": old, "to": new, "changes": some} for (old, new), some in directions.items()]


def _step(step: Part) -> Context:
    """What happens to a feature; of numbers, their means before and after."""
    if step["way"] == "to":
        return {"feature": step["feature"], "label": f"→ {format_value(step['value'])}", "spread": None}
    if step["way"] == "given":
        return {"feature": step["feature"], "label": "no longer missing", "spread": None}
    spread = _with_unit(f"{_brief(step['before']['mean'])} → {_brief(step['after']['mean'])}", step)
    return {"feature": step["feature"], "label": "↑" if step["way"] == "up" else "↓", "spread": spread}


def _matrix_row(row: Part, details: Sequence[Part], kinds: Sequence[Category]) -> Context:
    cells = [
        {
            "bars": [_kind(kind) | {"share": share} for kind, share in zip(kinds, shares, strict=True)],
            "text": "; ".join(
                f"{heading(kind, one['label'])} {percent(share)}" for kind, share in zip(kinds, shares, strict=True)
            ),
        }
        for one, shares in zip(details, row["shares"], strict=True)
    ]
    return {"feature": row["feature"], "cells": cells}

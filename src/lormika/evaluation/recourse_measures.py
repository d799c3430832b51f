"""Recourse: what counterfactual rows, or the edits of counterfactual rules, are worth; in the order of the tables."""

from __future__ import annotations

import math

from lormika.evaluation.measure import Measure, Values, each, several
from lormika.evaluation.record import Record

_FIRST = "Of the first counterfactual that is shown, whether it turns the instance or not."
_LEAST = "The least among those shown that turn the instance."
_GOWER = (
    "Mean over features: of a number, the difference as a share of the background's range; of a category, 0 or 1 "
    "(Gower's distance)."
)


def _rows(name: str) -> Values:
    return several(lambda record: record.recourse.get(name, ()))


def _first(name: str) -> Values:
    return several(lambda record: record.recourse.get(name, ())[:1])


def _least(name: str) -> Values:
    def least(record: Record) -> float:
        pairs = zip(record.recourse.get(name, ()), record.recourse.get("valid", ()), strict=True)
        return float(min((value for value, valid in pairs if valid), default=math.nan))

    return each(least)


RECOURSE_MEASURES = (
    Measure(
        "recourse-valid",
        "Recourse: counterfactuals that turn the instance",
        "Share of them: of rows as they are, of rules after the smallest edit that satisfies them.",
        _rows("valid"),
    ),
    Measure(
        "recourse-features-first", "Recourse: features changed, first", _FIRST, _first("changed"), least_is_best=True
    ),
    Measure(
        "recourse-features-least", "Recourse: features changed, least", _LEAST, _least("changed"), least_is_best=True
    ),
    Measure(
        "recourse-distance-first",
        "Recourse: distance to the instance, first",
        f"{_FIRST} {_GOWER}",
        _first("distance"),
        least_is_best=True,
    ),
    Measure(
        "recourse-distance-least",
        "Recourse: distance to the instance, least",
        f"{_LEAST} {_GOWER}",
        _least("distance"),
        least_is_best=True,
    ),
    Measure(
        "recourse-distance-data",
        "Recourse: distance to real data",
        "Of counterfactuals that turn the instance: to the nearest row of the background (of 20,000, if it has more) "
        "to which the model gives the same label. " + _GOWER,
        _rows("to_data"),
        least_is_best=True,
    ),
    Measure(
        "recourse-violations",
        "Recourse: impossible values",
        "Changed values of a counterfactual that are outside the background's range, not whole in a column of whole "
        "numbers, or a category that no row has.",
        _rows("violations"),
        least_is_best=True,
    ),
)

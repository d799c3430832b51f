"""Measure: what a table shows, and how it is computed from the records of an instance."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lormika.evaluation import measures
from lormika.evaluation.record import Record

Values = Callable[[Sequence[Record]], list[float]]
"""From the records of one instance, one per run, to the values that are averaged."""


@dataclass(frozen=True, slots=True)
class Measure:
    """What a table shows."""

    name: str
    title: str
    note: str
    values: Values
    published: str | None = None  # its name in the paper's tables
    least_is_best: bool = False
    needs: Callable[[Record], bool] | None = None  # explainers without any such record are left out


def each(value: Callable[[Record], float]) -> Values:
    """One value per record."""
    return lambda records: [value(record) for record in records]


def several(values: Callable[[Record], Sequence[float | None]]) -> Values:
    """All values of all records, such as one for each rule; None stands for no value."""
    return lambda records: [float(value) for record in records for value in values(record) if value is not None]


def agreement(features: Callable[[Record], Sequence[str] | None]) -> Values:
    """Mean Jaccard coefficient of sets of features, over the pairs of runs; None if the record has no such set."""

    def values(records: Sequence[Record]) -> list[float]:
        return [measures.stability([features(record) or None for record in records])]

    return values


def or_nan(value: float | None) -> float:
    """NaN for no value: means leave it out."""
    return math.nan if value is None else float(value)

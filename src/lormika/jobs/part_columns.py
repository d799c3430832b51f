"""The columns of a run's two tables: one of rules, one of instances."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeVar

from lormika.explanation import Explanation, Failure
from lormika.rule import Category, Rule
from lormika.views import rule_columns
from lormika.views.column import Column, ListOf, Type

T = TypeVar("T")


class RowResult(NamedTuple):
    """The result for a row."""

    row: int  # of the data file
    id: str | None
    result: Explanation | Failure


class RankedRule(NamedTuple):
    """A rule about a row."""

    row: int
    id: str | None
    explanation: Explanation
    rank: int
    rule: Rule


_ROW, _ID = (
    "number of the row in the data file, from 0; also with `--where`",
    "value of the `--id` column; null without",
)
_PREDICTION = "class that the model predicts"


def _by_name(columns: Iterable[Column[T]]) -> dict[str, Column[T]]:
    return {column.name: column for column in columns}


def _of_rule(column: Column[Rule]) -> Column[RankedRule]:
    return Column(column.name, column.type, lambda ranked: column.of(ranked.rule), column.about, column.has_missing)


def _of_explanation(name: str, kind: Type, of: Callable[[Explanation], object], about: str) -> Column[RowResult]:
    """A column that has no value for a row that failed."""

    def value(row: RowResult) -> object:
        if isinstance(row.result, Explanation):
            return of(row.result)
        return [] if isinstance(kind, ListOf) else None

    return Column(name, kind, value, about)


def _count_kind(category: Category) -> Callable[[Explanation], int]:
    return lambda why: sum(rule.category == category for rule in why.rules)


def _count_turned(why: Explanation) -> int:
    return sum(rule.rerun is not None and rule.rerun.turned for rule in why.counterfactual)


RULES: dict[str, Column[RankedRule]] = _by_name(
    (
        Column("row", "int64", lambda ranked: ranked.row, _ROW),
        Column("id", "string", lambda ranked: ranked.id, _ID),
        Column("prediction", "class", lambda ranked: ranked.explanation.prediction, _PREDICTION),
        Column("rank", "int32", lambda ranked: ranked.rank, "place of the rule in the explanation of the row, from 0"),
        *map(_of_rule, rule_columns.FRAME),
        *map(_of_rule, rule_columns.DETAILS),
    )
)
"""Columns of the table of rules: one row for each rule."""

INSTANCES: dict[str, Column[RowResult]] = _by_name(
    (
        Column("row", "int64", lambda row: row.row, _ROW),
        Column("id", "string", lambda row: row.id, _ID),
        _of_explanation("prediction", "class", lambda why: why.prediction, _PREDICTION),
        _of_explanation(
            "probability",
            "float64",
            lambda why: why.probability,
            "probability of the prediction; null if the model gives none",
        ),
        _of_explanation(
            "value", "float64", lambda why: why.value, "value that a regressor predicts; null of a classifier"
        ),
        Column(
            "error",
            "string",
            lambda row: row.result.reason if isinstance(row.result, Failure) else None,
            "why the row could not be explained; null if it was",
        ),
        *(
            _of_explanation(category.value, "int32", _count_kind(category), "number of rules of this kind")
            for category in Category
        ),
        _of_explanation(
            "turned", "int32", _count_turned, "hypothetical contradicting rules whose change turned the prediction"
        ),
        _of_explanation("selected", "int32", lambda why: why.neighbourhood.selected, "real rows of the sample"),
        _of_explanation("generated", "int32", lambda why: why.neighbourhood.generated, "generated rows of the sample"),
        _of_explanation(
            "notes",
            ListOf("string"),
            lambda why: [note.text for note in why.notes],
            "sentences: why a kind is empty, what was clipped …",
        ),
        _of_explanation(
            "effects",
            ListOf("string"),
            lambda why: [effect.feature for effect in why.effects if effect.effect > 0],
            "features that the prediction depends on, the largest effect first; empty without confirmation",
        ),
        _of_explanation(
            "effect_sizes",
            ListOf("float64"),
            lambda why: [effect.effect for effect in why.effects if effect.effect > 0],
            "sizes of these effects, in the same order",
        ),
        _of_explanation(
            "singles",
            "int32",
            lambda why: why.asked and why.asked.singles,
            "changes of one feature that the model was asked about; null without confirmation",
        ),
        _of_explanation(
            "pairs",
            "int32",
            lambda why: why.asked and why.asked.pairs,
            "changes of two features that the model was asked about; null without confirmation",
        ),
        _of_explanation(
            "calls",
            "int32",
            lambda why: why.asked and why.asked.calls,
            "calls of the model for this row alone; null without confirmation",
        ),
    )
)
"""Columns of the table of instances: one row for each row of the data file."""

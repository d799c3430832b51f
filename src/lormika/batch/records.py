"""Explanations as rows of two tables: one of rules, one of instances."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from lormika.explanation import Explanation, Failure
from lormika.payload import dump_rule
from lormika.rule import Category, Rule
from lormika.values import Scalar

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

RULES = {
    "row": "int64",  # of the input, from 0
    "rank": "int32",  # among the rules of the row, from 0, in the order of the explanation
    "category": "string",
    "consequent": "string",  # the class, as `label_text` writes it
    "rule": "string",  # in words
    "features": "list<string>",
    "conditions": "string",  # JSON, as in an explanation's payload
    "rows": "int32",  # of the sample; then those that match the conditions, have the class, and both
    "antecedent": "int32",
    "consequent_rows": "int32",
    "both": "int32",
    "real_rows": "int32",  # the same on the real rows of the sample alone
    "real_antecedent": "int32",
    "real_consequent_rows": "int32",
    "real_both": "int32",
    "score": "float64",
    "p_value": "float64",
    "edits": "string",  # JSON: the smallest change that makes a hypothetical rule true; null for a current one
    "rerun_label": "string",
    "rerun_prediction_probability": "float64",  # of the prediction of the row as it is, not of the new label
    "turned": "bool",
}
"""Columns of the table of rules, and their types."""

INSTANCES = {
    "row": "int64",
    "id": "string",  # of the column that was named as id
    "prediction": "string",
    "probability": "float64",
    "error": "string",  # why the row could not be explained; null if it was
    "current_supporting": "int32",  # how many rules of each kind were found
    "current_contradicting": "int32",
    "hypothetical_supporting": "int32",
    "hypothetical_contradicting": "int32",
    "turned": "int32",  # how many of the hypothetical contradicting ones turned the row
    "selected": "int32",  # real rows in the sample
    "generated": "int32",
    "notes": "list<string>",
}
"""Columns of the table of instances, and their types."""


def label_text(label: Scalar | None) -> str | None:
    """A class as text, so that classes of any type fit into one column.

    >>> label_text("High"), label_text(1), label_text(True), label_text(0.5)
    ('High', '1', 'true', '0.5')
    """
    return label if label is None or isinstance(label, str) else json.dumps(label)


def rule_rows(row: int, result: Explanation | Failure) -> Iterable[dict[str, Any]]:
    """Rows of the table of rules."""
    return (_rule_row(row, rank, rule) for rank, rule in enumerate(result.rules))


def _rule_row(row: int, rank: int, rule: Rule) -> dict[str, Any]:
    payload, real, rerun = dump_rule(rule), rule.real, rule.rerun
    return {
        "row": row,
        "rank": rank,
        "category": payload["category"],
        "consequent": label_text(rule.consequent),
        "rule": str(rule),
        "features": list(rule.features),
        "conditions": _compact(payload["conditions"]),
        "rows": rule.counts.rows,
        "antecedent": rule.counts.antecedent,
        "consequent_rows": rule.counts.consequent,
        "both": rule.counts.both,
        "real_rows": None if real is None else real.rows,
        "real_antecedent": None if real is None else real.antecedent,
        "real_consequent_rows": None if real is None else real.consequent,
        "real_both": None if real is None else real.both,
        "score": rule.score,
        "p_value": None if math.isnan(rule.p_value) else rule.p_value,
        "edits": None if rerun is None else _compact(payload["rerun"]["edits"]),
        "rerun_label": None if rerun is None else label_text(rerun.label),
        "rerun_prediction_probability": None if rerun is None else rerun.probability,
        "turned": None if rerun is None else rerun.turned,
    }


def instance_row(row: int, identifier: str | None, result: Explanation | Failure) -> dict[str, Any]:
    """A row of the table of instances."""
    empty = dict.fromkeys(INSTANCES)
    if isinstance(result, Failure):
        return empty | {"row": row, "id": identifier, "error": result.reason, "notes": []}
    kinds = [rule.category for rule in result.rules]
    return empty | {
        "row": row,
        "id": identifier,
        "prediction": label_text(result.prediction),
        "probability": result.probability,
        **{category.value: kinds.count(category) for category in Category},
        "turned": sum(1 for rule in result.counterfactual if rule.rerun is not None and rule.rerun.turned),
        "selected": result.neighbourhood.selected,
        "generated": result.neighbourhood.generated,
        "notes": list(result.notes),
    }


def identifiers(frame: pd.DataFrame, column: str | None) -> list[str | None]:
    """Names of the rows of a frame, from a column that may lack some."""
    if column is None:
        return [None] * len(frame)
    return [None if missing else str(name) for name, missing in zip(frame[column], frame[column].isna(), strict=True)]


def to_table(rows: Iterable[Mapping[str, Any]], columns: Mapping[str, str]) -> pa.Table:
    """An Arrow table of these columns."""
    import pyarrow as pa

    types = {"list<string>": pa.list_(pa.string()), "bool": pa.bool_()}
    schema = pa.schema([(name, types.get(kind) or pa.type_for_alias(kind)) for name, kind in columns.items()])
    return pa.Table.from_pylist([dict(row) for row in rows], schema=schema)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))

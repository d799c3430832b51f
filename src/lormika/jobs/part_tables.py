"""Explanations as rows of two tables: one of rules, one of instances."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from lormika.explanation import Explanation, Failure
from lormika.frames.values import Scalar
from lormika.rule import Category, Check, Rerun, Rule
from lormika.views.payload import dump_rule

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

RULES = {
    "row": "int64",  # of the data file, from 0
    "id": "string",  # of the column that was named as id
    "prediction": "string",  # a class, here and below, as `label_text` writes it
    "rank": "int32",  # among the rules of the row, from 0, in the order of the explanation
    # From here to `weak`: the names and meanings of `Explanation.to_frame`.
    "category": "string",
    "rule": "string",  # in words
    "consequent": "string",
    "conditions": "int32",  # how many
    "support": "float64",
    "coverage": "float64",
    "confidence": "float64",
    "lift": "float64",
    "leverage": "float64",
    "score": "float64",  # the objective, m-estimate included
    "p_value": "float64",
    "rows": "int32",  # of the sample that match the conditions
    "real_rows": "int32",  # those of them that are no generated ones
    "edit": "string",  # the smallest change that makes a hypothetical rule true; null for a current one
    "rerun_label": "string",
    "rerun_prediction_probability": "float64",  # of the prediction of the row as it is, not of the new label
    "turned": "bool",
    "asked": "int32",  # changed rows that the model was asked about to confirm the rule; null, as the next three: none
    "agreed": "int32",  # those for which the model did what the rule says
    "before": "float64",  # certainty of the prediction: of the row as it is, and on average over the changed ones
    "after": "float64",
    "weak": "bool",  # only the answers of the model support it
    # All else that a rule is made of.
    "features": "list<string>",
    "conditions_json": "string",  # as in an explanation's payload
    "edits_json": "string",
    "sample_rows": "int32",  # all rows of the sample; then those that have the class, and those that match both
    "consequent_rows": "int32",
    "both_rows": "int32",
    "real_sample_rows": "int32",  # the same of the real rows alone
    "real_consequent_rows": "int32",
    "real_both_rows": "int32",
}
"""Columns of the table of rules, and their types."""

INSTANCES = {
    "row": "int64",  # of the data file, from 0
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
    "effects": "list<string>",  # features that the prediction depends on, the largest effect first
    "effect_sizes": "list<float64>",  # of these features
    "singles": "int32",  # changes of one feature that the model was asked about; null, as the next two: none
    "pairs": "int32",  # changes of two
    "calls": "int32",  # of the model, for this row alone
}
"""Columns of the table of instances, and their types."""


def label_text(label: Scalar | None) -> str | None:
    """A class as text, so that classes of any type fit into one column.

    >>> label_text("High"), label_text(1), label_text(True), label_text(0.5)
    ('High', '1', 'true', '0.5')
    """
    return label if label is None or isinstance(label, str) else json.dumps(label)


def rule_rows(row: int, identifier: str | None, result: Explanation | Failure) -> Iterator[dict[str, Any]]:
    """Rows of the table of rules."""
    if isinstance(result, Explanation):
        about = {"row": row, "id": identifier, "prediction": label_text(result.prediction)}
        for rank, rule in enumerate(result.rules):
            yield about | {"rank": rank} | _rule(rule)


def _rule(rule: Rule) -> dict[str, Any]:
    payload, counts, real = dump_rule(rule), rule.counts, rule.real
    return {
        "category": payload["category"],
        "rule": str(rule),
        "consequent": label_text(rule.consequent),
        "conditions": len(rule.conditions),
        **{name: _number(getattr(rule, name)) for name in _MEASURES},
        "p_value": _number(rule.p_value),
        "rows": counts.antecedent,
        "real_rows": None if real is None else real.antecedent,
        **_rerun(rule.rerun),
        **_check(rule.check),
        "weak": rule.weak,
        "features": list(rule.features),
        "conditions_json": _compact(payload["conditions"]),
        "edits_json": None if rule.rerun is None else _compact(payload["rerun"]["edits"]),
        "sample_rows": counts.rows,
        "consequent_rows": counts.consequent,
        "both_rows": counts.both,
        "real_sample_rows": None if real is None else real.rows,
        "real_consequent_rows": None if real is None else real.consequent,
        "real_both_rows": None if real is None else real.both,
    }


def _rerun(rerun: Rerun | None) -> dict[str, Any]:
    return {
        "edit": None if rerun is None else str(rerun),
        "rerun_label": None if rerun is None else label_text(rerun.label),
        "rerun_prediction_probability": None if rerun is None else rerun.probability,
        "turned": None if rerun is None else rerun.turned,
    }


def _check(check: Check | None) -> dict[str, Any]:
    return dict.fromkeys(("asked", "agreed", "before", "after")) if check is None else asdict(check)


def _number(value: float) -> float | None:
    """A measure; null if it is not defined, as the confidence of a rule that no row of the sample matches."""
    return None if math.isnan(value) else value


_MEASURES = ("support", "coverage", "confidence", "lift", "leverage", "score")


def instance_row(row: int, identifier: str | None, result: Explanation | Failure) -> dict[str, Any]:
    """A row of the table of instances."""
    empty = dict.fromkeys(INSTANCES)
    if isinstance(result, Failure):
        nothing: dict[str, Any] = {"notes": [], "effects": [], "effect_sizes": []}
        return empty | {"row": row, "id": identifier, "error": result.reason} | nothing
    kinds = [rule.category for rule in result.rules]
    effects = [effect for effect in result.effects if effect.effect > 0]
    asked = result.asked
    return empty | {
        "row": row,
        "id": identifier,
        "prediction": label_text(result.prediction),
        "probability": result.probability,
        **{category.value: kinds.count(category) for category in Category},
        "turned": sum(1 for rule in result.counterfactual if rule.rerun is not None and rule.rerun.turned),
        "selected": result.neighbourhood.selected,
        "generated": result.neighbourhood.generated,
        "notes": [note.text for note in result.notes],
        "effects": [effect.feature for effect in effects],
        "effect_sizes": [effect.effect for effect in effects],
        "singles": None if asked is None else asked.singles,
        "pairs": None if asked is None else asked.pairs,
        "calls": None if asked is None else asked.calls,
    }


def identifiers(frame: pd.DataFrame, column: str | None) -> list[str | None]:
    """Names of the rows of a frame, from a column that may lack some."""
    if column is None:
        return [None] * len(frame)
    return [None if missing else str(name) for name, missing in zip(frame[column], frame[column].isna(), strict=True)]


def to_table(rows: Iterable[Mapping[str, Any]], columns: Mapping[str, str]) -> pa.Table:
    """An Arrow table of these columns."""
    import pyarrow as pa

    types = {"list<string>": pa.list_(pa.string()), "list<float64>": pa.list_(pa.float64()), "bool": pa.bool_()}
    schema = pa.schema([(name, types.get(kind) or pa.type_for_alias(kind)) for name, kind in columns.items()])
    return pa.Table.from_pylist([dict(row) for row in rows], schema=schema)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))

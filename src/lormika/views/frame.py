"""Rules as a table."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lormika.rule import Rule

if TYPE_CHECKING:
    import pandas as pd


def to_frame(rules: Iterable[Rule]) -> pd.DataFrame:
    """One row per rule, in their order."""
    import pandas as pd

    rows = []
    for rule in rules:
        rerun, real, check = rule.rerun, rule.real, rule.check
        rows.append(
            {
                "category": None if rule.category is None else rule.category.value,
                "rule": str(rule),
                "consequent": rule.consequent,
                "conditions": len(rule.conditions),
                "support": rule.support,
                "coverage": rule.coverage,
                "confidence": rule.confidence,
                "lift": rule.lift,
                "leverage": rule.leverage,
                "score": rule.score,
                "p_value": rule.p_value,
                "rows": rule.counts.antecedent,
                "real_rows": None if real is None else real.antecedent,
                "edit": None if rerun is None else str(rerun),
                "rerun_label": None if rerun is None else rerun.label,
                "rerun_prediction_probability": None if rerun is None else rerun.probability,
                "turned": None if rerun is None else rerun.turned,
                "asked": None if check is None else check.asked,
                "agreed": None if check is None else check.agreed,
                "before": None if check is None else check.before,
                "after": None if check is None else check.after,
                "weak": rule.weak,
            }
        )
    # Column by column, since pandas would turn whole numbers beside missing ones into fractions.
    return pd.DataFrame({name: pd.Series([row[name] for row in rows], dtype=kind) for name, kind in _COLUMNS.items()})


def to_csv(rules: Iterable[Rule], path: Path) -> None:
    """Write the table to a file in which a spreadsheet finds no formula to run.

    Names and categories come from data: text that would begin a formula is written after an apostrophe.
    """
    import pandas as pd

    frame = to_frame(rules)
    for name, kind in _COLUMNS.items():
        if kind == "object":
            frame[name] = pd.Series(list(map(_harmless, frame[name])), dtype="object")
    frame.to_csv(path, index=False, lineterminator="\r\n")  # otherwise a carriage return in a text begins a new row


def _harmless(value: Any) -> Any:
    """Text that no spreadsheet takes for a formula; numbers as they are.

    >>> _harmless("=1+1"), _harmless(" @x"), _harmless("a=1"), _harmless(-1)
    ("'=1+1", "' @x", 'a=1', -1)
    """
    if not isinstance(value, str):
        return value
    visible = "".join(filter(str.isprintable, value)).lstrip()
    return f"'{value}" if visible.startswith(_SIGNS) or value.startswith(_CONTROLS) else value


_SIGNS = tuple("=+-@＝＋－＠")  # the last four are full-width
_CONTROLS = ("\t", "\r", "\n")

_COLUMNS = {
    "category": "object",
    "rule": "object",
    "consequent": "object",
    "conditions": "int64",
    "support": "float64",
    "coverage": "float64",
    "confidence": "float64",
    "lift": "float64",
    "leverage": "float64",
    "score": "float64",
    "p_value": "float64",
    "rows": "int64",
    "real_rows": "Int64",
    "edit": "object",
    "rerun_label": "object",
    "rerun_prediction_probability": "float64",  # of the prediction of the instance as it is, not of the new label
    "turned": "boolean",
    "asked": "Int64",  # changed instances that the model was asked about to confirm the rule
    "agreed": "Int64",  # those for which it did what the rule says
    "before": "float64",  # certainty of the prediction, in the explanation's unit, and its mean over the changed ones
    "after": "float64",
    "weak": "bool",
}

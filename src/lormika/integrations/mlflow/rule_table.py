"""Rules about the rows of a frame as one table: what a logged explainer predicts."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING

from lormika.checks import check_choice
from lormika.data.alike import typed_alike
from lormika.errors import InputError, ModelError
from lormika.explainer import Explainer
from lormika.explanation import Explanation, Failure
from lormika.jobs.part_columns import RULES, RankedRule
from lormika.types import JsonObject, Keywords
from lormika.views.column import Column
from lormika.views.rule_columns import FRAME

if TYPE_CHECKING:
    import pandas as pd

COLUMNS: tuple[Column[RankedRule], ...] = tuple(
    RULES[name] for name in ("row", "prediction", "rank", *(column.name for column in FRAME))
)
"""Columns of the table: those of `Explanation.to_frame`, and which row and prediction a rule is about."""

_OPTIONS = ("k", "objective", "target", "at_least", "spread", "on_error")


class RulesModel:
    """An explainer as MLflow asks a model: a frame in, a table of rules out."""

    def __init__(self, explainer: Explainer) -> None:
        self.explainer = explainer

    def predict(self, rows: pd.DataFrame, params: JsonObject | None = None) -> pd.DataFrame:
        """One row for each rule, in the order of the rows and of their explanations; `row` counts them from 0.

        `params` are options of `explain`: `k`, `objective`, `target`, `at_least` and `spread`; and `on_error`: with
        `raise`, a row that cannot be explained is an error; with `record`, it has no rules, and a warning says why.
        """
        options: Keywords = {name: value for name, value in (params or {}).items() if value is not None}
        for name in options:
            if name not in _OPTIONS:
                raise InputError(f"params: there is no {name!r}; choose from {', '.join(_OPTIONS)}")
        on_error = options.pop("on_error", "raise")
        check_choice("on_error", on_error, ["record", "raise"])
        schema = self.explainer.schema
        lacking = [name for name in schema.names if name not in rows.columns]
        if lacking:
            raise InputError(f"the rows lack the column {lacking[0]!r}")
        alike = typed_alike(rows[list(schema.names)], schema)
        results = list(self.explainer.explain_many(alike, progress=False, **options))
        _tell_failures(results, on_error)
        return make_table(results)


def make_table(results: Iterable[Explanation | Failure]) -> pd.DataFrame:
    """The rules of some explanations."""
    import pandas as pd

    ranked = [
        RankedRule(row, None, why, rank, rule)
        for row, why in enumerate(results)
        if isinstance(why, Explanation)
        for rank, rule in enumerate(why.rules)
    ]
    return pd.DataFrame(
        {column.name: pd.Series(list(map(column.of, ranked)), dtype=column.frame_type) for column in COLUMNS}
    )


def _tell_failures(results: list[Explanation | Failure], on_error: str) -> None:
    failed = [one for one in results if isinstance(one, Failure)]
    if not failed:
        return
    first = f"row {failed[0].row} cannot be explained: {failed[0].reason}"
    if on_error == "raise":
        raise ModelError(f'{first} (params={{"on_error": "record"}} leaves such rows out)')
    warnings.warn(f"{len(failed):,} of {len(results):,} rows have no rules; {first}", stacklevel=3)

"""What a logged explainer takes and gives, as MLflow writes it down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lormika.explainer import Explainer
from lormika.frames.feature import Feature
from lormika.frames.values import Scalar
from lormika.integrations.mlflow.extra import require
from lormika.integrations.mlflow.rule_table import COLUMNS
from lormika.types import UserTable
from lormika.views.column import Column

if TYPE_CHECKING:
    import pandas as pd
    from mlflow.models import ModelSignature

_TYPES = {"int64": "long", "Int64": "long", "float64": "double", "bool": "boolean", "boolean": "boolean"}


def make_signature(explainer: Explainer) -> ModelSignature:
    """Columns of the rows, columns of the rules, and options of the search."""
    require()
    from mlflow.models import ModelSignature
    from mlflow.types import ParamSchema, ParamSpec, Schema

    search = explainer.search_options
    options = [
        ParamSpec("k", "long", search.k),
        ParamSpec("objective", "string", search.objective),
        ParamSpec("target", _of_values(explainer.model.names) or "string", search.target),
        ParamSpec("at_least", "double", search.at_least),
        ParamSpec("spread", "boolean", search.spread),
        ParamSpec("on_error", "string", "raise"),
    ]
    return ModelSignature(
        inputs=Schema([_input(feature) for feature in explainer.schema.features]),
        outputs=Schema([_output(column, explainer.model.names) for column in COLUMNS]),
        params=ParamSchema(options),
    )


def make_example(explainer: Explainer, given: UserTable | bool) -> UserTable | None:
    """Rows that show how to ask; by default the first of the background."""
    if given is False:
        return None
    if given is not True:
        return given
    row = explainer.schema.decode(explainer.background.rows(np.zeros(1, dtype=np.intp))[0])
    return _one_row(row)


def _one_row(row: dict[str, Scalar | None]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame({name: [value] for name, value in row.items()})


def _input(feature: Feature) -> Any:
    """A column of the rows; any will do where MLflow would refuse frames like the background.

    It knows no whole numbers of which some are missing, no types that list categories, and no mixed ones.
    """
    from mlflow.types import ColSpec
    from mlflow.types.schema import AnyType

    if feature.categories is not None:
        kind = None if feature.lists_categories else _of_values(feature.categories)
    elif feature.integer:
        kind = None if feature.restorer.holds_missing else "long"
    else:
        kind = "double"
    return ColSpec(AnyType() if kind is None else kind, feature.name)


def _output(column: Column[Any], classes: tuple[Scalar, ...]) -> Any:
    from mlflow.types import ColSpec

    kind = _of_values(classes) if column.type == "class" else None
    return ColSpec(kind or _TYPES.get(column.frame_type, "string"), column.name)


def _of_values(values: tuple[Scalar, ...]) -> str | None:
    """MLflow's type of some values; None: it has none for all of them.

    >>> _of_values(("a", "b")), _of_values((0, 1)), _of_values((True, False)), _of_values((1, 2.5))
    ('string', 'long', 'boolean', 'double')
    >>> _of_values(("a", 1))
    """
    kinds = {type(value) for value in values}
    if not kinds or kinds == {str}:
        return "string"
    if kinds == {bool}:
        return "boolean"
    return "long" if kinds == {int} else "double" if kinds <= {int, float} else None

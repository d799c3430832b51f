"""Types as in another table: a single cell that is not a number turns a whole column of a file into text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from lormika.data.typed_columns import parse_numbers, parse_truths
from lormika.frames.feature import Feature
from lormika.frames.schema import Schema
from lormika.frames.values import Scalar

if TYPE_CHECKING:
    import pandas as pd


def typed_alike(frame: pd.DataFrame, schema: Schema, *, decimal_comma: bool = False) -> pd.DataFrame:
    """Read texts one by one as numbers or booleans where the schema has these; other values stay as they are.

    Examples
    --------
    >>> from lormika import Explainer, datasets
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = datasets.make_loans(300)
    >>> numbers = X[["income", "debt_ratio", "missed_payments"]]
    >>> explainer = Explainer(DecisionTreeClassifier(max_depth=4, random_state=0).fit(numbers, y), numbers)
    >>> typed_alike(numbers.head(1).astype(str), explainer.schema)["income"].tolist() == [numbers["income"][0]]
    True
    """
    from pandas.api.types import is_object_dtype, is_string_dtype

    typed = {}
    for feature in schema.features:
        kind = value_kind(feature)
        if kind != "text" and feature.name in frame.columns:
            column = frame[feature.name]
            if is_string_dtype(column) or is_object_dtype(column):
                typed[feature.name] = _values_among(column, kind, decimal_comma)
    return frame.assign(**typed) if typed else frame


def value_kind(feature: Feature) -> Literal["number", "truth", "text"]:
    """What the values of a feature are."""
    categories = feature.categories
    if categories is None:
        return "number"
    if not categories or any(isinstance(value, str) for value in categories):
        return "text"
    return "truth" if all(isinstance(value, bool) for value in categories) else "number"


def _values_among(column: pd.Series, kind: str, decimal_comma: bool) -> pd.Series:
    """A column with its numbers, or booleans, converted.

    >>> import pandas as pd
    >>> _values_among(pd.Series(["18", "abc", " 2.5 "]), "number", False).tolist()
    [18, 'abc', 2.5]
    >>> _values_among(pd.Series(["1,5", "abc", "2"]), "number", True).tolist()
    [1.5, 'abc', 2]
    >>> _values_among(pd.Series(["True", "abc", "false"]), "truth", False).tolist()
    [True, 'abc', False]
    """
    words = {value for value in column.dropna() if isinstance(value, str)}
    values: Mapping[str, Scalar] = parse_truths(words) if kind == "truth" else parse_numbers(words, decimal_comma)
    return column.astype(object).map(lambda value: values.get(value, value), na_action="ignore").infer_objects()

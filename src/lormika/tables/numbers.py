"""Numbers among texts: one cell that is none makes a whole column of a file text, although another file has numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lormika.schema import Schema
from lormika.tables.columns import parse_numbers

if TYPE_CHECKING:
    import pandas as pd


def as_numbers(frame: pd.DataFrame, schema: Schema, *, decimal_comma: bool = False) -> pd.DataFrame:
    """Read texts as numbers one by one where the schema has numbers; what is none stays, and is refused by itself."""
    from pandas.api.types import is_object_dtype, is_string_dtype

    numeric = [feature.name for feature in schema.features if feature.is_numeric and feature.name in frame.columns]
    texts = [name for name in numeric if is_string_dtype(frame[name]) or is_object_dtype(frame[name])]
    return frame.assign(**{name: _numbers_among(frame[name], decimal_comma) for name in texts}) if texts else frame


def _numbers_among(column: pd.Series[Any], decimal_comma: bool) -> pd.Series[Any]:
    """A column with its numbers as such.

    >>> import pandas as pd
    >>> _numbers_among(pd.Series(["18", "abc", " 2.5 "]), False).tolist()
    [18, 'abc', 2.5]
    >>> _numbers_among(pd.Series(["1,5", "abc", "2"]), True).tolist()
    [1.5, 'abc', 2]
    """
    words = {value for value in column.dropna() if isinstance(value, str)}
    numbers = parse_numbers(words, decimal_comma)
    return column.astype(object).map(lambda value: numbers.get(value, value), na_action="ignore").infer_objects()

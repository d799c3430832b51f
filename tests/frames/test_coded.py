"""Columns read by their different values are what they are value by value, in every library."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draws import examples
from lormika import InputError, frames

TEXTS = st.lists(st.none() | st.sampled_from(["a", "b", "", "é", "zebra", "10"]) | st.text(max_size=3), max_size=20)
WHOLE = st.lists(st.none() | st.integers(-3, 3), max_size=20)
TRUTHS = st.lists(st.none() | st.booleans(), max_size=20)
MIXED = st.lists(
    st.none() | st.sampled_from([1, True, 1.0, "1", 0, False, float("nan"), np.str_("x"), np.int64(3)]), max_size=20
)


def chunked(values: list, kind: pa.DataType) -> pa.Table:
    """In pieces, whose dictionaries differ."""
    pieces = [values[:7], values[7:8], values[8:]]
    return pa.table({"c": pa.chunked_array([pa.array(piece, type=kind) for piece in pieces], type=kind)})


def dictionary(values: list) -> pa.Table:
    pieces = [pa.array(piece, type=pa.string()).dictionary_encode() for piece in (values[:7], values[7:8], values[8:])]
    return pa.table({"c": pa.chunked_array(pieces)})


LIBRARIES = {
    "pandas objects": (TEXTS, lambda v: pd.DataFrame({"c": pd.Series(v, dtype=object)})),
    "pandas texts": (TEXTS, lambda v: pd.DataFrame({"c": pd.Series(v, dtype="string")})),
    "pandas categories": (TEXTS, lambda v: pd.DataFrame({"c": pd.Categorical(v)})),
    "pandas truths": (TRUTHS, lambda v: pd.DataFrame({"c": pd.Series(v, dtype="boolean")})),
    "pandas whole numbers": (WHOLE, lambda v: pd.DataFrame({"c": pd.Series(v, dtype="Int64")})),
    "pandas, all sorts": (MIXED, lambda v: pd.DataFrame({"c": pd.Series(v, dtype=object)})),
    "polars texts": (TEXTS, lambda v: pl.DataFrame({"c": pl.Series(v, dtype=pl.String)})),
    "polars categories": (TEXTS, lambda v: pl.DataFrame({"c": pl.Series(v, dtype=pl.String).cast(pl.Categorical)})),
    "polars truths": (TRUTHS, lambda v: pl.DataFrame({"c": pl.Series(v, dtype=pl.Boolean)})),
    "polars whole numbers": (WHOLE, lambda v: pl.DataFrame({"c": pl.Series(v, dtype=pl.Int16)})),
    "arrow texts": (TEXTS, lambda v: chunked(v, pa.string())),
    "arrow dictionary": (TEXTS, dictionary),
    "arrow truths": (TRUTHS, lambda v: chunked(v, pa.bool_())),
    "arrow whole numbers": (WHOLE, lambda v: chunked(v, pa.int32())),
    "lists": (MIXED, lambda v: {"c": v}),
    "objects": (MIXED, lambda v: np.array([*v, None], dtype=object)[:-1, None]),
}


@pytest.mark.parametrize("library", LIBRARIES)
@settings(max_examples=examples(40))
@given(data=st.data())
def test_as_value_by_value(library, data):
    values, make = LIBRARIES[library]
    (column,) = frames.read(make(data.draw(values))).columns.values()
    objects = column.objects()
    distinct, codes = column.coded()
    found = [None if code < 0 else distinct[code] for code in codes.tolist()]
    assert found == objects
    assert list(map(type, found)) == list(map(type, objects))
    assert len({(type(value), value) for value in distinct}) == len(distinct)


@pytest.mark.parametrize("array", [np.array(["b", "a", "b"]), np.array([True, False]), np.array([3, 1, 3])])
def test_arrays(array):
    (column,) = frames.read(array[:, None]).columns.values()
    distinct, codes = column.coded()
    assert [distinct[code] for code in codes] == array.tolist()


@pytest.mark.parametrize("value", [["a"], {"a": 1}, pd.Timestamp("2026-01-01"), 10**400, b"a"])
def test_what_is_no_value_is_found_by_its_row(value):
    (column,) = frames.read({"c": ["a", "b", value]}).columns.values()
    with pytest.raises(InputError, match="column 'c', row 2"):
        column.coded()
    (column,) = frames.read(pd.DataFrame({"c": pd.Series(["a", "b", value], dtype=object)})).columns.values()
    with pytest.raises(InputError, match="column 'c', row 2"):
        column.coded()

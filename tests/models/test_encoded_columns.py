"""Encoded rows through a ColumnTransformer without a frame: the same cells as the transformer itself gives."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import (
    FunctionTransformer,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    QuantileTransformer,
    StandardScaler,
)

import naive
from draws import examples
from lormika import _core, frames
from lormika.frames.schema import read_schema
from lormika.models.columns import CannotReadError, Columns, dense

TEXTS, TRUTHS, NUMBERS = ["job", "town", "code"], ["owner"], ["age", "debts", "score"]


def make_table(seed: int, n_rows: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "job": rng.choice(["cook", "clerk", "none"], n_rows),
            "age": rng.integers(18, 90, n_rows),
            "town": pd.Series(rng.choice(["A", "B", "C", "D", "E"], n_rows, p=[0.6, 0.2, 0.1, 0.05, 0.05])),
            "owner": rng.random(n_rows) < 0.5,
            "debts": np.where(rng.random(n_rows) < 0.2, np.nan, rng.normal(size=n_rows)),
            "code": pd.Categorical(rng.choice(["x", "y"], n_rows), categories=["y", "x"]),
            "score": rng.normal(size=n_rows).round(1),
        }
    )


def with_gaps(table: pd.DataFrame, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return table.assign(**{name: table[name].mask(rng.random(len(table)) < 0.2) for name in ("job", "town")})


OF_TEXTS = [
    lambda: OneHotEncoder(),
    lambda: OneHotEncoder(drop="first", sparse_output=False),
    lambda: OneHotEncoder(drop="if_binary", min_frequency=0.1, handle_unknown="infrequent_if_exist"),
    lambda: OneHotEncoder(handle_unknown="ignore", max_categories=3),
    lambda: OrdinalEncoder(),
    lambda: OrdinalEncoder(encoded_missing_value=-1),
    lambda: make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore")),
    lambda: make_pipeline(SimpleImputer(strategy="constant", fill_value="?"), OrdinalEncoder(), StandardScaler()),
    lambda: make_pipeline(OneHotEncoder(), StandardScaler(with_mean=False)),
    lambda: "drop",
]
OF_NUMBERS = [
    lambda: "passthrough",
    lambda: StandardScaler(),
    lambda: SimpleImputer(add_indicator=True),
    lambda: make_pipeline(SimpleImputer(strategy="median"), MinMaxScaler(), PolynomialFeatures(2)),
    lambda: make_pipeline("passthrough", make_pipeline(SimpleImputer(), QuantileTransformer(n_quantiles=5))),
    lambda: "drop",
]


@st.composite
def transformers(draw):
    """Texts and numbers, each parted between two transformers, in any order."""
    parts = [("truths", draw(st.sampled_from(["passthrough", "drop", OrdinalEncoder()])), TRUTHS)]
    for name, columns, kinds in (("texts", TEXTS, OF_TEXTS), ("numbers", NUMBERS, OF_NUMBERS)):
        split = draw(st.integers(0, len(columns)))
        for number, some in enumerate([columns[:split], columns[split:]]):
            parts.append((f"{name} {number}", draw(st.sampled_from(kinds))(), some))
    return ColumnTransformer(draw(st.permutations(parts)), sparse_threshold=draw(st.sampled_from([0, 1])))


@settings(max_examples=examples(150))
@given(transformer=transformers(), seed=st.integers(0, 1000), gaps=st.booleans())
def test_the_same_cells_as_the_transformer_gives(transformer, seed, gaps):
    table = make_table(seed)
    frame = with_gaps(table, seed) if gaps else table
    assume(transformer.fit_transform(frame).shape[1] > 0)  # not everything is dropped
    schema = read_schema(frames.read(frame), None)
    expected, rows = dense(transformer.transform(frame)), schema.encode(frame)
    columns = Columns(transformer, schema)
    for some in (slice(0, 3), slice(0, None), slice(None, None, -1)):  # categories are learnt as they come
        np.testing.assert_array_equal(columns.transform(rows[some]), expected[some])


def test_arrays_have_columns_by_position():
    table = np.column_stack([np.arange(20.0) % 4, np.arange(20.0) ** 2, np.arange(20.0) % 3])
    transformer = make_column_transformer((OneHotEncoder(), [2]), (StandardScaler(), [1]), remainder="passthrough").fit(
        table
    )
    schema = read_schema(frames.read(table), [2])
    np.testing.assert_array_equal(
        Columns(transformer, schema).transform(schema.encode(table)), transformer.transform(table)
    )


def test_columns_that_the_transformer_does_not_know_and_any_order():
    table = make_table(0)
    transformer = make_column_transformer((OneHotEncoder(), ["town", "job"]), ("passthrough", ["score"])).fit(table)
    wider = table[table.columns[::-1]].assign(more=1.0)
    schema = read_schema(frames.read(wider), None)
    np.testing.assert_array_equal(
        Columns(transformer, schema).transform(schema.encode(wider)), dense(transformer.transform(table))
    )


class Doubled(TransformerMixin, BaseEstimator):
    """Of somebody else."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return 2.0 * np.asarray(X)


@pytest.mark.parametrize(
    "parts",
    [
        [("own", Doubled(), NUMBERS)],
        [("own inside", make_pipeline(SimpleImputer(), Doubled()), ["age"])],
        [("function", FunctionTransformer(np.abs), NUMBERS)],
        [("checks", FunctionTransformer(validate=True), ["age"])],
        [("function in a union", make_union(FunctionTransformer(np.abs)), NUMBERS)],
        [("nested", make_column_transformer((FunctionTransformer(np.abs), ["age"])), NUMBERS)],
        [("texts", CountVectorizer(token_pattern="."), "code")],
        [("mixed", OneHotEncoder(), ["job", "age"])],
        [("encoded twice", make_pipeline(OneHotEncoder(sparse_output=False), OneHotEncoder()), TEXTS)],
        [("indicator", make_pipeline(SimpleImputer(strategy="most_frequent", add_indicator=True)), ["job", "town"])],
    ],
    ids=lambda parts: parts[0][0],
)
def test_what_is_not_known_to_treat_one_cell_at_a_time_is_read_from_a_frame(parts):
    table = with_gaps(make_table(1), 1)
    transformer = ColumnTransformer(parts).fit(table)
    with pytest.raises(CannotReadError):
        Columns(transformer, read_schema(frames.read(table), None))


@pytest.mark.parametrize("kind", ["int8", "float32", "Int64", "Float64", "polars"])
def test_numbers_of_other_types_are_read_from_a_frame(kind):
    table = make_table(1)
    transformer = make_column_transformer(("passthrough", ["age"])).fit(table)
    frame = pl.from_pandas(table) if kind == "polars" else table.astype({"age": kind})
    with pytest.raises(CannotReadError):
        Columns(transformer, read_schema(frames.read(frame), None))


def test_many_outputs_that_are_sparse_are_left_so():
    table = pd.DataFrame({"name": [f"n{number}" for number in range(300)] * 2})
    schema = read_schema(frames.read(table), None)
    assert Columns(make_column_transformer((OneHotEncoder(sparse_output=False), ["name"])).fit(table), schema)
    with pytest.raises(CannotReadError):
        Columns(make_column_transformer((OneHotEncoder(), ["name"])).fit(table), schema)


def test_a_method_put_into_an_object_weights_and_frames_as_outputs():
    table = make_table(1)
    schema = read_schema(frames.read(table), None)
    fitted = make_column_transformer((StandardScaler(), NUMBERS)).fit(table)
    fitted.transformers_[0][1].transform = lambda X: X
    with pytest.raises(CannotReadError):
        Columns(fitted, schema)
    weighted = ColumnTransformer([("a", StandardScaler(), NUMBERS)], transformer_weights={"a": 2.0}).fit(table)
    with pytest.raises(CannotReadError):
        Columns(weighted, schema)
    framed = make_column_transformer((OneHotEncoder(sparse_output=False), ["job"])).set_output(transform="pandas")
    with pytest.raises(CannotReadError):
        Columns(framed.fit(table), schema).transform(schema.encode(table))


SCALERS = {
    "imputer": SimpleImputer(),
    "most frequent": SimpleImputer(strategy="most_frequent"),
    "scaler": StandardScaler(),
    "centred": StandardScaler(with_std=False),
    "divided": StandardScaler(with_mean=False),
    "both": make_pipeline(SimpleImputer(strategy="median"), "passthrough", StandardScaler()),
}


@pytest.mark.parametrize("name", SCALERS)
def test_numbers_that_are_all_there_need_no_transformer(name, monkeypatch):
    table = with_gaps(make_table(4), 4)[NUMBERS].astype(float)
    transformer = make_column_transformer((clone(SCALERS[name]), NUMBERS)).fit(table)
    whole = table.dropna()
    expected, schema = transformer.transform(whole), read_schema(frames.read(table), None)
    columns, asked = Columns(transformer, schema), []
    for kind in (SimpleImputer, StandardScaler):
        monkeypatch.setattr(kind, "transform", lambda self, X, own=kind.transform: asked.append(self) or own(self, X))
    np.testing.assert_array_equal(columns.transform(schema.encode(whole)), expected)
    assert asked == []
    gaps = columns.transform(schema.encode(table))
    assert asked  # the transformer itself, about gaps
    np.testing.assert_array_equal(gaps, transformer.transform(table))


@pytest.mark.parametrize(
    ("imputer", "debts"),
    [
        (SimpleImputer(add_indicator=True), np.nan),
        (SimpleImputer(missing_values=3.0), 3.0),
        (SimpleImputer(), np.nan),  # it leaves out a column without a number
    ],
)
def test_imputers_that_do_more_are_asked_themselves(imputer, debts):
    fitted = pd.DataFrame({"debts": debts, "score": np.arange(9.0)})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about that column
        transformer = make_column_transformer((imputer, ["debts", "score"])).fit(fitted)
        table = fitted.assign(debts=5.0)
        schema = read_schema(frames.read(table), None)
        expected = transformer.transform(table)
        np.testing.assert_array_equal(Columns(transformer, schema).transform(schema.encode(table)), expected)


@pytest.mark.parametrize(("dtype", "missing", "is_read"), [(int, -1, False), (float, -1, True), (int, np.nan, True)])
def test_gaps_among_integers_are_filled_by_the_imputer_itself(dtype, missing, is_read):
    """A mean among integers loses its decimals, which encoded rows, all floats, would not show."""
    table = pd.DataFrame({"debts": np.array([-1, 0, 1, 2, 4], dtype=dtype)})
    schema = read_schema(frames.read(table), None)
    transformer = make_column_transformer((SimpleImputer(missing_values=missing), ["debts"])).fit(table)
    if not is_read:
        with pytest.raises(CannotReadError):
            Columns(transformer, schema)
        return
    outputs = Columns(transformer, schema).transform(schema.encode(table))
    assert outputs.tolist() == dense(transformer.transform(table)).tolist()


def test_a_category_that_the_transformer_refuses_is_its_own_error():
    table = make_table(2)
    transformer = make_column_transformer((OneHotEncoder(), ["job"])).fit(table[table["job"] != "cook"])
    schema = read_schema(frames.read(table), None)
    with pytest.raises(ValueError, match="unknown categories"):
        Columns(transformer, schema).transform(schema.encode(table))


@settings(max_examples=examples(100))
@given(data=st.data(), n_rows=st.integers(0, 6), sizes=st.lists(st.tuples(st.integers(1, 4), st.integers(0, 3))))
def test_categories_become_what_stands_in_their_tables(data, n_rows, sizes):
    values = st.sampled_from([0.0, 1.0, 2.0, 3.0, 9.0, math.nan])
    n_features, width = len(sizes) + 1, sum(width for _, width in sizes) + 1
    features = data.draw(st.permutations(range(n_features)))[: len(sizes)]
    firsts = np.cumsum([0, *(own for _, own in sizes)])[:-1].tolist()
    rows = [[data.draw(values) for _ in range(n_features)] for _ in range(n_rows)]
    tables = [[[100 * c + 10 * p + o for o in range(own)] for p in range(size)] for c, (size, own) in enumerate(sizes)]
    expected = [[-1.0] * width for _ in rows]
    occurs = naive.fill_in(rows, list(zip(features, firsts, strict=True)), tables, expected)
    outputs = np.full((n_rows, width), -1.0)
    cells = [(f, size, first, own) for f, first, (size, own) in zip(features, firsts, sizes, strict=True)]
    flat = np.array([value for table in tables for place in table for value in place], dtype=float)
    arguments = np.reshape(rows, (n_rows, n_features)), np.array(cells, dtype=np.int64).reshape(-1, 4), flat
    assert _core.fill_in(*arguments, outputs).tolist() == [mark for own in occurs for mark in own]
    assert outputs.tolist() == expected


@pytest.mark.parametrize(
    ("cells", "rows", "size", "outputs"),
    [
        ([(1, 2, 0, 1)], [[0.0]], 2, (1, 1)),
        ([(-1, 2, 0, 1)], [[0.0]], 2, (1, 1)),
        ([(0, 0, 0, 1)], [[0.0]], 0, (1, 1)),
        ([(0, 2, 0, 2)], [[0.0]], 4, (1, 1)),
        ([(0, 2, -1, 1)], [[0.0]], 2, (1, 1)),
        ([(0, 2, 0, 1)], [[-1.0]], 2, (1, 1)),
        ([(0, 2, 0, 1)], [[0.0]], 3, (1, 1)),
        ([(0, 2, 0, 1)], [[0.0]], 2, (2, 1)),
        ([(0, 2, 0)], [[0.0]], 2, (1, 1)),
        ([(0, 1, 2**63 - 1, 1)], [[0.0]], 1, (1, 1)),  # sums would be too large for a number
        ([(0, 2**62, 0, 0)] * 4, [[0.0]], 0, (1, 1)),
        ([(0, 2**31 - 1, 0, 1)] * 2, [[0.0]], 2, (1, 1)),
    ],
)
def test_cells_that_do_not_fit_are_refused(cells, rows, size, outputs):
    with pytest.raises(ValueError, match=r"range|fit|one row|four"):
        _core.fill_in(np.array(rows), np.array(cells, dtype=np.int64), np.zeros(size), np.zeros(outputs))


@settings(max_examples=examples(100))
@given(data=st.data(), n_rows=st.integers(0, 5), n_columns=st.integers(0, 5))
def test_what_is_not_zero_is_kept(data, n_rows, n_columns):
    values = st.sampled_from([0.0, -0.0, 0.0, 1.5, -2.0, math.inf, math.nan])
    table = [[data.draw(values) for _ in range(n_columns)] for _ in range(n_rows)]
    found = _core.without_zeros(np.reshape(np.array(table, dtype=float), (n_rows, n_columns)))
    assert repr([array.tolist() for array in found]) == repr(list(naive.without_zeros(table)))

"""The model sees a table like the background, whatever the library: same kind, types, category lists, missing marks."""

from __future__ import annotations

import datetime
import decimal
import pickle
import re
from typing import Any

import cloudpickle
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from lormika import Explainer, Explanation, InputError, datasets, frames
from lormika.frames.schema import Schema, read_schema

ROWS = 60
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
NULLABLE = [name.replace("int", "Int").replace("uInt", "UInt") for name in INTEGERS]


def cycle(*values: Any) -> list[Any]:
    """These values again and again: every row of a background with few different ones."""
    return [values[i % len(values)] for i in range(ROWS)]


# One column of each type that a table can have, as the user would make it.

PANDAS = {
    **{name: pd.Series(cycle(1, 2, 3), dtype=name) for name in [*INTEGERS, "float16", "float32", "float64"]},
    **{name: pd.Series(cycle(1, None, 3), dtype=name) for name in [*NULLABLE, "Float32", "Float64"]},
    **{f"{name}[pyarrow]": pd.Series(cycle(1, None, 3), dtype=f"{name}[pyarrow]") for name in [*INTEGERS, "double"]},
    "float64 with NaN": pd.Series(cycle(0.5, np.nan, -1.25)),
    "bool": pd.Series(cycle(True, False)),
    "boolean": pd.Series(cycle(True, None, False), dtype="boolean"),
    "bool[pyarrow]": pd.Series(cycle(True, None, False), dtype="bool[pyarrow]"),
    "str": pd.Series(cycle("x", None, "y"), dtype="str"),
    "string": pd.Series(cycle("x", None, ""), dtype="string"),
    "string[python]": pd.Series(cycle("x", None, "y"), dtype="string[python]"),
    "string[pyarrow]": pd.Series(cycle("x", None, "y"), dtype=pd.ArrowDtype(pa.string())),
    "object of strings with None": pd.Series(cycle("x", None, "y"), dtype=object),
    "object of strings with NaN": pd.Series(cycle("x", np.nan, "y"), dtype=object),
    "object of strings with NA": pd.Series(cycle("x", pd.NA, "y"), dtype=object),
    "object of strings": pd.Series(cycle("x", "y"), dtype=object),
    "object of booleans": pd.Series(cycle(True, None, False), dtype=object),
    "object of numbers and strings": pd.Series(cycle(1, "1", 2.5, None), dtype=object),
    "category": pd.Series(pd.Categorical(cycle("b", None, "a"), categories=["c", "b", "a"])),
    "ordered category": pd.Series(pd.Categorical(cycle("b", "a"), categories=["c", "b", "a"], ordered=True)),
    "category of integers": pd.Series(pd.Categorical(cycle(1, None, 2), categories=[3, 2, 1])),
    "category of booleans": pd.Series(pd.Categorical(cycle(True, None, False))),
    "category of numbers and strings": pd.Series(pd.Categorical(cycle(1, "1"), categories=["1", 1])),
    "dictionary[pyarrow]": pd.Series(cycle("b", None, "a"), dtype=pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))),
    "missing throughout": pd.Series(cycle(np.nan)),
    "object missing throughout": pd.Series(cycle(None), dtype=object),
}
POLARS = {
    **{name: pl.Series(cycle(1, None, 3), dtype=getattr(pl, name)) for name in [*NULLABLE, "Float32", "Float64"]},
    "Float64 with NaN": pl.Series(cycle(0.5, float("nan"), -1.25)),
    "Boolean": pl.Series(cycle(True, None, False)),
    "String": pl.Series(cycle("x", None, "")),
    "Categorical": pl.Series(cycle("b", None, "a"), dtype=pl.Categorical),
    "Enum": pl.Series(cycle("b", None, "a"), dtype=pl.Enum(["c", "b", "a"])),
}
ARROW = {
    **{name: pa.array(cycle(1, None, 3), type=getattr(pa, name)()) for name in [*INTEGERS, "float32", "float64"]},
    "float64 with NaN": pa.array(cycle(0.5, float("nan"), -1.25)),
    "bool": pa.array(cycle(True, None, False)),
    "string": pa.array(cycle("x", None, "")),
    "large_string": pa.array(cycle("x", None, ""), type=pa.large_string()),
    "string_view": pa.array(cycle("x", None, ""), type=pa.string_view()),
    "dictionary": pa.array(cycle("b", None, "a")).dictionary_encode(),
    "dictionary of integers": pa.array(cycle(5, None, 3)).dictionary_encode(),
    "ordered dictionary": pa.DictionaryArray.from_arrays(
        pa.array(cycle(0, None, 2), type=pa.int8()), pa.array(["c", "b", "a"]), ordered=True
    ),
    "dictionary in two chunks": pa.chunked_array(
        [pa.array(["x", "y"] * 20).dictionary_encode(), pa.array(["z", "y"] * 10).dictionary_encode()]
    ),
}
ARRAYS = {
    **{name: np.array(cycle(1, 2, 3), dtype=name) for name in [*INTEGERS, "float32", "float64"]},
    "float64 with NaN": np.array(cycle(0.5, np.nan, -1.25)),
    "bool": np.array(cycle(True, False)),
    "str": np.array(cycle("x", "yy", "")),
    "object": np.array(cycle("x", None, "y"), dtype=object),
    "object of integers": np.array(cycle(1, 7, 3), dtype=object),
}


def beside_numbers(kind: str, column: Any) -> Any:
    """A table of the column and a number that decides the label."""
    n = [i / 10 for i in range(ROWS)]
    match kind:
        case "pandas":
            return pd.DataFrame({"column": column, "n": n})
        case "polars":
            return pl.DataFrame({"column": column, "n": n})
        case "pyarrow":
            return pa.table({"column": column, "n": n})
    return np.stack([column, column], axis=1)  # an array has one type


KINDS = {"pandas": PANDAS, "polars": POLARS, "pyarrow": ARROW, "numpy": ARRAYS}
TABLES = [
    pytest.param(beside_numbers(kind, column), id=f"{kind} {name}")
    for kind, columns in KINDS.items()
    for name, column in columns.items()
]


def layout(table: Any) -> Any:
    """All that makes two tables the same kind: library, column order, types, category lists."""
    match table:
        case pd.DataFrame():
            lists = [list(t.categories) if isinstance(t, pd.CategoricalDtype) else None for t in table.dtypes]
            return list(table.columns), list(table.dtypes), lists
        case pl.DataFrame():
            return table.schema
        case pa.Table():
            columns = [column.unify_dictionaries() for column in table.columns if pa.types.is_dictionary(column.type)]
            return table.schema, [column.chunk(0).dictionary.to_pylist() for column in columns]
    return type(table), table.dtype, table.shape[1]


def cells(table: Any) -> str:
    """All values, with their Python types and missing marks to be seen."""
    match table:
        case pd.DataFrame():
            return repr([table[name].tolist() for name in table.columns])
        case pl.DataFrame():
            return repr(list(table.to_dict(as_series=False).values()))
        case pa.Table():
            return repr(list(table.to_pydict().values()))
    return repr(table.tolist())


def read(table: Any, categorical: list[str] | None = None) -> Schema:
    return read_schema(frames.read(table), categorical)


def assert_round_trip(table: Any, categorical: list[str] | None = None) -> None:
    schema = read(table, categorical)
    restored = schema.restore(schema.encode(table))
    assert layout(restored) == layout(table)
    assert cells(restored) == cells(table)


@pytest.mark.parametrize("table", TABLES)
def test_a_table_comes_back_as_it_was(table):
    assert_round_trip(table)


@pytest.mark.parametrize("table", TABLES)
def test_a_column_made_categorical_comes_back_as_it_was(table):
    name = "x0" if isinstance(table, np.ndarray) else "column"
    assert_round_trip(table, [name])
    assert read(table, [name]).features[0].categories is not None


class Recorder:
    """A model that keeps the tables it is called with."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def __call__(self, table: Any) -> np.ndarray:
        self.seen.append(table)
        return np.where(np.asarray(table["n"]) > 2, "high", "low")


@pytest.mark.parametrize("table", [case for case in TABLES if not isinstance(case.values[0], np.ndarray)])
def test_the_model_sees_tables_like_the_background(table):
    model = Recorder()
    explainer = Explainer(model, table, n_generated=50, min_neighbours=10)
    explanation = explainer.explain(first_row(table))
    assert len(model.seen) >= 2  # the background, and the instance with its neighbourhood
    assert [layout(seen) for seen in model.seen] == [layout(table)] * len(model.seen)
    assert cells(first_row(model.seen[1])) == cells(first_row(table))
    assert layout(explanation.sample.rows) == layout(table)


def first_row(table: Any) -> Any:
    return table.slice(0, 1) if isinstance(table, pa.Table) else table[:1]


@pytest.mark.parametrize("dtype", [*INTEGERS, "float32", "float64", object])
def test_a_model_of_arrays_sees_arrays_of_the_same_type(dtype):
    seen = []

    def model(table: np.ndarray) -> list[bool]:
        seen.append((type(table), table.dtype, table.shape[1]))
        return (table[:, 0] > 30).tolist()

    table = np.arange(2 * ROWS).reshape(-1, 2).astype(dtype)
    Explainer(model, table, n_generated=50, min_neighbours=10).explain(table[3])
    assert set(seen) == {(np.ndarray, np.dtype(dtype), 2)}
    assert len(seen) >= 2


def test_two_kinds_of_missing_marks_in_one_column_become_one():
    for table, wanted in [
        (pl.DataFrame({"a": [1.0, None, float("nan")]}), "[[1.0, None, None]]"),
        (pd.DataFrame({"a": pd.Series(["x", None, np.nan], dtype=object)}), "[['x', None, None]]"),
    ]:
        schema = read(table)
        assert cells(schema.restore(schema.encode(table))) == wanted


# Any table at all


def columns_of(n: int) -> dict[str, st.SearchStrategy[tuple[str, list[Any]]]]:
    """Values of columns that each library has a type for."""

    def column(values: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
        return st.lists(st.none() | values, min_size=n, max_size=n)

    text = st.text(st.characters(codec="utf-8"), max_size=3)
    return {
        "int8": column(st.integers(-128, 127)),
        "uint16": column(st.integers(0, 2**16 - 1)),
        "int64": column(st.integers(-(2**53) + 1, 2**53 - 1)),
        "uint64": column(st.integers(0, 2**53 - 1)),
        "float32": column(st.floats(width=32, allow_nan=False, allow_infinity=False)),
        "float64": column(st.floats(allow_nan=False, allow_infinity=False)),
        "bool": column(st.booleans()),
        "string": column(text),
        "category": column(st.sampled_from(["a", "b", ""])),
    }


def build(kind: str, name: str, values: list[Any]) -> Any:
    if kind == "pandas":
        nullable = {"int8": "Int8", "uint16": "UInt16", "int64": "Int64", "uint64": "UInt64", "bool": "boolean"}
        if name == "category":
            return pd.Series(pd.Categorical(values, categories=["", "b", "a"]))
        return pd.Series(values, dtype=nullable.get(name, name))
    if kind == "polars":
        types = {"uint16": pl.UInt16, "uint64": pl.UInt64, "bool": pl.Boolean, "category": pl.Enum(["", "b", "a"])}
        return pl.Series(values, dtype=types.get(name) or getattr(pl, name.capitalize()), strict=False)
    if name == "category":
        return pa.array(values, type=pa.dictionary(pa.int8(), pa.string()))
    return pa.array(values, type=pa.bool_() if name == "bool" else getattr(pa, name)())


@settings(max_examples=60)
@given(data=st.data(), kind=st.sampled_from(["pandas", "polars", "pyarrow"]), n=st.integers(1, 6))
def test_any_table_comes_back_as_it_was(data, kind, n):
    possible = columns_of(n)
    names = data.draw(st.lists(st.sampled_from(sorted(possible)), min_size=1, max_size=4, unique=True))
    columns = {name: build(kind, name, data.draw(possible[name])) for name in names}
    make = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}[kind]
    categorical = data.draw(st.lists(st.sampled_from(names), unique=True))
    # Of floats, 0.0 and -0.0 are one category.
    assert_round_trip(make(columns), [name for name in categorical if not name.startswith("float")])


A_DAY = datetime.date(2020, 2, 29)
TYPED = pd.DataFrame({
    "int64": [1, 2, 3], "int8": np.array([1, 2, 3], dtype="int8"), "float64": [0.5, 1, np.nan],
    "float32": np.array([0.5, 1, 2], dtype="float32"), "codes": [1, 2, 3], "text": ["a", "b", ""],
    "bool": [True, False, True], "mixed": pd.Series([1, "1", True], dtype=object),
})  # fmt: skip
SINGLE = st.sampled_from([
    0, 1, 2, -0.0, 0.5, 1.0, 1.5, 127, 300, 2**53, 2**53 - 1, -(2**53), 2**63, 10**400, 1e300, np.inf, -np.inf, np.nan,
    None, True, False, "a", "", "1", "new", np.int8(1), np.int64(2), np.float32(0.1), np.float64(3), np.bool_(True),
    np.str_("b"), pd.NA, [1], A_DAY, decimal.Decimal(1),
])  # fmt: skip


@settings(max_examples=80)
@given(st.fixed_dictionaries(dict.fromkeys(TYPED, SINGLE)))
def test_the_quick_way_to_read_an_instance_is_the_careful_one(row):
    schema = read_schema(frames.read(TYPED), ["codes"])
    for name in TYPED:  # all other values are usual ones
        only = TYPED.iloc[0].to_dict() | {name: row[name]}
        try:
            wanted = schema.read({column: [value] for column, value in only.items()})
        except InputError as error:
            with pytest.raises(InputError, match=re.escape(str(error))):
                schema.read_instance(only)
            continue
        found = schema.read_instance(only)
        np.testing.assert_array_equal(found.rows, wanted.rows)
        assert found.unseen == wanted.unseen


# What is refused


REFUSED = {
    "pandas datetime": pd.DataFrame({"when": pd.to_datetime([A_DAY])}),
    "pandas datetime with zone": pd.DataFrame({"when": pd.to_datetime([A_DAY]).tz_localize("UTC")}),
    "pandas timedelta": pd.DataFrame({"when": pd.to_timedelta([1], unit="D")}),
    "pandas period": pd.DataFrame({"when": pd.period_range("2020", periods=1, freq="M")}),
    "pandas dates": pd.DataFrame({"when": [A_DAY]}),
    "pandas lists": pd.DataFrame({"when": [[1, 2]]}),
    "pandas decimals": pd.DataFrame({"when": [decimal.Decimal("1.5")]}),
    "pandas sparse": pd.DataFrame({"when": pd.arrays.SparseArray([0, 1])}),
    "pandas complex": pd.DataFrame({"when": [1j]}),
    "pandas category of dates": pd.DataFrame({"when": pd.Categorical(pd.to_datetime([A_DAY]))}),
    "pandas category of intervals": pd.DataFrame({"when": pd.cut([1, 2, 3], 2)}),
    "polars date": pl.DataFrame({"when": [A_DAY]}),
    "polars datetime": pl.DataFrame({"when": [datetime.datetime(2020, 2, 29)]}),
    "polars duration": pl.DataFrame({"when": [datetime.timedelta(1)]}),
    "polars list": pl.DataFrame({"when": [[1, 2]]}),
    "polars decimal": pl.DataFrame({"when": [decimal.Decimal("1.5")]}),
    "polars struct": pl.DataFrame({"when": [{"year": 2020}]}),
    "polars null": pl.DataFrame({"when": [None]}),
    "pyarrow date": pa.table({"when": [A_DAY]}),
    "pyarrow timestamp": pa.table({"when": [datetime.datetime(2020, 2, 29)]}),
    "pyarrow duration": pa.table({"when": [datetime.timedelta(1)]}),
    "pyarrow list": pa.table({"when": [[1, 2]]}),
    "pyarrow decimal": pa.table({"when": [decimal.Decimal("1.5")]}),
    "pyarrow binary": pa.table({"when": [b"x"]}),
    "dict of dates": {"when": [A_DAY]},
}


@pytest.mark.parametrize("table", REFUSED.values(), ids=REFUSED)
def test_a_type_that_is_no_feature_is_refused_by_name_with_advice(table):
    with pytest.raises(InputError, match=r"column 'when'.*(turn|make).*strings"):
        read(table)


def test_an_array_of_dates_is_refused():
    with pytest.raises(InputError, match="column 'x0' has the type datetime64"):
        read(np.array([["2020-02-29"]], dtype="M8[D]"))


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dict], ids=lambda make: make.__module__)
def test_integers_that_are_not_exact_as_numbers_are_refused_but_not_as_categories(make):
    table = make({"id": [2**53 + 1, 2**60 + 1, 7]})
    with pytest.raises(InputError, match="column 'id'"):
        read(table).encode(table)
    schema = read(table, ["id"])
    assert [schema.decode(row)["id"] for row in schema.encode(table)] == [2**53 + 1, 2**60 + 1, 7]


# Generated rows


@pytest.fixture(scope="module")
def mixed() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "whole": rng.integers(0, 40, 200).astype("uint8"),
            "maybe": pd.array(np.where(rng.random(200) < 0.2, None, rng.integers(-9, 9, 200)), dtype="Int16"),
            "share": rng.random(200).round(2).astype("float32"),
            "rate": np.where(rng.random(200) < 0.1, np.nan, rng.normal(size=200)),
            "job": pd.Categorical(rng.choice(["none", "clerk", "chef"], 200)),
        }
    )


def as_library(table: pd.DataFrame, library: str) -> Any:
    return {"pandas": lambda t: t, "polars": pl.from_pandas, "pyarrow": lambda t: pa.Table.from_pandas(t)}[library](
        table
    )


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("snap", [True, False])
def test_generated_numbers_stay_whole_and_in_range_and_snap_to_observed_ones(mixed, library, snap):
    table = as_library(mixed, library)
    explainer = Explainer(lambda t: np.asarray(t["whole"]) > 20, table, snap=snap, n_generated=400, min_neighbours=15)
    sample = explainer.explain({"whole": 22, "maybe": None, "share": 0.5, "rate": 0.1, "job": "chef"}).sample
    made, real = sample.encoded[~sample.real], sample.encoded[sample.real]
    assert len(made) == 400
    assert len(real) >= 30
    everything = explainer.schema.encode(table)
    for f, name in enumerate(["whole", "maybe", "share", "rate"]):
        observed = np.unique(everything[:, f][~np.isnan(everything[:, f])])
        numbers = made[:, f][~np.isnan(made[:, f])]
        assert observed[0] <= numbers.min(), name
        assert numbers.max() <= observed[-1], name
        if name in ("whole", "maybe"):
            assert (numbers == np.rint(numbers)).all()
        if snap:
            assert np.isin(numbers, observed).all(), name
        elif name == "rate":
            assert not np.isin(numbers, observed).all()
    # What was counted is what the model saw.
    assert layout(sample.rows) == layout(table)
    seen = explainer.schema.encode(sample.rows)
    assert np.array_equal(seen, sample.encoded, equal_nan=True)
    assert np.allclose(seen, sample.encoded, rtol=1e-6, equal_nan=True)


# One instance, many ways to write it


INSTANCE = {"whole": 22, "maybe": -3, "share": 0.25, "rate": 0.125, "job": "chef"}
FORMS = {
    "one-row frame": lambda table: table.iloc[[7]],
    "one-row frame, columns reversed": lambda table: table.iloc[[7], ::-1],
    "one-row polars frame": lambda table: pl.from_pandas(table.iloc[[7]]),
    "one-row arrow table": lambda table: pa.Table.from_pandas(table.iloc[[7]], preserve_index=False),
    "series": lambda table: table.iloc[7],
    "series of another order": lambda table: table.iloc[7][::-1],
    "dict": lambda table: dict(INSTANCE),
    "dict of numpy values": lambda table: INSTANCE | {"whole": np.uint8(22), "share": np.float32(0.25)},
    "dict of whole floats": lambda table: INSTANCE | {"whole": 22.0, "maybe": np.float64(-3)},
    "dict in another order": lambda table: dict(reversed(INSTANCE.items())),
    "list": lambda table: list(INSTANCE.values()),
    "tuple": lambda table: tuple(INSTANCE.values()),
    "named tuple": lambda table: next(table.iloc[[7]].itertuples(index=False)),
    "1-D array": lambda table: np.array(list(INSTANCE.values()), dtype=object),
    "2-D array of one row": lambda table: np.array([list(INSTANCE.values())], dtype=object),
    "row of many": lambda table: table.iloc[5:9][2:3],
}


@pytest.fixture(scope="module")
def in_many_forms(mixed) -> tuple[Explainer, pd.DataFrame, str]:
    table = mixed.copy()
    for name, value in INSTANCE.items():
        table.loc[7, name] = value
    explainer = Explainer(lambda t: t["whole"] > 20, table, n_generated=100, min_neighbours=15)
    return explainer, table, explainer.explain(INSTANCE).to_json()


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_way_to_give_an_instance_gives_the_same_explanation(in_many_forms, form):
    explainer, table, wanted = in_many_forms
    assert explainer.explain(form(table)).to_json() == wanted


@pytest.mark.parametrize("value", [0.1, np.float32(0.1), np.float64(np.float32(0.1))])
def test_a_number_counts_as_the_type_of_its_column_stores_it(mixed, value):
    """0.1 is another number in 32 bits, and that one is what the model sees."""
    explainer = Explainer(lambda t: t["whole"] > 20, mixed, n_generated=50, min_neighbours=15)
    assert explainer.explain(INSTANCE | {"share": value}).instance["share"] == float(np.float32(0.1))


def test_numbers_of_an_array_in_every_form():
    table = np.random.default_rng(0).normal(size=(100, 3)).round(2)
    explainer = Explainer(
        lambda t: t[:, 0] > 0, table, n_generated=50, min_neighbours=10, feature_names=["a", "b", "c"]
    )
    forms = [
        table[4],
        table[[4]],
        table[4].tolist(),
        dict(zip("abc", table[4], strict=True)),
        pd.Series(table[4], list("abc")),
    ]
    assert len({explainer.explain(form).to_json() for form in forms}) == 1


# Names


def test_columns_named_by_numbers_keep_their_names():
    seen = []

    def model(table: pd.DataFrame) -> pd.Series:
        seen.append(table.columns.tolist())
        return table[10] > 30

    table = pd.DataFrame({10: range(ROWS), 7: cycle("a", "b"), 2: cycle(1, 2, 3)})
    explainer = Explainer(model, table, n_generated=50, min_neighbours=10, categorical=[2])
    assert [feature.is_numeric for feature in explainer.schema.features] == [True, False, False]
    wanted = explainer.explain(table.iloc[[3]]).to_json()
    for form in (table.iloc[3], {10: 3, 7: "b", 2: 1}, {"10": 3, "7": "b", "2": 1}, [3, "b", 1]):
        assert explainer.explain(form).to_json() == wanted
    assert all(names == [10, 7, 2] for names in seen)


def test_columns_of_an_array_are_categorical_by_position():
    table = np.array([cycle(1, 2, 3), range(ROWS)]).T
    assert [f.is_numeric for f in read(table, [0]).features] == [False, True]
    assert [f.is_numeric for f in read(table, np.array([1])).features] == [True, False]


def test_two_levels_of_column_names_are_kept():
    columns = pd.MultiIndex.from_tuples([("person", "age"), ("person", "job")])
    table = pd.DataFrame({0: range(ROWS), 1: cycle("a", "b")}).set_axis(columns, axis=1)
    explainer = Explainer(lambda t: t[("person", "age")] > 30, table, n_generated=50, min_neighbours=10)
    explanation = explainer.explain(table.iloc[[40]])
    assert explanation.prediction is True
    assert explanation.sample.rows.columns.equals(columns)
    assert explanation.to_json() == explainer.explain(table.iloc[40]).to_json()


class LoanTable(pd.DataFrame):
    """Users derive from pandas' class."""

    @property
    def _constructor(self) -> type[LoanTable]:
        return LoanTable


def test_a_class_derived_from_a_frame_is_a_frame():
    assert_round_trip(LoanTable({"a": [1, 2], "b": ["x", "y"]}))


# Other processes


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "numpy"])
@pytest.mark.parametrize("pickler", [pickle, cloudpickle], ids=lambda module: module.__name__)
def test_an_explainer_travels_and_explains_the_same(library, pickler):
    X, y = datasets.make_loans(300)
    X = X[["income", "debt_ratio", "missed_payments"]]
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X.to_numpy(), y)
    if library == "numpy":
        explainer = Explainer(model, X.to_numpy(), feature_names=list(X), n_generated=100)
    else:
        explainer = Explainer(OnArrays(model, list(X)), as_library(X, library), n_generated=100)
    instance = X.iloc[0].to_dict()
    again = pickler.loads(pickler.dumps(explainer))
    assert again.explain(instance).to_json() == explainer.explain(instance).to_json()


class OnArrays:
    """A model of arrays, asked with frames of any library."""

    def __init__(self, model: Any, names: list[str]) -> None:
        self.model, self.names = model, names

    def predict_proba(self, table: Any) -> np.ndarray:
        return self.model.predict_proba(np.stack([np.asarray(table[name]) for name in self.names], axis=1))


@pytest.mark.parametrize("table", TABLES)
def test_the_schema_of_every_table_travels(table):
    schema = pickle.loads(pickle.dumps(read(table)))
    assert cells(schema.restore(schema.encode(table))) == cells(table)


def test_an_explanation_travels_with_its_sample():
    X, y = datasets.make_loans(200)
    model = DecisionTreeClassifier(max_depth=3).fit(X[["income"]], y)
    explanation = Explainer(model, X[["income"]], n_generated=50).explain({"income": 30})
    again: Explanation = pickle.loads(pickle.dumps(explanation))
    assert again.to_json() == explanation.to_json()
    assert again.sample.rows.equals(explanation.sample.rows)

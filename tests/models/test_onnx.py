"""Real ONNX files, exported from scikit-learn, and some that cannot be explained."""

from __future__ import annotations

from functools import cache

import numpy as np
import onnx
import pandas as pd
import polars as pl
import pytest
from loans import DECISIONS, MIXED, NUMBERS, TABLE, assert_same, explain, fails, forest, mixed_forest, refuses
from onnx import TensorProto, helper
from skl2onnx import to_onnx
from skl2onnx.common.data_types import FloatTensorType, StringTensorType
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB

from lormika import models

FLOAT32 = 1e-6  # ONNX adds up the trees' votes in float32


@cache
def numeric(zipmap: bool = True) -> bytes:
    return exported(forest(), zipmap)


def exported(model, zipmap: bool | None = True) -> bytes:
    options = {} if zipmap is None else {id(model): {"zipmap": zipmap}}
    table = TABLE.to_numpy(dtype=np.float32)[:1]
    return to_onnx(model, table, options=options, target_opset=17).SerializeToString()


@cache
def mixed(zipmap: bool = True) -> bytes:
    kinds = [(name, FloatTensorType([None, 1]) if name in NUMBERS else StringTensorType([None, 1])) for name in MIXED]
    model = mixed_forest()
    options = {id(model.steps[-1][1]): {"zipmap": zipmap}}
    return to_onnx(model, initial_types=kinds, options=options, target_opset=17).SerializeToString()


@pytest.fixture
def load(tmp_path):
    def load(content: bytes, **options):
        path = tmp_path / "model.onnx"
        path.write_bytes(content)
        return models.load(path, **options)

    return load


@pytest.mark.parametrize("zipmap", [True, False])
def test_one_tensor_gives_the_same_rules_as_in_python(load, zipmap):
    model = load(numeric(zipmap))
    assert model.classes_ == ("accepted", "rejected")
    assert model.feature_names_in_ is None
    assert_same(explain(model), explain(forest()), FLOAT32)


@pytest.mark.parametrize("zipmap", [True, False])
def test_an_input_per_column_gives_the_same_rules_as_in_python(load, zipmap):
    model = load(mixed(zipmap))
    assert model.feature_names_in_ == list(MIXED)
    assert_same(explain(model, MIXED), explain(mixed_forest(), MIXED), FLOAT32)


def test_isolated(load):
    with load(mixed(), isolate=True) as model:
        assert model.feature_names_in_ == list(MIXED)
        assert_same(explain(model, MIXED), explain(load(mixed()), MIXED))


def test_the_order_of_the_columns_is_the_models(load):
    model = load(mixed())
    shuffled = MIXED[list(MIXED)[::-1]]
    np.testing.assert_array_equal(model.predict(shuffled), model.predict(MIXED))
    np.testing.assert_array_equal(model.predict(pl.from_pandas(shuffled)), model.predict(MIXED))


@pytest.mark.parametrize("zipmap", [True, False])
@pytest.mark.parametrize("labels", [DECISIONS, (DECISIONS == "rejected").astype(int) + 5])
@pytest.mark.parametrize("kind", [LogisticRegression, GaussianNB])
def test_the_classes_are_found_wherever_they_are(load, zipmap, labels, kind):
    """An operator for classifiers lists them; others choose from a list of them, or name them at the end."""
    model = kind().fit(TABLE.to_numpy(), labels)
    loaded = load(exported(model, zipmap))
    assert list(loaded.classes_) == model.classes_.tolist()
    np.testing.assert_allclose(loaded.predict_proba(TABLE), model.predict_proba(TABLE.to_numpy()), atol=1e-4)
    assert set(loaded.predict(TABLE)) <= set(loaded.classes_)


def test_labels_without_probabilities(load):
    loaded = load(graph_of_labels())
    assert loaded.predict_proba is None
    assert loaded.predict(TABLE[["age", "income"]]).shape == (len(TABLE),)


def graph_of_labels(labels: tuple[str, ...] = ("a", "b")) -> bytes:
    """Labels from the larger of two columns, named by a LabelEncoder."""
    nodes = [
        helper.make_node("ArgMax", ["X"], ["number"], axis=1, keepdims=0),
        helper.make_node(
            "LabelEncoder", ["number"], ["label"], domain="ai.onnx.ml",
            keys_int64s=list(range(len(labels))), values_strings=list(labels),
        ),
    ]  # fmt: skip
    return graph(nodes, [("X", TensorProto.FLOAT, [None, 2])], [("label", TensorProto.STRING, [None])])


def graph(nodes, inputs, outputs, constants=()) -> bytes:
    made = helper.make_graph(
        nodes, "g",
        [helper.make_tensor_value_info(*one) for one in inputs],
        [helper.make_tensor_value_info(*one) for one in outputs],
        list(constants),
    )  # fmt: skip
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    return helper.make_model(made, opset_imports=opsets, ir_version=8).SerializeToString()


def test_names_of_a_label_encoder(load):
    assert load(graph_of_labels()).classes_ == ("a", "b")


def softmax(shape=(None, 2), output=(None, 2)) -> bytes:
    nodes = [helper.make_node("Softmax", ["X"], ["y"], axis=1)]
    return graph(nodes, [("X", TensorProto.FLOAT, list(shape))], [("y", TensorProto.FLOAT, list(output))])


def test_a_network_without_names_of_classes(load):
    model = load(softmax())
    assert model.classes_ is None
    assert model.predict is None
    table = TABLE[["debt_ratio", "missed_payments"]]
    assert explain(model, table, class_names=["low", "high"]).prediction in ("low", "high")


def test_a_table_of_any_width(load):
    assert load(softmax((None, None), (None, None))).predict_proba(TABLE).shape == (len(TABLE), 5)


# Missing values


def test_a_missing_number_is_nan(load):
    nodes = [
        helper.make_node("IsNaN", ["X"], ["nan"]),
        helper.make_node("Cast", ["nan"], ["y"], to=TensorProto.FLOAT),
    ]
    model = load(graph(nodes, [("X", TensorProto.FLOAT, [None, 2])], [("y", TensorProto.FLOAT, [None, 2])]))
    answer = model.predict_proba(pd.DataFrame({"a": [1.0, None], "b": [2, 3]}))
    assert answer.tolist() == [[0, 0], [1, 0]]


def test_a_missing_category_is_an_empty_text(load):
    nodes = [helper.make_node("Identity", ["a"], ["label"])]
    model = load(graph(nodes, [("a", TensorProto.STRING, [None, 1])], [("label", TensorProto.STRING, [None, 1])]))
    assert model.predict(pd.DataFrame({"a": ["x", None]})).tolist() == ["x", ""]


def test_whole_numbers_and_booleans(load):
    nodes = [
        helper.make_node("Cast", ["yes"], ["number"], to=TensorProto.INT64),
        helper.make_node("Add", ["number", "n"], ["label"]),
    ]
    inputs = [("n", TensorProto.INT64, [None, 1]), ("yes", TensorProto.BOOL, [None, 1])]
    model = load(graph(nodes, inputs, [("label", TensorProto.INT64, [None, 1])]))
    assert model.predict(pd.DataFrame({"n": [1, 2], "yes": [True, False]})).tolist() == [2, 2]
    assert model.predict(np.array([[1, 0], [5, 1]])).tolist() == [1, 6]  # an array has an order only
    with refuses("'n'", "row 1", "whole numbers", "missing"):
        model.predict(pd.DataFrame({"n": [1, None], "yes": [True, False]}))
    with refuses("'n'", "row 0", "whole numbers", "1.5"):
        model.predict(pd.DataFrame({"n": [1.5, 2], "yes": [True, False]}))
    with refuses("'yes'", "row 1", "true or false", "2"):
        model.predict(pd.DataFrame({"n": [1, 2], "yes": [1, 2]}))


# What cannot be explained


def test_categories_where_numbers_are_taken(load):
    with refuses("'purpose'", "not a number", "takes numbers"):
        explain(load(numeric()), MIXED[["purpose", *NUMBERS[:4]]])


def test_numbers_where_text_is_taken(load):
    with refuses("'purpose'", "row 0", "text", "turn the column into strings"):
        explain(load(mixed()), MIXED.assign(purpose=1.0))


def test_a_wrong_number_of_columns(load):
    with refuses("5 columns", "the table has 4"):
        explain(load(numeric()), TABLE[NUMBERS[:4]])


@pytest.mark.parametrize(
    ("table", "words"), [(MIXED.drop(columns="age"), "lacks 'age'"), (MIXED.assign(extra=1), "has 'extra'")]
)
def test_wrong_columns(load, table, words):
    with refuses("takes the columns", words):
        explain(load(mixed()), table)


def test_a_regression(load):
    with refuses("model.onnx", "no classifier", "variable"):
        load(exported(LinearRegression().fit(TABLE.to_numpy(), TABLE["age"]), None))


def test_inputs_of_several_columns(load):
    nodes = [helper.make_node("Concat", ["a", "b"], ["y"], axis=1)]
    inputs = [("a", TensorProto.FLOAT, [None, 2]), ("b", TensorProto.FLOAT, [None, 1])]
    with refuses("model.onnx", "2 inputs", "'a'"):
        load(graph(nodes, inputs, [("y", TensorProto.FLOAT, [None, 3])]))


def test_inputs_of_other_kinds(load):
    nodes = [helper.make_node("Shape", ["image"], ["label"])]
    with refuses("model.onnx", "'image'", "4 dimension(s)"):
        load(graph(nodes, [("image", TensorProto.FLOAT, [None, 3, 8, 8])], [("label", TensorProto.INT64, [None])]))


@pytest.mark.parametrize("content", [b"hello world", b"\x08\x08", b"PK\x03\x04", b"\xff" * 40, numeric()[:-50]])
def test_broken_files(load, content):
    with refuses("model.onnx"):
        load(content)


def test_graphs_within_graphs_without_an_end(load):
    node = helper.make_node("Identity", ["a"], ["b"])
    for _ in range(25):
        inner = helper.make_graph([node], "inner", [], [])
        node = helper.make_node("If", ["c"], ["b"], then_branch=inner)
    model = onnx.ModelProto(ir_version=8, graph=helper.make_graph([node], "g", [], []))
    with refuses("model.onnx", "nested too deeply"):
        load(model.SerializeToString())


def test_a_file_that_is_too_large(load):
    with refuses("model.onnx", "max_size"):
        load(numeric(), max_size=1000)


def test_a_graph_that_fails(load):
    nodes = [helper.make_node("Reshape", ["X", "shape"], ["y"])]
    shape = helper.make_tensor("shape", TensorProto.INT64, [2], [7, 11])
    content = graph(nodes, [("X", TensorProto.FLOAT, [None, 5])], [("y", TensorProto.FLOAT, [None, 11])], [shape])
    with fails("model.onnx", "onnxruntime failed", "Reshape"):
        explain(load(content))

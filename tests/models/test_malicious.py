"""Files that want to run something: nothing runs without the user's word, and the same file does run with it."""

from __future__ import annotations

import gzip
import io
import json
import pickle
import zipfile
from pathlib import Path
from typing import Any

import joblib
import onnx
import pytest
import skops.io
from loans import TABLE, forest, refuses
from onnx import TensorProto, helper
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from lormika import InputError, models


class Payload:
    """Writes a marker when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> Any:
        return exec, (f"open({str(self.marker)!r}, 'w').close()",)


@pytest.fixture
def marker(tmp_path):
    return tmp_path / "marker"


def write_pickle(path: Path, marker: Path) -> None:
    path.write_bytes(pickle.dumps(Payload(marker)))


def write_old_pickle(path: Path, marker: Path) -> None:
    path.write_bytes(pickle.dumps(Payload(marker), protocol=0))


def write_joblib(path: Path, marker: Path) -> None:
    joblib.dump([forest(), Payload(marker)], path)


def write_compressed(path: Path, marker: Path) -> None:
    path.write_bytes(gzip.compress(pickle.dumps(Payload(marker))))


WRITERS = [write_pickle, write_old_pickle, write_joblib, write_compressed]


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("suffix", [".pkl", ".pickle", ".joblib", ".PKL"])
def test_a_pickle_runs_only_if_allowed(tmp_path, marker, write, suffix):
    path = tmp_path / f"model{suffix}"
    write(path, marker)
    with refuses("runs any code", models.sha256(path)):
        models.load(path)
    assert not marker.exists()
    with pytest.raises(InputError):
        models.load(path, allow_pickle=True)  # it holds no model, but it did run
    assert marker.exists()


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("name", ["model.skops", "model.onnx", "model.bin", "model"])
def test_a_pickle_under_another_name_never_runs(tmp_path, marker, write, name):
    path = tmp_path / name
    write(path, marker)
    with refuses(name):
        models.load(path, allow_pickle=True)
    assert not marker.exists()


def test_nor_in_a_process_of_its_own(tmp_path, marker):
    path = tmp_path / "model.skops"
    write_pickle(path, marker)
    with refuses("model.skops", "is a pickle"):
        models.load(path, allow_pickle=True, isolate=True)
    assert not marker.exists()
    path = path.rename(tmp_path / "model.pkl")
    with refuses("runs any code"):
        models.load(path, isolate=True)
    assert not marker.exists()
    with pytest.raises(InputError):
        models.load(path, allow_pickle=True, isolate=True)
    assert marker.exists()


# skops


def node(loader: str, name: str, **more: Any) -> dict[str, Any]:
    module, _, kind = name.rpartition(".")
    return {"__loader__": loader, "__module__": module, "__class__": kind, **more}


def text(value: Any) -> dict[str, Any]:
    return node("JsonNode", "builtins.str", content=json.dumps(value), is_json=True)


def listed(*parts: dict[str, Any], kind: str = "Tuple") -> dict[str, Any]:
    return node(f"{kind}Node", f"builtins.{kind.lower()}", content=list(parts))


def named(**parts: dict[str, Any]) -> dict[str, Any]:
    keys = listed(*(node("TypeNode", "builtins.str") for _ in parts), kind="List")
    return node("DictNode", "builtins.dict", content=parts, key_types=keys)


def archive(schema: dict[str, Any], **members: bytes) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as file:
        for name, member in members.items():
            file.writestr(name, member)
        file.writestr("schema.json", json.dumps({"protocol": 2, "_skops_version": "0.16.0"} | schema))
    return data.getvalue()


def attacks(marker: Path) -> dict[str, dict[str, Any]]:
    """Trees of nodes that run something while they are built."""
    code = f"open({str(marker)!r}, 'w').close()"
    touch = ("touch", str(marker))
    reduced = node("ConstructorFromReduceNode", "builtins.exec", content=listed(text(code)))
    started = node("ListNode", "subprocess.check_call", content=[text(part) for part in touch])
    pipeline = node("ObjectNode", "sklearn.pipeline.Pipeline", content=named(steps=reduced))
    keys = listed(node("TypeNode", "builtins.exec"), kind="List")
    return {
        "a call of a builtin": reduced,
        "a list that is a process": started,
        "a set that is a process": started | {"__loader__": "SetNode"},
        "hidden in an estimator": pipeline,
        "hidden where no node belongs": text("harmless") | {"extra": [[reduced]]},
        "a dictionary whose keys are evaluated": node(
            "DictNode", "builtins.dict", content={code: text(1)}, key_types=keys
        ),
        "an array type that is a function": node(
            "NdArrayNode", "os.system", type="json", content=[], shape=listed(text(0))
        ),
        "an object of a foreign type": node("ObjectNode", "malicious.Payload", content=named(marker=text(str(marker)))),
        "a partial": node(
            "PartialNode", "functools.partial",
            content={
                "func": node("FunctionNode", "os.system"), "args": listed(text(f"touch {marker}")),
                "kwds": named(), "namespace": text(None),
            },
        ),
        "a caller of methods": node("OperatorFuncNode", "operator.methodcaller", attrs=listed(text("touch"))),
        "a getter of attributes": node("OperatorFuncNode", "operator.attrgetter", attrs=listed(text("__class__"))),
        "a method": node(
            "MethodNode", "sklearn.pipeline.Pipeline",
            content={"func": "__init__", "obj": node("ObjectNode", "sklearn.pipeline.Pipeline")},
        ),
        "an estimator built by a call": node(
            "ConstructorFromReduceNode", "sklearn.pipeline.Pipeline", content=listed(text(1))
        ),
        "a node that does not exist": node("EvilNode", "builtins.str", content=code),
    }  # fmt: skip


@pytest.mark.parametrize("name", attacks(Path("marker")))
def test_a_malicious_skops_file_is_refused(tmp_path, marker, name):
    path = tmp_path / "model.skops"
    path.write_bytes(archive(attacks(marker)[name]))
    with refuses("model.skops", "not known to be harmless", "trust=[", "--trust "):
        models.load(path)
    assert not marker.exists()


@pytest.mark.parametrize(
    ("name", "trust"),
    [
        ("a call of a builtin", "builtins.exec"),
        ("a list that is a process", "subprocess.check_call"),
        ("hidden in an estimator", "builtins.exec"),
        ("a dictionary whose keys are evaluated", "builtins.exec"),
    ],
)
def test_the_same_skops_file_runs_once_it_is_trusted(tmp_path, marker, name, trust):
    path = tmp_path / "model.skops"
    path.write_bytes(archive(attacks(marker)[name]))
    with pytest.raises(InputError):
        models.load(path, trust=["sklearn.linear_model._base.LinearRegression"])
    assert not marker.exists()
    with pytest.raises(InputError) as refusal:
        models.load(path, trust=[trust])  # it holds no model, but it did run
    assert "harmless" not in str(refusal.value)
    assert marker.exists()


def test_a_function_in_a_real_skops_file_must_be_named(tmp_path):
    path = tmp_path / "model.skops"
    model = make_pipeline(FunctionTransformer(json.dumps), LogisticRegression())
    skops.io.dump(model, path)
    with refuses("json.dumps", "trust=['json.dumps']", "--trust json.dumps"):
        models.load(path)
    assert models.load(path, trust=["json.dumps"]).steps[0][1].func is json.dumps


def test_an_older_protocol_cannot_be_chosen(tmp_path):
    path = tmp_path / "model.skops"
    path.write_bytes(archive(text(1) | {"protocol": 0}))
    with refuses("model.skops", "protocol 0", "Save the model again"):
        models.load(path)


def test_skops_sees_what_was_judged(tmp_path, marker):
    """Of two schemas under one name, one could be judged and the other built."""
    path = tmp_path / "model.skops"
    data = io.BytesIO(archive(attacks(marker)["a call of a builtin"]))
    with zipfile.ZipFile(data, "a") as file, pytest.warns(UserWarning, match="Duplicate"):
        file.writestr("schema.json", json.dumps(text(1) | {"protocol": 2}))
    path.write_bytes(data.getvalue())
    with refuses("model.skops", "twice"):
        models.load(path)
    assert not marker.exists()


# ONNX


def onnx_model(operator: str = "Identity", domain: str = "", **tensor: Any) -> onnx.ModelProto:
    weights = helper.make_tensor("weights", TensorProto.FLOAT, [2, 2], [1.0, 0.0, 0.0, 1.0])
    nodes = [
        helper.make_node("MatMul", ["X", "weights"], ["Y"]),
        helper.make_node(operator, ["Y"], ["probabilities"], domain=domain),
    ]
    graph = helper.make_graph(
        nodes, "g",
        [helper.make_tensor_value_info("X", TensorProto.FLOAT, [None, 2])],
        [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, [None, 2])],
        [weights],
    )  # fmt: skip
    opsets = [helper.make_opsetid("", 17)] + ([helper.make_opsetid(domain, 1)] if domain else [])
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


@pytest.mark.parametrize("location", ["secret.bin", "../secret.bin", "/etc/hostname"])
def test_an_onnx_file_reads_no_other_file(tmp_path, monkeypatch, location):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret.bin").write_bytes(bytes(16))
    model = onnx_model()
    tensor = model.graph.initializer[0]
    del tensor.float_data[:]
    tensor.data_location = TensorProto.EXTERNAL
    entry = tensor.external_data.add()
    entry.key, entry.value = "location", location
    Path("model.onnx").write_bytes(model.SerializeToString())
    with refuses("model.onnx", "other files", "weights"):
        models.load("model.onnx")


def hidden_in_an_inner_graph(model: onnx.ModelProto, hidden: TensorProto) -> None:
    constant = helper.make_node("Constant", [], ["c"], value=hidden)
    value = helper.make_tensor_value_info("c", TensorProto.FLOAT, [1])
    inner = helper.make_graph([constant], "inner", [], [value])
    model.graph.node.append(helper.make_node("If", ["condition"], ["o"], then_branch=inner, else_branch=inner))


def hidden_in_a_sparse_tensor(model: onnx.ModelProto, hidden: TensorProto) -> None:
    model.graph.sparse_initializer.add().indices.CopyFrom(hidden)


def hidden_in_a_list(model: onnx.ModelProto, hidden: TensorProto) -> None:
    attribute = model.graph.node[0].attribute.add(name="several")
    attribute.tensors.append(hidden)


def hidden_in_a_sparse_attribute(model: onnx.ModelProto, hidden: TensorProto) -> None:
    model.graph.node[0].attribute.add(name="sparse").sparse_tensor.values.CopyFrom(hidden)


def hidden_in_a_function(model: onnx.ModelProto, hidden: TensorProto) -> None:
    model.functions.add().node.append(helper.make_node("Constant", [], ["c"], value=hidden))


@pytest.mark.parametrize(
    "hide",
    [
        hidden_in_an_inner_graph,
        hidden_in_a_sparse_tensor,
        hidden_in_a_list,
        hidden_in_a_sparse_attribute,
        hidden_in_a_function,
    ],
)
def test_external_data_is_found_wherever_it_is(tmp_path, hide):
    hidden = helper.make_tensor("hidden", TensorProto.FLOAT, [1], [1.0])
    hidden.data_location = TensorProto.EXTERNAL
    model = onnx_model()
    hide(model, hidden)
    path = tmp_path / "model.onnx"
    path.write_bytes(model.SerializeToString())
    with refuses("model.onnx", "other files", "hidden"):
        models.load(path)


def test_an_onnx_file_brings_no_operators(tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(onnx_model("PyOp", "ai.onnx.contrib").SerializeToString())
    with refuses("model.onnx", "onnxruntime cannot run it", "not part of ONNX", "ai.onnx.contrib"):
        models.load(path)


def test_the_same_onnx_file_without_them_is_loaded(tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(onnx_model().SerializeToString())
    assert models.load(path).predict_proba(TABLE.iloc[:3, :2]).shape == (3, 2)

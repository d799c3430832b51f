"""What is no model at all is refused in words that name it and say what is understood."""

from __future__ import annotations

import hashlib
import os
import pickle
import subprocess
import sys
from pathlib import Path

import joblib
import numpy as np
import pytest
import skops.io
from loans import TABLE, assert_same, explain, forest, refuses
from sklearn.linear_model import LinearRegression
from test_onnx import softmax

from lormika import Explainer, models


def test_a_missing_file(tmp_path):
    with refuses("gone.skops", "no such file", ".onnx"):
        models.load(tmp_path / "gone.skops")


def test_a_directory(tmp_path):
    with refuses(str(tmp_path), "directory"):
        models.load(tmp_path)


@pytest.mark.parametrize("suffix", [".skops", ".onnx", ".pkl", ".joblib"])
def test_an_empty_file(tmp_path, suffix):
    path = tmp_path / f"model{suffix}"
    path.touch()
    with refuses(path.name, "empty"):
        models.load(path, allow_pickle=True)


@pytest.mark.parametrize("name", ["model.h5", "model", "model.PT"])
def test_an_unknown_suffix(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(pickle.dumps(forest()))
    with refuses(name, "not known", ".skops"):
        models.load(path, allow_pickle=True)


def test_a_pipe_is_not_waited_for(tmp_path):
    path = tmp_path / "model.onnx"
    os.mkfifo(path)
    with refuses("model.onnx", "not a regular file"):
        models.load(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file(tmp_path):
    path = tmp_path / "model.skops"
    path.write_bytes(b"PK")
    path.chmod(0)
    with refuses("model.skops", "cannot be read", "Permission"):
        models.load(path)


@pytest.mark.parametrize("source", ["ftp://host/model.onnx", "s3://bucket/model.skops"])
def test_an_unknown_address(source):
    with refuses(source, "not known"):
        models.load(source)


def test_something_else_than_text():
    with refuses("int"):
        models.load(3)


@pytest.mark.parametrize(("option", "value"), [("max_size", 0), ("memory_limit", "4G"), ("time_limit", -1)])
def test_a_wrong_option(option, value):
    with refuses(option):
        models.load("model.skops", **{option: value})


def test_a_single_name_to_trust():
    with refuses("trust", "list"):
        models.load("model.skops", trust="os.system")


@pytest.mark.parametrize(("package", "suffix"), [("skops.io", ".skops"), ("onnx", ".onnx"), ("onnxruntime", ".onnx")])
def test_a_package_that_is_not_there(tmp_path, monkeypatch, package, suffix):
    path = tmp_path / f"model{suffix}"
    if suffix == ".skops":
        skops.io.dump(forest(), path)
    else:
        path.write_bytes(softmax())
    monkeypatch.setitem(sys.modules, package, None)
    with refuses(path.name, package.partition(".")[0], "pip install 'lormika[models]'"):
        models.load(path)


def test_the_hash_of_a_file(tmp_path):
    path = tmp_path / "model.pkl"
    path.write_bytes(b"abc")
    assert models.sha256(path) == hashlib.sha256(b"abc").hexdigest()
    with refuses("gone", "cannot be read"):
        models.sha256(tmp_path / "gone")


@pytest.mark.parametrize("dump", [lambda m, p: Path(p).write_bytes(pickle.dumps(m)), joblib.dump])
@pytest.mark.parametrize("suffix", [".pkl", ".pickle", ".joblib"])
def test_a_pickle_that_is_allowed(tmp_path, dump, suffix):
    path = tmp_path / f"model{suffix}"
    dump(forest(), path)
    with refuses(path.name, "runs any code", models.sha256(path), "allow_pickle=True", "--allow-pickle"):
        models.load(path)
    loaded = models.load(str(path), allow_pickle=True)
    np.testing.assert_array_equal(loaded.predict_proba(TABLE), forest().predict_proba(TABLE))


def test_a_compressed_pickle(tmp_path):
    path = tmp_path / "model.joblib"
    joblib.dump(forest(), path, compress=3)
    assert_same(explain(models.load(path, allow_pickle=True)), explain(forest()))


@pytest.mark.parametrize("content", [b"\x80\x04broken", b"no pickle", b"(dp0\n."])
def test_a_broken_pickle(tmp_path, content):
    path = tmp_path / "model.pkl"
    path.write_bytes(content)
    with refuses("model.pkl"):
        models.load(path, allow_pickle=True)


def test_a_pickle_of_something_else(tmp_path):
    path = tmp_path / "model.pkl"
    path.write_bytes(pickle.dumps({"model": 1}))
    with refuses("model.pkl", "dict"):
        models.load(path, allow_pickle=True)


def test_a_pickle_of_a_regressor(tmp_path):
    path = tmp_path / "model.pkl"
    path.write_bytes(pickle.dumps(LinearRegression().fit(TABLE, TABLE["age"])))
    model = models.load(path, allow_pickle=True)
    with refuses("regressor", "bands="):
        Explainer(model, TABLE)
    middle = float(TABLE["age"].median())
    assert Explainer(model, TABLE, bands=[middle]).explain(TABLE.iloc[[0]]).value is not None


def test_nothing_is_imported_before_it_is_used():
    program = "import lormika.models, sys; print([m for m in sys.modules if m in sys.argv[1:]])"
    heavy = ["skops", "onnxruntime", "pandas", "sklearn", "joblib", "http.client", "ssl", "subprocess", "onnx"]
    loaded = subprocess.run([sys.executable, "-c", program, *heavy], capture_output=True, text=True, check=True).stdout
    assert loaded.strip() in ("[]", "['subprocess']")

"""Models of Python modules: `python:module:name`."""

from __future__ import annotations

import sys

import pytest
from loans import TABLE, assert_same, explain, refuses

from lormika import models

MODULE = """
import numpy as np

def risk(frame):
    p = np.clip(frame["debt_ratio"].to_numpy() + 0.1 * frame["missed_payments"].to_numpy(), 0, 1)
    return np.stack([1 - p, p], axis=1)

class Model:
    classes_ = np.array(["low", "high"])
    def predict_proba(self, frame):
        return risk(frame)

class Holder:
    inner = Model()

class Broken(Model):
    @property
    def classes_(self):
        raise OverflowError("int too large to convert")

model = Model()
broken = Broken()
number = 3
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A directory to be in, and modules that are forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path])
    (tmp_path / "scoring.py").write_text(MODULE)
    known = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - known:
        if name.startswith(("scoring", "broken", "quits", "needs", "package")):
            del sys.modules[name]


@pytest.mark.parametrize("isolate", [False, True])
def test_a_function_of_the_current_directory(here, isolate):
    model = models.load("python:scoring:risk", isolate=isolate)
    if isolate:
        assert "scoring" not in sys.modules
    found = explain(model, class_names=["low", "high"])
    assert_same(found, explain(models.load("python:scoring:model")))
    if isolate:
        model.close()


def test_an_object_of_an_object(here):
    assert models.load("python:scoring:Holder.inner").predict_proba(TABLE).shape == (len(TABLE), 2)


def test_a_module_of_a_package(here):
    (here / "package").mkdir()
    (here / "package" / "__init__.py").touch()
    (here / "package" / "inner.py").write_text("def predict(frame): return ['a'] * len(frame)")
    assert models.load("python:package.inner:predict")(TABLE)[0] == "a"
    with refuses("python:package.other:predict", "no module 'package.other'"):
        models.load("python:package.other:predict")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("python:nowhere:model", ["no module 'nowhere'"]),
        ("python:scoring:nothing", ["'scoring'", "scoring.py", "has no 'nothing'"]),
        ("python:scoring:Model", ["is a class"]),
        ("python:scoring:number", ["int"]),
        ("python:scoring", ["write python:module:name"]),
        ("python::model", ["write python:module:name"]),
        ("python:scoring:risk()", ["write python:module:name"]),
        ("python:broken:model", ["importing 'broken' raised ZeroDivisionError"]),
        ("python:quits:model", ["importing 'quits' raised SystemExit: 3"]),
        ("python:needs:model", ["importing 'needs' raised ModuleNotFoundError", "nowhere_else"]),
    ],
)
def test_what_cannot_be_imported(here, source, words):
    (here / "broken.py").write_text("1 / 0")
    (here / "quits.py").write_text("raise SystemExit(3)")
    (here / "needs.py").write_text("import nowhere_else")
    with refuses(source, *words):
        models.load(source)


def test_the_same_words_from_a_process_of_its_own(here):
    (here / "broken.py").write_text("1 / 0")
    with refuses("importing 'broken' raised ZeroDivisionError"):
        models.load("python:broken:model", isolate=True)


def test_an_object_whose_attributes_fail(here):
    with refuses("python:scoring:broken", "OverflowError: int too large"):
        models.load("python:scoring:broken")

"""A model that is started again when its process has ended."""

from __future__ import annotations

import sys

import pandas as pd
import pytest

from lormika import ModelError, models
from lormika.models.revived import RevivedModel

FRAIL = """
import os, time

class Model:
    classes_ = ["no", "yes"]

    def predict(self, frame):
        if (frame["x"] == 9).any():
            os._exit(3)
        if (frame["x"] == 8).any():
            time.sleep(1000)
        return ["yes" if x > 0 else "no" for x in frame["x"]]

model = Model()
"""


@pytest.fixture
def model(tmp_path, monkeypatch):
    (tmp_path / "frail_model.py").write_text(FRAIL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "frail_model", raising=False)
    model = RevivedModel(lambda: models.load("python:frail_model:model", isolate=True), 600.0)
    try:
        yield model
    finally:
        model.close()


def _frame(*values: int) -> pd.DataFrame:
    return pd.DataFrame({"x": values})


def test_it_lives_on(model, tmp_path) -> None:
    assert model.kind == "Model"
    assert model.predict_proba is None
    assert model.predict(_frame(1, 0)).tolist() == ["yes", "no"]
    with pytest.raises(ModelError, match="isolated process"):
        model.predict(_frame(9))
    assert model.predict(_frame(1)).tolist() == ["yes"]
    model._model.limit(0.2)
    with pytest.raises(ModelError, match=r"took more than 0\.2 s"):
        model.predict(_frame(8))
    assert model.predict(_frame(0)).tolist() == ["no"]
    model.interrupt()
    assert model.predict(_frame(0)).tolist() == ["no"]
    (tmp_path / "frail_model.py").unlink()
    model.interrupt()
    with pytest.raises(ModelError, match="cannot be loaded again"):
        model.predict(_frame(0))


def test_closed_for_good(model) -> None:
    model.close()
    with pytest.raises(ModelError, match="closed"):
        model.predict(_frame(0))

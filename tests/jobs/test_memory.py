"""What a run keeps in memory: the parent next to nothing, workers a map of the background."""

from __future__ import annotations

import gc
import mmap

import numpy as np
import pandas as pd
from typer.testing import CliRunner

from lormika import Explainer
from lormika.cli import batch as command
from lormika.cli.app import app
from lormika.jobs import prepared


def test_the_parent_forgets_frames_and_model_before_workers_start(files, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(files)
    alive: list[object] = []

    def large() -> list[object]:
        return [
            thing for thing in gc.get_objects()
            if (isinstance(thing, pd.DataFrame) and len(thing) >= 60) or isinstance(thing, Explainer)
        ]  # fmt: skip

    def look(*_: object) -> None:
        alive.extend(thing for thing in large() if id(thing) not in known)

    gc.collect()
    others = large()  # of other tests in this process; held, so that no new one can get their identity
    known = {id(thing) for thing in others}
    monkeypatch.setattr(command, "work", look)
    arguments = ["rows.parquet", "--model", "python:functions:good", "--background", "background.parquet"]
    result = CliRunner().invoke(app, ["batch", *arguments, "--out", str(tmp_path / "out"), "--quiet"])
    assert result.exit_code == 0, result.output
    assert alive == []


def test_codes_are_mapped_not_copied(files, tmp_path) -> None:
    frame = pd.read_parquet(files / "background.parquet")
    explainer = Explainer(lambda X: (X["income"] > 30).to_numpy(), frame)
    name = prepared.save(explainer, tmp_path)
    found = prepared.load(tmp_path / name, lambda X: (X["income"] > 30).to_numpy())
    for array in (found.background.codes, found.predictions, found.background.points):
        assert not array.flags.owndata
        base = array
        while isinstance(base, np.ndarray):
            base = base.base
        assert isinstance(memoryview(base).obj, mmap.mmap)
    one = frame.iloc[[0]]
    assert found.explain(one).to_json() == explainer.explain(one).to_json()

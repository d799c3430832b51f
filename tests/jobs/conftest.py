"""A run to repeat in all ways: files, models that misbehave, and commands as processes."""

from __future__ import annotations

import os
import warnings
from functools import cache
from pathlib import Path

import pytest

from batches import Batch
from lormika import datasets

MODELS = """
import ctypes, glob, os, sys, time
import numpy as np

def _chances(frame):
    p = 1 / (1 + np.exp((frame["income"].to_numpy() - 30) / 10 - 4 * (frame["debt_ratio"].to_numpy() - 0.4)))
    return np.column_stack([1 - p, p])

def good(frame):
    return _chances(frame)

def network(frame):
    X = (frame[["age", "income", "debt_ratio"]].to_numpy() - [40, 40, 0.4]) / [15, 20, 0.2]
    draw = np.random.default_rng(0)
    hidden = np.tanh(X @ draw.normal(size=(3, 64))) @ draw.normal(size=(64, 64))
    p = 1 / (1 + np.exp(-np.tanh(hidden) @ draw.normal(size=64)))
    return np.column_stack([1 - p, p])

def _bad(frame):
    return (frame["age"] == 99).any()

def crashes(frame):
    if _bad(frame): ctypes.string_at(0)
    return _chances(frame)

def exits(frame):
    if _bad(frame): os._exit(5)
    return _chances(frame)

def hangs(frame):
    while _bad(frame):
        open(f"hanging-{os.getpid()}", "w").close()
        time.sleep(1)
    return _chances(frame)

def _done():
    return len(glob.glob("out/instances/part-*"))

def gated(frame):
    while _done() >= int(open("allowed").read() or 0): time.sleep(0.01)
    return _chances(frame)

def halts(frame):
    while _bad(frame) and not os.path.exists("go"): time.sleep(0.01)
    return _chances(frame)

def raises(frame):
    if _bad(frame): raise KeyError("no such age")
    return _chances(frame)

def forges(frame):
    for descriptor in range(3, 20) if _bad(frame) else ():
        try:
            os.write(descriptor, b"x" * 100)
        except OSError:
            pass
    return _chances(frame)

def eats(frame):
    if _bad(frame): np.ones(4 << 30)
    return _chances(frame)

def prints(frame):
    print('{"failed": 7}')
    os.write(1, b"half a line")
    return _chances(frame)
"""


@pytest.fixture(scope="session")
def files(tmp_path_factory) -> Path:
    """A folder with rows, a background, model files, and a module of functions."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier
    from skops import io

    folder = tmp_path_factory.mktemp("batch")
    X, y = datasets.make_loans(400)
    rows = X.iloc[:60].reset_index(drop=True)
    X.to_parquet(folder / "background.parquet", index=False)
    names = [f"n{i}" if i % 7 else None for i in range(len(rows))]
    rows.assign(name=names).to_parquet(folder / "rows.parquet", index=False)
    bad = rows.copy()
    bad.loc[[3, 41], "age"] = 99
    bad.to_parquet(folder / "bad.parquet", index=False)
    bad[:12].to_parquet(folder / "few_bad.parquet", index=False)
    io.dump(datasets.make_model("tree", X).fit(X, y), folder / "tree.skops")
    network = datasets.make_model("lr", X)
    network.steps[-1] = ("network", MLPClassifier((32,), solver="lbfgs", max_iter=30, random_state=0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        io.dump(network.fit(X, y), folder / "mlp.skops")
    (folder / "functions.py").write_text(MODELS)
    return folder


@pytest.fixture(scope="session")
def undisturbed(files, warm) -> dict[str, list[dict]]:
    """Records of the rows among which some are bad, from a model that does not mind."""
    batch = Batch(files, warm)
    done = batch.run("good", "undisturbed", data="bad.parquet")
    assert done.returncode == 0, done.stderr
    return {kind: batch.rows("undisturbed", kind) for kind in ("rules", "instances")}


@pytest.fixture
def batch(files, tmp_path, warm):
    """`lormika batch` as a process in a folder of its own."""
    for file in files.iterdir():
        if file.is_file():
            os.symlink(file, tmp_path / file.name)
    return Batch(tmp_path, warm)


@pytest.fixture(scope="session")
def reference(files, warm):
    """Parts of an undisturbed run with chunks of so many rows; models that wait say what the good one does."""
    batch = Batch(files, warm)

    @cache
    def run(chunk_rows: int) -> dict[str, str]:
        out = f"reference-{chunk_rows}"
        done = batch.run("good", out, "--workers", 1, "--chunk-rows", chunk_rows)
        assert done.returncode == 0, done.stderr
        return batch.parts(out)

    return run

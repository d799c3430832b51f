"""A run to repeat in all ways: files, models that misbehave, and commands as processes."""

from __future__ import annotations

import hashlib
import os
import re
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

import pytest

from lormika import datasets
from warm import Warm

LORMIKA = [sys.executable, "-m", "lormika"]
QUICK = ("--n-generated", "200", "--k", "2")

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


class Batch:
    """Ways to run the command."""

    locks = ()

    def __init__(self, folder: Path, warm: Warm) -> None:
        self.folder, self._warm = folder, warm

    def start(self, model: str, out: str, *more: object, data: str = "rows.parquet", **options) -> subprocess.Popen:
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True} | options
        return subprocess.Popen(self._line(model, out, more, data), cwd=self.folder, **options)

    @contextmanager
    def started(self, model: str, out: str, *more: object, **options) -> Iterator[subprocess.Popen]:
        """The command as a process that ends with the block, and its workers with it."""
        process = self.start(model, out, *more, **options)
        try:
            yield process
        finally:
            end(process)

    def run(self, model: str, out: str, *more: object, data: str = "rows.parquet", quiet: bool = True, **options):
        line = self._line(model, out, more, data, quiet)
        if set(options) <= {"env"}:
            return self._warm.run(line[len(LORMIKA) :], self.folder, dict(options.get("env", os.environ)), 600)
        options = {"capture_output": True, "text": True, "timeout": 600} | options
        return subprocess.run(line, cwd=self.folder, check=False, **options)

    def _line(self, model: str, out: str, more: tuple[object, ...], data: str, quiet: bool = True) -> list[str]:
        source = model if "." in model or ":" in model else f"python:functions:{model}"
        workers = () if {"--workers", "--engine"} & set(more) else ("--workers", 1)  # more of them only take time
        return [
            *LORMIKA, "batch", data, "--model", source, "--background", "background.parquet", "--out", out,
            *QUICK, *(["--quiet"] if quiet else []), *map(str, (*more, *workers)),
        ]  # fmt: skip

    def allow(self, chunks: int) -> None:
        """Let the gated model work while fewer chunks than these are done in the folder `out`."""
        (self.folder / "allowed").write_text(str(chunks))

    def let_one_through(self, process: subprocess.Popen) -> None:
        """Wait for one more chunk of the gated model."""
        wanted = self._done() + 1
        self.allow(wanted)
        assert await_true(lambda: self._done() >= wanted, process)

    def _done(self) -> int:
        return len(list((self.folder / "out" / "instances").glob("part-*.parquet")))

    def parts(self, out: str) -> dict[str, str]:
        """SHA-256 of every part."""
        found = sorted((self.folder / out).glob("*/part-*.parquet"))
        return {f"{path.parent.name}/{path.name}": hashlib.sha256(path.read_bytes()).hexdigest() for path in found}

    def rows(self, out: str, kind: str = "rules") -> list[dict]:
        import pyarrow.parquet as pq

        found = sorted((self.folder / out / kind).glob("part-*.parquet"))
        return [row for path in found for row in pq.read_table(path).to_pylist()]

    def leftovers(self, out: str) -> list[Path]:
        """Hidden files; shards leave their locks."""
        return [path for path in (self.folder / out).rglob(".*") if path.name not in self.locks]


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


def alone(folder: Path, model: str, *, named: bool = False) -> list[str]:
    """Records of the rules of all rows, each explained by itself."""
    import pandas as pd

    from lormika import Explainer, models
    from lormika.jobs import part_tables
    from lormika.jobs.part_columns import RowResult

    rows = pd.read_parquet(folder / "rows.parquet")
    names = part_tables.identifiers(rows, "name" if named else None)
    background = pd.read_parquet(folder / "background.parquet")
    explainer = Explainer(models.load(str(folder / model)), background, n_generated=200)
    told = [explainer.explain(rows.drop(columns="name").iloc[[row]], k=2) for row in range(len(rows))]
    results = [RowResult(row, names[row], why) for row, why in enumerate(told)]
    return as_records([rule for result in results for rule in part_tables.rule_rows(result)])


def as_records(rules: list[dict]) -> list[str]:
    """Rules as a part holds them."""
    from lormika.jobs import RULES, part_tables

    return [repr(row) for row in part_tables.to_table(rules, RULES).to_pylist()]


def struct_examples(language: str) -> str:
    """Code of the page's section about structs."""
    page = (Path(__file__).parents[2] / "docs" / "batch.md").read_text(encoding="utf-8")
    section = page.split("### Conditions and changes")[1].split("\n## ")[0]
    return re.search(rf"```{language}\n(.*?)```", section, re.DOTALL)[1]


def descendants(pid: int) -> list[int]:
    """Processes that a process has started, and those that they have."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            own = [int(child) for child in task.read_text().split()]
        except OSError:
            continue
        found += [*own, *(other for child in own for other in descendants(child))]
    return found


def alive(pids: list[int]) -> list[int]:
    """Those that are there and no zombies."""
    found = []
    for pid in pids:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if state != "Z":
            found.append(pid)
    return found


def await_true(what, process: subprocess.Popen | None = None) -> bool:
    """Wait until something is so; in vain, if a process that must see to it has ended.

    Ten minutes are no measure of anything: they end a test that would hang for ever.
    """
    end = time.monotonic() + 600
    while time.monotonic() < end:
        over = process is not None and process.poll() is not None
        if what():
            return True
        if over:
            return False
        time.sleep(0.02)
    return False


def end(process: subprocess.Popen) -> None:
    """End a process and all that it has started."""
    pids = [process.pid, *descendants(process.pid)]
    for pid in pids if process.poll() is None else ():
        kill(pid)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)

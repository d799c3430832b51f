"""Models in a process of their own: whatever happens there is an error here, and nothing else."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import skops.io
from loans import DECISIONS, MIXED, TABLE, assert_same, explain, fails, forest, mixed_forest, refuses
from sklearn.neighbors import KNeighborsClassifier
from test_skops import tamper, tree

from lormika import Explainer, models
from lormika.models import wire
from lormika.processes import BrokenMessageError

MODULE = """
import ctypes, os, signal, subprocess, sys, time
import numpy as np

def labels(frame):
    return np.where(np.asarray(frame["age"]) > 40, "old", "young")

def prints(frame):
    print("hello" * 1000)
    os.write(1, b"world" * 1000)
    os.system("echo from another process")
    assert sys.stdin.read() == ""
    return labels(frame)

def loops(frame):
    while True:
        pass

def sleeps_with_children(frame):
    child = subprocess.Popen(["sleep", "60"])
    open("child", "w").write(str(child.pid))
    time.sleep(60)

def allocates(frame):
    return np.ones(10**10)

def exits(frame):
    os._exit(7)

def quits(frame):
    sys.exit(3)

def crashes(frame):
    ctypes.string_at(0)

def raises(frame):
    raise KeyError("no such thing")

def ragged(frame):
    return [["a"], ["b", "c"]]

def objects(frame):
    return [object()] * len(frame)

def mixes(frame):
    return np.array([1 if age > 40 else "young" for age in frame["age"]], dtype=object)

def forges(frame):
    for descriptor in range(3, 20):
        try:
            os.write(descriptor, b"x" * 100)
        except OSError:
            pass
    return labels(frame)

def pickles(frame):
    return {"a": 1}
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "misbehaving.py").write_text(MODULE)
    return tmp_path


def isolated(name: str, **options):
    return models.load(f"python:misbehaving:{name}", isolate=True, **options)


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that is dead, and waits to be asked about, does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def await_end(pid: int) -> bool:
    """Wait for a process that was killed to be gone; ten minutes are no measure, they end a test that would hang."""
    deadline = time.monotonic() + 600
    while is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not is_alive(pid)


def test_a_pickle_explains_the_same(tmp_path):
    path = tmp_path / "model.pkl"
    path.write_bytes(pickle.dumps(mixed_forest()))
    with models.load(path, allow_pickle=True, isolate=True) as model:
        assert model.classes_ == ("accepted", "rejected")
        assert model.feature_names_in_ == list(MIXED)
        assert_same(explain(model, MIXED), explain(mixed_forest(), MIXED))


def test_a_skops_file_explains_the_same(tmp_path):
    path = tmp_path / "model.skops"
    skops.io.dump(forest(), path)
    with models.load(path, isolate=True) as model:
        assert_same(explain(model), explain(forest()))


def test_a_module_that_turns_the_collector_of_garbage_off_finds_it_off(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, first in (("calm", ""), ("own", "gc.disable()")):
        module = f"import gc\n{first}\ndef predict(frame): return [str(gc.isenabled())] * len(frame)\n"
        (tmp_path / f"{name}.py").write_text(module)
        with models.load(f"python:{name}:predict", isolate=True) as model:
            assert model(TABLE)[0] == str(not first)


def test_every_kind_of_table_and_threads(here):
    with isolated("labels") as model:
        table = TABLE.assign(purpose=MIXED["purpose"].astype("category"))
        assert_same(explain(model, table), explain(labels, table))
        assert model(pl.from_pandas(TABLE))[0] in ("old", "young")
        explainer = Explainer(model, TABLE, n_generated=50)
        assert len(list(explainer.explain_many(TABLE[:8], n_jobs=4, progress=False))) == 8


def labels(frame):
    return np.where(np.asarray(frame["age"]) > 40, "old", "young")


def test_a_pickle_is_refused_as_without(tmp_path):
    path = tmp_path / "model.pkl"
    path.write_bytes(pickle.dumps(forest()))
    with refuses("model.pkl", "runs any code", models.sha256(path)):
        models.load(path, isolate=True)


def test_a_missing_file(tmp_path):
    with refuses("gone.onnx", "no such file"):
        models.load(tmp_path / "gone.onnx", isolate=True)


def test_what_it_prints_does_not_matter(here, capfd):
    with isolated("prints") as model:
        assert model(TABLE).tolist() == labels(TABLE).tolist()
    captured = capfd.readouterr()
    assert "from another process" in captured.err
    assert captured.out == ""


@pytest.mark.parametrize("name", ["loops", "sleeps_with_children"])
def test_a_model_that_takes_too_long(here, name):
    with isolated(name, time_limit=30) as model:
        model._time_limit = 1  # loading may take longer
        start = time.monotonic()
        with fails(f"misbehaving:{name}", "2 rows", "more than 1 s", "time_limit"):
            model([1, 2])
        assert time.monotonic() - start < 5
        assert not is_alive(model._process.pid)
        with fails(f"misbehaving:{name}", "more than 1 s", "load it again"):
            explain(model)
    if name == "sleeps_with_children":
        assert await_end(int((here / "child").read_text()))


def test_a_model_that_takes_too_long_to_load(here):
    (here / "slow.py").write_text("import time; time.sleep(60)")
    with fails("python:slow:model", "loading", "more than 1.5 s", "time_limit"):
        models.load("python:slow:model", isolate=True, time_limit=1.5)


def test_a_model_that_wants_too_much_memory(here):
    with isolated("allocates", memory_limit=2_000_000_000) as model:
        with fails("misbehaving:allocates", "400 rows", "2,000 MB", "memory_limit"):
            explain(model)
        with fails("memory_limit"):  # it was refused the memory, and lives on
            explain(model)


@pytest.mark.parametrize(("name", "code"), [("exits", 7), ("quits", 3)])
def test_a_model_that_leaves(here, name, code):
    with isolated(name) as model, fails(f"misbehaving:{name}", f"exit code {code}", "400 rows"):
        explain(model)


def test_a_model_that_crashes(here):
    with isolated("crashes") as model:
        with fails("misbehaving:crashes", "crashed (SIGSEGV)", "400 rows"):
            explain(model)
        with fails("crashed (SIGSEGV)", "load it again"):
            explain(model)


def test_a_model_that_is_killed(here):
    with isolated("labels") as model:
        os.kill(model._process.pid, signal.SIGKILL)
        with fails("killed (SIGKILL)"):
            explain(model)


def test_a_tampered_tree_of_a_pickle(tmp_path):
    path = tmp_path / "model.pkl"
    path.write_bytes(pickle.dumps(tamper(tamper(tree(), "left_child", 10**9), "right_child", 10**9)))
    with models.load(path, allow_pickle=True, isolate=True) as model, fails("model.pkl", "crashed (SIGSEGV)"):
        explain(model)


def test_a_tampered_skops_file(tmp_path):
    """What is not on the list of trusted types may crash: there, not here."""
    neighbours = KNeighborsClassifier(algorithm="kd_tree").fit(TABLE, DECISIONS)
    state = list(neighbours._tree.__getstate__())
    state[2] = np.array(state[2])  # its nodes
    state[2]["idx_end"][:], state[2]["is_leaf"][:] = 10**9, 1
    neighbours._tree.__setstate__(tuple(state))
    path = tmp_path / "model.skops"
    skops.io.dump(neighbours, path)
    trust = [
        "sklearn.metrics._dist_metrics.EuclideanDistance64",
        "sklearn.neighbors._classification.KNeighborsClassifier",
        "sklearn.neighbors._kd_tree.KDTree",
    ]
    with refuses("model.skops", *trust):
        models.load(path)
    with models.load(path, trust=trust, isolate=True) as model, fails("model.skops", "crashed (SIGSEGV)"):
        explain(model)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("raises", ["the model failed in __call__ on 400 rows: KeyError: 'no such thing'"]),
        ("ragged", ["lists of different lengths"]),
        ("objects", ["<object object", "row 0", "expected a string or a number"]),
        ("pickles", ["{'a': 1}", "expected a string or a number"]),
    ],
)
def test_answers_that_are_none(here, name, words):
    with isolated(name) as model, fails(*words):
        explain(model)


def test_labels_of_several_types(here):
    with isolated("mixes") as model:
        assert set(model(TABLE).tolist()) == {1, "young"}


def test_a_model_that_writes_into_our_pipes(here):
    with isolated("forges") as model, fails("misbehaving:forges", "do not trust"):
        explain(model)


def test_nothing_is_left_behind(here):
    gc.collect()  # what other tests have left
    descriptors = len(os.listdir("/proc/self/fd"))
    model = isolated("labels")
    pid = model._process.pid
    assert is_alive(pid)
    model.close()
    model.close()
    assert not Path(f"/proc/{pid}").exists()  # not even as a zombie
    with fails("closed", "load it again"):
        model(TABLE)
    model = isolated("labels")
    pid = model._process.pid
    del model
    gc.collect()
    assert not Path(f"/proc/{pid}").exists()
    assert len(os.listdir("/proc/self/fd")) == descriptors


@pytest.mark.parametrize("busy", [False, True])
def test_the_model_ends_with_us_even_while_it_is_busy(here, busy):
    program = (
        "import threading, time, sys\n"
        "from lormika import models\n"
        "model = models.load('python:misbehaving:loops', isolate=True)\n"
        "threading.Thread(target=lambda: model([1]), daemon=True).start() if sys.argv[1:] else None\n"
        "time.sleep(0.3)\n"
        "print(model._process.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    command = [sys.executable, "-c", program, *(["busy"] if busy else [])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        child = int(parent.stdout.readline())
        assert is_alive(child)
        parent.kill()
    assert await_end(child)


def test_an_interrupt_stops_the_model(here, monkeypatch):
    with isolated("loops") as model:
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            model(TABLE)
        with fails("interrupted", "load it again"):
            model(TABLE)


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ({}, b""),
        ({"dtype": "O", "shape": [1]}, b"12345678"),
        ({"dtype": "<f8", "shape": [10**12]}, b"12345678"),
        ({"dtype": "<f8", "shape": [-1]}, b"123"),
        ({"dtype": "nonsense", "shape": [1]}, b""),
        ({"values": 3, "shape": [1]}, b""),
        ({"values": [1, 2], "shape": [3]}, b""),
    ],
)
def test_answers_from_there_are_never_believed(head, body):
    with pytest.raises(BrokenMessageError):
        wire.read_answer(head, body)

"""A folder that others can write into grants nothing: what is loaded is what the command says."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path

import pandas as pd
import pytest

from lormika import InputError
from lormika.jobs import explain_partition
from lormika.jobs.inputs import model_facts

ONE = ("--chunk-rows", 20, "--workers", 1)


class Payload:
    """Leaves a mark where it is unpickled."""

    def __init__(self, mark) -> None:
        self.mark = str(mark)

    def __reduce__(self):
        return open, (self.mark, "w")


@pytest.fixture
def mark(batch):
    """Where a payload would leave its mark; a pickle and a module that do it lie beside."""
    path = batch.folder / "pwned"
    (batch.folder / "evil.pkl").write_bytes(pickle.dumps(Payload(path)))
    (batch.folder / "evil.py").write_text(f"open({str(path)!r}, 'w')\nfrom functions import good\n")
    return path


def _tamper(batch, source: str, *, also_order: bool) -> None:
    """Make a prepared folder name another model."""
    file = batch.folder / "out" / "run.json"
    run = json.loads(file.read_text())
    given = {name: value for name, value in run["model"].items() if name not in ("source", "sha256")}
    known = model_facts(source, given | {"allow_pickle": True})
    run["model"] = known
    if also_order:
        run["order"]["model"] = known
    file.write_text(json.dumps(run))


@pytest.mark.parametrize("also_order", [False, True])
@pytest.mark.parametrize("model", ["evil.pkl", "python:evil:good"])
def test_a_folder_cannot_name_another_model(batch, mark, monkeypatch, model, also_order) -> None:
    monkeypatch.chdir(batch.folder)
    assert batch.run("tree.skops", "out", *ONE, "--prepare").returncode == 0
    _tamper(batch, str(batch.folder / model) if "pkl" in model else model, also_order=also_order)
    done = batch.run("tree.skops", "out", *ONE)
    assert done.returncode == 1
    assert "out holds another run, with another model" in done.stderr
    assert done.stderr.strip().count("\n") == 0
    assert not mark.exists()
    assert batch.parts("out") == {}
    rows = pd.read_parquet("rows.parquet").assign(row=range(60))
    with pytest.raises(InputError, match="allow_pickle" if "pkl" in model else r"say so with model='python:evil:good'"):
        list(explain_partition("out", "row")([rows]))
    assert not mark.exists()


def test_workers_do_not_look_for_the_model_in_the_folder(batch, mark, reference) -> None:
    """Also if it is tampered with after the command has looked: here by the model itself, in the first worker."""
    wanted = reference(20)
    (batch.folder / "sly.py").write_text(
        "import json\nfrom pathlib import Path\nfrom functions import good\n"
        "def model(frame):\n"
        "    file = Path('sly/run.json')\n"
        "    if file.exists():\n"
        "        run = json.loads(file.read_text())\n"
        "        run['model']['source'] = 'python:evil:good'\n"
        "        file.write_text(json.dumps(run))\n"
        "    return good(frame)\n"
    )
    done = batch.run("python:sly:model", "sly", *ONE)
    assert done.returncode == 0, done.stderr
    assert batch.parts("sly") == wanted
    assert not mark.exists()


def test_options_of_a_folder_are_compared(batch) -> None:
    assert batch.run("good", "out", *ONE, "--prepare").returncode == 0
    file = batch.folder / "out" / "run.json"
    whole = json.loads(file.read_text())
    for change in ({"options": whole["options"] | {"k": 7}}, {"id": "name"}, {"rows": 59}):
        file.write_text(json.dumps(whole | change))
        done = batch.run("good", "out", *ONE)
        assert done.returncode == 1, change
        assert "out holds another run, with another" in done.stderr
    for change in ({"input": "../../rows.parquet"}, {"background": "/etc"}, {"features": "age"}, {"model": {"a": 1}}):
        file.write_text(json.dumps(whole | change))
        done = batch.run("good", "out", *ONE)
        assert done.returncode == 1, change
        assert f"run.json is damaged, what it says of {next(iter(change))!r} cannot be" in done.stderr


def test_a_partition_is_granted_what_its_caller_names(batch, monkeypatch) -> None:
    monkeypatch.chdir(batch.folder)
    assert batch.run("good", "out", *ONE, "--prepare").returncode == 0
    rows = pd.read_parquet("rows.parquet")[:2].assign(row=[0, 1])
    for model, words in (
        (None, "say so with model="),
        ("python:functions:halts", "another model, python:functions:good"),
    ):
        with pytest.raises(InputError, match=words):
            list(explain_partition("out", "row", model=model)([rows]))
    (rules,) = explain_partition("out", "row", model="python:functions:good")([rows])
    assert set(rules["row"]) == {0, 1}


def test_a_partition_whose_model_is_a_pipe(batch, monkeypatch) -> None:
    """The folder names it, and reading it would never end."""
    monkeypatch.chdir(batch.folder)
    assert batch.run("tree.skops", "out", *ONE, "--prepare").returncode == 0
    os.mkfifo("pipe.skops")
    start = Path("out/run.json")
    content = json.loads(start.read_text(encoding="utf-8"))
    content["model"]["source"] = str(Path("pipe.skops").resolve())
    start.write_text(json.dumps(content), encoding="utf-8")
    rows = pd.read_parquet("rows.parquet")[:1].assign(row=0)
    with pytest.raises(InputError, match=r"pipe\.skops"):
        list(explain_partition("out", "row")([rows]))


def test_a_partition_with_a_damaged_background(batch, monkeypatch) -> None:
    monkeypatch.chdir(batch.folder)
    assert batch.run("tree.skops", "out", *ONE, "--prepare").returncode == 0
    rows = pd.read_parquet("rows.parquet")[:1].assign(row=0)
    (folder,) = Path("out").glob("background-*")
    for name, content in (("explainer.json", b"{"), ("codes.npy", b"no array"), ("witness.bin", b"")):
        kept = (folder / name).read_bytes()
        (folder / name).write_bytes(content)
        with pytest.raises(InputError, match="background-"):
            list(explain_partition("out", "row")([rows]))
        (folder / name).write_bytes(kept)


def test_a_partition_of_a_pickle(batch, monkeypatch) -> None:
    from skops import io

    monkeypatch.chdir(batch.folder)
    model = io.load("tree.skops", trusted=io.get_untrusted_types(file="tree.skops"))
    (batch.folder / "tree.pkl").write_bytes(pickle.dumps(model))
    assert batch.run("tree.pkl", "out", *ONE, "--prepare", "--allow-pickle").returncode == 0
    rows = pd.read_parquet("rows.parquet")[:1].assign(row=0)
    with pytest.raises(InputError, match="allow_pickle"):
        list(explain_partition("out", "row")([rows]))
    (rules,) = explain_partition("out", "row", allow_pickle=True)([rows])
    assert len(rules)

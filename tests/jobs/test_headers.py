"""Headers for a server: every process sends them, and no secret is written down."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pandas as pd
import pytest

from lormika import InputError
from lormika.jobs import explain_partition
from lormika.models.headers import read_headers, settle_headers

ONE = ("--chunk-rows", 30, "--workers", 1)
SECRET = "Bearer s3cr3t"


@pytest.fixture
def service(files, monkeypatch):
    """The tree behind a server of this machine."""
    from skops import io

    monkeypatch.syspath_prepend(Path(__file__).parents[1] / "models")
    from server import Service, serving

    frame = pd.read_parquet(files / "background.parquet")
    kinds = {"i": "INT64", "f": "FP64", "b": "BOOL"}
    columns = [
        {"name": name, "datatype": kinds.get(kind.kind, "BYTES"), "shape": [-1, 1]}
        for name, kind in frame.dtypes.items()
    ]
    names = {"parameters": {"class_names": ["accepted", "rejected"]}}
    outputs = [
        {"name": "predict", "datatype": "BYTES", "shape": [-1]},
        {"name": "predict_proba", "datatype": "FP64", "shape": [-1, 2]} | names,
    ]
    tree = files / "tree.skops"
    with serving(Service(io.load(tree, trusted=io.get_untrusted_types(file=tree)), columns, outputs)) as found:
        yield found


@pytest.mark.parametrize("how", ["env:TOKEN", "file:token.txt", SECRET])
def test_every_process_sends_them_and_none_is_written_down(batch, service, how) -> None:
    (batch.folder / "token.txt").write_text(SECRET + "\n")
    line = (service.url, "out", *ONE, "--header", f"Authorization: {how}", "--header", "X-Team: loans")
    done = batch.run(*line, env=os.environ | {"TOKEN": SECRET})
    assert done.returncode == 0, done.stderr
    assert len(service.headers) >= 2  # the command and its worker
    for sent in service.headers:
        assert (sent["Authorization"], sent["X-Team"]) == (SECRET, "loans")
    for path in (batch.folder / "out").rglob("*"):
        assert not path.is_file() or b"s3cr3t" not in path.read_bytes(), path
    assert "s3cr3t" not in done.stdout + done.stderr
    if how == "env:TOKEN":
        (batch.folder / "out" / "rules" / "part-00001.parquet").unlink()
        del service.headers[:]
        done = batch.run(*line, env=os.environ | {"TOKEN": "another"})  # which is not what the run is about
        assert done.returncode == 0, done.stderr
        assert {sent["Authorization"] for sent in service.headers} == {"another"}


def test_a_partition_sends_them(batch, service, monkeypatch) -> None:
    monkeypatch.chdir(batch.folder)
    assert batch.run(service.url, "out", *ONE, "--prepare").returncode == 0
    rows = pd.read_parquet("rows.parquet")[:1].assign(row=0)
    with pytest.raises(InputError, match="say so with model="):
        list(explain_partition("out", "row", headers={"Authorization": "env:TOKEN"})([rows]))
    explain = explain_partition("out", "row", model=service.url, headers={"Authorization": "env:TOKEN"})
    with pytest.raises(InputError, match="--header Authorization: the environment has no variable TOKEN"):
        list(explain([rows]))
    monkeypatch.setenv("TOKEN", SECRET)
    del service.headers[:]
    assert len(list(explain([rows]))) == 1
    assert [sent["Authorization"] for sent in service.headers] == [SECRET]


def test_what_is_wrong_is_said_at_once_and_without_the_value(batch) -> None:
    url = "http://127.0.0.1:1/v2/models/loans"
    for header, code, words in (
        ("Authorization: env:NOWHERE", 1, "--header Authorization: the environment has no variable NOWHERE"),
        ("Authorization: file:nowhere", 1, "--header Authorization: nowhere cannot be read: No such file"),
        ("Bearer s3cr3t", 1, "--header: give a name and a value"),
    ):
        done = batch.run(url, "out", "--header", header)
        assert done.returncode == code, done.stderr
        assert words in done.stderr
        assert "s3cr3t" not in done.stderr
        assert not (batch.folder / "out").exists()
    done = batch.run("good", "out", "--header", f"Authorization: {SECRET}")
    assert done.returncode == 2
    assert "--header" in done.stderr


def test_where_values_are(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOKEN", " abc\n")
    Path("secret").write_text("xyz\n")
    texts = settle_headers(["A: env:TOKEN", "B:file:secret", "C: a:b", "D:"])
    assert json.dumps(texts) == json.dumps(["A: env:TOKEN", f"B: file:{tmp_path / 'secret'}", "C: a:b", "D: "])
    monkeypatch.chdir("/")
    assert read_headers(texts) == {"A": "abc", "B": "xyz", "C": "a:b", "D": ""}

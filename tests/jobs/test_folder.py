"""What can be wrong with a folder: full, damaged, another run's; each is one clear line, and nothing is corrupt."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess

import pyarrow.parquet as pq
import pytest

from lormika.errors import InputError
from lormika.jobs.chunks import load_model
from lormika.jobs.folder import Folder
from lormika.jobs.inputs import model_facts
from warm import LORMIKA

ONE = ("--chunk-rows", 20, "--workers", 1)


@pytest.fixture
def finished(batch):
    done = batch.run("good", "out", *ONE)
    assert done.returncode == 0, done.stderr
    return batch.parts("out")


def _refused(done, *words: str) -> None:
    assert done.returncode == 1, (done.stdout, done.stderr)
    assert done.stderr.strip().count("\n") == 0, done.stderr
    for word in words:
        assert word in done.stderr


def test_damaged_parts_are_made_anew(batch, finished) -> None:
    rules, instances = batch.folder / "out" / "rules", batch.folder / "out" / "instances"
    whole = (rules / "part-00000.parquet").read_bytes()
    (rules / "part-00000.parquet").write_bytes(whole[: len(whole) // 2])
    pq.write_table(pq.read_table(instances / "part-00001.parquet")[:-1], instances / "part-00001.parquet")
    pq.write_table(pq.read_table(rules / "part-00002.parquet")[:-1], rules / "part-00002.parquet")
    (batch.folder / "out" / ".vm-1-0123456789abcdef-part-00000.parquet").write_bytes(b"left behind")
    assert batch.run("good", "out", *ONE).returncode == 0
    assert batch.parts("out") == finished
    assert batch.leftovers("out") == []


def test_damaged_background_and_input_are_made_anew(batch, finished) -> None:
    (background,) = (batch.folder / "out").glob("background-*")
    (rows,) = (batch.folder / "out").glob("input-*")
    next((batch.folder / "out" / "rules").glob("part-*")).unlink()
    codes = bytearray((background / "codes.npy").read_bytes())
    codes[-1] ^= 1
    (background / "codes.npy").write_bytes(codes)
    rows.write_bytes(b"PAR1")
    assert batch.run("good", "out", *ONE).returncode == 0
    assert batch.parts("out") == finished
    shutil.rmtree(background)
    assert batch.run("good", "out", *ONE).returncode == 0
    assert background.is_dir()


def test_a_finished_run_says_so_without_the_model(batch, finished) -> None:
    """Neither the model nor the rows are looked at again: only their hashes."""
    before = (batch.folder / "out" / "manifest.json").stat()
    (batch.folder / "functions.py").unlink()
    _refused(batch.run("good", "out", *ONE), "functions")
    text = "raise SystemExit('imported')"
    (batch.folder / "functions.py").write_text(text)
    run = json.loads((batch.folder / "out" / "run.json").read_text())
    run["model"]["sha256"] = run["order"]["model"]["sha256"] = hashlib.sha256(text.encode()).hexdigest()
    (batch.folder / "out" / "run.json").write_text(json.dumps(run))
    done = batch.run("good", "out", "--chunk-rows", 20)
    assert done.returncode == 0, done.stderr
    after = (batch.folder / "out" / "manifest.json").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    assert batch.parts("out") == finished


def test_another_run_is_refused(batch, finished) -> None:
    _refused(batch.run("good", "out", *ONE, "--k", 3, "--bins", 4), "another --k, --bins")
    _refused(
        batch.run("good", "out", "--chunk-rows", 21, data="bad.parquet"), "another --chunk-rows, data file or --where"
    )
    (batch.folder / "functions.py").rename(batch.folder / "old.py")
    (batch.folder / "functions.py").write_text((batch.folder / "old.py").read_text() + "\n# changed\n")
    _refused(batch.run("good", "out", *ONE), "another model")
    assert batch.parts("out") == finished


def test_a_damaged_start(batch) -> None:
    assert batch.run("good", "out", *ONE, "--prepare").returncode == 0
    run, folder = batch.folder / "out" / "run.json", Folder(batch.folder / "out")
    known = json.loads(run.read_text())
    for content, words in {
        json.dumps(known | {"version": "0.0.1"}): r"another version of lormika, 0\.0\.1",
        json.dumps(known)[:-20]: "cannot be read",
        json.dumps(known | {"chunk_rows": 0}): "damaged",
        json.dumps({name: known[name] for name in ("format", "format_version", "version", "rows")}): "damaged",
        "[]": "not the start of a run",
    }.items():
        run.write_text(content)
        with pytest.raises(InputError, match=words):
            folder.read()
    _refused(batch.run("good", "out", *ONE), "not the start of a run")


def test_a_folder_of_another_format(batch, finished) -> None:
    """It gets a clear word, from both commands, and is left as it is."""
    file = batch.folder / "out" / "run.json"
    content = json.loads(file.read_text())
    assert content.pop("format_version") == 2
    for version, words in (
        ({}, ("an earlier lormika, in format 1; this one reads format 2", "explain the rows again in another folder")),
        ({"format_version": 3}, ("a later lormika, in format 3; this one reads format 2", "update lormika")),
    ):
        file.write_text(json.dumps(content | version))
        _refused(batch.run("good", "out", *ONE), "out holds a run of", *words)
        command = [*LORMIKA, "report", "out"]
        report = subprocess.run(command, cwd=batch.folder, capture_output=True, text=True, check=False)
        _refused(report, "out holds a run of", *words)
    assert batch.parts("out") == finished


def test_a_model_that_changes_meanwhile(files) -> None:
    facts = model_facts(str(files / "tree.skops"), {})
    load_model(facts)
    with pytest.raises(InputError, match=r"tree\.skops has changed since the run began"):
        load_model(facts | {"sha256": "0" * 64})


def test_a_full_disk(batch, reference) -> None:
    """A limit on the size of files stands in for it; with room again, the run goes on."""
    assert batch.run("good", "out", *ONE, "--prepare").returncode == 0
    done = batch.run("good", "out", *ONE, most_bytes=3000)
    _refused(done, "File too large")
    assert batch.leftovers("out") == []
    assert batch.run("good", "out", *ONE).returncode == 0
    assert batch.parts("out") == reference(20)


def test_a_full_disk_from_the_start(batch) -> None:
    done = batch.run("good", "out", *ONE, most_bytes=300)
    _refused(done)
    assert batch.run("good", "out", *ONE).returncode == 0
    assert batch.leftovers("out") == []


def test_a_folder_that_cannot_be(batch) -> None:
    (batch.folder / "file").touch()
    _refused(batch.run("good", "file/out"), "cannot make the folder file/out")
    _refused(batch.run("good", "/proc/self"), "/proc/self")
    _refused(batch.run("good", "out", data="nowhere.parquet"), "nowhere.parquet")

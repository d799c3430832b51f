"""What the command says, and what it refuses before anything is written."""

from __future__ import annotations

import json
import shutil
import signal

import pandas as pd
import pytest
from typer.testing import CliRunner

from batches import QUICK
from children import await_true
from lormika.cli.app import app
from lormika.cli.output import Talk
from lormika.jobs.worker_process import WorkerProcess

ONE = ("--chunk-rows", 20, "--workers", 1)
PICKY = """
from pathlib import Path
from functions import good

def model(frame):
    if (frame["age"] == 99).any() and not Path("mended").exists():
        raise KeyError("no such age")
    return good(frame)
"""


def _invoke(*arguments: object):
    line = ["rows.parquet", "--model", "python:functions:good", "--background", "background.parquet", "--out", "out"]
    return CliRunner().invoke(app, ["batch", *line, *QUICK, *map(str, arguments)])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--shard", "x"), ("--shard", "from 0/4 to 3/4")),
        (("--scheduler", "tcp://127.0.0.1:1"), ("--scheduler", "add that")),
        (("--engine", "dask"), ("--engine dask", "--scheduler tcp://")),
        (("--chunk-rows", 0), ("--chunk-rows", "1")),
    ],
)
def test_wrong_usage(batch, monkeypatch, options, words) -> None:
    monkeypatch.chdir(batch.folder)
    result = _invoke(*options)
    assert result.exit_code == 2, result.output
    said = " ".join(result.output.replace("│", " ").split())
    assert all(word in said for word in words), said
    assert not (batch.folder / "out").exists()


@pytest.mark.parametrize(
    ("spoiled", "words"),
    [
        ({"purpose": 7}, "column 'purpose' is wrong in all 60 rows: 7 is no value that this column can have"),
        ({"income": "much"}, "column 'income' is wrong in all 60 rows: 'much' is not a number"),
    ],
)
def test_a_column_that_is_wrong_in_all_rows(batch, spoiled, words) -> None:
    rows = pd.read_parquet(batch.folder / "rows.parquet").assign(**spoiled)
    rows.to_parquet(batch.folder / "spoiled.parquet", index=False)
    done = batch.run("good", "out", data="spoiled.parquet")
    assert done.returncode == 1
    assert words in done.stderr
    assert done.stderr.strip().count("\n") == 0
    assert not (batch.folder / "out").exists()


def test_one_good_value_is_enough(batch) -> None:
    rows = pd.read_parquet(batch.folder / "rows.parquet")[:3].assign(age=["old", "young", "40"])
    rows.to_parquet(batch.folder / "spoiled.parquet", index=False)
    done = batch.run("good", "out", data="spoiled.parquet")
    assert done.returncode == 3
    assert [row["error"] is None for row in batch.rows("out", "instances")] == [False, False, True]


def test_failed_rows_are_tried_again(batch, undisturbed) -> None:
    (batch.folder / "picky.py").write_text(PICKY)
    done = batch.run("python:picky:model", "out", *ONE, data="bad.parquet")
    assert done.returncode == 3
    assert done.stderr.strip() == (
        "2 rows failed: the column error of out/instances says why; the same command with --retry-failed tries again"
    )
    assert batch.leftovers("out") == []
    before = batch.parts("out")

    (batch.folder / "mended").touch()
    done = batch.run("python:picky:model", "out", *ONE, "--chunk-limit", 900, data="bad.parquet")
    assert done.returncode == 3
    assert "2 rows had failed before: the column error" in done.stderr
    assert "--retry-failed" in done.stderr
    assert batch.parts("out") == before

    kept = (batch.folder / "out" / "rules" / "part-00001.parquet").stat().st_mtime_ns
    done = batch.run("python:picky:model", "out", *ONE, "--retry-failed", data="bad.parquet")
    assert done.returncode == 0, done.stderr
    after = batch.parts("out")
    assert {name for name in after if after[name] != before[name]} == {
        f"{kind}/part-0000{chunk}.parquet" for kind in ("rules", "instances") for chunk in (0, 2)
    }
    assert (batch.folder / "out" / "rules" / "part-00001.parquet").stat().st_mtime_ns == kept
    for kind in ("rules", "instances"):
        assert [repr(row) for row in batch.rows("out", kind)] == [repr(row) for row in undisturbed[kind]]
    assert json.loads((batch.folder / "out" / "manifest.json").read_text())["failed"] == 0


def test_one_row_failed(batch) -> None:
    pd.read_parquet(batch.folder / "bad.parquet")[:4].to_parquet(batch.folder / "few.parquet", index=False)
    done = batch.run("raises", "few", *ONE, data="few.parquet")
    assert done.returncode == 3
    assert done.stderr.startswith("1 row failed: ")


def test_a_slow_model_gets_through(batch, undisturbed, monkeypatch) -> None:
    """The limit is too short for a chunk, and long enough for some of its rows: here ten rows instead of seconds."""

    def late(worker: WorkerProcess) -> bool:
        task = worker.task
        if not worker.ready or task is None or len(task.rows or range(30)) <= 10 * task.limits:
            return False
        (batch.folder / "go").touch()  # until now the model has not answered
        return True

    monkeypatch.chdir(batch.folder)
    monkeypatch.setattr(WorkerProcess, "late", property(late))
    line = ["bad.parquet", "--model", "python:functions:halts", "--background", "background.parquet", "--out", "out"]
    result = CliRunner().invoke(app, ["batch", *line, *QUICK, "--chunk-rows", "30", "--workers", "1"])
    assert result.exit_code == 0, result.output
    assert "it took longer than 600 s (--chunk-limit)" in result.output
    assert "raise --chunk-limit or lower --chunk-rows" in result.output
    assert "60 of 60 rows done (100%)" in result.output
    for kind in ("rules", "instances"):
        assert [repr(row) for row in batch.rows("out", kind)] == [repr(row) for row in undisturbed[kind]]


def test_names_that_are_there_twice(batch, capsys) -> None:
    from lormika.cli.batch_command import _report_names

    rows = pd.DataFrame({"name": ["a", "b", None, None, "a", "c", "b"]}, index=[3, 4, 5, 6, 8, 9, 10])
    _report_names(rows, "name", Talk(quiet=False))
    assert "--id name: 4 rows share their name with another, such as rows 3 and 8 ('a')" in capsys.readouterr().err
    _report_names(rows[3:6], "name", Talk(quiet=False))
    assert capsys.readouterr().err == ""


def test_an_interrupt_says_how_far_it_is(batch) -> None:
    """One process halts in the first chunk, the other in the ninth: seven are done, also those nobody has told of."""
    with batch.started("halts", "out", "--chunk-rows", 5, "--workers", 2, data="bad.parquet") as process:
        assert await_true(lambda: len(batch.parts("out")) == 14, process)
        process.send_signal(signal.SIGINT)
        printed, _ = process.communicate()
    assert process.returncode == 130
    assert printed.strip() == "7 of 12 chunks done; the same command goes on"
    assert batch.leftovers("out") == []
    (batch.folder / "go").touch()
    done = batch.run("halts", "out", "--chunk-rows", 5, "--workers", 2, data="bad.parquet", quiet=False)
    assert done.returncode == 0, done.stderr
    assert "35 of 60 rows were done before" in done.stderr
    assert "60 of 60 rows done (100%)" in done.stderr


def test_chunks_are_counted_on_disk(batch, monkeypatch) -> None:
    """An interrupt that comes before the command has heard of any; parts that are to be made anew do not count."""
    from lormika.jobs import run as runs

    def interrupted(engine, chunks, *_) -> None:
        out = batch.folder / "out"
        for kind in ("rules", "instances"):
            (out / kind / "part-00001.parquet").replace(out / kind / "other")
            shutil.copy(out / kind / "other", out / kind / "part-00001.parquet")  # as if it had been written anew
        assert chunks == [0, 1]
        raise KeyboardInterrupt

    monkeypatch.chdir(batch.folder)
    assert batch.run("good", "out", *ONE).returncode == 0
    (batch.folder / "out" / "instances" / "part-00000.parquet").write_bytes(b"damaged")
    (batch.folder / "out" / "rules" / "part-00001.parquet").write_bytes(b"damaged")
    monkeypatch.setattr(runs, "drive", interrupted)
    result = _invoke("--chunk-rows", 20, "--workers", 1, "--quiet")
    assert result.exit_code == 130, result.output
    assert "2 of 3 chunks done; the same command goes on" in result.output


def test_a_finished_run_only_says_so(batch) -> None:
    done = batch.run("good", "out", *ONE, quiet=False)
    assert "20 of 60 rows done (33%)" in done.stderr
    before = batch.parts("out")
    done = batch.run("good", "out", *ONE, quiet=False)
    total = json.loads((batch.folder / "out" / "manifest.json").read_text())["rules"]
    assert done.stderr.strip() == f"out: finished already, {total} rules about 60 rows"
    assert done.stdout == ""
    assert batch.parts("out") == before


def test_the_help_says_what_tables_hold() -> None:
    result = CliRunner().invoke(app, ["batch", "--help"])
    assert "docs/batch.md" in result.output
    for name in ("confidence", "p_value", "prediction", "leverage"):
        assert name in result.output

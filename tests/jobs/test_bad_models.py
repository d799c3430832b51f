"""Models that crash, end, hang, raise or eat memory on some rows: these are recorded, all others explained."""

from __future__ import annotations

import resource
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from batches import QUICK
from lormika.cli.app import app
from lormika.jobs.worker_process import WorkerProcess

BAD = {"bad": [3, 41], "few_bad": [3]}  # in the files of these names


@pytest.mark.parametrize(
    ("model", "reason", "more", "data"),
    [
        ("crashes", "crashed (SIGSEGV)", (), "bad"),
        ("exits", "ended itself with exit code 5", (), "few_bad"),
        ("raises", "no such age", (), "bad"),
        ("eats", "MemoryError", (), "few_bad"),
        ("forges", "sent something else than an answer", (), "few_bad"),
        ("crashes", "crashed (SIGSEGV)", ("--isolate",), "few_bad"),
    ],
)
def test_bad_rows_are_recorded(batch, undisturbed, model, reason, more, data) -> None:
    options = ("--chunk-rows", 6, "--workers", 2)
    limit = {"preexec_fn": _little_memory} if model == "eats" else {}
    done = batch.run(model, "out", *options, *more, data=f"{data}.parquet", **limit)
    assert done.returncode == 3, done.stderr
    _check(batch, undisturbed, reason, data)


def test_rows_at_which_the_model_hangs_are_recorded(batch, undisturbed, monkeypatch) -> None:
    """A process is late once it is seen to hang: a clock would take a busy machine for it."""
    monkeypatch.chdir(batch.folder)
    monkeypatch.setattr(WorkerProcess, "late", property(lambda worker: Path(f"hanging-{worker.process.pid}").exists()))
    line = ["few_bad.parquet", "--model", "python:functions:hangs", "--background", "background.parquet"]
    options = ["--out", "out", *QUICK, "--chunk-rows", "6", "--workers", "2", "--quiet"]
    result = CliRunner().invoke(app, ["batch", *line, *options])
    assert result.exit_code == 3, result.output
    _check(batch, undisturbed, "took longer than 600 s (--chunk-limit)", "few_bad")


def _check(batch, undisturbed, reason: str, data: str) -> None:
    """Of bad rows there is the reason, of all others what there would be without them."""
    bad, rows = BAD[data], len(pd.read_parquet(batch.folder / f"{data}.parquet"))
    errors = {row["row"]: row["error"] for row in batch.rows("out", "instances") if row["error"] is not None}
    assert sorted(errors) == bad
    assert all(reason in error for error in errors.values()), errors
    assert batch.leftovers("out") == []

    for kind in ("rules", "instances"):
        wanted = [repr(row) for row in undisturbed[kind] if row["row"] < rows and row["row"] not in bad]
        assert [repr(row) for row in batch.rows("out", kind) if row["row"] not in bad] == wanted


def _little_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))


def test_a_model_that_always_dies_stops_the_run(batch) -> None:
    """No row is to blame: each process dies before it is ready, and after some of them that is said."""
    (batch.folder / "dying.py").write_text(
        "import os\nfrom functions import good\n"
        "def model(frame):\n    if 'LORMIKA_HERE' not in os.environ and 'worker' in __import__('sys').argv[0]:\n"
        "        os._exit(9)\n    return good(frame)\n"
    )
    done = batch.run("python:dying:model", "out", "--workers", 2, "--chunk-rows", 5)
    assert done.returncode == 1
    assert "processes die before they begin" in done.stderr
    assert "exit code 9" in done.stderr
    assert done.stderr.strip().count("\n") == 0
    assert batch.parts("out") == {}


def test_a_model_that_is_gone_is_no_error_of_rows(batch) -> None:
    """A service that goes down in the middle of a run stops it; nothing is recorded, and the run can go on."""
    (batch.folder / "service.py").write_text(
        "from pathlib import Path\nfrom functions import good\n"
        "def model(frame):\n"
        "    if Path('down').exists():\n        raise OSError('connection refused')\n"
        "    return good(frame)\n"
    )
    assert batch.run("python:service:model", "out", "--chunk-rows", 30, "--prepare").returncode == 0
    (batch.folder / "down").touch()
    done = batch.run("python:service:model", "out", "--chunk-rows", 30)
    assert done.returncode == 1
    assert "connection refused" in done.stderr
    assert batch.parts("out") == {}
    (batch.folder / "down").unlink()
    assert batch.run("python:service:model", "out", "--chunk-rows", 30).returncode == 0

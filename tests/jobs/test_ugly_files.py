"""Files that are not quite right: one cell, one column too many, few rows."""

from __future__ import annotations

import json
import shutil

import pandas as pd
import pytest
from typer.testing import CliRunner

from batches import QUICK
from lormika.cli.app import app
from lormika.explanation import Explanation
from lormika.jobs.chunks import OpenRun, explain_rows, open_run
from lormika.jobs.folder import Folder


@pytest.fixture
def prepare(batch, monkeypatch):
    """`lormika batch --prepare` in this process."""
    monkeypatch.chdir(batch.folder)

    def invoke(data: str, *more: object):
        line = [data, "--model", "python:functions:good", "--background", "background.parquet", "--out", "out"]
        return CliRunner().invoke(app, ["batch", *line, *QUICK, "--prepare", *map(str, more)])

    return invoke


def _spoiled(batch, **writing: str) -> pd.DataFrame:
    """Twelve rows, written as CSV with an income that is no number in one of them."""
    rows = pd.read_parquet(batch.folder / "rows.parquet")[:12]
    rows.astype({"income": object}).assign(income=lambda f: f["income"].where(f.index != 5, "abc")).to_csv(
        batch.folder / "ugly.csv", index=False, **writing
    )
    return rows


def _open(batch) -> OpenRun:
    out = batch.folder / "out"
    return open_run(out, Folder(out).read())


@pytest.mark.parametrize("writing", [{}, {"sep": ";", "decimal": ","}])
def test_one_bad_cell_costs_one_row(batch, prepare, writing) -> None:
    rows = _spoiled(batch, **writing)
    result = prepare("ugly.csv", "--id", "name")
    assert result.exit_code == 0, result.output
    told = explain_rows(_open(batch), range(12), {})
    assert [one.row for one in told if not isinstance(one.result, Explanation)] == [5]
    assert told[5].result.reason == "column 'income': 'abc' is not a number, but text: give a number"
    clean = batch.folder / "clean.parquet"
    rows.to_parquet(clean, index=False)
    (batch.folder / "out").rename(batch.folder / "ugly")
    assert prepare("clean.parquet", "--id", "name").exit_code == 0
    same = explain_rows(_open(batch), range(12), {})
    assert [one.result.to_json() for one in told if one.row != 5] == [
        one.result.to_json() for one in same if one.row != 5
    ]


@pytest.mark.parametrize(("shard", "workers", "chunk_rows"), [("0/1", 1, 30), ("0/1", 2, 15), ("1/3", 1, 10)])
def test_few_rows_are_shared_out(batch, prepare, shard, workers, chunk_rows) -> None:
    assert prepare("rows.parquet", "--shard", shard, "--workers", workers).exit_code == 0
    assert Folder(batch.folder / "out").read().chunk_rows == chunk_rows
    assert prepare("rows.parquet", "--workers", 7).exit_code == 0  # whoever comes first decides
    assert Folder(batch.folder / "out").read().chunk_rows == chunk_rows


def test_a_shard_without_chunks_says_so(batch) -> None:
    done = batch.run("good", "out", "--shard", "2/3", "--chunk-rows", 30, quiet=False)
    assert done.returncode == 0, done.stderr
    assert "nothing to do for this shard: the run has 2 chunks" in done.stderr


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--id", "name"), "another --id:"),
        (("--where", "age > 30"), "another data file or --where:"),
        (("--min-count", 11, "--n-generated", 201), "another --min-count, --n-generated:"),
    ],
)
def test_a_refused_run_leaves_nothing_behind(batch, prepare, more, words) -> None:
    assert prepare("rows.parquet").exit_code == 0
    before = sorted((batch.folder / "out").iterdir())
    result = prepare("rows.parquet", *more)
    assert result.exit_code == 1
    assert words in str(result.output) + str(result.exception)
    assert sorted((batch.folder / "out").iterdir()) == before


def test_a_column_of_either_file_can_be_dropped(batch, prepare) -> None:
    assert prepare("rows.parquet", "--drop", "name", "--drop", "phone").exit_code == 0
    run = json.loads((batch.folder / "out" / "run.json").read_text())
    assert "phone" not in run["features"]
    result = prepare("rows.parquet", "--drop", "nowhere")
    assert "has no column 'nowhere'" in str(result.output) + str(result.exception)


def test_copies_of_the_data_may_go_once_a_run_is_finished(batch) -> None:
    pd.read_parquet(batch.folder / "rows.parquet")[:3].to_parquet(batch.folder / "few.parquet", index=False)
    line = ("good", "out", "--workers", 1)
    assert batch.run(*line, data="few.parquet").returncode == 0
    parts = batch.parts("out")
    for path in (batch.folder / "out").glob("*-*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert CliRunner().invoke(app, ["report", str(batch.folder / "out")]).exit_code == 0
    assert batch.run(*line, data="few.parquet").returncode == 0
    assert batch.parts("out") == parts


def test_no_folder_to_report_about(tmp_path) -> None:
    result = CliRunner().invoke(app, ["report", str(tmp_path / "nowhere")])
    assert result.exit_code == 1
    assert f"there is no folder {tmp_path / 'nowhere'}" in str(result.output) + str(result.exception)


def test_all_exit_codes_are_listed() -> None:
    assert "3 finished, but some rows failed" in " ".join(CliRunner().invoke(app, ["--help"]).output.split())

"""Rows of a file with categories that the background does not have."""

from __future__ import annotations

import pandas as pd
import pytest

from batches import Batch, as_records
from lormika import Explainer, models
from lormika.jobs import explain_partition, part_tables
from lormika.jobs.part_columns import RowResult

NEW = {4: "yacht", 5: "zeppelin, second-hand", 11: "yacht"}
PICKY = """
from functions import good

def model(frame):
    new = sorted(set(frame["purpose"]) & {"yacht", "zeppelin, second-hand"})
    if new:
        raise KeyError(f"I do not know {new[0]}")
    return good(frame)
"""


@pytest.fixture
def spoiled(batch: Batch) -> pd.DataFrame:
    """Fourteen rows, three of them with new purposes, which are in a CSV file, too."""
    rows = pd.read_parquet(batch.folder / "rows.parquet").drop(columns="name")[:14]
    rows["purpose"] = [NEW.get(row, purpose) for row, purpose in enumerate(rows["purpose"])]
    rows.to_csv(batch.folder / "new.csv", index=False)
    return rows


def _alone(batch: Batch, rows: pd.DataFrame, model: str) -> list[str]:
    explainer = Explainer(
        models.load(str(batch.folder / model)), pd.read_parquet(batch.folder / "background.parquet"), n_generated=200
    )
    results = [RowResult(row, None, explainer.explain(rows.iloc[[row]], k=2)) for row in range(len(rows))]
    return as_records([rule for result in results for rule in part_tables.rule_rows(result)])


def test_a_run_over_a_csv_file(batch, spoiled) -> None:
    done = batch.run("mlp.skops", "out", "--chunk-rows", 6, "--workers", 1, data="new.csv")
    assert done.returncode == 0, done.stderr
    assert [repr(row) for row in batch.rows("out")] == _alone(batch, spoiled, "mlp.skops")
    instances = batch.rows("out", "instances")
    noted = [row["row"] for row in instances if any("was not seen in the background" in note for note in row["notes"])]
    assert noted == list(NEW)
    assert "purpose = zeppelin, second-hand" in " ".join(instances[5]["notes"])


def test_a_model_that_refuses_them_costs_these_rows_alone(batch, spoiled) -> None:
    (batch.folder / "picky.py").write_text(PICKY)
    done = batch.run("python:picky:model", "out", "--chunk-rows", 14, "--workers", 1, data="new.csv")
    assert done.returncode == 3, done.stderr
    instances = batch.rows("out", "instances")
    assert {row["row"] for row in instances if row["error"] is not None} == set(NEW)
    assert "I do not know yacht" in instances[4]["error"]
    assert "the cause: purpose = yacht was not seen in the background" in instances[4]["error"]
    assert "the cause: purpose = zeppelin, second-hand was not seen" in instances[5]["error"]
    assert batch.run("good", "good", "--chunk-rows", 14, "--workers", 1, data="new.csv").returncode == 0
    known = [repr(row) for row in batch.rows("good") if row["row"] not in NEW]
    assert [repr(row) for row in batch.rows("out")] == known


def test_partitions(batch, spoiled) -> None:
    assert batch.run("mlp.skops", "made", "--prepare").returncode == 0
    explain = explain_partition(batch.folder / "made", "row")
    (found,) = explain([spoiled.assign(row=range(14))])
    (known,) = explain([spoiled.assign(row=range(14)).drop(index=list(NEW))])
    assert set(found["row"]) == set(range(14))
    pd.testing.assert_frame_equal(found[~found["row"].isin(NEW)].reset_index(drop=True), known)


def test_one_cell_that_is_no_truth_costs_one_row(batch) -> None:
    """It makes the column text, and the other cells are true and false all the same."""
    rows = pd.read_parquet(batch.folder / "rows.parquet").drop(columns="name")[:8]
    phones = rows["phone"].astype(object).where(rows.index != 3, "maybe")
    rows.assign(phone=phones).to_csv(batch.folder / "phones.csv", index=False)
    done = batch.run("tree.skops", "out", "--workers", 1, data="phones.csv")
    assert done.returncode == 3, done.stderr
    errors = {row["row"]: row["error"] for row in batch.rows("out", "instances") if row["error"] is not None}
    assert list(errors) == [3]
    assert errors[3].startswith("column 'phone': 'maybe' is no value that this column can have")
    wanted = [row for row in _alone(batch, rows, "tree.skops") if "'row': 3," not in row]
    assert [repr(row) for row in batch.rows("out")] == wanted


@pytest.mark.parametrize("rows", [1, 5])
def test_a_column_with_nothing_but_new_categories_is_noted(batch, rows) -> None:
    table = pd.read_parquet(batch.folder / "rows.parquet")[:rows].assign(purpose="BOAT")
    table.to_parquet(batch.folder / "boats.parquet", index=False)
    done = batch.run("good", "out", "--prepare", data="boats.parquet", quiet=False)
    assert done.returncode == 0, done.stderr
    note = "Note: column 'purpose': the background has none of its values, such as 'BOAT'"
    assert (note in done.stderr) == (rows > 1)

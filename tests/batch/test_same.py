"""The same rows give the same records: alone, in chunks of any size, with any number of workers."""

from __future__ import annotations

import pandas as pd
import pyarrow.parquet as pq
import pytest

from lormika import Explainer, models
from lormika.batch import explain_partition, records


def _alone(batch, model: str) -> list[dict]:
    folder = batch.folder
    rows = pd.read_parquet(folder / "rows.parquet").drop(columns="name")
    background = pd.read_parquet(folder / "background.parquet")
    explainer = Explainer(models.load(str(folder / model)), background, n_generated=200)
    told = [explainer.explain(rows.iloc[[row]], k=2) for row in range(len(rows))]
    found = [rule for row, result in enumerate(told) for rule in records.rule_rows(row, result)]
    return records.to_table(found, records.RULES).to_pylist()


@pytest.mark.parametrize("model", ["tree.skops", "lr.skops"])
def test_chunks_and_workers_change_nothing(batch, model) -> None:
    wanted = [repr(row) for row in _alone(batch, model)]
    assert len(wanted) > 60
    instances = []
    for chunk_rows, workers in ((1000, 1), (37, 2)):
        out = f"out-{chunk_rows}"
        done = batch.run(model, out, "--chunk-rows", chunk_rows, "--workers", workers, "--id", "name")
        assert done.returncode == 0, done.stderr
        assert [repr(row) for row in batch.rows(out)] == wanted
        assert batch.leftovers(out) == []
        instances.append([repr(row) for row in batch.rows(out, "instances")])
    assert instances[0] == instances[1]
    assert [row["id"] for row in batch.rows("out-37", "instances")][:3] == [None, "n1", "n2"]


def test_chunks_of_one_row(batch) -> None:
    for out, chunk_rows, workers in (("one", 1000, 1), ("many", 1, 4)):
        assert batch.run("good", out, "--chunk-rows", chunk_rows, "--workers", workers).returncode == 0
    assert [repr(row) for row in batch.rows("many")] == [repr(row) for row in batch.rows("one")]
    assert len(batch.parts("many")) == 120


def test_one_row_and_none(batch) -> None:
    done = batch.run("good", "one", "--where", "name == 'n1'", "--id", "name")
    assert done.returncode == 0, done.stderr
    assert len(batch.rows("one", "instances")) == 1
    done = batch.run("good", "none", "--where", "age > 1000", "--id", "name")
    assert done.returncode == 1
    assert done.stderr.strip().count("\n") == 0
    assert "no row" in done.stderr


def test_partitions_of_any_frame(batch) -> None:
    """What Spark and others call, here in a loop; a folder that is made anew is noticed."""
    assert batch.run("lr.skops", "made", "--prepare", "--id", "name").returncode == 0
    frame = pd.read_parquet(batch.folder / "rows.parquet")
    frame["row"] = range(len(frame))
    wanted = _alone(batch, "lr.skops")
    explain = explain_partition(batch.folder / "made", "row")
    parts = list(explain(iter([frame[40:], frame[:0], frame[:40].sample(frac=1, random_state=0)])))
    found = pd.concat(parts).sort_values(["row", "rank"])
    table = records.to_table(_plain(found), records.RULES).to_pylist()
    assert [repr(row) for row in table] == [repr(row) for row in wanted]
    (instances,) = explain_partition(batch.folder / "made", "row", table="instances")([frame[:8]])
    assert instances["id"].tolist()[1:7] == [f"n{i}" for i in range(1, 7)]
    assert instances["id"].isna().tolist()[::7] == [True, True]


def _plain(frame: pd.DataFrame) -> list[dict]:
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    whole = [name for name, kind in records.RULES.items() if kind.startswith("int")]
    return [
        row | {name: None if row[name] is None else int(row[name]) for name in whole}
        | {"features": list(row["features"])} for row in rows
    ]  # fmt: skip


def test_what_a_model_prints_does_no_harm(batch) -> None:
    for model, out in (("good", "quiet"), ("prints", "loud")):
        done = batch.run(model, out, "--chunk-rows", 20, "--where", "age < 40", "--id", "name")
        assert done.returncode == 0, done.stderr
    assert [repr(row) for row in batch.rows("quiet")] == [repr(row) for row in batch.rows("loud")]


def test_columns_of_all_types_survive(batch) -> None:
    """Missing values, categories, booleans and whole numbers go through the folder as they are."""
    frame = pd.DataFrame(
        {
            "income": [float(i % 60) if i % 9 else None for i in range(120)],
            "debt_ratio": pd.array([i % 11 / 10 for i in range(120)], dtype="float32"),
            "job": pd.Categorical(["a", "b", None, "c"] * 30, categories=["c", "b", "a", "unused"]),
            "phone": [i % 3 == 0 for i in range(120)],
            "age": pd.array([i % 50 for i in range(120)], dtype="int16"),
        }
    )
    (batch.folder / "background.parquet").unlink()
    frame.to_parquet(batch.folder / "background.parquet", index=False)
    (batch.folder / "typed.py").write_text(
        "import numpy as np\n"
        "def model(f):\n"
        "    assert [str(t) for t in f.dtypes] == ['float64', 'float32', 'category', 'bool', 'int16'], f.dtypes\n"
        "    assert list(f['job'].cat.categories) == ['c', 'b', 'a', 'unused']\n"
        "    p = ((f['income'].fillna(5) > 20).to_numpy() * 0.5 + f['phone'].to_numpy() * 0.25)\n"
        "    return np.column_stack([1 - p, p])\n"
    )
    done = batch.run("python:typed:model", "typed", "--chunk-rows", 50, data="background.parquet")
    assert done.returncode == 0, done.stderr
    assert pq.read_table(batch.folder / "typed" / "instances")["error"].null_count == 120

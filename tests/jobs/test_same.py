"""The same rows give the same records: alone, in chunks of any size, with any number of workers.

The models are neural networks: products of matrices differ in their last bits between batches of different sizes.
"""

from __future__ import annotations

import pandas as pd
import pyarrow.parquet as pq
import pytest

from batches import Batch, alone, as_records
from lormika import Explainer, InputError, ModelError, models
from lormika.jobs import RULES, explain_partition, part_tables
from lormika.jobs.inputs import model_facts
from lormika.jobs.local import LocalEngine
from lormika.jobs.part_columns import RowResult
from lormika.jobs.run import ChunkSize, Request, Shard, prepare, run_chunks


def test_chunks_and_workers_change_nothing(files, tmp_path, monkeypatch, warm) -> None:
    """With a network in plain numpy, so that processes start soon; more of them than chunks are not tried."""
    monkeypatch.chdir(files)
    rows, background = (pd.read_parquet(f"{name}.parquet") for name in ("rows", "background"))
    rows, source, batch = rows.drop(columns="name")[:40], "python:functions:network", Batch(tmp_path, warm)
    explainer = Explainer(models.load(source), background, n_generated=100)
    told = [explainer.explain(rows.iloc[[row]], k=2) for row in range(len(rows))]
    results = [RowResult(row, None, why) for row, why in enumerate(told)]
    wanted = as_records([rule for result in results for rule in part_tables.rule_rows(result)])
    assert len(wanted) > 60
    for chunk_rows, most_workers in ((1, 4), (37, 2), (1000, 1)):
        parts = set()
        for workers in (1, 2, 4)[:most_workers]:
            out = tmp_path / f"{chunk_rows}-{workers}"
            out.mkdir()
            request = Request(model_facts(source, {}), {"k": 2})
            run = prepare(out, explainer, background, rows, request, ChunkSize(chunk_rows))
            run_chunks(out, run, lambda n=workers, to=out, run=run: LocalEngine(to, run, n, 600), Shard())
            assert [repr(row) for row in batch.rows(out.name)] == wanted
            parts.add(tuple(batch.parts(out.name).items()))
        assert len(parts) == 1


def test_the_table_of_rules_is_that_of_an_explanation(files) -> None:
    """Where columns have the same names, they hold the same."""
    rows, background = (pd.read_parquet(files / f"{name}.parquet") for name in ("rows", "background"))
    explainer = Explainer(models.load(str(files / "mlp.skops")), background, n_generated=200)
    why = explainer.explain(rows.drop(columns="name").iloc[[1]])
    frame = why.to_frame()
    table = part_tables.rules_table([RowResult(1, "n1", why)]).to_pandas()
    assert list(table.columns[:4]) == ["row", "id", "prediction", "rank"]
    assert list(table.columns[4 : 4 + len(frame.columns)]) == list(frame.columns)
    pd.testing.assert_frame_equal(
        table[frame.columns].astype(object).fillna(0), frame.astype(object).fillna(0), check_dtype=False
    )
    assert table["prediction"].tolist() == [why.prediction] * len(frame)
    counts = table[["sample_rows", "rows", "consequent_rows", "both_rows"]].to_numpy().tolist()
    assert counts == [[r.counts.rows, r.counts.antecedent, r.counts.consequent, r.counts.both] for r in why.rules]


def test_chosen_rows_keep_their_numbers(batch) -> None:
    done = batch.run("good", "one", "--where", "name == 'n9' or name == 'n23'")
    assert done.returncode == 0, done.stderr
    assert [row["row"] for row in batch.rows("one", "instances")] == [9, 23]
    assert {row["row"] for row in batch.rows("one")} == {9, 23}
    (batch.folder / "one" / "instances" / "part-00000.parquet").unlink()
    assert batch.run("good", "one", "--where", "name == 'n9' or name == 'n23'").returncode == 0
    assert [row["row"] for row in batch.rows("one", "instances")] == [9, 23]
    done = batch.run("good", "none", "--where", "age > 1000")
    assert done.returncode == 1
    assert done.stderr.strip().count("\n") == 0
    assert "no row" in done.stderr
    assert not (batch.folder / "none").exists()


def test_partitions_of_any_frame(batch) -> None:
    """What Spark and others call, here in a loop; a folder that is made anew is noticed."""
    assert batch.run("mlp.skops", "made", "--prepare", "--id", "name").returncode == 0
    frame = pd.read_parquet(batch.folder / "rows.parquet")
    frame["row"] = range(len(frame))
    explain = explain_partition(batch.folder / "made", "row")
    parts = list(explain(iter([frame[40:], frame[:0], frame[:40].sample(frac=1, random_state=0)])))
    found = pd.concat(parts).sort_values(["row", "rank"])
    assert as_records(_plain(found)) == alone(batch.folder, "mlp.skops", named=True)
    (instances,) = explain_partition(batch.folder / "made", "row", table="instances")([frame[:8]])
    assert instances["id"].tolist()[1:7] == [f"n{i}" for i in range(1, 7)]
    assert instances["id"].isna().tolist()[::7] == [True, True]

    spoiled = frame[10:14].assign(age=["40", "?", "41", "??"])
    with pytest.warns(UserWarning, match=r"2 of 4 rows .* the first is row 11: column 'age': '\?' is not a number"):
        (rules,) = explain([spoiled])
    assert set(rules["row"]) == {10, 12}
    (instances,) = explain_partition(batch.folder / "made", "row", table="instances")([spoiled])
    assert instances["error"].notna().tolist() == [False, True, False, True]
    for table in ("rules", "instances"):
        strict = explain_partition(batch.folder / "made", "row", table=table, on_error="raise")
        with pytest.raises(ModelError, match="row 11 cannot be explained: column 'age'"):
            list(strict([spoiled]))
    with pytest.raises(InputError, match="on_error"):
        explain_partition(batch.folder / "made", "row", on_error="ignore")


def _plain(frame: pd.DataFrame) -> list[dict]:
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    whole = [name for name, column in RULES.items() if column.file_type.startswith("int")]
    return [
        row | {name: None if row[name] is None else int(row[name]) for name in whole}
        | {"features": list(row["features"])} for row in rows
    ]  # fmt: skip


def test_what_a_model_prints_does_no_harm(batch) -> None:
    for model, out in (("good", "quiet"), ("prints", "loud")):
        done = batch.run(model, out, "--chunk-rows", 20, "--where", "age < 40")
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


def test_constraints(batch) -> None:
    done = batch.run("good", "out", "--fixed", "income", "--allow", "employment=unemployed>employed")
    assert done.returncode == 0, done.stderr
    changes = [change for rule in batch.rows("out") for change in (rule["edit"] or "").split(", ")]
    assert any(change.startswith("debt_ratio") for change in changes)
    assert not any(change.startswith("income") for change in changes)
    assert {change for change in changes if change.startswith("employment")} <= {"employment unemployed → employed"}


def test_wrong_constraints_are_refused_at_the_start(batch) -> None:
    done = batch.run("good", "out", "--fixed", "incme", "--chunk-rows", 10)
    assert done.returncode == 1
    assert "constraints: there is no feature 'incme'" in done.stderr
    assert not (batch.folder / "out").exists()

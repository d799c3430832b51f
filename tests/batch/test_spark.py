"""In Spark, on this machine: the rules of mapInPandas are those of Explainer.explain."""

from __future__ import annotations

import os
import sys

import pandas as pd
import pytest

from lormika import Explainer, models
from lormika.batch import explain_partition, records, spark_schema

pytest.importorskip("pyspark", reason="pyspark is not installed: pip install pyspark, and a Java of version 17 or more")


@pytest.fixture
def spark(monkeypatch):
    from pyspark.sql import SparkSession

    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("PYSPARK_DRIVER_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    build = SparkSession.builder.master("local[2]").appName("lormika")
    for name, value in {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2"}.items():
        build = build.config(name, value)
    try:
        session = build.getOrCreate()
    except Exception as error:  # no Java
        pytest.skip(f"Spark does not start: {error}")
    yield session
    session.stop()


@pytest.mark.filterwarnings("ignore")  # of Spark, about pandas and its own sockets
@pytest.mark.parametrize("model", ["tree.skops", "lr.skops"])
def test_the_same_records(batch, spark, model) -> None:
    assert batch.run(model, "made", "--prepare").returncode == 0
    rows = pd.read_parquet(batch.folder / "rows.parquet").drop(columns="name")
    background = pd.read_parquet(batch.folder / "background.parquet")
    explainer = Explainer(models.load(str(batch.folder / model)), background, n_generated=200)
    told = [explainer.explain(rows.iloc[[row]], k=2) for row in range(len(rows))]
    wanted = [rule for row, result in enumerate(told) for rule in records.rule_rows(row, result)]

    frame = spark.createDataFrame(rows.assign(row=range(len(rows)))).repartition(3)
    explain = explain_partition(os.fspath(batch.folder / "made"), "row")
    found = [row.asDict() for row in frame.mapInPandas(explain, spark_schema()).collect()]
    found.sort(key=lambda rule: (rule["row"], rule["rank"]))
    as_written = [records.to_table(rules, records.RULES).to_pylist() for rules in (wanted, found)]
    assert [repr(row) for row in as_written[0]] == [repr(row) for row in as_written[1]]

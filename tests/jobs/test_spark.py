"""In Spark, on this machine: the rules of mapInPandas are those of Explainer.explain."""

from __future__ import annotations

import os
import sys

import pandas as pd
import pytest

from conftest import alone, as_records
from lormika.jobs import explain_partition, spark_schema

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
def test_the_same_records(batch, spark) -> None:
    assert batch.run("mlp.skops", "made", "--prepare", "--id", "name").returncode == 0
    rows = pd.read_parquet(batch.folder / "rows.parquet")
    frame = spark.createDataFrame(rows.assign(row=range(len(rows)))).repartition(3)
    explain = explain_partition(os.fspath(batch.folder / "made"), "row")
    found = [row.asDict() for row in frame.mapInPandas(explain, spark_schema()).collect()]
    found.sort(key=lambda rule: (rule["row"], rule["rank"]))
    assert as_records(found) == alone(batch.folder, "mlp.skops", named=True)

"""In Spark, on this machine: the tour's line writes down what `lormika batch` does."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from batches import alone, as_records
from examples import TOUR, read_examples
from lacking import lacks
from lormika.jobs import explain_partition, part_tables, spark_schema
from lormika.jobs.folder import Folder
from lormika.jobs.part_files import write_parts

pytest.importorskip("pyspark", reason="pyspark is not installed: pip install 'lormika[spark]'; it needs Java 17")
pytestmark = pytest.mark.filterwarnings("ignore")  # of Spark, about pandas and its own sockets


@pytest.fixture(scope="module")
def spark():
    from pyspark.sql import SparkSession

    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        lacks("there is no Java: apt-get install openjdk-17-jre-headless")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("PYSPARK_PYTHON", sys.executable), ("PYSPARK_DRIVER_PYTHON", sys.executable)):
            patch.setenv(name, value)
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        build = SparkSession.builder.master("local[2]").appName("lormika")
        for name, value in {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2"}.items():
            build = build.config(name, value)
        session = build.getOrCreate()
        yield session
        session.stop()


@pytest.fixture
def prepared(batch, spark):
    """A folder that is prepared for engines of one's own, and its rows in Spark, in three parts."""
    assert batch.run("mlp.skops", "made", "--prepare", "--id", "name").returncode == 0
    rows = pd.read_parquet(batch.folder / "rows.parquet")
    return batch.folder / "made", spark.createDataFrame(rows.assign(number=range(len(rows)))).repartition(3)


def test_the_same_records(batch, prepared) -> None:
    """Not through a file, and in the order of the rules of a row."""
    folder, rows = prepared
    found = [row.asDict() for row in _run_example(folder, rows).collect()]
    found.sort(key=lambda rule: rule["row"])
    assert as_records(found) == alone(batch.folder, "mlp.skops", named=True)


def test_the_same_files(batch, prepared, tmp_path) -> None:
    """Spark writes tables of its own files; in parts such as ours, they are ours to the byte."""
    folder, rows = prepared
    instances = explain_partition(folder, row="number", table="instances")
    _run_example(folder, rows).write.parquet(str(tmp_path / "spark" / "rules"))
    rows.mapInPandas(instances, spark_schema("instances")).write.parquet(str(tmp_path / "spark" / "instances"))
    assert len(list(tmp_path.glob("spark/rules/*.parquet"))) == 3

    done = batch.run("mlp.skops", "ours", "--id", "name", "--chunk-rows", 60, "--workers", 1)
    assert done.returncode == 0, done.stderr
    tables = [_read(tmp_path / "spark" / kind, columns) for kind, columns in TABLES.items()]
    write_parts(Folder(folder), 0, *tables)
    assert len(batch.parts("ours")) == 2
    assert batch.parts("made") == batch.parts("ours")


TABLES = {"rules": part_tables.RULES, "instances": part_tables.INSTANCES}


def _run_example(folder: Path, rows):
    """The tour's lines, with a folder that exists."""
    (code,) = (one.code for one in read_examples(TOUR.read_text(encoding="utf-8")) if "mapInPandas" in one.code)
    assert "/shared/why" in code
    names = {"rows": rows}
    exec(code.replace("/shared/why", str(folder)), names)
    return names["rules"]


def _read(folder: Path, columns: dict[str, str]):
    """A table that Spark has written, in the order of its rows."""
    table = pq.read_table(folder)
    assert table.column_names == list(columns)
    order = [(name, "ascending") for name in ("row", "rank") if name in columns]
    return part_tables.to_table(table.sort_by(order).to_pylist(), columns)

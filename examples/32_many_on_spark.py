"""
Many predictions in Spark
=========================

If the rows are in Spark already, let them stay there: ``explain_partition`` is a function for ``mapInPandas``. You learn
how a run is prepared for it, and how the rules come back as a Spark table.

Needs ``pip install 'lormika[spark,models]'`` and Java 17. Without them, this page stops after a sentence. Spark runs on
this machine here; on a cluster, all workers must see the folder.
"""

# %%
# Is Spark there?
# ---------------

import contextlib
import os
import shlex
import shutil
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import pandas as pd

from lormika import datasets
from lormika.cli.app import app

has_java = shutil.which("java") is not None or "JAVA_HOME" in os.environ
has_spark = (
    find_spec("pyspark") is not None and find_spec("skops") is not None and has_java
)
print(
    "Spark is here" if has_spark else "Skipped: this needs pyspark, skops and Java 17"
)

# %%
# Prepare
# -------
# ``--prepare`` asks the model about the background and writes all that workers need; it explains nothing yet.

place = tempfile.TemporaryDirectory()
folder = Path(place.name)
X, y = datasets.make_loans(800)
new = X.head(24).assign(number=range(24))


def prepare() -> None:
    """Write the files of a run."""
    import skops.io

    new.to_parquet(folder / "new.parquet")
    X.to_parquet(folder / "loans.parquet")
    skops.io.dump(datasets.make_model("tree", X).fit(X, y), folder / "loans.skops")
    command = """
        batch new.parquet --model loans.skops --background loans.parquet
        --k 3 --out why --quiet --prepare
    """
    with contextlib.chdir(folder):  # in a terminal: lormika batch new.parquet …
        app(shlex.split(command), standalone_mode=False)


# %%
# In Spark
# --------
# One line does the work. Each partition of the table goes through the explainer of its worker.


def explain_in_spark() -> pd.DataFrame:
    """The rules of all rows, made by Spark's workers."""
    from pyspark.sql import SparkSession

    from lormika.jobs import explain_partition, spark_schema

    os.environ["JDK_JAVA_OPTIONS"] = "-XX:TieredStopAtLevel=1"  # starts sooner
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    build = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    spark = build.config("spark.sql.warehouse.dir", str(folder)).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    try:
        rows = spark.createDataFrame(new).repartition(2)
        rules = rows.mapInPandas(
            explain_partition(folder / "why", row="number"), spark_schema()
        )
        kinds = (
            rules.groupBy("prediction", "category")
            .count()
            .orderBy("prediction", "category")
        )
        return kinds.toPandas()
    finally:
        spark.stop()


if has_spark:
    prepare()
    kinds = explain_in_spark().sort_values(
        ["prediction", "category"], ignore_index=True
    )
else:
    kinds = pd.DataFrame({"prediction": [], "category": [], "count": []})
kinds

# %%
# Spark has counted the rules of each kind, and only the counts have come here.

if has_spark:
    wide = kinds.pivot(index="category", columns="prediction", values="count").fillna(0)
    wide.index = wide.index.str.replace("_", " ")
    axes = wide.plot.barh(figsize=(8, 3), xlabel=f"rules of {len(new)} rows", ylabel="")
    axes.figure.tight_layout()
place.cleanup()

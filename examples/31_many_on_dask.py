"""
Many predictions on a Dask cluster
==================================

One explanation takes a moment; a million of them is a job. ``lormika batch`` runs it on the processors of one machine, or
on a Dask cluster, resumes where it was stopped, and writes Parquet files. You learn the whole way: files, cluster, job, results.

Needs ``pip install 'lormika[dask,files,models]'``. The cluster here is on this machine and gone at the end.
"""

# %%
# A table and a model, as files
# -----------------------------
# Workers get paths, not objects: they open the model themselves. skops files hold scikit-learn models without pickle.

import contextlib
import shlex
import tempfile
from pathlib import Path

import dask
import pandas as pd
import skops.io
from dask.distributed import LocalCluster

from lormika import datasets
from lormika.cli.app import app

place = tempfile.TemporaryDirectory()
folder = Path(place.name)
X, y = datasets.make_loans(1000)
X.assign(number=range(len(X))).head(60).to_parquet(folder / "new.parquet")
X.to_parquet(folder / "loans.parquet")
skops.io.dump(datasets.make_model("tree", X).fit(X, y), folder / "loans.skops")

# %%
# The job
# -------
# ``--scheduler`` is the address of the cluster. Each chunk runs in a process of its own, so a model that crashes takes no
# worker down with it. The cluster has one worker, which is enough to see how it goes. ``--chunk-rows`` is small here, to
# have something to share out; usually lormika chooses.
#
# In a terminal this is ``lormika batch new.parquet …``. Here the same command is called from Python, to show it on this page.

command = """
    batch new.parquet --model loans.skops --background loans.parquet --id number
    --k 3 --chunk-rows 30 --out why --quiet --engine dask --scheduler
"""
with (
    contextlib.chdir(folder),
    dask.config.set({"temporary-directory": place.name}),
    LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        processes=False,
        protocol="tcp://",
        dashboard_address=None,
    ) as cluster,
):
    words = [*shlex.split(command), cluster.scheduler_address]
    app(words, standalone_mode=False)
for path in sorted((folder / "why").glob("*/*.parquet")):
    print(path.relative_to(folder))

# %%
# The results
# -----------
# Two tables: one row for each prediction, and one for each rule. Any tool reads them.

instances = pd.read_parquet(folder / "why" / "instances")
rules = pd.read_parquet(folder / "why" / "rules")
print(
    f"{len(instances)} rows, {instances['error'].notna().sum()} failed, {len(rules)} rules"
)
instances[["id", "prediction", "probability", "current_supporting", "turned"]].head()

# %%
# Which columns are in the reasons for rejections? Each bar counts rows in whose first rule the column occurs.

first = rules[
    (rules["category"] == "current_supporting") & (rules["prediction"] == "rejected")
]
first = first.drop_duplicates("row")
counts = first["features"].explode().value_counts().sort_values()
axes = counts.plot.barh(
    figsize=(7, 2.8), xlabel=f"of {len(first)} rejected rows with a rule", ylabel=""
)
axes.figure.tight_layout()

# %%
# What single changes turn most often:

turning = rules[
    rules["turned"].fillna(False).astype(bool) & (rules["prediction"] == "rejected")
]
single = turning[turning["edit_list"].map(len) == 1]
single["features"].explode().value_counts().to_frame(
    "rejected rows that it turns alone"
)

# %%
# What comes next
# ---------------
# ``lormika report why`` writes one page about all rows; with ``--model loans.skops``, also the few changes that turn most
# of them. Had the job been stopped, the same command would have gone on where it was.

place.cleanup()

"""Examples of the README and the tour that are not simply run, why, and what is done instead."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Special:
    """An example that has `part` in its code, or is nothing else."""

    part: str
    reason: str
    left_out: bool = False
    whole: bool = False
    before: str = ""  # a command to run before it
    until: str = ""  # files that show that it works: it is interrupted when they are there
    module: str = ""  # a file to write it to, and
    after: str = ""  # a command that uses it

    def fits(self, code: str) -> bool:
        """Whether it is this example."""
        return self.part == code.strip() if self.whole else self.part in code


HAS_DATA = "LORMIKA_DATA" in os.environ

SPECIAL = (
    Special("pip install .", "is done once, in the README", left_out=True, whole=True),
    Special("rows.mapInPandas(", "needs Spark: tests/jobs/test_spark.py runs it", left_out=True),
    Special("pip install -e '.[test]' && pytest", "is a part of .ci/run of its own", left_out=True),
    Special("lormika serve", "does not end: tests/serving/test_serve_command.py starts it", left_out=True),
    Special("lormika batch loans.csv", "2,000 rows take a minute: 200 do", before="sed -i 201q loans.csv"),
    Special(
        "lormika evaluate --quick",
        "takes minutes: interrupted after a cell" if HAS_DATA else "needs LORMIKA_DATA, the folder with german.csv",
        left_out=not HAS_DATA,
        until="quick/cells/*-01.json",
    ),
    Special(
        "def make(model, background, seed):",
        "is for a file and an option, as it says above",
        module="mine.py",
        after="lormika evaluate --explainers lormika,mine:make --datasets loans --models tree --instances 1 --runs 1 "
        "--out own/",
    ),
)


@dataclass(frozen=True, slots=True)
class PageSpecial:
    """A block on a page of docs/ that has `part` in its code, and is not simply run."""

    part: str
    reason: str
    left_out: bool = False
    smaller: tuple[str, str] = ("", "")  # a piece of it, and what takes its place


PAGES = (
    PageSpecial(
        "pip install", "installs what is there: .ci/run walks through the tour from an empty environment", True
    ),
    PageSpecial("httpx.post(", "needs a server on a port of its own: tests/serving asks one", True),
    PageSpecial(
        "lormika batch applications", "starts many processes: .ci/run walks through the tour, which does", True
    ),
    PageSpecial("FROM 'why/rules/*.parquet'", "tests/jobs/test_columns.py runs it", True),
    PageSpecial("lormika serve", "does not end: tests/serving/test_serve_command.py starts it", True),
    PageSpecial("rows.mapInPandas(", "needs Spark: tests/jobs/test_spark.py runs it", True),
    PageSpecial("spark.read.parquet", "the second half needs Spark: tests/jobs/test_columns.py runs the first", True),
    PageSpecial("import mlflow", "needs MLflow: tests/integrations/test_mlflow.py does the same, where it is", True),
    PageSpecial("lormika evaluate", "takes minutes to days: .ci/run walks through the tour, which has it", True),
    PageSpecial("python benchmarks/run.py", "takes minutes to hours, on data that do not ship", True),
    PageSpecial("git worktree add", "installs another release", True),
    PageSpecial("The model predicts High (74%)", "needs the COMPAS data: tests/evaluation tries the example", True),
    PageSpecial(
        "A computer model was used", "is the text of the letter: tests/views/test_letter.py reads letters", True
    ),
    PageSpecial("instances=10, runs=2", "takes a while", smaller=("instances=10, runs=2", "instances=1, runs=1")),
)

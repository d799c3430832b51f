"""Examples of the README that are not simply run, why, and what is done instead."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Special:
    """An example that has `part` in its code."""

    part: str
    reason: str
    left_out: bool = False
    before: str = ""  # a command to run before it
    until: str = ""  # files that show that it works: it is interrupted when they are there
    module: str = ""  # a file to write it to, and
    after: str = ""  # a command that uses it


HAS_DATA = "LORMIKA_DATA" in os.environ

SPECIAL = (
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

"""A limit on the size of files (ulimit -f): one line that names the file, and nothing half-written stays."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

EXPLAIN = ("explain", "loans.csv", "--model", "loans.skops", "--target", "decision", "--row", 17, "--quiet")
BATCH = (
    "batch", "loans.csv", "--model", "loans.skops", "--target", "decision", "--drop", "id", "--where", "id < 1012",
    "--out", "why", "--workers", 1, "--n-generated", 200, "--quiet",
)  # fmt: skip


@pytest.fixture
def limited(lormika, warm):
    """Runs a command whose files may not have more bytes than these."""

    def run(most: int | None, *arguments: object) -> subprocess.CompletedProcess[str]:
        return warm.run([str(each) for each in arguments], lormika.folder, dict(os.environ), 600, most_bytes=most)

    run.folder = lormika.folder
    return run


@pytest.mark.parametrize("name", ["why.html", "why.parquet", "why.png"])
def test_an_explanation(limited, name):
    there = set(limited.folder.iterdir())
    done = limited(1000, *EXPLAIN, "--out", name)
    assert done.returncode == 1
    assert done.stderr == f"error: {name}: cannot be written: File too large\n"
    assert set(limited.folder.iterdir()) == there


def test_what_is_printed_into_a_file(limited):
    done = limited(1000, *EXPLAIN)
    assert done.returncode == 1
    assert done.stderr == "error: standard output: cannot be written: File too large\n"


BACKGROUND = "the disk is full, or files must not be so large"  # numpy does not tell which


@pytest.mark.parametrize(
    ("most", "line"),
    [
        (2_000, rf"why/background-\*/codes\.npy: cannot be written: {BACKGROUND}"),
        (6_000, r"why/input-[0-9a-f]+\.parquet: cannot be written: File too large"),
        (11_000, r"/.*/why/rules/part-00000\.parquet: cannot be written: File too large"),
    ],
)
def test_a_batch(limited, most, line):
    done = limited(most, *BATCH)
    assert done.returncode == 1
    assert re.fullmatch(f"error: {line}\n", done.stderr), done.stderr
    left = [path for path in limited.folder.rglob("*") if path.name.startswith(".") or path.name.startswith("part-")]
    assert left == []
    assert (limited.folder / "why").exists() == (most == 11_000)  # a run that has begun can go on
    again = limited(None, *BATCH)
    assert again.returncode == 0, again.stderr


def test_a_report(limited):
    assert limited(None, *BATCH).returncode == 0
    done = limited(1000, "report", "why")
    assert done.returncode == 1
    assert done.stderr == "error: why/report.html: cannot be written: File too large\n"
    assert not (limited.folder / "why" / "report.html").exists()


def test_files_of_the_demo(limited):
    done = limited(1000, "demo", "--export", ".")
    assert done.returncode == 1
    assert done.stderr == "error: loans.csv: cannot be written: File too large\n"


def test_in_python(limited, loans):
    """Whoever calls the library gets an error with the name, too."""
    code = (
        "import resource, sys; from lormika import Explanation\n"
        "why = Explanation.from_json(open('why.json').read())\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try: why.save('why.html')\n"
        "except OSError as error: print(error.filename, error.strerror)\n"
    )
    (limited.folder / "why.json").write_text(loans.explainer.explain(loans.X.iloc[[17]]).to_json())
    done = subprocess.run(
        [sys.executable, "-B", "-c", code], cwd=limited.folder, text=True, capture_output=True, timeout=600, check=False
    )
    assert done.stdout == "why.html cannot be written: File too large\n", done.stderr

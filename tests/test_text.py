"""The text view and the command line, as a user sees them."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial

import numpy as np
import pandas as pd
import pytest

from lormika import Explainer


@pytest.fixture(scope="module")
def explanation():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.integers(18, 80, 400), "job\x1b[31m": rng.choice(["none", "clerk\x07"], 400)})
    return Explainer(lambda f: np.where(f["age"] > 40, "old", "young"), X).explain(X[:1], k=2)


def test_text_names_all_kinds_and_figures(explanation):
    text = explanation.to_text()
    for heading in ("Why “", "Speaks against", "More certain if …", "Would turn if …"):
        assert heading in text
    rule = explanation.current_supporting[0]
    assert " and ".join(map(str, rule.conditions)) in text
    assert f"lift {rule.lift:.2f}" in text
    assert f"{rule.real.antecedent:,} real + {rule.counts.antecedent - rule.real.antecedent:,} made" in text
    assert "→" in text
    for note in explanation.notes:
        assert note[:40] in text


def test_text_is_plain_and_fits(explanation):
    text = explanation.to_text(width=80)
    assert "\x1b" not in text
    assert "\x07" not in text
    assert max(map(len, text.splitlines())) <= 80
    assert str(explanation) == explanation.to_text()
    assert repr(explanation).startswith("<Explanation of")


@pytest.fixture
def run(tmp_path):
    """Runs the command line in an empty folder."""
    return partial(run_in, tmp_path)


def run_in(folder, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "lormika", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "100", **environment},
        check=False,
    )


def test_demo_prints_all_four_kinds_without_colours_when_piped(run, tmp_path):
    done = run("demo")
    assert done.returncode == 0, done.stderr
    for words in ("Why “rejected”", "Speaks against", "More certain if …", "Would turn if …", "✔", "Try next"):
        assert words in done.stdout
    assert "\x1b" not in done.stdout
    report = tmp_path / "lormika-demo.html"
    assert str(report) in done.stdout
    assert "Why “rejected”?" in report.read_text(encoding="utf-8")


def test_a_report_that_cannot_be_written_is_one_line(run):
    done = run("demo", "--out", "no/such/folder/why.html")
    assert done.returncode == 1
    assert "no/such/folder" in done.stderr
    assert "Traceback" not in done.stderr


def test_demo_is_coloured_on_request(run):
    assert "\x1b[" in run("demo", FORCE_COLOR="1").stdout


def test_a_wrong_option_is_one_line_that_names_it(run):
    done = run("demo", "--objective", "beauty")
    assert done.returncode == 1
    assert done.stderr.strip() == (
        "error: objective='beauty': choose one of support, coverage, confidence, lift, leverage"
    )


def test_version(run):
    done = run("--version")
    assert done.returncode == 0
    assert done.stdout.startswith("lormika 0.")

"""A regressor on the command line: `--bands` for one row, for many, and where there is no such thing."""

from __future__ import annotations

import json

import pandas as pd
import pytest

WORTH = """
import numpy as np
def value(frame):
    works = np.where(frame["employment"] == "employed", 25.0, 0.0)
    return 2.0 * frame["income"] - 30.0 * frame["missed_payments"] + works
"""
LEAVE = ("--target", "decision", "--drop", "id", "--quiet")


@pytest.fixture
def worth(lormika):
    (lormika.folder / "worth.py").write_text(WORTH)
    return lormika


def test_one_row(worth, loans):
    space: dict[str, object] = {}
    exec(WORTH, space)
    value = float(space["value"](loans.X.iloc[[5]]).iloc[0])
    asked = ("explain", "loans.csv", "--model", "python:worth:value", "--row", 5, *LEAVE)
    done = worth(*asked, "--bands", "50,100", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["value"], found["bands"]) == (value, [50.0, 100.0])
    done = worth(*asked, "--bands", "around=20", "--json")
    assert json.loads(done.stdout)["bands"] == [value - 20, value + 20]
    done = worth(*asked, "--bands", "around")
    assert done.stdout.startswith(f"The model predicts {value:g} (")


@pytest.mark.parametrize(
    ("bands", "words"), [("100,x", "--bands '100,x'"), ("200,100", "increasing edges"), ("around=0", "above 0")]
)
def test_wrong_bands(bands, words, worth):
    done = worth("explain", "loans.csv", "--model", "python:worth:value", "--row", 5, *LEAVE, "--bands", bands)
    assert done.returncode == 1
    assert words in " ".join(done.stderr.split())


@pytest.mark.parametrize("bands", ["50,100", "around"])
def test_many_rows_and_their_report(bands, worth, loans):
    space: dict[str, object] = {}
    exec(WORTH, space)
    where = ("--where", "id < 1012", "--out", "why", "--workers", 1)
    done = worth("batch", "loans.csv", "--model", "python:worth:value", *LEAVE, *where, "--bands", bands)
    assert done.returncode == 0, done.stderr
    rows = pd.concat(pd.read_parquet(path) for path in (worth.folder / "why" / "instances").glob("*.parquet"))
    rules = pd.concat(pd.read_parquet(path) for path in (worth.folder / "why" / "rules").glob("*.parquet"))
    assert rows.sort_values("row")["value"].tolist() == space["value"](loans.X[:12]).tolist()
    turned = rules[rules["turned"].fillna(False).astype(bool)]
    assert turned["rerun_value"].notna().all()
    assert len(turned)
    done = worth("report", "why", "--quiet")
    assert done.returncode == 0, done.stderr
    done = worth("batch", "loans.csv", "--model", "python:worth:value", *LEAVE, *where, "--bands", "70")
    assert done.returncode == 1
    assert "--bands" in done.stderr


def test_the_page_says_that_it_is_for_classifiers(worth):
    from lormika import Explainer, serve

    X = pd.DataFrame({"a": range(50), "b": [0, 1] * 25})
    with pytest.raises(Exception, match="the page is for classifiers"):
        serve(Explainer(lambda frame: 1.0 * frame["a"], X, bands=[20]), X)

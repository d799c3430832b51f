"""lormika mine, as a process."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from lormika import mine_rules
from lormika.views.payload import load_rule

MINE = ["mine", "loans.csv", "--target", "decision", "--drop", "id"]


def test_rules_are_those_of_python(lormika, loans):
    done = lormika(
        *MINE, "--k", 4, "--objective", "lift", "--filter", "significant", "--correction", "layered", "--json"
    )
    assert done.returncode == 0, done.stderr
    expected = mine_rules(loans.X, loans.y, k=4, objective="lift", filter="significant", correction="layered")
    payload = json.loads(done.stdout)
    assert [load_rule(rule) for rule in payload["rules"]] == expected
    assert (payload["format"], payload["version"], payload["options"]["k"]) == ("lormika.rules", 2, 4)


def test_they_are_printed_and_written(lormika):
    printed = lormika(*MINE, "--k", 3, "--class", "rejected")
    assert printed.returncode == 0, printed.stderr
    assert printed.stdout.startswith("Best rules by leverage (600 rows)")
    assert printed.stdout.count("⇒ rejected") == 3
    for suffix in ("csv", "parquet", "json", "txt"):
        done = lormika(*MINE, "--k", 3, "--out", f"rules.{suffix}")
        assert (done.returncode, done.stdout) == (0, "")
    assert len(pd.read_csv(lormika.folder / "rules.csv")) == len(pd.read_parquet(lormika.folder / "rules.parquet")) == 3
    assert len(json.loads((lormika.folder / "rules.json").read_text())["rules"]) == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--class", "maybe"], "--class maybe: column 'decision' holds no such class"),
        (["--out", "rules.html"], ".html"),
        (["--max-conditions", 9], "--max-conditions 9"),
        (["--cut", "purpose=1,2"], "purpose"),
    ],
)
def test_mistakes(words, message, lormika):
    done = lormika(*MINE, *words, "--quiet")
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert message in done.stderr


def test_every_row_needs_a_class(lormika, loans):
    loans.X.assign(decision=loans.y.where(loans.X["age"] < 70)).to_csv(lormika.folder / "gaps.csv", index=False)
    done = lormika("mine", "gaps.csv", "--target", "decision")
    assert done.returncode == 1
    assert "every row needs a class" in done.stderr


def test_a_search_that_is_stopped_says_so_wherever_it_is_shown(lormika):
    printed = lormika(*MINE, "--time-limit", 0, "--quiet")
    assert printed.returncode == 0, printed.stderr
    sentence = "The search stopped after 0 s and is not complete: no rule better than"
    assert sentence in " ".join(printed.stdout.split())
    payload = json.loads(lormika(*MINE, "--time-limit", 0, "--json").stdout)
    assert payload["incomplete"].keys() == {"why", "seconds", "ranked_by", "open_bound"}
    assert payload["options"]["time_limit"] == 0
    assert sentence in lormika(*MINE, "--time-limit", 0, "--out", "rules.csv").stderr


def test_threads_print_the_same(lormika):
    alone, together = lormika(*MINE, "--json"), lormika(*MINE, "--json", "--n-jobs", 2)
    assert alone.stdout == together.stdout
    assert "incomplete" not in json.loads(alone.stdout)

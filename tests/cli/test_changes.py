"""Constraints and targets on the command line."""

from __future__ import annotations

import json

import pytest

EXPLAIN = (
    "explain",
    "loans.csv",
    "--model",
    "loans.skops",
    "--target",
    "decision",
    "--drop",
    "id",
    "--quiet",
    "--json",
)


@pytest.fixture
def rejected(loans) -> int:
    """A row that is rejected."""
    return int((loans.model.predict(loans.X) == "rejected").argmax())


def explain(lormika, *more: object) -> dict:
    done = lormika(*EXPLAIN, *more)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_options_and_a_file_add_up(lormika, rejected, loans):
    (lormika.folder / "limits.toml").write_text('fixed = ["age"]\nwhere = ["income >= now.income"]\n')
    found = explain(
        lormika, "--row", rejected, "--constraints", "limits.toml", "--fixed", "purpose", "--down", "missed_payments",
        "--range", "income=..90", "--range", "debt_ratio=±50%", "--allow", "employment=unemployed>employed",
        "--toward", "accepted", "--at-least", 0.6, "--spread",
    )  # fmt: skip
    (constraints,) = found["options"]["constraints"]
    assert constraints == {
        "fixed": ["age", "purpose"], "down": ["missed_payments"], "where": ["income >= now.income"],
        "ranges": {"income": [None, 90.0], "debt_ratio": "±50%"},
        "changes": {"employment": {"unemployed": ["employed"]}},
    }  # fmt: skip
    assert (found["options"]["target"], found["options"]["at_least"], found["options"]["spread"]) == (
        "accepted",
        0.6,
        True,
    )
    wanted = loans.explainer.explain(
        loans.X.iloc[[rejected]], constraints=constraints, target="accepted", at_least=0.6, spread=True
    )
    assert [rule["category"] for rule in found["rules"]] == [rule.category.value for rule in wanted.rules]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--fixed", "agee"), "constraints: there is no feature 'agee'"),
        (("--range", "income"), "'income' is not of the form income=20..60"),
        (("--range", "income=a..b"), "no pair of numbers"),
        (("--range", "income=abc"), "write 20..60, ..60"),
        (("--allow", "employment=employed"), "is not of the form job=none>clerk"),
        (("--toward", "granted"), "--toward 'granted': there is no such class"),
        (("--constraints", "none.toml"), "none.toml: cannot be read"),
        (("--fixed", "age", "--up", "age"), "'age' is fixed, and in up, too"),
    ],
)
def test_mistakes(lormika, options, words):
    done = lormika(*EXPLAIN, "--row", 3, *options)
    assert done.returncode in (1, 2)
    assert words in " ".join(done.stderr.replace("│", " ").split())
    assert "Traceback" not in done.stderr

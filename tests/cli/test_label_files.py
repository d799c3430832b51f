"""Labels on the command line."""

from __future__ import annotations

import json

import pytest

LABELS = """
income = {label = "Yearly income", unit = "k€"}
missed_payments = "Missed payments"
[classes]
rejected = "declined"
"""


@pytest.fixture
def file(lormika) -> str:
    (lormika.folder / "labels.toml").write_text(LABELS, encoding="utf-8")
    return "labels.toml"


def test_explain(lormika, file):
    command = ("explain", "loans.csv", "--model", "loans.skops", "--target", "decision", "--drop", "id", "--row", 9)
    done = lormika(*command, "--labels", file)
    assert done.returncode == 0, done.stderr
    assert "Yearly income" in done.stdout or "Missed payments" in done.stdout
    assert "missed_payments" not in done.stdout
    payload = json.loads(lormika(*command, "--labels", file, "--json").stdout)
    assert payload["labels"]["features"]["income"] == {"label": "Yearly income", "unit": "k€"}
    assert "missed_payments" in payload["instance"]


def test_mine(lormika, file):
    done = lormika("mine", "loans.csv", "--target", "decision", "--drop", "id", "--labels", file, "--class", "rejected")
    assert done.returncode == 0, done.stderr
    assert "⇒ declined" in done.stdout
    assert "missed_payments" not in done.stdout


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('incom = "Income"', "there is no feature 'incom'"),
        ("income = 3", "'income': give label, unit"),
        ("income = {", "labels.toml: is not valid TOML"),
        ('[classes]\nno = "No"', "there is no class 'no'"),
    ],
)
@pytest.mark.parametrize(
    "command", [("explain", "--model", "loans.skops", "--row", 9), ("mine",)], ids=["explain", "mine"]
)
def test_errors(lormika, text, words, command):
    (lormika.folder / "labels.toml").write_text(text, encoding="utf-8")
    name, *more = command
    done = lormika(name, "loans.csv", *more, "--target", "decision", "--drop", "id", "--labels", "labels.toml")
    assert done.returncode != 0
    assert words in " ".join(done.stderr.split())

"""Numbers that may be codes are asked about where a user looks, and amounts are left alone."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from lormika import Explainer, datasets
from lormika.cli.app import app
from lormika.stages.codes import may_be_codes

RNG = np.random.default_rng(5)
N = 600


@pytest.mark.parametrize("mean", [0.3, 1.0, 2.5, 4.0])
@pytest.mark.parametrize("seed", range(40))
def test_counts_are_no_codes(mean, seed):
    """Children, claims, visits: whatever the sample."""
    draws = np.random.default_rng(seed).poisson(mean, 300)
    assert not may_be_codes(*np.unique(draws, return_counts=True))


@pytest.mark.parametrize(
    ("values", "counts", "wanted"),
    [
        ([1, 2, 3, 4], [136, 231, 157, 476], True),
        ([-1, 0, 2], [100, 100, 100], True),
        ([10, 20, 30], [100, 200, 100], False),
        ([0, 1], [100, 10], False),  # ranges and categories say the same
        ([-1, 0, 1], [9, 9, 9], False),  # too few rows to tell
        (list(range(-6, 7)), [100] * 13, False),  # too many values
        ([0.5, 1.0, -1.0], [100, 10, 100], False),
    ],
)
def test_what_may_be_codes(values, counts, wanted):
    assert may_be_codes(np.sort(np.array(values, dtype=float)), np.array(counts)) == wanted


TABLE = pd.DataFrame(
    {
        "education": RNG.choice([0, 1, 2, 3, 4], N, p=[0.3, 0.05, 0.3, 0.05, 0.3]),
        "children": RNG.poisson(1.2, N).clip(0, 5),
        "pay": RNG.choice([-2.0, -1.0, 0.0, 1.0, np.nan], N),
        "income": RNG.integers(0, 60, N),
    }
)


def model(frame: pd.DataFrame) -> np.ndarray:
    score = 2.0 * frame["education"].isin([0, 4]) + 1.5 * (frame["children"] > 1) - frame["income"] / 20
    chance = 1 / (1 + np.exp(-score.to_numpy(dtype=float)))
    return np.column_stack([1 - chance, chance])


X = {"education": 4, "children": 3, "pay": -1.0, "income": 20}
START = "education is taken for an amount; it has 5 different whole numbers, from 0 to 4. Are they codes"


def about_codes(explanation) -> list[str]:
    return [str(note) for note in explanation.notes if "Are they codes" in str(note)]


def test_a_note_only_about_what_rules_use():
    explanation = Explainer(model, TABLE, n_generated=300).explain(X)
    used = {name for rule in explanation.rules for name in rule.features}
    assert "education" in used
    assert "pay" not in used
    assert "children" in used
    (note,) = about_codes(explanation)
    assert note.startswith(START)
    assert "--categorical" in note


def test_what_is_named_as_categorical_is_not_asked_about():
    explanation = Explainer(model, TABLE, n_generated=300, categorical=["education"]).explain(X)
    assert about_codes(explanation) == []


def test_loans_have_none():
    loans, decisions = datasets.make_loans(1000)
    explainer = Explainer(datasets.make_model("tree", loans).fit(loans, decisions), loans, n_generated=300)
    for row in range(10):
        assert about_codes(explainer.explain(loans.iloc[[row]])) == []


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ([], "'education', 'pay': {if_so} --categorical education --categorical pay"),
        (["--categorical", "education"], "'pay': {if_so} --categorical pay"),
        (["--categorical", "education", "--categorical", "pay"], None),
        (["--quiet"], None),
    ],
)
def test_the_overview_of_a_file_asks_once(tmp_path, options, told):
    TABLE.assign(label=model(TABLE)[:, 1] > 0.5).to_csv(tmp_path / "table.csv", index=False)
    line = ["mine", str(tmp_path / "table.csv"), "--target", "label", "--k", "1", *options]
    result = CliRunner().invoke(app, line)
    assert result.exit_code == 0, result.output
    asked = [line for line in result.stderr.splitlines() if "codes or amounts?" in line]
    if_so = "if the order of these numbers means nothing, add"
    assert asked == ([] if told is None else [f"  codes or amounts? {told.format(if_so=if_so)}"])

"""Reasons for letters and records."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lormika import Explainer, Explanation, InputError, datasets
from lormika.data.datasets import LOAN_RULES, loan_reasons

X, Y = datasets.make_loans(1500)


@pytest.fixture(scope="module", params=["rf", "tree"])
def rejected(request) -> list[tuple[Explanation, set[str]]]:
    """Explanations of rejected applications, with the features of their true reasons."""
    model = datasets.make_model(request.param, X).fit(X[:1200], Y[:1200])
    explainer, unseen = Explainer(model, X[:1200]), X[1200:]
    rows = unseen[(model.predict(unseen) == "rejected") & loan_reasons(unseen).any(axis=1)][:80]
    truth = loan_reasons(rows)
    true = [{f for reason in truth.columns[held] for f in LOAN_RULES[reason]} for held in truth.to_numpy(dtype=bool)]
    return list(zip(explainer.explain_many(rows, progress=False), true, strict=True))


def test_the_first_names_a_true_one(rejected):
    first = [explanation.reasons()[0].feature in true for explanation, true in rejected]
    two = [bool({reason.feature for reason in explanation.reasons(top=2)} & true) for explanation, true in rejected]
    assert np.mean(first) >= 0.97
    assert np.mean(two) >= 0.99


def test_what_they_say(rejected):
    for explanation, _ in rejected[:20]:
        reasons = explanation.reasons()
        assert 1 <= len(reasons) <= 4
        assert len({reason.feature for reason in reasons}) == len(reasons)
        for reason in reasons:
            assert reason.value == explanation.instance[reason.feature]
            assert reason.code is None
            assert reason.feature in reason.text
        assert Explanation.from_json(explanation.to_json()).reasons() == reasons


def test_codes(rejected, tmp_path):
    explanation = next(one for one, true in rejected if one.reasons()[0].feature == "missed_payments")
    missed = explanation.instance["missed_payments"]
    (reason,) = explanation.reasons({"missed_payments": ("R3", "{value} × {feature}")}, top=1)
    assert str(reason) == f"R3: {missed} × missed_payments"
    rows = [
        {"features": "missed_payments", "condition": "missed_payments > 99", "code": "R9", "text": "never"},
        {"features": " + ".join(X.columns), "code": "R1", "text": "the same for all"},
    ]
    assert [str(reason) for reason in explanation.reasons(rows)] == ["R1: the same for all"]
    file = tmp_path / "codes.csv"
    file.write_text("features,condition,code,text\nmissed_payments,missed_payments >= 2,R3,Missed payments\n")
    assert str(explanation.reasons(file, top=1)[0]) == "R3: Missed payments"
    file = tmp_path / "codes.toml"
    file.write_text('[[reason]]\nfeatures = ["missed_payments"]\ncode = "R3"\ntext = "Missed payments"\n')
    assert str(explanation.reasons(str(file), top=1)[0]) == "R3: Missed payments"


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        ({"agee": "x"}, "codes, row 1: there is no feature 'agee'"),
        ({"age": 3}, "codes of 'age': give a text, or a code and a text"),
        ([{"features": "age", "text": ""}], "codes, row 1: the text is missing"),
        ([{"features": "age", "txt": "x"}], "there is no column 'txt'"),
        ([{"text": "x"}], "features: give names of features"),
        ("none.csv", "none.csv: cannot be read"),
    ],
)
def test_wrong_codes(rejected, codes, message):
    with pytest.raises(InputError, match=message):
        rejected[0][0].reasons(codes)
    with pytest.raises(InputError, match="top=0"):
        rejected[0][0].reasons(top=0)


def test_words_of_data_are_no_places():
    """A category that looks like a place in a text stays what it is; a misspelt place is refused."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"c": rng.choice(["{otherwise}", "b"], 300), "x": rng.normal(size=300)})
    explainer = Explainer(lambda frame: (frame["c"] == "b").to_numpy(), table)
    explanation = explainer.explain({"c": "{otherwise}", "x": 0.0})
    (reason,) = explanation.reasons({"c": "your value {value}"}, top=1)
    assert reason.text == "your value {otherwise}"
    with pytest.raises(InputError, match=r"\{valeu\} stands for nothing"):
        explanation.reasons({"c": "your value {valeu}"})


def test_a_group_of_the_labels_has_one_code():
    model = datasets.make_model("rf", X).fit(X[:1200], Y[:1200])
    labels = {"groups": {"Means": ["income", "savings", "debt_ratio", "missed_payments", "employment", "amount"]}}
    explainer = Explainer(model, X[:1200], labels=labels)
    row = X[1200:][model.predict(X[1200:]) == "rejected"][:1]
    (first, *_) = explainer.explain(row).reasons({"Means": ("M1", "{feature}: {value}")})
    assert first.code == "M1"


@pytest.mark.parametrize("of", ["numbers", "categories"])
def test_other_values_count_as_often_as_they_are_there(of):
    """Few rows have a value that would make it less certain: so it is no reason, and no letter says so."""
    claims = np.random.default_rng(0).choice([0, 2, 3, 4, 5, 6], 1000, p=[0.7, 0.2, 0.025, 0.025, 0.025, 0.025])
    X = pd.DataFrame({"claims": claims if of == "numbers" else claims.astype(str), "age": np.arange(1000) % 60 + 18})

    def model(frame: pd.DataFrame) -> np.ndarray:
        p = 1 / (1 + np.exp(1.6 * (frame["claims"].astype(float).to_numpy() - 2.2)))
        return np.column_stack([p, 1 - p])

    explanation = Explainer(model, X, class_names=["ok", "fraud"]).explain(X[claims == 2].iloc[[0]])
    (reason,) = explanation.reasons()
    others = model(X[claims != 2])[:, 0].mean()
    assert others > explanation.probability
    assert reason.certainty == pytest.approx(others, abs=0.03)
    assert not reason.weighs
    assert "less certain" not in explanation.letter("explanation").html

"""What a change must lead to: targets, probabilities, thresholds; and changes that overlap least."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from cases import chances
from constrained import LOANS, loan_model
from lormika import Explainer, Explanation, InputError
from lormika.views.words import percent


def test_how_probable_the_new_class_is_is_shown():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(400, 3)).round(2), columns=list("abc"))
    explainer = Explainer(lambda frame: chances(2 * frame.to_numpy()), X, class_names=["x", "y", "z"])
    explanation = explainer.explain(
        X.iloc[[0]], target="y" if explainer.explain(X.iloc[[0]]).prediction != "y" else "z"
    )
    assert explanation.counterfactual
    for rule in explanation.counterfactual:
        row = pd.DataFrame([explanation.instance | {edit.feature: edit.after for edit in rule.rerun.edits}])
        assert rule.rerun.reached == pytest.approx(chances(2 * row.to_numpy())[0].max())
    shown = f"now {explanation.counterfactual[0].consequent} ({percent(explanation.counterfactual[0].rerun.reached)})"
    assert shown in " ".join(explanation.to_text(200).split())
    assert Explanation.from_json(explanation.to_json()).rules == explanation.rules


def test_a_target_among_many_classes():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(500, 4)).round(2), columns=list("abcd"))
    weights = rng.normal(size=(4, 4))
    explainer = Explainer(
        lambda frame: (
            np.exp(frame.to_numpy() @ weights) / np.exp(frame.to_numpy() @ weights).sum(axis=1, keepdims=True)
        ),
        X,
        class_names=list("wxyz"),
    )
    case = explainer.locate(X.iloc[[0]])
    for target in set("wxyz") - {case.explain().prediction}:
        explanation = case.explain(target=target)
        rules = (*explanation.counterfactual, *explanation.current_contradicting)
        assert {rule.consequent for rule in rules} == {target}
        assert all(rule.rerun.label == target for rule in explanation.counterfactual)
    with pytest.raises(InputError, match="target='v': there is no such class; there are 'w', 'x', 'y', 'z'"):
        case.explain(target="v")


def test_the_target_is_the_prediction(case):
    explanation = case.explain(target="rejected")
    assert explanation.counterfactual == ()
    assert "The prediction is the target already: nothing needs to change." in [note.text for note in explanation.notes]


def test_a_probability_to_reach(case):
    explanation = case.explain(at_least=0.8)
    assert explanation.counterfactual
    rows = explanation.to_counterfactuals()
    assert (loan_model(rows)[1:, 0] >= 0.8).all()
    with pytest.raises(InputError, match=r"at_least=1\.5: give a finite number, from 0 to 1"):
        case.explain(at_least=1.5)


def test_an_own_threshold():
    explainer = Explainer(loan_model, LOANS, class_names=["accepted", "rejected"], threshold=0.3)
    chances = loan_model(LOANS)[:, 1]
    assert (explainer.predictions == (chances >= 0.3)).all()
    row = int(np.flatnonzero((chances > 0.35) & (chances < 0.45))[0])
    explanation = explainer.explain(LOANS.iloc[[row]])
    assert explanation.prediction == "rejected"
    assert (loan_model(explanation.to_counterfactuals())[1:, 1] < 0.3).all()
    assert len(explanation.counterfactual) > 0
    assert "The prediction is rejected if its probability is at least 0.3, else accepted." in [
        note.text for note in explanation.notes
    ]
    (many,) = explainer.explain_many(LOANS.iloc[[row]], progress=False)
    assert many.to_json() == explanation.to_json()


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        (loan_model, {"threshold": 1.5}, "threshold=1.5: give a finite number, from 0 to 1"),
        (lambda frame: frame["phone"].to_numpy(), {"threshold": 0.3}, "threshold is about probabilities"),
        (lambda frame: np.full((len(frame), 3), 1 / 3), {"threshold": 0.3}, "threshold is for two classes"),
        (loan_model, {"threshold": 0.3, "predictions": [0] * len(LOANS)}, "predictions: with a threshold"),
    ],
)
def test_wrong_thresholds(model, options, message):
    with pytest.raises(InputError, match=re.escape(message)):
        Explainer(model, LOANS, **options)


def test_labels_have_no_probability_to_reach():
    explainer = Explainer(lambda frame: (frame["income"] > 30).to_numpy(), LOANS, n_generated=200)
    with pytest.raises(InputError, match="at_least is about probabilities"):
        explainer.explain(LOANS.iloc[[0]], at_least=0.6)


def test_rules_that_are_not_tried_keep_to_nothing(case):
    with pytest.raises(InputError, match="constraints needs rules that were tried"):
        case.explain(confirm=False, constraints={"fixed": ["age"]})


def test_counterfactuals_that_overlap_least():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.integers(0, 2, size=(400, 6)), columns=list("abcdef"))
    explainer = Explainer(lambda frame: (frame.sum(axis=1) >= 4).to_numpy(), X)
    instance = dict(zip("abcdef", [1, 1, 0, 0, 0, 0], strict=True))
    overlaps = {}
    for spread in (False, True):
        rules = explainer.explain(instance, k=2, spread=spread).counterfactual
        assert len(rules) == 2
        overlaps[spread] = len(set(rules[0].features) & set(rules[1].features))
    assert overlaps[True] == 0 < overlaps[False]

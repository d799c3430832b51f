"""The sentences: careful words, right for every sort of explanation."""

from __future__ import annotations

import re

import pytest

from cases import CASES
from lormika.views.words import percent


@pytest.mark.parametrize("name", CASES)
def test_it_never_claims_a_cause(name):
    assert not re.search(r"\b(because|due to|causes?|leads? to|therefore)\b", CASES[name]().summary(), re.I)


@pytest.mark.parametrize("name", ["binary", "seven_classes", "all_categorical", "all_numeric", "missing_values"])
def test_it_says_the_prediction_and_the_best_reason(name):
    explanation = CASES[name]()
    best = explanation.current_supporting[0]
    summary = explanation.summary()
    chance = "" if explanation.probability is None else f" ({percent(explanation.probability)})"
    assert summary.startswith(f"The model predicts {explanation.prediction}{chance}.")
    for condition in best.conditions:
        assert str(condition) in summary
    assert f"{percent(best.confidence)} are also predicted {explanation.prediction}" in summary
    assert f"({percent(best.counts.share_without)} of all similar cases are)" in summary


@pytest.mark.parametrize("name", ["binary", "seven_classes", "all_categorical", "all_numeric", "missing_values"])
def test_it_says_only_what_the_model_did(name):
    explanation = CASES[name]()
    summary = explanation.summary()
    turned = [rule.rerun for rule in explanation.counterfactual if rule.rerun.turned]
    assert ("turns the prediction to" in summary) == bool(turned)
    assert ("turned the prediction when" in summary or "did not turn" in summary) == (
        not turned and bool(explanation.counterfactual)
    )
    said = re.search(r"turns the prediction to (.*) – (both )?checked", summary)
    if said:
        assert set(said[1].split(" or ")) <= {str(rerun.label) for rerun in turned}


def test_what_speaks_against_it_is_named():
    explanation = CASES["seven_classes"]()
    against = explanation.current_contradicting[0]
    assert f"On the other hand, among similar cases with {against.conditions[0]}" in explanation.summary()
    assert f"are predicted {against.consequent}" in explanation.summary()


def test_a_missing_value_is_a_change_like_any_other():
    assert "Changing income to missing" in CASES["missing_values"]().summary()


def test_without_rules_only_the_prediction_is_left():
    X_explanation = CASES["empty_kind"]()
    assert X_explanation.summary().startswith("The model predicts rejected (")

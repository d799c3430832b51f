"""The sentences: careful words, right for every sort of explanation."""

from __future__ import annotations

import re

import pytest

from cases import CASES
from lormika.rule import Category, Counts, Edit, Equals, Rerun, Rule
from lormika.values import format_value
from lormika.views import narrative
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


def edits_of(change: str) -> list[Edit]:
    return [Edit(name, None, value) for name, value in (edit.rsplit(" to ", 1) for edit in change.split(" and "))]


@pytest.mark.parametrize("name", ["binary", "seven_classes", "all_categorical", "all_numeric", "missing_values"])
def test_it_says_only_what_the_model_did(name):
    explanation = CASES[name]()
    summary = explanation.summary()
    turned = [rule.rerun for rule in explanation.counterfactual if rule.rerun.turned]
    assert ("turns the prediction to" in summary) == bool(turned)
    assert ("turned the prediction when" in summary or "did not turn the" in summary) == (
        not turned and bool(explanation.counterfactual)
    )
    for changes, label in re.findall(r"[Cc]hanging (.*?) turns (?:it|the prediction) to (.*?)(?:;| – )", summary):
        for change in re.split(r",? or (?!now)", changes):
            edits = {(edit.feature, format_value(edit.after)) for edit in edits_of(change)}
            assert any(
                {(e.feature, format_value(e.after)) for e in r.edits} == edits and str(r.label) == label for r in turned
            )


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


def changes(*reruns: Rerun) -> str:
    """What is said of some re-runs."""
    rules = [
        Rule((Equals("a", 1),), "no", Counts(9, 3, 4, 2), 0.1, category=Category.COUNTERFACTUAL, rerun=rerun)
        for rerun in reruns
    ]
    return "".join(span.text for span in narrative._changes(rules))


def rerun(label: str, **after: int) -> Rerun:
    return Rerun(tuple(Edit(name, 0, value) for name, value in after.items()), label, 0.2, turned=label != "yes")


@pytest.mark.parametrize(
    ("reruns", "said"),
    [
        ([], ""),
        ([rerun("no", a=1)], "Changing a to 1 turns the prediction to no – checked"),
        ([rerun("no", a=1), rerun("no", b=2)], "Changing a to 1 or b to 2 turns the prediction to no – both checked"),
        (
            [rerun("no", b=2, c=3), rerun("no", a=1)],
            "Changing a to 1, or b to 2 and c to 3 turns the prediction to no – both checked",
        ),
        (
            [rerun("no", a=1), rerun("maybe", b=2)],
            "Changing a to 1 turns the prediction to no; changing b to 2 turns it to maybe – both checked",
        ),
        ([rerun("no", a=1), rerun("no", a=1, b=2)], "Changing a to 1 turns the prediction to no – checked"),
        ([rerun("yes", a=1)], "The one change that the rules suggest did not turn the prediction"),
        (
            [rerun("yes", a=1), rerun("yes", b=1)],
            "Neither of the two changes that the rules suggest turned the prediction",
        ),
        ([rerun("yes", a=i) for i in (1, 2, 3)], "None of the 3 changes that the rules suggest turned the prediction"),
    ],
)
def test_each_change_is_said_with_what_it_does(reruns, said):
    end = " by asking the model again." if "checked" in said else " when the model was asked again." if said else ""
    assert changes(*reruns).strip() == said + end


def test_without_a_supporting_rule_it_says_so():
    explanation = CASES["empty_kind"]()
    assert not explanation.current_supporting
    assert "No rule that is true of this instance supports that." in explanation.summary()
    assert "On the other hand" not in explanation.summary()

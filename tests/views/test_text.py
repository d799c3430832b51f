"""The text view, as a user sees it."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.svm import LinearSVC

from cases import CASES, CONFIRMED, golden
from lormika import Explainer
from lormika.rule import Check
from lormika.views.words import percent


@pytest.fixture(scope="module")
def explanation():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.integers(18, 80, 400), "job\x1b[31m": rng.choice(["none", "clerk\x07"], 400)})
    return Explainer(lambda f: np.where(f["age"] > 40, "old", "young"), X).explain(X[:1], k=2)


def test_text_names_all_kinds(explanation):
    text = explanation.to_text()
    for heading in ("Why “", "Speaks against", "More certain if …", "Would turn if …"):
        assert heading in text
    rule = explanation.current_supporting[0]
    assert " and ".join(map(str, rule.conditions)) in text
    assert f"{percent(rule.confidence)} instead of {percent(rule.counts.share_without)}" in text
    assert "→" in text
    for note in explanation.notes:
        assert note.text[:40] in text


def test_figures_are_there_for_those_who_want_them(explanation):
    rule = explanation.current_supporting[0]
    figures = (
        f"lift {rule.lift:.2f}",
        f"{rule.real.antecedent:,} real + {rule.counts.antecedent - rule.real.antecedent:,} made",
    )
    for each in figures:
        assert each in explanation.to_text(200, figures=True)
        assert each not in explanation.to_text()
    assert len(explanation.to_text(figures=True)) > len(explanation.to_text())


def test_text_is_plain_and_fits(explanation):
    for width in (40, 60, 80):
        text = explanation.to_text(width=width)
        assert "\x1b" not in text
        assert "\x07" not in text
        assert max(map(len, text.splitlines())) <= width
    assert str(explanation) == explanation.to_text()
    assert repr(explanation).startswith("<Explanation of")


@pytest.mark.parametrize("name", CONFIRMED)
@pytest.mark.parametrize("width", [40, 75, 110])
def test_confirmed_explanations_fit(name, width):
    assert max(map(len, CASES[name]().to_text(width, figures=True).splitlines())) <= width


def test_spelling_survives_and_controls_do_not():
    X = pd.DataFrame({"می\u200cخواهم\u202e": np.arange(100.0)})
    text = Explainer(lambda f: f.iloc[:, 0] > 50, X).explain(X[:1]).to_text()
    assert "می\u200cخواهم\\u202e" in text


def test_the_sentences_come_first():
    explanation = golden("explanation")
    text = " ".join(explanation.to_text(110).split())
    assert text.startswith(explanation.summary().partition(" Every rule here")[0])
    assert "Every rule here was checked" in text


def test_what_the_model_said_of_each_kind():
    text = golden("explanation").to_text(150)
    for line in (
        "63% instead of 35%  employment = unemployed",
        "without it 65% → 11% (2 of 2 changes agree)",
        "income 57 → 35, debt_ratio 0.39 → 0.42: 65% → 98% ✔ (3 of 3 combinations tried inside agree)",
        "1 change: employment unemployed → employed: 65% → 8%, now accepted ✔",
        "1 change: savings 2.8 → 6.1: 65% → 30%, now accepted ✔ (8 of 8 values tried inside turn it)",
    ):
        assert line in text, line


def test_margins_and_labels_claim_no_probability():
    margin, label = (golden(name).to_text(150) for name in ("margin", "label"))
    assert "without it margin 0.26 → -1.23 (3 of 3 changes agree)" in margin
    assert "missed_payments 0 → 1: margin 0.26 → -1.79, now rejected ✔" in margin
    assert "employment unemployed → employed: margin 0.26 → 0.80 ✔" in margin  # the only value there is
    assert "without it, 20 of 23 changes turn the prediction" in label
    assert "employment unemployed → employed: now accepted ✔" in label
    for text in (margin, label):
        assert "probability" not in text


def test_what_the_prediction_depends_on():
    explanation = golden("explanation")
    section = explanation.to_text(110).partition("What this prediction depends on")[2]
    for words in ("8% … 65%  turns at employed, self-employed", "turns at ≥ 6.1", "62% … 85%"):
        assert words in section, words
    assert "… 3 others: no value of them that was tried moves it by more than 6 points" in section
    no_single = golden("no_single")
    constant_first = tuple(sorted(no_single.effects, key=lambda effect: not effect.constant))
    assert "the same in all similar rows" in replace(no_single, effects=constant_first).to_text(110)
    label = golden("label").to_text(110)
    assert "… 7 others: no value of them that was tried turns it" in label
    assert "What this prediction depends on" not in replace(explanation, effects=()).to_text(110)


def test_weak_rules_and_those_that_no_row_has_are_marked():
    text = CASES["rare"]().to_text(110)
    assert "weak: found by asking the model" in text
    assert "no similar row has this" in text
    assert "nan" not in text


def test_a_nearest_value_that_moves_nothing_is_told_with_the_mean():
    explanation = golden("explanation")
    rule = explanation.hypothetical_supporting[0]
    still = replace(rule, rerun=replace(rule.rerun, probability=explanation.probability), check=Check(6, 4, 0.65, 0.75))
    text = " ".join(replace(explanation, rules=(still,)).to_text(150).split())
    assert "65% → 65% = (65% → 75% on average, 4 of 6 values tried inside agree)" in text


def test_a_kind_whose_changes_all_failed_says_so():
    """Without confirmation; with it, such rules are not shown."""
    explanation = golden("explanation")
    rules = tuple(
        replace(rule, check=None, rerun=replace(rule.rerun, turned=False, label="rejected", probability=0.6))
        for rule in explanation.counterfactual
    )
    plain = replace(explanation, rules=rules, effects=(), asked=None)
    words = "None of these changes turned the prediction when the model was asked again."
    assert words in plain.to_text(120)
    assert words in plain.to_html(page=False)
    checked = replace(plain, rules=tuple(replace(rule, check=Check(3, 0, 0.7, 0.6)) for rule in rules))
    assert words not in checked.to_text(120)


@pytest.mark.parametrize("file", ["explanation", "margin"])
def test_features_come_in_the_order_of_the_page(file):
    explanation = golden(file)
    depends = re.search(r'<ul class="depends">(.*?)</ul>', explanation.to_html(), re.DOTALL)[1].replace("<wbr>", "")
    on_page = re.findall(r'<span class="name"><bdi>(.*?)</bdi>', depends)
    lines = explanation.to_text().split("depends on", 1)[1].splitlines()
    in_text = [name for line in lines for name in on_page if line.startswith(f"  {name} ")]
    assert len(in_text) > 2
    assert in_text == on_page[: len(in_text)]


def test_a_change_shows_its_own_margin():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(400, 3)), columns=["a", "b", "c"])
    model = LinearSVC().fit(X, np.where(X["a"] + X["b"] > 0, "yes", "no"))
    explanation = Explainer(model, X).explain(X[:1])
    sign = 1 if explanation.prediction == model.classes_[1] else -1
    changes = [rule.rerun for rule in explanation.counterfactual]
    assert changes
    for change in changes:
        row = X[:1].assign(**{edit.feature: edit.after for edit in change.edits})
        assert change.margin == pytest.approx(sign * model.decision_function(row)[0], rel=1e-5)
        assert f"{change}: margin" in explanation.to_text(width=500)
        assert "on average, now" not in explanation.to_text(width=500)


def test_an_end_of_the_scale_stands_for_itself():
    X = pd.DataFrame({"member": np.arange(300) % 2, "age": np.arange(300) % 60})
    explanation = Explainer(lambda f: np.where(f["member"] == 1, "yes", "no"), X).explain({"member": 1, "age": 30})
    assert re.search(r"member +1 +turns at 0\n", explanation.to_text())

"""The text view, as a user sees it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lormika import Explainer


@pytest.fixture(scope="module")
def explanation():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.integers(18, 80, 400), "job\x1b[31m": rng.choice(["none", "clerk\x07"], 400)})
    return Explainer(lambda f: np.where(f["age"] > 40, "old", "young"), X).explain(X[:1], k=2)


def test_text_names_all_kinds_and_figures(explanation):
    text = explanation.to_text()
    for heading in ("Why “", "Speaks against", "More certain if …", "Would turn if …"):
        assert heading in text
    rule = explanation.current_supporting[0]
    assert " and ".join(map(str, rule.conditions)) in text
    assert f"lift {rule.lift:.2f}" in text
    assert f"{rule.real.antecedent:,} real + {rule.counts.antecedent - rule.real.antecedent:,} made" in text
    assert "→" in text
    for note in explanation.notes:
        assert note[:40] in text


def test_text_is_plain_and_fits(explanation):
    text = explanation.to_text(width=80)
    assert "\x1b" not in text
    assert "\x07" not in text
    assert max(map(len, text.splitlines())) <= 80
    assert str(explanation) == explanation.to_text()
    assert repr(explanation).startswith("<Explanation of")


def test_spelling_survives_and_controls_do_not():
    X = pd.DataFrame({"می\u200cخواهم\u202e": np.arange(100.0)})
    text = Explainer(lambda f: f.iloc[:, 0] > 50, X).explain(X[:1]).to_text()
    assert "می\u200cخواهم\\u202e" in text


def test_a_kind_whose_changes_all_failed_says_so():
    X = pd.DataFrame({"a": np.arange(200.0) % 20, "b": np.arange(200.0) % 7})
    explainer = Explainer(lambda f: (f["a"] >= 10) & (f["a"] != 10) & (f["a"] != 9), X)
    explanation = explainer.explain({"a": 3.0, "b": 1.0}, k=3, max_conditions=1)
    failed = bool(explanation.counterfactual) and not any(rule.rerun.turned for rule in explanation.counterfactual)
    said = "None of these changes turned the prediction when the model was asked again."
    assert (said in explanation.to_text(120)) == (said in explanation.to_html(page=False)) == failed

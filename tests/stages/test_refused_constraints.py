"""Constraints and targets that cannot be: refused with a word, or taken in the way that makes sense."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from cases import chances
from constrained import LOANS, loan_model
from lormika import Constraints, Explainer, InputError


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"fixed": "age"}, r"fixed='age': give a list, such as \['age'\]"),
        ({"fixed": ["agee"]}, "there is no feature 'agee'; did you mean 'age'?"),
        ({"fixd": ["age"]}, "there is no 'fixd'; there are fixed, up, down"),
        ({"fixed": ["age"], "up": ["age"]}, "'age' is fixed, and in up, too"),
        ({"up": ["age"], "down": ["age"]}, "'age' is in up and down"),
        ({"up": ["purpose"]}, "the categories of 'purpose' have no order"),
        ({"up": ["purpose"], "orders": {"purpose": ["car", "cart"]}}, "'purpose' has no category 'cart'"),
        ({"ranges": {"purpose": (1, 2)}}, "ranges: 'purpose' is no number"),
        ({"ranges": {"age": (2, 1)}}, "2 is above 1"),
        ({"ranges": {"age": "about 5"}}, "'about 5': write ±20%"),
        ({"ranges": {"age": (1, 2, 3)}}, r"give \(low, high\)"),
        ({"ranges": {"age": (math.nan, 3)}}, r"give \(low, high\)"),
        ({"changes": {"age": {1: [2]}}}, "changes: 'age' is a number"),
        ({"changes": {"purpose": {"car": "repairs"}}}, "give a list of categories, not 'repairs'"),
        ({"changes": {"purpose": {"car": ["boat"]}}}, "'purpose' has no category 'boat'"),
        ({"where": ["age >"]}, "condition 'age >'"),
        ({"where": ["agee > 3"]}, "where: condition 'agee > 3', character 1: there is no column 'agee'"),
        ({"where": ["purpose > 3"]}, "where: condition 'purpose > 3'"),
        ({"linked": [["age"]]}, "'age' stands alone"),
        ({"linked": [["age", "income"], ["age", "phone"]]}, "'age' is there twice"),
        ({"cost": {"age": 0}}, "cost of 'age': give a number above 0"),
        ({"permits": 3}, "permits=3: give a function"),
        (3, "constraints=3: give Constraints"),
    ],
)
def test_wrong_constraints(case, wrong, message):
    with pytest.raises(InputError, match=message):
        case.explain(constraints=wrong)
    with pytest.raises(InputError, match=message):
        Explainer(loan_model, LOANS, constraints=wrong)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda frame: True, "permits gave an answer of shape"),
        (lambda frame: frame["no"], "permits failed on"),
        (lambda frame: frame["age"], "return True or False"),
    ],
)
def test_wrong_functions(case, function, message):
    with pytest.raises(InputError, match=message):
        case.explain(constraints=Constraints(permits=function))


def test_files(tmp_path):
    toml = tmp_path / "c.toml"
    toml.write_text('fixed = ["age"]\n[ranges]\nincome = "±20%"\n[changes.purpose]\ncar = ["repairs"]\n')
    json = tmp_path / "c.json"
    json.write_text('{"fixed": ["age"], "ranges": {"income": "±20%"}, "changes": {"purpose": {"car": ["repairs"]}}}')
    assert Constraints.of(toml) == Constraints.of(str(json))
    assert Constraints.of(Constraints.of(toml).to_dict()) == Constraints.of(toml)
    toml.write_text("fixed = [")
    with pytest.raises(InputError, match="is not valid TOML"):
        Constraints.of(toml)
    with pytest.raises(InputError, match="cannot be read"):
        Constraints.of(tmp_path / "none.toml")


@pytest.mark.parametrize(
    "grades",
    [pd.Categorical(["b", "a", "c"] * 20, categories=["a", "b", "c"], ordered=True)],
)
def test_types_with_an_order(grades):
    X = pd.DataFrame({"grade": grades, "x": np.arange(60.0)})
    explainer = Explainer(lambda frame: (frame["grade"].astype(str) == "b").to_numpy(), X, n_generated=100)
    explanation = explainer.explain(X.iloc[[0]], constraints={"up": ["grade"]})
    assert [str(rule.rerun) for rule in explanation.counterfactual] == ["grade b → c"]


def test_views_of_explanations_with_constraints(case):
    wanted = {"fixed": ["age"], "ranges": {"income": "±20%"}, "where": ["income >= 5"]}
    explanation = case.explain(constraints=wanted, target="accepted", at_least=0.6, spread=True)
    assert "&#39;fixed&#39;: [&#39;age&#39;]" in explanation.to_html()
    for view in (explanation.to_text, explanation.summary, explanation.to_frame, explanation.to_counterfactuals):
        view()


# What an attack found


def test_an_unseen_number_has_its_place_in_the_order():
    X = pd.DataFrame({"level": [1, 2, 5] * 100, "x": np.arange(300.0)})
    explainer = Explainer(lambda frame: (frame["level"].astype(float) >= 4).to_numpy(), X, categorical=["level"])
    for direction, wanted in (("down", []), ("up", ["level 3 → 5"])):
        explanation = explainer.explain({"level": 3, "x": 7.0}, constraints={direction: ["level"], "fixed": ["x"]})
        assert [str(rule.rerun) for rule in explanation.counterfactual] == wanted


def test_a_class_named_0_is_a_target():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(300, 2)).round(2), columns=list("ab"))

    def model(frame):
        return chances(np.column_stack([np.zeros(len(frame)), 3 * frame["a"], frame["b"] - 3 * frame["a"]]))

    explanation = Explainer(model, X, n_generated=100).explain({"a": -1.0, "b": 0.0}, target=0)
    assert explanation.options["target"] == 0
    assert "too." not in explanation.summary()


def test_a_number_that_a_condition_names_is_in_no_range():
    X = pd.DataFrame({"x": [float(10 * (i % 100)) for i in range(300)], "y": np.arange(300.0)})
    explainer = Explainer(lambda frame: (frame["x"] > 300).to_numpy(), X, n_generated=100)
    explanation = explainer.explain({"x": 100.0, "y": 3.0}, constraints={"where": ["x != 512.5"]})
    (condition,) = explanation.counterfactual[0].conditions
    assert not condition.low <= 512.5 < condition.high


@pytest.mark.parametrize(
    "wrong",
    [
        {"ranges": {"age": (0, 10**400)}}, {"cost": {"age": 10**400}}, {"ranges": {"age": (1, 2, 10**5000)}},
        {"fixed": {10**5000: 1}}, {"changes": {"purpose": {10**5000: ["car"]}}}, {"orders": {"purpose": [10**5000]}},
        {"changes": {"purpose": {"car": [10**5000]}}}, "limits.toml", "a\0b",
    ],
    ids=range(9),
)  # fmt: skip
def test_hostile_constraints(case, wrong):
    with pytest.raises(InputError):
        case.explain(constraints=wrong)


@pytest.mark.parametrize(
    "target", [10**5000, pd.NA, np.array(["accepted", "b"]), None.__class__, math.nan], ids=range(5)
)
def test_hostile_targets(case, target):
    with pytest.raises(InputError, match="target="):
        case.explain(target=target)


def test_a_file_that_cannot_be():
    with pytest.raises(InputError, match="cannot be read"):
        Constraints.of("a\0b")

"""Measures against values worked out by hand, and rules of rivals against their meaning."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lormika import Explainer
from lormika.evaluation import measures
from lormika.evaluation.common import Ground
from lormika.evaluation.rival import filled_values
from lormika.evaluation.rules import Among, OrMissing, read_rule, smallest_edit, with_category
from lormika.rule import Category, Counts, Equals, Interval, Rule


def test_measures_of_counts_by_hand():
    # 200 rows, 100 match, 150 have the class, 90 both: lift 0.9 / 0.75; 10 of the 50 others match.
    found = measures.of_counts(Counts(rows=200, antecedent=100, consequent=150, both=90))
    assert found["coverage"] == 0.5
    assert found["confidence"] == 0.9
    assert found["interestingness"] == pytest.approx(0.2)
    assert found["fidelity"] == pytest.approx((90 / 150 + 40 / 50) / 2)


def test_a_rule_that_matches_nothing_has_no_confidence():
    found = measures.of_counts(Counts(rows=10, antecedent=0, consequent=5, both=0))
    assert found["coverage"] == 0
    assert math.isnan(found["confidence"])
    assert math.isnan(found["interestingness"])
    assert found["fidelity"] == 0.5


def test_fidelity_needs_two_classes():
    assert math.isnan(measures.fidelity(Counts(rows=10, antecedent=5, consequent=10, both=5)))


def test_stability_is_the_mean_over_pairs():
    # {a} and {a, b}: 1/2; {a} and {}: 0; {a, b} and {}: 0.
    assert measures.stability([["a"], ["a", "b"], []]) == pytest.approx(0.5 / 3)
    assert measures.stability([[], []]) == 1  # two rules without conditions, not two without a rule
    assert measures.stability([["a"], ["a"], None]) == pytest.approx(1 / 3)
    assert math.isnan(measures.stability([None, None]))
    assert math.isnan(measures.stability([["a"]]))


def test_mean_and_sd_are_over_instances():
    mean, sd, count = measures.mean_and_sd([[1.0, 2.0], [math.nan, 4.5], []])
    assert (mean, sd, count) == (3.0, 1.5, 3)
    assert measures.mean_and_sd([])[2] == 0


def test_ground_counts_by_hand():
    ground = Ground({"a": [1, 2, 3, 4]}, np.array(["x", "y", "x", "y"], dtype=object))
    rule = Rule((Interval("a", 2, math.inf),), "x", Counts(0, 0, 0, 0), math.nan)
    assert ground.count(rule) == Counts(rows=4, antecedent=3, consequent=2, both=1)


def test_rules_of_rivals_mean_what_they_say(grounds):
    background = grounds.explainer.background
    told = {
        "conditions": [
            {"feature": "income", "above": 20.0, "up_to": None},
            {"feature": "income", "above": None, "up_to": 45.0},
            {"feature": "employment", "is_not": 0},
            {"feature": "purpose", "is": 1},
        ],
        "consequent": 1,
    }
    rule = read_rule(told, background, filled_values(background), ("accepted", "rejected"))
    assert rule.consequent == "rejected"
    assert rule.conditions[1:] == (Among("employment", ("self-employed", "unemployed")), Equals("purpose", "education"))
    table = {
        "income": [20, 21, 45, 46, 30],
        "employment": ["unemployed"] * 4 + ["employed"],
        "purpose": ["education"] * 5,
    }
    assert rule.holds(table).tolist() == [False, True, True, False, False]


def test_smallest_edit_satisfies_the_rule(grounds, setting):
    explainer = grounds.explainer
    told = {
        "conditions": [
            {"feature": "debt_ratio", "above": 0.4401, "up_to": 0.4402},  # no row has such a value
            {"feature": "employment", "is_not": 0},
            {"feature": "employment", "is_not": 1},
        ],
        "consequent": 1,
    }
    rule = read_rule(told, explainer.background, filled_values(explainer.background), explainer.model.names)
    x = setting.instances.iloc[[0]].assign(employment="employed", debt_ratio=0.1)
    edited = smallest_edit(rule, explainer.background, explainer.schema.read_instance(x).rows[0])
    assert edited is not None
    row = explainer.schema.restore(edited[None])
    assert rule.holds(row).all()
    assert row["income"].tolist() == x["income"].tolist()


def test_a_rule_that_nothing_satisfies_has_no_edit(grounds, setting):
    explainer = grounds.explainer
    told = {"conditions": [{"feature": "phone", "is_not": 0}, {"feature": "phone", "is_not": 1}], "consequent": 0}
    rule = read_rule(told, explainer.background, filled_values(explainer.background), explainer.model.names)
    instance = explainer.schema.read_instance(setting.instances.iloc[[0]]).rows[0]
    assert smallest_edit(rule, explainer.background, instance) is None


@pytest.mark.parametrize(
    ("value", "consequent", "category"),
    [
        (1, "yes", Category.CURRENT_SUPPORTING),
        (1, "no", Category.CURRENT_CONTRADICTING),
        (2, "yes", Category.HYPOTHETICAL_SUPPORTING),
        (2, "no", Category.COUNTERFACTUAL),
    ],
)
def test_categories(value, consequent, category):
    rule = Rule((Equals("a", value),), consequent, Counts(0, 0, 0, 0), math.nan)
    assert with_category(rule, {"a": [1]}, "yes").category is category


def test_a_rule_that_held_for_the_value_given_for_a_missing_one_holds_for_the_missing_one(setting):
    # Rivals get the median income, 41, and one more category of employment.
    X = setting.background.astype({"income": float}).copy()
    X.loc[X.index[:40], "income"], X.loc[X.index[20:60], "employment"] = np.nan, None
    explainer = Explainer(lambda frame: (frame["missed_payments"] > 1).astype(int), X)
    background, names = explainer.background, explainer.model.names
    filled = filled_values(background)
    assert filled[explainer.schema.index("income")] == X["income"].median()

    def conditions(*told):
        return read_rule({"conditions": list(told), "consequent": 0}, background, filled, names)

    above, below = (conditions({"feature": "income", "above": a, "up_to": None}) for a in (1.0, 1000.0))
    assert isinstance(above.conditions[0], OrMissing)
    assert above.holds(X).all()
    assert not below.holds(X).any()
    other = conditions({"feature": "employment", "is_not": 0})
    assert (other.holds(X) == (X["employment"] != _categories(explainer, "employment")[0]).to_numpy()).all()
    missing = conditions({"feature": "employment", "is": len(_categories(explainer, "employment"))})
    assert (missing.holds(X) == X["employment"].isna().to_numpy()).all()
    x = explainer.schema.read_instance(X.iloc[[0]]).rows[0]
    edited = smallest_edit(above, background, x)
    assert np.array_equal(edited, x, equal_nan=True)  # it holds already: nothing is changed
    assert with_category(above, X.iloc[[0]], names[0]).category is Category.CURRENT_SUPPORTING


def _categories(explainer, name):
    return explainer.schema.features[explainer.schema.index(name)].categories

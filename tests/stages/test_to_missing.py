"""Missing is no change to make: no rule that is not true yet says "is missing", unless as in the paper."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lormika import Category, Explainer, mine_rules
from lormika.rule import Missing, Rule

RNG = np.random.default_rng(0)
N = 400
AGES = RNG.integers(20, 70, N).astype(float)
TABLE = pd.DataFrame(
    {
        "age": np.where(RNG.random(N) < 0.3, np.nan, AGES),
        "job": pd.Series(np.where(RNG.random(N) < 0.3, None, RNG.choice(["chef", "clerk"], N)), dtype=object),
        "income": RNG.integers(0, 60, N),
    }
)
X = {"age": 45, "job": "chef", "income": 40}


def model(frame: pd.DataFrame) -> np.ndarray:
    """Rejects mostly whoever does not say an age or a job."""
    score = 2.0 * frame["age"].isna() + 1.5 * frame["job"].isna() - frame["income"] / 20 + 0.2
    chance = 1 / (1 + np.exp(-score.to_numpy(dtype=float)))
    return np.column_stack([1 - chance, chance])


@pytest.fixture(scope="module")
def explainer() -> Explainer:
    return Explainer(model, TABLE, class_names=["yes", "no"], n_generated=300)


def takes_away(rule: Rule, x: dict) -> bool:
    return any(isinstance(condition, Missing) and x[condition.feature] is not None for condition in rule.conditions)


def kind_of(rule: Rule, explanation) -> Category:
    def holds(condition) -> bool:
        value = explanation.instance[condition.feature]
        if value is None or isinstance(condition, Missing):
            return value is None and isinstance(condition, Missing)
        return condition.low <= value < condition.high if hasattr(condition, "low") else value == condition.value

    current = all(map(holds, rule.conditions))
    return Category.of(current=current, supporting=rule.consequent == explanation.prediction)


@pytest.mark.parametrize("k", [1, 3, 8])
@pytest.mark.parametrize("per", ["category", "overall"])
def test_the_best_of_all_other_rules_are_shown(explainer, k, per):
    explanation = explainer.explain(X, confirm=False, k=k, per=per, filter="productive", max_conditions=2, m=0.0)
    assert explanation.prediction == "yes"
    sample = explanation.sample
    every = mine_rules(sample.rows, sample.label_names, k=100_000, filter="productive", max_conditions=2, min_count=10)
    left = [rule for rule in every if not takes_away(rule, X)]
    assert len(left) < len(every)
    wanted = left[:k] if per == "overall" else []
    for kind in Category if per == "category" else ():
        wanted += [rule for rule in left if kind_of(rule, explanation) == kind][:k]
    assert sorted(map(str, explanation.rules)) == sorted(map(str, wanted))
    assert not any("missing" in str(rule.rerun) for rule in explanation.rules)


def test_what_is_missing_now_may_be_said(explainer):
    x = X | {"age": None}
    explanation = explainer.explain(x, confirm=False)
    now = explanation.current_supporting + explanation.current_contradicting
    assert any("age is missing" in str(rule) for rule in now)
    assert not any(takes_away(rule, x) for rule in explanation.rules)


def test_with_confirmation_it_is_the_same(explainer):
    assert not any(takes_away(rule, X) for rule in explainer.explain(X).rules)


def test_the_papers_way_leaves_no_rule_out():
    paper = Explainer(model, TABLE, class_names=["yes", "no"], n_generated=300, preset="paper")
    explanation = paper.explain(X, per="category")
    found = [rule for rule in explanation.counterfactual if takes_away(rule, X)]
    assert found
    assert all(rule.rerun is not None for rule in found)

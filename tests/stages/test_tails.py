"""Borders that lie in the tail of a number, where few rows of the background are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lormika import Category, Explainer

ROWS = 1500
RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(
    {
        "calls": RNG.poisson(1.5, ROWS),  # five or more: 2 % of the rows
        "age": RNG.integers(18, 80, ROWS),
        "income": RNG.normal(50, 15, ROWS).round(1),
    }
)


def leaves(table: pd.DataFrame) -> np.ndarray:
    leaving = np.where(table["calls"] >= 5, 0.8, 0.1)
    return np.column_stack([1 - leaving, leaving])


@pytest.fixture(scope="module")
def explainer() -> Explainer:
    return Explainer(leaves, TABLE, class_names=["stay", "leave"])


@pytest.mark.parametrize("calls", [0, 1, 3])
def test_a_prediction_rests_on_not_being_in_the_tail(explainer, calls) -> None:
    explanation = explainer.explain(TABLE[TABLE["calls"] == calls].iloc[[0]])
    (rule,) = explanation.rules_of(Category.CURRENT_SUPPORTING)
    assert [str(condition) for condition in rule.conditions] == ["calls ≤ 4"]
    assert not rule.weak
    assert rule.check.agreed == rule.check.asked > 0
    assert rule.check.after == pytest.approx(0.2)


def test_what_only_the_tail_changes_has_an_effect(explainer) -> None:
    calls, *others = explainer.explain(TABLE[TABLE["calls"] == 0].iloc[[0]]).effects
    assert calls.feature == "calls"
    assert calls.effect == pytest.approx(calls.largest / 64)
    assert all(other.effect == 0 for other in others)


@pytest.mark.parametrize("balance", [300, 800, 1300])
def test_what_is_said_of_the_tail_is_the_mean_over_its_rows(balance) -> None:
    """Most of them lie near the border, and few octiles of all rows lie beyond it."""
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"balance": rng.gamma(4, 200, 4000).round(2), "income": rng.normal(30, 8, 4000).round(1)})

    def model(frame: pd.DataFrame) -> np.ndarray:
        chance = 1 / (1 + np.exp(-(frame["balance"] - 1700) / 150))
        return np.column_stack([1 - chance, chance])

    explanation = Explainer(model, table, class_names=["no", "yes"]).explain({"balance": balance, "income": 30.0})
    rule = explanation.current_supporting[0]
    ((condition,), check) = rule.conditions, rule.check
    outside = table[(table["balance"] < condition.low) | (table["balance"] >= condition.high)]
    assert 0 < len(outside) < 400
    assert check.after == pytest.approx(model(outside)[:, 0].mean(), abs=0.05)

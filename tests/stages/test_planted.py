"""Models that use two or three of twelve features: nothing else is named, and the true thresholds are found."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
import pytest

from lormika import Category, Explainer, Interval

N_INSTANCES = 40
SHIFT = {"north": 0.0, "east": 1.5, "south": -1.5, "west": 0.5}


def background(n: int) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    columns: dict[str, np.ndarray] = {f"real {i}": rng.normal(0, 2, n).round(2) for i in range(4)}
    columns |= {f"whole {i}": rng.integers(0, 12 + 10 * i, n) for i in range(3)}
    columns |= {"rate": rng.random(n).round(3)}
    columns |= {f"place {i}": rng.choice([*SHIFT], n) for i in range(2)}
    columns |= {"sort": rng.choice(["a", "b", "c"], n, p=[0.6, 0.3, 0.1]), "flag": rng.random(n) < 0.4}
    return pd.DataFrame(columns)


@dataclass(frozen=True)
class Planted:
    """A model, the features it uses, and where it changes if one number of a row does and nothing else."""

    chances: Callable[[pd.DataFrame], np.ndarray]  # of the second class
    uses: set[str]
    thresholds: Callable[[dict, str], list[float]]

    def __call__(self, X: pd.DataFrame) -> np.ndarray:
        chances = self.chances(X)
        return np.column_stack([1 - chances, chances])


def tree(X: pd.DataFrame) -> np.ndarray:
    poor = np.where(X["rate"] > 0.55, 0.95, 0.15)
    rich = np.where(X["sort"] == "a", 0.1, 0.7)
    return np.where(X["whole 1"] > 9.5, rich, poor)


def tree_thresholds(row: dict, feature: str) -> list[float]:
    if feature == "whole 1":
        return [9.5]
    return [0.55] if row["whole 1"] <= 9.5 else []


def product(X: pd.DataFrame) -> np.ndarray:
    return 1 / (1 + np.exp(-2 * (X["real 0"] * X["real 2"] - 0.5).to_numpy()))


def product_thresholds(row: dict, feature: str) -> list[float]:
    other = row["real 2" if feature == "real 0" else "real 0"]
    return [0.5 / other] if other else []


def shares(X: pd.DataFrame) -> np.ndarray:
    return X["real 1"].to_numpy() + X["whole 0"].to_numpy() / 4 + X["place 1"].map(SHIFT).to_numpy(float)


def threshold(X: pd.DataFrame) -> np.ndarray:
    return np.where(shares(X) > 1.6, 0.9, 0.2)


def threshold_thresholds(row: dict, feature: str) -> list[float]:
    if feature == "real 1":
        return [1.6 - row["whole 0"] / 4 - SHIFT[row["place 1"]]]
    return [4 * (1.6 - row["real 1"] - SHIFT[row["place 1"]])]


PLANTED = {
    "tree": Planted(tree, {"whole 1", "rate", "sort"}, tree_thresholds),
    "product": Planted(product, {"real 0", "real 2"}, product_thresholds),
    "threshold": Planted(threshold, {"real 1", "whole 0", "place 1"}, threshold_thresholds),
}


@cache
def explanations(name: str) -> list:
    X = background(900)
    explainer = Explainer(PLANTED[name], X[:800], class_names=["no", "yes"], n_generated=600)
    return list(explainer.explain_many(X[800 : 800 + N_INSTANCES], progress=False, on_error="raise"))


@pytest.mark.parametrize("name", PLANTED)
def test_rules_name_only_features_that_the_model_uses(name):
    for explanation in explanations(name):
        assert explanation.counterfactual
        for rule in explanation.rules:
            assert set(rule.features) <= PLANTED[name].uses
    assert sum(bool(explanation.current_supporting) for explanation in explanations(name)) >= 30


@pytest.mark.parametrize("name", PLANTED)
def test_what_the_model_does_not_use_has_no_effect(name):
    for explanation in explanations(name):
        effects = {effect.feature: effect.effect for effect in explanation.effects}
        assert len(effects) == 12
        assert all(effects[feature] == 0 for feature in effects.keys() - PLANTED[name].uses)
    reacts = [max(effect.effect for effect in explanation.effects) > 0 for explanation in explanations(name)]
    assert sum(reacts) >= 30


@pytest.mark.parametrize("name", PLANTED)
def test_ranges_that_turn_the_prediction_end_where_the_model_changes(name):
    """Each end of such a range lies within one asked value of a true threshold, and none lies inside."""
    compared = 0
    for explanation in explanations(name):
        effects = {effect.feature: effect for effect in explanation.effects}
        for rule in explanation.counterfactual:
            if len(rule.conditions) > 1 or not isinstance(rule.conditions[0], Interval):
                continue
            condition = rule.conditions[0]
            true = PLANTED[name].thresholds(explanation.instance, condition.feature)
            own = explanation.instance[condition.feature]
            asked = sorted([*effects[condition.feature].values, own])
            inside = [value for value in asked if condition.low <= value < condition.high]
            assert inside
            assert own not in inside
            below = max((value for value in asked if value < inside[0]), default=-math.inf)
            above = min((value for value in asked if value > inside[-1]), default=math.inf)
            assert any(math.isfinite(end) for end in (condition.low, condition.high))
            if math.isfinite(condition.low):
                assert any(below <= point <= inside[0] for point in true)
            if math.isfinite(condition.high):
                assert any(inside[-1] <= point <= above for point in true)
            assert not any(inside[0] < point < inside[-1] for point in true)
            compared += 1
    assert compared >= 30


@pytest.mark.parametrize("name", PLANTED)
def test_what_is_said_to_turn_the_prediction_does(name):
    model = PLANTED[name]
    for explanation in explanations(name):
        labels = ["yes" if chance > 0.5 else "no" for chance in model.chances(explanation.to_counterfactuals())]
        assert labels[0] == explanation.prediction
        assert labels[1:] == [rule.consequent for rule in explanation.counterfactual]
        assert all(rule.category == Category.COUNTERFACTUAL for rule in explanation.counterfactual)

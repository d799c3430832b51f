"""Fine values: a counterfactual rule starts at the nearest value that turns the prediction, whatever the row."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draws import examples
from lormika import Explainer
from lormika.stages.spread import Spread


def from_zero(rng: np.random.Generator, size: int) -> np.ndarray:
    """As many different numbers, with gaps of many sizes."""
    return np.round(np.cumsum(rng.exponential(size=size) ** 3 + 0.01), 2)


@pytest.mark.parametrize("income", [12, 25, 39])
def test_all_rows_under_one_rule_are_told_the_same_threshold(income):
    X = pd.DataFrame({"income": np.tile(np.arange(10, 100), 20), "age": np.repeat(np.arange(20, 80), 30)})
    explainer = Explainer(lambda frame: np.where(frame["income"] > 40, "accepted", "rejected"), X)
    explanation = explainer.explain({"income": income, "age": 33})
    assert str(explanation.counterfactual[0]) == "income ≥ 41 ⇒ accepted"
    assert str(explanation.current_supporting[0]) == "income ≤ 40 ⇒ rejected"
    effect = explanation.effects[0]
    assert min(effect.turning("rejected")) == 41
    assert len(effect.values) < 40
    assert explanation.asked.calls == 1


@settings(max_examples=examples(25), derandomize=True)
@given(seed=st.integers(0, 2**32), size=st.integers(3, 100), downwards=st.booleans())
def test_a_rule_starts_at_the_nearest_turning_value_of_a_number_with_few(seed, size, downwards):
    rng = np.random.default_rng(seed)
    values = from_zero(rng, size)
    a = np.concatenate([values, rng.choice(values, 100)])
    X = pd.DataFrame({"a": a, "b": rng.normal(size=len(a)).round(2)})
    border = rng.choice(values[1:])  # from it on, the label is another one

    def model(frame):
        chance = 1 / (1 + np.exp(-np.sign(frame["a"] - border + 1e-6) * (1 + 0.1 * np.tanh(frame["b"]))))
        return np.column_stack([1 - chance, chance])

    own = rng.choice(values[values >= border] if downwards else values[values < border])
    nearest = values[values < border].max() if downwards else border
    explanation = Explainer(model, X, n_generated=100).explain({"a": own, "b": 0.0})
    rule = explanation.counterfactual[0]
    assert [(edit.feature, edit.after) for edit in rule.rerun.edits] == [("a", nearest)]
    shown = next(effect for effect in explanation.effects if effect.feature == "a")
    assert nearest in shown.turning(explanation.prediction)


@settings(max_examples=examples(25), derandomize=True)
@given(seed=st.integers(0, 2**32), downwards=st.booleans())
def test_the_values_around_a_border_are_looked_at_again(seed, downwards):
    """Of 300 values, all that lie between two of those asked about at first: so the nearest one is found."""
    rng = np.random.default_rng(seed)
    values = np.sort(rng.normal(size=300))
    border = values[rng.integers(1, 299)]
    X = pd.DataFrame({"a": rng.permutation(values), "b": rng.normal(size=300).round(2)})
    own = rng.choice(values[values >= border] if downwards else values[values < border])
    nearest = values[values < border].max() if downwards else border
    explainer = Explainer(lambda frame: np.where(frame["a"] >= border, "above", "below"), X, n_generated=100)
    explanation = explainer.explain({"a": own, "b": 0.0})
    assert [(edit.feature, edit.after) for edit in explanation.counterfactual[0].rerun.edits] == [("a", nearest)]
    assert explanation.asked.calls <= 2
    assert explanation.asked.singles == explanation.asked.all_singles


@pytest.mark.parametrize("target", ["middle", "above"])
def test_every_label_has_a_border_of_its_own(target):
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"a": np.sort(rng.normal(size=400)), "b": rng.normal(size=400)})
    edges = {"middle": X["a"][210], "above": X["a"][333]}

    def model(frame):
        return np.select([frame["a"] >= edges["above"], frame["a"] >= edges["middle"]], ["above", "middle"], "below")

    explanation = Explainer(model, X, n_generated=100).explain(X.iloc[[20]], target=target)
    assert explanation.counterfactual[0].rerun.edits[0].after == edges[target]


def test_borders_of_many_numbers_share_a_quarter_of_what_may_be_asked():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(4000, 30)), columns=[f"f{f}" for f in range(30)])
    explainer = Explainer(lambda frame: (np.abs(frame) > 2).any(axis=1).to_numpy(), X, n_generated=100, n_asked=1000)
    asked = explainer.explain(dict.fromkeys(X, 0.0)).asked
    assert 1000 < asked.singles <= 1250


def test_between_fine_values_lie_neither_many_rows_nor_a_wide_gap():
    rng = np.random.default_rng(0)
    values = from_zero(rng, 5000)
    explainer = Explainer(lambda frame: (frame["a"] > values[2500]).to_numpy(), pd.DataFrame({"a": values}))
    fine = Spread.of(explainer.background).fine.value
    assert len(fine) <= 64
    places = np.searchsorted(values, fine)
    assert np.diff(places).max() <= 2 * 5000 / 64 + 1
    gaps = np.diff(values)
    assert np.diff(fine).max() <= 2 * (values[-1] - values[0]) / 64 + gaps.max()


def test_many_numbers_share_the_room_for_fine_values():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 300)), columns=[f"f{f}" for f in range(300)])
    explainer = Explainer(lambda frame: (frame["f0"] > 0).to_numpy(), X)
    assert len(Spread.of(explainer.background).fine.value) <= 2048


def test_fine_values_leave_no_less_room_for_others():
    """With little room, everything is as it was without them, and all that there is counts as asked about."""
    X = pd.DataFrame({name: np.random.default_rng(i).normal(size=300) for i, name in enumerate("abc")})
    explainer = Explainer(lambda frame: (frame["a"] + frame["b"] > 1).to_numpy(), X, n_asked=150)
    asked = explainer.explain(X.iloc[[0]]).asked
    assert asked.singles == asked.all_singles
    assert asked.pairs == asked.all_pairs
    assert asked.singles + asked.pairs <= 150 or asked.calls > 1


@pytest.mark.parametrize("values", [(0.0, 5e-324), (-1.7e308, 1.7e308)])
def test_numbers_at_the_ends_of_what_floats_hold(values):
    """Warnings are errors here: nothing is divided by 0, or overflows."""
    X = pd.DataFrame({"a": np.array(values)[np.arange(60) % 2], "b": np.arange(60.0)})
    wide = pd.concat([X, pd.DataFrame(np.zeros((60, 1100))).add_prefix("z")], axis=1)
    for table in (X, wide):
        explainer = Explainer(lambda f: np.where(f["a"] > values[0], "yes", "no"), table, n_generated=50)
        assert explainer.explain(table.iloc[[0]]).counterfactual[0].rerun.turned

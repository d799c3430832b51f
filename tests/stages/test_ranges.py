"""Ranges that turn a prediction: they take in the values that were seen to, and never the instance's own."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lormika import Explainer, frames
from lormika.frames.schema import encoded_columns, read_schema
from lormika.rule import Interval
from lormika.stages.background import Background
from lormika.stages.turning import between

steps = st.sampled_from([0.1, 0.3, 1.0, 0.01, 1e-9, 1e17, 2.0**52, 1e300])
numbers = st.one_of(
    st.builds(lambda i, step: i * step, st.integers(-300, 300), steps),
    st.builds(lambda i, step: i * step + 1e-7, st.integers(-30, 30), steps),
    st.floats(-1e6, 1e6),
)


@settings(max_examples=150, derandomize=True)
@given(values=st.lists(numbers, min_size=3, max_size=12, unique=True), own=numbers, data=st.data())
def test_a_range_has_its_ends_and_neither_the_next_values_nor_the_instances(values, own, data):
    frame = frames.read(pd.DataFrame({"a": values}))
    schema = read_schema(frame, None)
    background = Background.of(schema, encoded_columns(schema, frame))
    observed = background.observed(0).tolist()
    start, end = (data.draw(st.sampled_from(observed)) for _ in range(2))
    low, high = min(start, end), max(start, end)
    condition = between(background, 0, start, end, own)
    assert isinstance(condition, Interval)
    for value in [*observed, own]:
        assert (condition.low <= value < condition.high) == (low <= value <= high)


def two(chance) -> np.ndarray:
    return np.column_stack([1 - chance, chance])


def steep(numbers) -> np.ndarray:
    return two(1 / (1 + np.exp(-np.clip(np.asarray(numbers), -30, 30))))


RNG = np.random.default_rng(0)
B = RNG.normal(size=300)


@pytest.mark.parametrize(
    ("column", "model", "own", "words"),
    [
        (np.where(B < 0, 0.1, 0.987654321), lambda X: steep((X["a"] - 0.985) * 1000), 0.98, "a ≥ 0.987654321 ⇒ 1"),
        (RNG.integers(0, 10, 300).astype(float), lambda X: steep((X["a"] - 2.8) * 30), 2.7, "a ≥ 3 ⇒ 1"),
        (RNG.integers(0, 10, 300) * 1e17, lambda X: two(np.where(X["a"] == 5e17, 0.9, 0.1)), 1e17, None),
        (RNG.integers(0, 300, 300) * 0.1, lambda X: steep((15.75 - X["a"]) * 9), 20.0, None),
    ],
)
def test_a_counterfactual_holds_for_its_row_and_not_for_the_instance(column, model, own, words):
    X = pd.DataFrame({"a": column, "b": B})
    explanation = Explainer(model, X, n_generated=200).explain({"a": own, "b": 0.0})
    rule = explanation.counterfactual[0]
    if words is not None:
        assert str(rule) == words
    assert rule.holds(explanation.to_counterfactuals()).tolist()[:2] == [False, True]
    assert rule.counts.antecedent > 0
    assert not math.isnan(rule.confidence)


def test_a_value_that_no_row_has_is_told_as_it_is():
    X = pd.DataFrame({"a": B, "c": np.ones(300)})
    explainer = Explainer(lambda X: steep(3 * X["a"] + 9 * (X["c"] - 1)), X, n_generated=200)
    rules = explainer.explain({"a": 0.1, "c": 7.5}).current_supporting
    assert [str(rule) for rule in rules] == ["c = 7.5 ⇒ 1"]

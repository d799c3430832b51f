"""The search with weights of features against its naive twin: a score counts times the least weight of its features."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_search import MISSING, Table, expected, options, plain, tables

import naive
from lormika import frames
from lormika.frames.schema import encoded_columns, read_schema
from lormika.options import SearchOptions
from lormika.rule import Category
from lormika.stages.items import itemise
from lormika.stages.search import Space, make_lists

WEIGHTS = [0.0, 1.0, 1.0, 0.5, 0.25, 0.1, 3.0, 1e-9, 1e6]


def make_space(table: Table, instance: list[int] | None, prediction: int | None) -> Space:
    reader = frames.read(table.columns)
    schema = read_schema(reader, None)
    encoded = np.stack(list(encoded_columns(schema, reader)), axis=1)
    own = None
    if instance is not None:
        own = schema.encode({f"f{f}": [None if v == MISSING else str(v)] for f, v in enumerate(instance)})[0]
    items = itemise(schema, encoded, own, bins=3, cuts={})
    classes = sorted(set(table.labels))
    labels = np.array([classes.index(label) for label in table.labels], dtype=np.int32)
    place = None if prediction is None else classes.index(prediction)
    return Space(items, labels, classes, range(len(classes)), prediction=place)


def find(space: Space, weights: list[float], allowed: np.ndarray | None = None, **given) -> list:
    chosen = SearchOptions(**given)
    own = np.array([weights[f] for f in space.items.features])
    found = space.find(chosen, make_lists(space, chosen.per), chosen.k, own, allowed=allowed)
    return [space.make_rule(one) for one in found]


@pytest.mark.parametrize("objective", naive.OBJECTIVES)
@pytest.mark.parametrize("filter", naive.FILTERS)
@settings(max_examples=20, derandomize=True)
@given(table=tables(), given_options=options, data=st.data())
def test_finds_exactly_the_k_best_rules_by_weight(table, given_options, data, objective, filter):
    given = {**given_options, "objective": objective, "filter": filter}
    n_features = len(table.rows[0])
    weights = data.draw(st.lists(st.sampled_from(WEIGHTS), min_size=n_features, max_size=n_features))
    found = find(make_space(table, None, None), weights, **given)
    assert [plain(rule) for rule in found] == expected(table, **given, weights=weights)


@pytest.mark.parametrize("objective", naive.OBJECTIVES)
@pytest.mark.parametrize("filter", naive.FILTERS)
@settings(max_examples=15, derandomize=True)
@given(table=tables(), given_options=options, choice=st.integers(0, 2**32))
def test_finds_the_k_best_of_each_category_by_weight(table, given_options, choice, objective, filter):
    rng = random.Random(choice)
    prediction = rng.choice(table.labels)
    features = range(len(table.rows[0]))
    instance = [rng.choice(table.rows)[f] for f in features]
    weights = [rng.choice([*WEIGHTS, rng.random()]) for _ in features]
    given = {**given_options, "objective": objective, "filter": filter}
    found: dict[str, list] = {}
    for rule in find(make_space(table, instance, prediction), weights, **given, per="category"):
        found.setdefault(rule.category.value, []).append(plain(rule))
    wanted: dict[str, list] = {}
    for rule in expected(table, **given | {"k": 10**9}, weights=weights):
        when = "current" if all(instance[f] == v for f, v in rule[0]) else "hypothetical"
        what = "supporting" if rule[1] == prediction else "contradicting"
        wanted.setdefault(f"{when}_{what}", []).append(rule)
    assert found == {category: rules[: given["k"]] for category, rules in wanted.items()}


@pytest.mark.parametrize("objective", naive.OBJECTIVES)
@pytest.mark.parametrize("filter", naive.FILTERS)
@settings(max_examples=15, derandomize=True)
@given(table=tables(), given_options=options, choice=st.integers(0, 2**32))
def test_finds_the_k_best_of_each_category_with_the_items_that_it_may_have(
    table, given_options, choice, objective, filter
):
    rng = random.Random(choice)
    prediction = rng.choice(table.labels)
    instance = [rng.choice(table.rows)[f] for f in range(len(table.rows[0]))]
    given = {**given_options, "objective": objective, "filter": filter}
    space = make_space(table, instance, prediction)
    allowed = np.array([[rng.random() < 0.7 for _ in range(len(space.items))] for _ in Category], dtype=bool)
    allowed = allowed.reshape(len(Category), len(space.items))
    found: dict[str, list] = {}
    for rule in find(space, [1.0] * len(instance), allowed, **given, per="category"):
        found.setdefault(rule.category.value, []).append(plain(rule))
    wanted: dict[str, list] = {}
    for rule in expected(table, **given | {"k": 10**9}):
        kind = Category.of(
            current=all(instance[f] == v for f, v in rule[0]),
            supporting=rule[1] == prediction,
        )
        if all(allowed[tuple(Category).index(kind), item_of(space, table, f, v)] for f, v in rule[0]):
            wanted.setdefault(kind.value, []).append(rule)
    assert found == {category: rules[: given["k"]] for category, rules in wanted.items()}


def item_of(space: Space, table: Table, feature: int, value: int) -> int:
    row = space.items.row_of(feature)
    holder = next(r for r, values in enumerate(table.rows) if values[feature] == value)
    return space.items.first_of(row) + int(space.items.codes[row, holder])


def test_a_negative_score_counts_for_less_with_a_small_weight():
    """Without a filter, leverage may be below 0: times a small weight it comes before one that is times a large one."""
    rows = [[i % 2, (i // 2) % 2] for i in range(40)]
    table = Table(rows, [int(row[0] == 0 and row[1] == 0) for row in rows])
    given = {
        "k": 100, "objective": "leverage", "max_conditions": 2, "min_count": 1, "m": 0.0, "filter": "none",
        "alpha": 0.05, "correction": "none",
    }  # fmt: skip
    for weights in ([1.0, 0.01], [0.01, 1.0], [0.0, 1.0], [1.0, 0.0], [0.0, 0.0]):
        found = [plain(rule) for rule in find(make_space(table, None, None), weights, **given)]
        assert found == expected(table, **given, weights=weights)
        for k in range(1, len(found)):
            first = find(make_space(table, None, None), weights, **given | {"k": k})
            assert [plain(rule) for rule in first] == found[:k]
    assert any(score < 0 for *_, score in expected(table, **given, weights=[1.0, 0.01]))

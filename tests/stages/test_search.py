"""The search against its naive twin: the same rules in the same order, whatever is asked for."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from draws import examples
from lacking import on_posix
from lormika import _core, frames
from lormika.frames.schema import encoded_columns, read_schema
from lormika.mine import mine_rules
from lormika.options import SearchOptions
from lormika.rule import Equals, Missing
from lormika.stages.items import itemise
from lormika.stages.search import Space, make_lists

pytestmark = pytest.mark.filterwarnings("ignore:y holds one class")  # some of the tables do

MISSING = 9  # the naive twin's code of a missing value: after all others


@dataclass(frozen=True)
class Table:
    rows: list[list[int]]
    labels: list[int]

    @property
    def columns(self) -> dict[str, list[str | None]]:
        features = range(len(self.rows[0]))
        return {f"f{f}": [None if row[f] == MISSING else str(row[f]) for row in self.rows] for f in features}


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Small tables with ties, missing values, rare classes, constant features and duplicate rows and columns."""
    rng = random.Random(draw(st.integers(0, 2**32)))
    n_features, n_classes = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    sizes = [draw(st.integers(1, 4)) for _ in range(n_features)]
    weights = [rng.random() ** 3 for _ in range(n_classes)]

    def row() -> list[int]:
        return [MISSING if rng.random() < 0.1 else rng.randrange(size) for size in sizes]

    rows = [row() for _ in range(draw(st.integers(1, 40)))]
    if draw(st.booleans()):
        rows = [rng.choice(rows[: len(rows) // 3 + 1]) for _ in rows]
    if draw(st.booleans()):
        rows = [[*r, r[0]] for r in rows]
    noise = draw(st.sampled_from([0.0, 0.3, 1.0]))
    labels = [
        rng.choices(range(n_classes), weights)[0] if rng.random() < noise else (r[0] + (r[-1] > 1)) % n_classes
        for r in rows
    ]
    return Table(rows, labels)


options = st.fixed_dictionaries(
    {
        "k": st.sampled_from([1, 3, 10, 1000]),
        "max_conditions": st.integers(1, 4),
        "min_count": st.sampled_from([1, 1, 2, 5]),
        "m": st.sampled_from([0.0, 2.0, 1.5, 0.3]),
        "alpha": st.sampled_from([0.05, 0.5, 1.0]),
        "correction": st.sampled_from(naive.CORRECTIONS),
    }
)


def plain(rule) -> tuple:
    """A rule of the product in the naive twin's terms."""

    def value(condition) -> int:
        assert isinstance(condition, Equals | Missing)
        return MISSING if isinstance(condition, Missing) else int(condition.value)

    conditions = tuple((int(c.feature[1:]), value(c)) for c in rule.conditions)
    return conditions, rule.consequent, rule.counts.antecedent, rule.counts.both, rule.score


def expected(table: Table, **given) -> list[tuple]:
    rules = naive.k_optimal_rules(table.rows, table.labels, **given)
    return [(r.conditions, r.consequent, r.antecedent, r.both, r.score) for r in rules]


@pytest.mark.parametrize("objective", naive.OBJECTIVES)
@pytest.mark.parametrize("filter", naive.FILTERS)
@settings(max_examples=examples(30))
@given(table=tables(), given_options=options)
def test_finds_exactly_the_k_best_rules(table, given_options, objective, filter):
    given = {**given_options, "objective": objective, "filter": filter}
    rules = mine_rules(table.columns, table.labels, **given)
    assert [plain(rule) for rule in rules] == expected(table, **given)
    for rule in rules:
        assert rule.p_value == pytest.approx(largest_p(table, rule), rel=1e-9, abs=1e-300)


def largest_p(table: Table, rule) -> float:
    conditions, consequent, n_p, a, _ = plain(rule)

    def count(chosen):
        matching = [i for i, row in enumerate(table.rows) if all(row[f] == v for f, v in chosen)]
        return len(matching), sum(table.labels[i] == consequent for i in matching)

    generalisations = [(), *(tuple(c for c in conditions if c is not left_out) for left_out in conditions)]
    return float(max(naive.fisher(*count(g), n_p, a) for g in generalisations))


@pytest.mark.parametrize("objective", naive.OBJECTIVES)
@pytest.mark.parametrize("filter", naive.FILTERS)
@settings(max_examples=examples(25))
@given(table=tables(), given_options=options, choice=st.integers(0, 2**32))
def test_finds_the_k_best_of_each_category_in_one_search(table, given_options, choice, objective, filter):
    rng = random.Random(choice)
    classes = sorted(set(table.labels))
    prediction = rng.choice(classes)
    instance = [rng.choice(table.rows)[f] for f in range(len(table.rows[0]))]
    given = {**given_options, "objective": objective, "filter": filter}

    reader = frames.read(table.columns)
    schema = read_schema(reader, None)
    encoded = np.stack(list(encoded_columns(schema, reader)), axis=1)
    encoded_instance = schema.encode({f"f{f}": [None if v == MISSING else str(v)] for f, v in enumerate(instance)})[0]
    items = itemise(schema, encoded, encoded_instance, bins=3, cuts={})
    labels = np.array([classes.index(label) for label in table.labels], dtype=np.int32)
    everyone = range(len(classes))
    space = Space(items, labels, classes, everyone, prediction=classes.index(prediction))
    searched = SearchOptions(**given, per="category")
    rules = [space.make_rule(found) for found in space.find(searched, make_lists(space, searched.per), given["k"])]

    wanted: dict[str, list] = {}
    for rule in expected(table, **given | {"k": 10**9}):
        when = "current" if all(instance[f] == v for f, v in rule[0]) else "hypothetical"
        what = "supporting" if rule[1] == prediction else "contradicting"
        wanted.setdefault(f"{when}_{what}", []).append(rule)
    found: dict[str, list] = {}
    for rule in rules:
        found.setdefault(rule.category.value, []).append(plain(rule))
    assert found == {category: rules[: given["k"]] for category, rules in wanted.items()}


@settings(max_examples=examples(50))
@given(table=tables(), given_options=options, filter=st.sampled_from(naive.FILTERS), seed=st.integers(0, 2**32))
def test_order_of_rows_and_constant_columns_change_nothing(table, given_options, filter, seed):
    given = {**given_options, "objective": "leverage", "filter": filter}
    rules = mine_rules(table.columns, table.labels, **given)
    order = list(range(len(table.rows)))
    random.Random(seed).shuffle(order)
    shuffled = {name: [column[i] for i in order] for name, column in table.columns.items()}
    assert mine_rules(shuffled, [table.labels[i] for i in order], **given) == rules
    constant = {"always": [7] * len(order), **table.columns, "none": [None] * len(order)}
    assert mine_rules(constant, table.labels, **given) == rules


@settings(max_examples=examples(50))
@given(table=tables(), given_options=options, filter=st.sampled_from(naive.FILTERS))
def test_names_and_order_of_columns_and_classes_change_only_names(table, given_options, filter):
    """Position decides between rules that tie in everything else, so compare sets, and the figures in order."""
    given = {**given_options, "objective": "confidence", "filter": filter}
    every = given | {"k": 10**6}
    turned = dict(reversed(table.columns.items()))
    names = {0: "zebra", 1: "ape", 2: "lion", 3: "bee"}
    renamed = [names[label] for label in table.labels]

    def meaning(rules, back=lambda label: label):
        return {(frozenset(r.conditions), back(r.consequent), r.counts, r.score) for r in rules}

    def figures(rules):
        return [(r.score, r.counts, len(r.conditions)) for r in rules]

    plain_rules = mine_rules(table.columns, table.labels, **every)
    turned_rules = mine_rules(turned, renamed, **every)
    assert meaning(turned_rules, {v: k for k, v in names.items()}.get) == meaning(plain_rules)
    first = mine_rules(table.columns, table.labels, **given)
    same_order = [(r.score, r.counts.antecedent, r.counts.both, len(r.conditions)) for r in first]
    turned_first = mine_rules(turned, renamed, **given)
    assert [(r.score, r.counts.antecedent, r.counts.both, len(r.conditions)) for r in turned_first] == same_order
    assert figures(turned_rules)[: len(first)] == figures(turned_first)


@settings(max_examples=examples(30))
@given(table=tables(), given_options=options, objective=st.sampled_from(naive.OBJECTIVES))
def test_fewer_rules_are_the_first_of_more(table, given_options, objective):
    given = {**given_options, "objective": objective, "filter": "productive"}
    ten = mine_rules(table.columns, table.labels, **given | {"k": 10})
    assert mine_rules(table.columns, table.labels, **given | {"k": 5}) == ten[:5]


def test_only_the_wanted_classes():
    table = Table([[i % 3, i % 2] for i in range(30)], [i % 3 for i in range(30)])
    rules = mine_rules(table.columns, table.labels, k=100, classes=[2, 0])
    assert {rule.consequent for rule in rules} == {0, 2}
    assert [plain(r) for r in rules] == expected(
        table, k=100, objective="leverage", max_conditions=4, min_count=1, m=0.0, filter="none", alpha=0.05,
        correction="none", consequents=[0, 2],
    )  # fmt: skip


@pytest.mark.parametrize("max_conditions", [5, 6])
def test_long_rules(max_conditions):
    rng = random.Random(1)
    rows = [[rng.randrange(2) for _ in range(7)] for _ in range(60)]
    table = Table(rows, [int(sum(row[:6]) > 3) for row in rows])
    for filter in naive.FILTERS:
        given = {
            "k": 40, "objective": "confidence", "max_conditions": max_conditions, "min_count": 2, "m": 1.0,
            "filter": filter, "alpha": 0.5, "correction": "none",
        }  # fmt: skip
        assert [plain(r) for r in mine_rules(table.columns, table.labels, **given)] == expected(table, **given)


@pytest.mark.parametrize("sizes", [(24, 2), (25, 3), (40, 26), (300, 24)])
def test_features_of_many_items_agree_with_the_naive_twin(sizes):
    rng = random.Random(0)
    rows = [[100 + rng.randrange(size) for size in sizes] for _ in range(400)]  # texts in the same order as numbers
    table = Table(rows, [int(rng.random() < 0.2) or int(row[0] % 5 == row[1] % 2) for row in rows])
    given = {"k": 10, "max_conditions": 2, "objective": "leverage", "filter": "productive"}
    usual = {"min_count": 1, "m": 2.0, "alpha": 0.05, "correction": "none"}
    rules = mine_rules(table.columns, table.labels, **given, **usual)
    assert len(rules) > 1
    assert [plain(rule) for rule in rules] == expected(table, **given, **usual)


def test_many_rows_agree_with_counting():
    """Beyond one word per class, with segments that end within a word."""
    rng = np.random.default_rng(0)
    X = {f"f{f}": rng.integers(0, 3, 5000).astype(str) for f in range(6)}
    y = ((X["f0"] == "1") & (X["f3"] == "2")) ^ (rng.random(5000) < 0.05)
    for rule in mine_rules(X, y, k=50, max_conditions=4, filter="productive"):
        mask = rule.holds(X)
        assert rule.counts.antecedent == mask.sum()
        assert rule.counts.both == (y[mask] == rule.consequent).sum()


@on_posix
def test_ctrl_c_ends_a_long_search():
    program = """
import signal
import numpy as np
from lormika import mine_rules
signal.signal(signal.SIGINT, signal.default_int_handler)  # also where the tests run in the background
rng = np.random.default_rng(0)
X = rng.integers(0, 3, (20_000, 300))
y = rng.integers(0, 2, 20_000)
print("begin", flush=True)
mine_rules(X, y, objective="confidence", categorical=list(range(300)), max_conditions=6, k=1000)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "begin\n"
        time.sleep(2)
        assert process.poll() is None, "the search must still be running to be interrupted"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
    finally:
        process.kill()
        process.communicate()
    assert "KeyboardInterrupt" in errors
    assert process.returncode != 0


def test_the_core_takes_no_number_for_a_measure():
    none = np.zeros(0, dtype=np.int32)
    tables = (np.zeros((0, 0), dtype=np.int32), none, none, np.zeros((2, 0), dtype=np.int32), none)
    rest = {
        "k": 1,
        "max_conditions": 1,
        "min_count": 1,
        "m": 0.0,
        "critical": np.zeros(7),
        "weights": np.zeros(0),
        "allowed": np.zeros(0, dtype=np.uint8),
    }
    assert _core.search(*tables, objective=_core.Objective.LIFT, filter=_core.Filter.NONE, **rest)[0] == []
    with pytest.raises(TypeError):
        _core.search(*tables, objective=99, filter=_core.Filter.NONE, **rest)

"""No suggested change breaks a constraint, nor does any value in its ranges; and no permitted one is missed."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cases import chances
from constrained import LOANS, loan_model
from draws import examples
from lormika import Constraints, Explainer, Explanation, datasets
from lormika.rule import Category, Equals, Interval, Rule
from naive_constraints import violations

GRADES = ["low", "middle", "high"]
KINDS = ["a", "b", "c", "d"]


def make_table(rng: np.random.Generator, rows: int = 120) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, rows),
            "income": rng.gamma(3, 10, rows).round(1),
            "debt": rng.gamma(2, 8, rows).round(2),
            "grade": rng.choice(GRADES, rows),
            "kind": rng.choice(KINDS, rows, p=[0.4, 0.3, 0.2, 0.1]),
            "owner": rng.random(rows) < 0.5,
        }
    )


def make_model(rng: np.random.Generator):
    """A score of all columns, some of them together; deterministic, and of the row alone."""
    weights, cross, shift = rng.normal(size=6), rng.normal(size=2), rng.normal()
    grade, kind = dict(zip(GRADES, rng.normal(size=3), strict=True)), dict(zip(KINDS, rng.normal(size=4), strict=True))

    def model(frame: pd.DataFrame) -> np.ndarray:
        age, income, debt = (frame["age"] - 45) / 18, (frame["income"] - 30) / 17, (frame["debt"] - 16) / 11
        score = weights[0] * age + weights[1] * income + weights[2] * debt + cross[0] * age * debt
        score += frame["grade"].map(grade).astype(float) + frame["kind"].map(kind).astype(float)
        score += weights[3] * frame["owner"].astype(float) + cross[1] * (income > 0.5) * (debt > 0) + shift
        chance = 1 / (1 + np.exp(-1.5 * score.to_numpy(dtype=float)))
        return np.column_stack([1 - chance, chance])

    return model


@st.composite
def constraints(draw) -> dict[str, object]:
    """Constraints of every sort, which may leave hardly anything, but do not contradict themselves."""
    names = ["age", "income", "debt", "grade", "kind", "owner"]
    chosen: dict[str, object] = {}
    fixed = draw(st.lists(st.sampled_from(names), max_size=2, unique=True))
    free = [name for name in names if name not in fixed]
    up = draw(st.lists(st.sampled_from([n for n in free if n != "kind"] or free[:0] or ["-"]), max_size=2, unique=True))
    down = draw(st.lists(st.sampled_from([n for n in free if n not in ("kind", *up)] or ["-"]), max_size=1))
    chosen |= {"fixed": fixed, "up": [n for n in up if n != "-"], "down": [n for n in down if n != "-"]}
    numbers = [name for name in ("age", "income", "debt") if name in free]
    ranges = {}
    for name in draw(st.lists(st.sampled_from(numbers or ["-"]), max_size=2, unique=True)):
        ranges[name] = draw(
            st.sampled_from(["±20%", "+10", "-5", "±100%", (20, 40), (None, 30), (25, None), (33.3, 41.7)])
        )
    chosen["ranges"] = {name: limits for name, limits in ranges.items() if name != "-"}
    chosen["orders"] = {"grade": GRADES}
    if "kind" in free and draw(st.booleans()):
        chosen["changes"] = {"kind": {"a": ["b"], "b": ["a", "c"], "c": ["d"]}}
    elif "kind" in free and draw(st.booleans()):
        chosen["forbidden"] = {"kind": {"a": ["c", "d"], "b": ["a"]}}
    chosen["where"] = draw(st.lists(st.sampled_from(CONDITIONS), max_size=2, unique=True))
    loose = [name for name in free if name not in ("owner",)]
    if len(loose) >= 3 and draw(st.integers(0, 3)) == 0:
        chosen["linked"] = [draw(st.permutations(loose))[: draw(st.integers(2, 3))]]
    if draw(st.integers(0, 5)) == 0:
        chosen["permits"] = permits
    return {name: value for name, value in chosen.items() if value}


RANGES = ["±20%", "+10", "-5", "±100%", (20, 40), (None, 30), (25, None), (33.3, 41.7)]
CONDITIONS = [
    "debt <= income", "age >= now.age", "income < 50 or age >= 40", "kind != 'd' or owner", "age != 41",
    "income + debt < 90", "grade == now.grade or age > now.age", "not (28 <= income <= 30)", "debt * 2 >= now.debt",
]  # fmt: skip


def permits(row) -> object:
    """For a frame, and for one row of the twin."""
    wrong = (row["age"] < 30) & (row["income"] > 60)
    return ~wrong if isinstance(wrong, pd.Series) else not wrong


def check(explanation: Explanation, wanted: dict[str, object], table: pd.DataFrame) -> int:
    """Check every row that hypothetical rules suggest, and all values in their ranges; give how many."""
    before, count = explanation.instance, 0
    for rule in explanation.rules:
        if rule.category.is_current:
            continue
        after = dict(before) | {edit.feature: edit.after for edit in rule.rerun.edits}
        assert list(violations(wanted, before, after)) == [], f"{rule}: {rule.rerun}"
        for row in inside(rule, before, after, table):
            assert list(violations(wanted, before, row)) == [], f"{rule}: {row}"
            count += 1
    return count


def inside(rule: Rule, before: dict, after: dict, table: pd.DataFrame):
    """Rows with other values of the rule's ranges: each of the background's, ends, whole numbers; and corners."""
    choices = {}
    for condition in rule.conditions:
        name = condition.feature
        if after[name] == before[name]:
            continue
        if isinstance(condition, Equals):
            assert after[name] == condition.value
            continue
        values = [value for value in table[name].unique().tolist() if condition.low <= value < condition.high]
        low, high, _ = condition.ends
        values += [end for end in (low, high) if math.isfinite(end) and condition.low <= end < condition.high]
        if name == "age":
            span = range(math.ceil(max(condition.low, 0)), math.ceil(min(condition.high, 120)))
            values += [number for number in span if condition.low <= number < condition.high]
        choices[name] = sorted(set(values))
        assert after[name] in choices[name] or isinstance(condition, Interval)
    for name, values in choices.items():
        for value in values:
            yield after | {name: value}
    corners = [(values[0], values[-1]) for values in choices.values()]
    for corner in product(*corners):
        yield after | dict(zip(choices, corner, strict=True))


@settings(max_examples=examples(60))
@given(seed=st.integers(0, 2**32), wanted=constraints())
def test_no_violations_and_nothing_missed(seed, wanted):
    rng = np.random.default_rng(seed)
    table, model = make_table(rng), make_model(rng)
    if len(set(model(table).argmax(axis=1))) < 2:
        return
    explainer = Explainer(model, table, min_neighbours=10, max_neighbours=60, n_generated=100)
    case = explainer.locate(table.iloc[[0]])
    explanation = case.explain(k=50, constraints=wanted)
    check(explanation, wanted, table)
    compare_with_twin(case, explanation, wanted)


def compare_with_twin(case, explanation: Explanation, wanted: dict[str, object]) -> None:
    """Every feature whose single permitted edit turned the prediction has a rule; else, there are pairs."""
    schema, edits, before = case.parts.schema, case.trials.edits, explanation.instance

    def turning(rows: np.ndarray, labels: np.ndarray) -> set[frozenset[str]]:
        found = set()
        for row, label in zip(rows, labels, strict=True):
            after = schema.decode(row)
            if label != case.prediction and not list(violations(wanted, before, after)):
                found.add(frozenset(name for name in after if after[name] != before[name]))
        return found

    singles = turning(edits.rows(np.arange(len(edits))[:, None]), case.trials.singles.labels)
    pairs, responses = case.trials.pairs, case.trials.pairs.responses
    rows = edits.rows(pairs.singles.reshape(-1, 2))
    every = turning(rows, responses.labels[pairs.asked.ravel()])
    couples = {couple for couple in every if not any(s <= couple for s in singles)}
    shown = {frozenset(edit.feature for edit in rule.rerun.edits) for rule in explanation.counterfactual}
    assert {features for features in shown if len(features) == 1} >= singles  # ends of ranges are tried, too
    assert len({features for features in shown if len(features) == 2} & couples) >= min(len(couples), 1)
    alone = {features for features in shown if len(features) == 1}
    couples = {couple for couple in couples if not any(single <= couple for single in alone)}
    assert len(every) > 12 or couples <= shown  # of more, those that matter most are shown


def test_nothing_changes_without_constraints():
    X, _ = datasets.make_loans(400)
    explainer = Explainer(lambda frame: (frame["income"] > 30).to_numpy(), X, n_generated=200)
    case = explainer.locate(X.iloc[[3]])
    assert case.explain(constraints={}).rules == case.explain().rules
    assert set(case.explain().options) & {"constraints", "target", "at_least", "spread"} == set()


# Each constraint by itself


def changed(explanation: Explanation) -> set[str]:
    return {edit.feature for rule in explanation.counterfactual for edit in rule.rerun.edits}


def test_fixed(case):
    assert "income" in changed(case.explain())
    assert "income" not in changed(case.explain(constraints={"fixed": ["income"]}))


def test_nothing_turns_it(case):
    explanation = case.explain(constraints={"fixed": [name for name in LOANS if name not in ("age", "phone")]})
    assert explanation.counterfactual == ()
    (note,) = [note.text for note in explanation.notes if note.category == Category.COUNTERFACTUAL]
    assert note.startswith("No permitted change that was tried turns")


def test_how_far_the_best_permitted_change_goes(case):
    income = case.explain().instance["income"]
    explanation = case.explain(constraints={"fixed": [n for n in LOANS if n != "income"], "ranges": {"income": "+2"}})
    (note,) = [note.text for note in explanation.notes if note.category == Category.COUNTERFACTUAL]
    assert f"The best of them, income {income} → {income + 2}, takes the probability of the prediction from" in note


def test_ranges_are_cut(case):
    income = case.explain().instance["income"]
    free = next(rule for rule in case.explain().counterfactual if rule.features == ("income",))
    assert free.conditions[0].high == math.inf
    (rule,) = case.explain(
        k=1, constraints={"fixed": [n for n in LOANS if n != "income"], "ranges": {"income": (0, 60)}}
    ).counterfactual
    assert rule.conditions[0].low == free.conditions[0].low > income
    assert rule.conditions[0].ends[1] <= 60


def test_standing_constraints_and_those_of_a_question(case):
    explainer = Explainer(loan_model, LOANS, constraints={"fixed": ["income"]})
    instance = case.explain().instance
    explanation = explainer.explain(instance, constraints=Constraints(fixed=["missed_payments"]))
    assert not changed(explanation) & {"income", "missed_payments"}
    assert explanation.options["constraints"] == [{"fixed": ["income"]}, {"fixed": ["missed_payments"]}]
    assert Explanation.from_json(explanation.to_json()).to_json() == explanation.to_json()


def test_they_are_plain_data():
    X = pd.DataFrame({"grade": [0, 1, 2] * 20, "kind": ["a", "b"] * 30, "x": np.arange(60)})
    explainer = Explainer(lambda frame: (frame["grade"] > 0).to_numpy(), X, categorical=["grade"], n_generated=100)
    wanted = {
        "changes": {"grade": {0: [1]}}, "orders": {"kind": X["kind"].unique()}, "ranges": {"x": np.array([1, 50])},
        "cost": {"x": np.int64(2)},
    }  # fmt: skip
    explanation = explainer.explain(X.iloc[[0]], constraints=wanted)
    (kept,) = explanation.options["constraints"]
    assert kept == {
        "changes": {"grade": {"0": [1]}}, "orders": {"kind": ["a", "b"]}, "ranges": {"x": [1, 50]}, "cost": {"x": 2},
    }  # fmt: skip
    assert Explanation.from_json(explanation.to_json()).to_dict() == explanation.to_dict()
    assert explainer.explain(X.iloc[[0]], constraints=kept).rules == explanation.rules


def test_cheap_changes_come_first(case):
    rules = case.explain(k=10).counterfactual
    costly = rules[0].features
    assert len(costly) == 1
    again = case.explain(k=10, constraints={"cost": {costly[0]: 10}}).counterfactual
    assert again[0].features != costly
    assert set(map(str, again)) <= set(map(str, rules))


def test_linked_features_change_together():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 4)).round(2), columns=list("abcd"))
    explainer = Explainer(lambda frame: (frame["a"] + frame["b"] + frame["c"] > 0).to_numpy(), X)
    explanation = explainer.explain(X.iloc[[0]], constraints={"linked": [["a", "b", "c"]], "fixed": ["d"]})
    assert explanation.counterfactual
    for rule in explanation.counterfactual:
        assert set(rule.features) == {"a", "b", "c"}


def test_no_further_call_where_the_values_asked_about_do():
    calls = []

    def model(frame):
        calls.append(len(frame))
        return loan_model(frame)

    located = Explainer(model, LOANS).locate(LOANS.iloc[[3]])
    count = len(calls)
    located.explain(constraints={"fixed": ["age"], "up": ["income"], "down": ["missed_payments"]})
    assert len(calls) == count


def test_ranges_without_an_end_stay_so():
    explainer = Explainer(loan_model, LOANS)
    seen = 0
    for explanation in explainer.explain_many(
        LOANS[:40], progress=False, constraints={"up": ["missed_payments", "age"]}
    ):
        for rule in explanation.rules:
            for condition in rule.conditions:
                if isinstance(condition, Interval):
                    assert type(condition.low) is type(condition.high) is float
                    assert condition.high == math.inf or condition.high < 1e9, str(rule)
                    seen += condition.high == math.inf and not rule.category.is_current
    assert seen


def test_corners_of_two_ranges_keep_a_condition():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.integers(0, 100, 600), "b": rng.integers(0, 100, 600), "c": rng.normal(size=600)})

    def model(frame: pd.DataFrame) -> np.ndarray:
        return chances(np.column_stack([np.zeros(len(frame)), (frame["a"] + frame["b"]) / 30 - 3.3 + 0.2 * frame["c"]]))

    explainer, wanted, both = Explainer(model, X), {"where": ["a + b <= 150"]}, 0
    for explanation in explainer.explain_many(X[:40], progress=False, constraints=wanted, k=10):
        for rule in explanation.rules:
            ends = {c.feature: c.ends for c in rule.conditions if isinstance(c, Interval)}
            if rule.category.is_current or not ends.keys() >= {"a", "b"}:
                continue
            most = [min(ends[name][1], X[name].max()) for name in ("a", "b")]
            assert sum(most) <= 150, str(rule)
            both += 1
    assert both


@pytest.mark.parametrize("additive", [True, False])
def test_many_small_changes_if_that_is_all_that_is_permitted(additive):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(400, 8)).round(2), columns=list("abcdefgh"))

    def model(frame: pd.DataFrame) -> np.ndarray:
        values = frame.to_numpy()
        score = values.sum(axis=1) if additive else (values > -0.5).sum(axis=1) - 5.5
        return chances(np.column_stack([np.zeros(len(frame)), score]))

    x = dict.fromkeys("abcdefgh", -0.6)
    wanted = {"ranges": dict.fromkeys("abcdefgh", (-1.4, 0.3))}
    explainer = Explainer(model, X)
    assert explainer.explain(x).prediction == 0
    (rule,) = explainer.explain(x, constraints=wanted, k=1).counterfactual
    after = x | {edit.feature: edit.after for edit in rule.rerun.edits}
    assert len(rule.rerun.edits) >= 6
    assert model(pd.DataFrame([after])).argmax() == 1
    assert list(violations(wanted, x, after)) == []
    for edit in rule.rerun.edits:  # none of them can be left out
        assert model(pd.DataFrame([after | {edit.feature: edit.before}])).argmax() == 0

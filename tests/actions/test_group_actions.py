"""Group actions against a slow twin: counts, constraints, the greedy choice and its bound."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draws import examples
from lormika import Constraints, Explainer, InputError, ModelError, datasets
from lormika.actions import Limits, Move, Wish, ask_rows, learn_moves
from lormika.actions.finding import choose_actions, try_candidates
from naive_actions import Question, best_reach, choose, close
from naive_constraints import violations

GRADES, KINDS = ["low", "middle", "high"], ["a", "b", "c", "d"]
NUMBERS = ["age", "income", "debt"]


def make_table(rng: np.random.Generator, rows: int, kinds: list[str] = KINDS) -> pd.DataFrame:
    """Whole and other numbers, texts and truths; some are missing."""
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, rows),
            "income": rng.gamma(3, 10, rows).round(1),
            "debt": rng.gamma(2, 8, rows).round(2),
            "grade": rng.choice(GRADES, rows),
            "kind": rng.choice(kinds, rows),
            "owner": rng.random(rows) < 0.5,
        }
    )
    frame["kind"] = frame["kind"].astype(object)
    frame.loc[rng.random(rows) < 0.1, "income"] = np.nan
    frame.loc[rng.random(rows) < 0.1, "kind"] = None
    return frame


def make_scores(rng: np.random.Generator, classes: int):
    """A function from a frame to a score for each class, of each row alone."""
    weights, shifts = rng.normal(size=(6, classes)), rng.normal(size=(4, classes))
    places = {kind: place for place, kind in enumerate(KINDS)}

    def scores(frame: pd.DataFrame) -> np.ndarray:
        columns = [
            (frame["age"] - 45) / 18, (frame["income"].fillna(20) - 30) / 17, (frame["debt"] - 16) / 11,
            frame["grade"].map(GRADES.index) - 1, frame["owner"].astype(float),
            ((frame["income"].fillna(20) > 30) & (frame["debt"] > 12)).astype(float),
        ]  # fmt: skip
        found = np.zeros((len(frame), classes))
        for column, weight in zip(columns, weights, strict=True):  # not a product, whose last bits depend on the size
            found += column.to_numpy(dtype=float)[:, None] * weight
        return found + shifts[[places.get(kind, 0) for kind in frame["kind"]]]

    return scores


def make_model(rng: np.random.Generator, classes: int, gives: str):
    """A model that gives probabilities, or labels alone."""
    scores, names = make_scores(rng, classes), np.array([f"class {i}" for i in range(classes)])

    def chances(frame: pd.DataFrame) -> np.ndarray:
        powers = np.exp(scores(frame))
        return powers / powers.sum(axis=1, keepdims=True)

    return chances if gives == "chances" else lambda frame: names[scores(frame).argmax(axis=1)]


def permits(frame):
    """As a function of a frame; and of one row, for the twin."""
    if isinstance(frame, pd.DataFrame):
        return (frame["age"] < 75).to_numpy() | frame["owner"].to_numpy(dtype=bool)
    return frame["age"] < 75 or frame["owner"]


@st.composite
def constraints(draw) -> dict[str, object]:
    """Of every sort; they may leave hardly anything, but do not contradict themselves."""
    free = ["age", "income", "debt", "grade", "kind", "owner"]
    fixed = draw(st.lists(st.sampled_from(free), max_size=1))
    free = [name for name in free if name not in fixed]
    ordered = [name for name in free if name != "kind"]
    up = draw(st.lists(st.sampled_from(ordered), max_size=2, unique=True))
    down = draw(st.lists(st.sampled_from([name for name in ordered if name not in up]), max_size=1))
    ranged = draw(st.lists(st.sampled_from([name for name in NUMBERS if name in free]), max_size=2, unique=True))
    limits = st.sampled_from(["±20%", "+10", "-5", "±100%", (20, 40), (None, 30), (25, None)])
    chosen: dict[str, object] = {
        "fixed": fixed, "up": up, "down": down, "orders": {"grade": GRADES},
        "ranges": {name: draw(limits) for name in ranged},
        "where": draw(st.lists(st.sampled_from(CONDITIONS), max_size=2, unique=True)),
        "cost": draw(st.dictionaries(st.sampled_from(free), st.sampled_from([0.5, 2, 3.25]), max_size=3)),
    }  # fmt: skip
    if "kind" in free and draw(st.booleans()):
        chosen["changes"] = {"kind": {"a": ["b"], "b": ["a", "c"], "c": ["d"]}}
    elif "kind" in free and draw(st.booleans()):
        chosen["forbidden"] = {"kind": {"a": ["c", "d"], "b": ["a"]}}
    if draw(st.integers(0, 3)) == 0:
        chosen["linked"] = [draw(st.permutations(free))[: draw(st.integers(2, 3))]]
    if draw(st.integers(0, 4)) == 0:
        chosen["permits"] = permits
    return {name: value for name, value in chosen.items() if value}


CONDITIONS = ["debt <= 40", "age >= now.age", "age != 41", "debt * 2 >= now.debt", "grade != 'low'", "income >= 10"]


@cache
def made(seed: int, classes: int, gives: str):
    """An explainer, its background, and rows, some with a category that the background lacks."""
    rng = np.random.default_rng(seed)
    background = make_table(rng, 80)
    rows = make_table(rng, 30, [*KINDS, "new"])
    names = None if gives == "labels" else [f"class {i}" for i in range(classes)]
    explainer = Explainer(make_model(rng, classes, gives), background, class_names=names, n_generated=50)
    return explainer, background, rows


def plain_rows(frame: pd.DataFrame) -> list[dict[str, object]]:
    return [
        {name: None if pd.isna(value) else value for name, value in row.items()} for row in frame.to_dict("records")
    ]


def predictor(explainer: Explainer, rows: pd.DataFrame):
    """One row at a time, by the model itself; what it has said of a row is kept."""
    model = explainer.model

    def predict(row):
        return ask(tuple(row[name] for name in rows.columns))

    @cache
    def ask(row):
        frame = pd.DataFrame([row], columns=list(rows.columns)).astype(rows.dtypes)
        answer = model(frame)
        label = int(answer.labels[0])
        return model.names[label], None if answer.probabilities is None else float(answer.probabilities[0, label])

    return predict


def random_changes(explainer: Explainer, rng: np.random.Generator, count: int) -> list[list[Move]]:
    """Changes of one, two and (to be left out) three features to values of the background."""
    changes = []
    for _ in range(count):
        features = rng.choice(len(explainer.schema), size=rng.choice([1, 1, 2, 2, 3]), replace=False)
        moves = []
        for f in features.tolist():
            before = rng.choice([*explainer.background.observed(f).tolist(), np.nan])
            moves.append(Move(f, float(before), float(rng.choice(explainer.background.observed(f)))))
        changes.append(moves)
    return changes


def compare(explainer, background, rows, wish, given, changes, limits) -> None:
    """Everything that is reported, beside the twin."""
    parts, names = explainer._parts, explainer.model.names
    asked = ask_rows(parts, rows)
    tried = try_candidates(parts, asked, wish, changes, limits)
    result = choose_actions(parts, wish, tried, limits.most)
    predict, options = predictor(explainer, rows), wish.aim
    of = names[wish.label]
    members = [row for row in plain_rows(rows) if predict(row)[0] == of]
    question = Question(members, plain_rows(background), predict, given, of, options.target, options.at_least)
    candidates = [
        {
            explainer.schema.names[f]: explainer.schema.features[f].decode(v)
            for f, v in zip(a.features, a.values, strict=True)
        }
        for a in tried.actions
    ]
    assert len(candidates) <= limits.candidates
    assert len({tuple(sorted(one.items())) for one in candidates}) == len(candidates)
    assert result.rows == result.tried == len(members)
    expected = choose(question, candidates, limits.most)
    found = [({c.feature: c.value for c in a.changes}, a.permitted, a.turned, a.newly) for a in result.actions]
    assert found == [(one.candidate, one.permitted, one.turned, one.newly) for one in expected]
    assert all(close(a.mean_cost, one.cost) for a, one in zip(result.actions, expected, strict=True))
    assert all(a.share == a.turned / len(members) for a in result.actions)
    covers = [{i for i, row in enumerate(members) if question.turns(row, one)} for one in candidates]
    assert result.turned == sum(one.newly for one in expected)
    assert result.turned <= best_reach(covers, limits.most) <= result.bound
    assert not result.exact or result.bound == best_reach(covers, limits.most)
    for action in result.actions:
        after = {change.feature: change.value for change in action.changes}
        turned = [row for row in members if question.turns(row, after)]
        assert not [fault for row in turned for fault in violations(given, row, dict(row) | after)]


@given(st.data())
@settings(max_examples=examples(20), deadline=None)
def test_all_counts_are_those_of_the_twin(data) -> None:
    classes, gives = data.draw(st.sampled_from([(2, "chances"), (4, "chances"), (2, "labels"), (3, "labels")]))
    explainer, background, rows = made(data.draw(st.integers(0, 4)), classes, gives)
    given = data.draw(st.just({}) | constraints())
    options: dict[str, object] = {"constraints": given}
    of = data.draw(st.sampled_from(explainer.model.names))
    if data.draw(st.booleans()):
        options["target"] = data.draw(st.sampled_from([name for name in explainer.model.names if name != of]))
    if gives == "chances" and data.draw(st.booleans()):
        options["at_least"] = data.draw(st.sampled_from([0.4, 0.6, 0.9]))
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    changes = random_changes(explainer, rng, data.draw(st.integers(0, 15)))
    limits = Limits(data.draw(st.integers(1, 3)), data.draw(st.sampled_from([2, 5, 12])))
    wish = Wish.of(explainer._parts, of, explainer.check(**options))
    compare(explainer, background, rows, wish, given, changes, limits)


@pytest.mark.parametrize(("classes", "gives"), [(2, "chances"), (4, "chances"), (3, "labels")])
def test_several_actions_that_turn_the_same_rows(classes, gives) -> None:
    """With nothing in their way, as random constraints mostly are."""
    explainer, background, rows = made(classes, classes, gives)
    changes = random_changes(explainer, np.random.default_rng(classes), 12)
    for of in explainer.model.names:
        wish = Wish.of(explainer._parts, of, explainer.check())
        compare(explainer, background, rows, wish, {}, changes, Limits(3, 12))


@pytest.mark.parametrize("gives", ["chances", "labels"])
def test_candidates_from_the_rows_own_changes(gives) -> None:
    explainer, background, rows = made(1, 3, gives)
    given = {"fixed": ["age"], "up": ["income"], "where": ["debt <= 40"], "cost": {"debt": 3}}
    total = 0
    for of in explainer.model.names:
        wish = Wish.of(explainer._parts, of, explainer.check(constraints=given))
        asked = ask_rows(explainer._parts, rows)
        changes = learn_moves(explainer._parts, asked, wish, 50)
        compare(explainer, background, rows, wish, given, changes, Limits(3, 25))
        total += len(changes)
        whole = explainer.group_actions(rows, of, constraints=given, candidates=25, learn_from=50)
        assert whole == explainer.group_actions(rows, of, constraints=Constraints.of(given), candidates=25)
    assert total


# Cases


@pytest.fixture(scope="module")
def loans():
    X, _ = datasets.make_loans(400)

    def model(frame):
        bad = (frame["missed_payments"] >= 2) | (frame["employment"] == "unemployed") | (frame["income"] < 20)
        return np.where(bad, "rejected", "accepted")

    return Explainer(model, X, n_generated=100), X


def test_the_planted_actions_are_found(loans) -> None:
    """Nobody is rejected but for one of three reasons: undoing each turns those who have no other."""
    explainer, X = loans
    result = explainer.group_actions(X, "rejected", most=3)
    named = {change.feature for action in result.actions for change in action.changes}
    assert named == {"missed_payments", "employment", "income"}
    assert result.share > 0.95
    assert sum(action.newly for action in result.actions) == result.turned
    assert sum(action.turned for action in result.actions) > result.turned  # many have more than one remedy
    assert result.bound >= result.turned
    singles = explainer.group_actions(X, "rejected", constraints={"fixed": ["employment", "income"]})
    assert str(singles.actions[0]).startswith("missed_payments → ")
    only = (X["missed_payments"] >= 2) & (X["employment"] != "unemployed") & (X["income"] >= 20)
    assert singles.turned == int(only.sum())
    assert singles.exact


def test_a_large_class_is_tried_evenly_and_says_so(loans) -> None:
    explainer, X = loans
    result = explainer.group_actions(X, "rejected", max_rows=40, learn_from=10)
    assert (result.tried, result.rows) == (40, int((np.asarray(explainer.model.ask(X)) == "rejected").sum()))
    assert "Tried on 40 of these rows." in str(result)
    assert result == explainer.group_actions(X, "rejected", max_rows=40, learn_from=10)


def test_no_row_one_row_and_nothing_to_try(loans) -> None:
    explainer, X = loans
    rejected = X[np.asarray(explainer.model.ask(X)) == "rejected"]
    none = explainer.group_actions(rejected, "accepted")
    assert (none.rows, none.tried, none.actions, none.bound, none.share) == (0, 0, (), 0, 0.0)
    one = explainer.group_actions(rejected[:1], "rejected")
    assert (one.rows, one.turned, one.bound, len(one.actions)) == (1, 1, 1, 1)
    assert "the only candidate can turn 1 (100.0%) at most." in str(one)
    few = explainer.group_actions(rejected, "rejected", candidates=3)
    assert 1 < few.candidates <= 3
    assert f"all {few.candidates} candidates can turn" in str(few)
    fixed = explainer.group_actions(rejected, "rejected", constraints={"fixed": list(X.columns)})
    assert (fixed.candidates, fixed.actions, fixed.bound, fixed.exact) == (0, (), 0, True)
    assert "No change of one or two features was seen to turn one of them." in str(fixed)
    assert fixed.to_dict()["actions"] == []


def test_rows_that_cannot_be_read_are_counted(loans) -> None:
    explainer, X = loans
    table = X.astype({"age": object})
    table.loc[[3, 7], "age"] = "old"
    result = explainer.group_actions(table, "rejected")
    assert result.failed == 2
    assert "2 rows could not be asked about." in str(result)
    with pytest.raises(InputError, match=r"cannot be asked about any of them: column 'age': 'old'"):
        explainer.group_actions(table.iloc[[3, 7]], "rejected")
    with pytest.raises(InputError, match="no rows to find actions for: there are none"):
        explainer.group_actions(X[:0], "rejected")


def test_rows_on_which_the_model_fails_are_left_out(loans) -> None:
    _, X = loans

    def model(frame):
        if ((frame["age"] == 99) & (frame["missed_payments"] < 2)).any():
            raise ModelError("not at this age")
        return np.where(frame["missed_payments"] >= 2, "rejected", "accepted")

    rows = X.assign(missed_payments=3)[:20]
    rows.loc[rows.index[:2], "age"] = 99
    result = Explainer(model, X, n_generated=100).group_actions(rows, "rejected")
    assert (result.rows, result.tried, result.failed, result.turned) == (20, 18, 2, 18)


def test_bad_options(loans) -> None:
    explainer, X = loans
    for options, words in (
        ({"of": "maybe"}, "of='maybe': there is no such class; there are 'accepted', 'rejected'"),
        ({"of": "rejected", "target": "rejected"}, "target='rejected' is the class of the rows"),
        ({"of": "rejected", "most": 0}, "most=0: give a whole number, from 1 to 10"),
        ({"of": "rejected", "candidates": 10**6}, "candidates=1000000: give a whole number, from 1 to 2000"),
        ({"of": "rejected", "at_least": 0.5}, "at_least is about probabilities, which this model does not give"),
        ({"of": "rejected", "constraints": {"fixed": ["wealth"]}}, "there is no feature 'wealth'"),
        ({"of": "rejected", "constraints": {"permits": lambda frame: 1 / 0}}, "permits failed"),
    ):
        with pytest.raises(InputError, match=words):
            explainer.group_actions(X[:30], **options)
    with pytest.raises(InputError, match="give the explainer n_asked above 0"):
        Explainer(explainer.model.ask, X, n_asked=0).group_actions(X, "rejected", confirm=False)


def test_other_libraries_and_plain_data(loans) -> None:
    import polars as pl

    explainer, X = loans
    there = Explainer(lambda frame: explainer.model.ask(frame.to_pandas()), pl.from_pandas(X), n_generated=100)
    assert there.group_actions(pl.from_pandas(X), "rejected") == explainer.group_actions(X, "rejected")
    content = explainer.group_actions(X, "rejected", target="accepted").to_dict()
    assert content["target"] == "accepted"
    assert content["actions"][0].keys() == {"changes", "permitted", "turned", "newly", "share", "mean_cost"}

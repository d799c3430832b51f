"""What users really have: every ugly input works as it should, or is refused in words that name the culprit."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from lormika import Explainer, Explanation, InputError, Missing, ModelError, datasets, mine_rules
from lormika.errors import quote
from lormika.frames.values import format_exact, format_number, format_value
from lormika.rule import Interval

N = 300
RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(
    {
        "age": RNG.integers(18, 80, N),
        "rate": RNG.normal(size=N).round(3),
        "job": RNG.choice(["none", "clerk", "chef"], N),
    }
)
X = {"age": 40, "rate": 0.25, "job": "chef"}


def is_high(table: Any) -> np.ndarray:
    return (np.asarray(table["age"], dtype=float) > 45) | (np.asarray(table["rate"], dtype=float) > 1)


def says(table: Any) -> np.ndarray:
    return np.where(is_high(table), "high", "low")


def explain(table: Any = TABLE, x: Any = X, model: Any = says, options: Any = None, **setting: Any) -> Explanation:
    explainer = Explainer(model, table, **{"n_generated": 150, "min_neighbours": 15} | setting)
    explanation = explainer.explain(x, **options or {})
    assert Explanation.from_json(explanation.to_json()).rules == explanation.rules  # nothing that JSON cannot hold
    return explanation


def features_in_rules(explanation: Explanation) -> set[str]:
    return {feature for rule in explanation.rules for feature in rule.features}


def refuses(*words: str) -> Any:
    """An error about the input that has all these words, in this order."""
    return pytest.raises(InputError, match=".*".join(map(re.escape, words)))


# Backgrounds that are refused


BAD_BACKGROUNDS = {
    "None": (None, ["NoneType"]),
    "a list": ([[1, 2], [3, 4]], ["list"]),
    "a series": (TABLE["age"], ["Series"]),
    "a sparse matrix": (scipy.sparse.csr_matrix(np.eye(3)), ["csr_matrix", "2-D numpy array"]),
    "a lazy frame": (pl.LazyFrame({"age": [1]}), ["LazyFrame", "collected"]),
    "a 1-D array": (np.arange(9.0), ["1 dimension"]),
    "a 3-D array": (np.zeros((3, 3, 3)), ["3 dimension"]),
    "a masked array": (np.ma.masked_less(np.eye(3), 1), ["masked", "NaN"]),
    "no rows": (TABLE.head(0), ["no rows"]),
    "no columns": (TABLE[[]], ["no columns"]),
    "no columns in an array": (np.empty((5, 0)), ["no columns"]),
    "one row": (TABLE.head(1), ["1 row"]),
    "two rows": (TABLE.head(2), ["2 row"]),
    "infinity": (TABLE.assign(rate=np.where(np.arange(N) == 7, np.inf, TABLE["rate"])), ["'rate'", "row 7", "inf"]),
    "minus infinity": (TABLE.assign(rate=np.where(np.arange(N) == 7, -np.inf, 0)), ["'rate'", "row 7", "inf"]),
    "infinity as a category": (TABLE.assign(job=pd.Categorical([1, 2, np.inf] * 100)), ["'job'", "inf"]),
    "a column twice": (pd.concat([TABLE, TABLE[["age"]]], axis=1), ["duplicate column 'age'"]),
    "a column twice in arrow": (pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["age", "age"]), ["'age'"]),
    "two columns written alike": (TABLE.assign(a=1, b=2).rename(columns={"a": 1, "b": "1"}), ["duplicate column '1'"]),
}  # fmt: skip


@pytest.mark.parametrize(("table", "words"), BAD_BACKGROUNDS.values(), ids=BAD_BACKGROUNDS)
def test_a_background_that_cannot_be_used_is_refused(table, words):
    with refuses(*words):
        Explainer(says, table)


def test_a_dict_of_columns_is_refused_where_the_model_needs_a_frame():
    with refuses("dict", "frame"):
        explain(TABLE.to_dict("list"))


# Identifiers


IDS = [f"u{i}" for i in range(N)]


EVERY_RULE = {"confirm": False, "filter": "none", "min_count": 1, "k": 50}


@pytest.mark.parametrize("options", [{}, EVERY_RULE], ids=["confirmed", "every rule"])
def test_an_identifier_is_part_of_no_rule(options):
    table = TABLE.assign(id=IDS)
    model = lambda t: (t["age"] > 45) ^ (t["id"].str[-1] == "7")  # noqa: E731
    with pytest.warns(UserWarning, match="'id'$"):
        explanation = explain(table, X | {"id": "u17"}, model, options)
    assert explanation.rules
    assert "id" not in features_in_rules(explanation)
    assert "id" not in [effect.feature for effect in explanation.effects]
    assert explanation.instance["id"] == "u17"
    assert not any("u17" in str(edit) for rule in explanation.rules if rule.rerun for edit in rule.rerun.edits)
    for view in (explanation.to_text(80), explanation.to_html(), explanation.summary()):
        assert view


def test_an_identifier_is_not_mined():
    plain = mine_rules(TABLE, says(TABLE))
    for ids in (IDS, pd.Categorical(IDS), [None if i % 10 == 0 else f"u{i}" for i in range(N)]):
        with pytest.warns(UserWarning, match="^left out, because nearly all values differ: 'id'$"):
            assert mine_rules(TABLE.assign(id=ids), says(TABLE)) == plain
    with pytest.warns(UserWarning, match="'number'"):
        mine_rules(TABLE.assign(number=np.arange(N)), says(TABLE), categorical=["number"])
    names = [f"name {i % 200}" for i in range(N)]  # half of them twice
    assert len(mine_rules({"name": names}, says(TABLE), k=1000)) >= 200
    assert mine_rules({"few": list("abcd")}, [1, 1, 2, 2], k=9)


# Backgrounds that work


HUGE = np.where(np.arange(N) % 2, 1e300, -1e300)
GOOD_BACKGROUNDS = {
    "three rows": (TABLE[TABLE["job"] == "chef"].sort_values("age").iloc[[0, 1, -1]], X),
    "missing numbers": (TABLE.assign(rate=TABLE["rate"].where(TABLE["rate"] < 1)), X),
    "a constant number": (TABLE.assign(same=3), X | {"same": 3}),
    "a constant category": (TABLE.assign(same="s"), X | {"same": "s"}),
    "a number missing throughout": (TABLE.assign(same=np.nan), X | {"same": None}),
    "a number missing throughout but here": (TABLE.assign(same=np.nan), X | {"same": 2.5}),
    "a string missing throughout": (TABLE.assign(same=pd.Series([None] * N, dtype="str")), X | {"same": None}),
    "an index of its own": (TABLE.set_index(np.arange(N) * 3 - 70), X),
    "an index with repeats": (TABLE.set_index(np.zeros(N, dtype=int)), X),
    "an empty string as category": (TABLE.assign(job=TABLE["job"].replace("none", "")), X | {"job": ""}),
    "a column named like a number": (TABLE.assign(**{"1.5": TABLE["rate"]}), X | {"1.5": 0.1}),
    "a column without a name": (TABLE.assign(**{"": TABLE["rate"]}), X | {"": 0.1}),
    "huge numbers": (TABLE.assign(size=HUGE), X | {"size": -1e300}),
    "tiny numbers": (TABLE.assign(size=HUGE / 1e300 / 1e300), X | {"size": 0.0}),
    "minus zero": (TABLE.assign(size=np.where(HUGE > 0, 0.0, -0.0)), X | {"size": -0.0}),
    "float32": (TABLE.astype({"rate": "float32"}), X | {"rate": 0.1}),
    "integers and strings": (
        TABLE.assign(job=pd.Series([1, "1", None, 2.5] * (N // 4), dtype=object)), X | {"job": "1"}
    ),
    "few different rows": (pd.concat([TABLE.head(15)] * 20), X),
}  # fmt: skip


@pytest.mark.parametrize(("table", "x"), GOOD_BACKGROUNDS.values(), ids=GOOD_BACKGROUNDS)
def test_a_background_that_looks_ugly_works(table, x):
    explanation = explain(table, x, options={"filter": "none", "min_count": 1})
    assert explanation.prediction == "low"
    assert explanation.rules
    assert "same" not in features_in_rules(explanation)  # a condition that is always true says nothing
    assert explanation.sample.rows.columns.tolist() == table.columns.tolist()


def test_an_index_changes_nothing():
    assert explain(TABLE.set_index(np.arange(N) * 3 - 70)).to_json() == explain().to_json()


def test_a_missing_value_can_be_a_condition():
    model = lambda table: table["rate"].isna() | (table["age"] > 60)  # noqa: E731
    table = TABLE.assign(rate=TABLE["rate"].where(TABLE["rate"] < 0.5))
    explanation = explain(table, X | {"rate": None}, model)
    assert explanation.prediction is True
    assert explanation.current_supporting[0].conditions == (Missing("rate"),)
    assert [rule.rerun.turned for rule in explanation.counterfactual][:1] == [True]  # given a rate, it is another case


def test_an_edit_can_take_a_value_away_where_no_edits_are_tried_as_in_the_paper():
    model = lambda table: table["rate"].isna() | (table["age"] > 60)  # noqa: E731
    table = TABLE.assign(rate=TABLE["rate"].where(TABLE["rate"] < 0.5))
    explanation = explain(table, X | {"rate": 0.25}, model, {"confirm": False}, n_asked=0)
    [rule] = [rule for rule in explanation.counterfactual if rule.conditions == (Missing("rate"),)]
    assert [(edit.before, edit.after) for edit in rule.rerun.edits] == [(0.25, None)]
    assert rule.rerun.turned


def test_a_hundred_thousand_categories_work():
    ids = [f"u{i}" for i in range(100_000)]
    table = pd.DataFrame({"age": np.arange(len(ids)) % 61 + 18, "id": ids})
    with pytest.warns(UserWarning, match="part of no rule, because nearly all values differ: 'id'$"):
        explanation = explain(table, {"age": 30, "id": "u77"}, lambda t: t["age"] > 45)
    assert explanation.prediction is False
    assert explanation.instance["id"] == "u77"
    assert "age" in features_in_rules(explanation)


def test_columns_that_the_model_does_not_use_are_named():
    X, y = datasets.make_loans(200)
    model = datasets.make_model("tree", X).fit(X, y)
    with pytest.warns(UserWarning, match="^the model was not fitted with 'decision': leave out what it does not use$"):
        Explainer(model, X.assign(decision=y))
    Explainer(model, X)  # no warning


def test_two_thousand_columns_work():
    table = pd.DataFrame(np.random.default_rng(1).normal(size=(120, 2000)).round(2)).add_prefix("c")
    x = table.iloc[[0]].assign(c3=-1.0)
    explanation = explain(table, x, lambda t: t["c3"] > 0, {"max_conditions": 1}, n_generated=50)
    assert explanation.prediction is False
    assert explanation.current_supporting[0].features == ("c3",)
    assert ("c3",) in [rule.features for rule in explanation.counterfactual]


# Instances


BAD_INSTANCES = {
    "None": (None, ["NoneType"]),
    "a number": (40, ["int"]),
    "a string": ("age=40", ["str"]),
    "a sparse matrix": (scipy.sparse.csr_matrix([[40, 0.25, 1]]), ["csr_matrix"]),
    "several rows": (TABLE.head(2), ["2 rows", "explain_many"]),
    "no row": (TABLE.head(0), ["0 rows"]),
    "too few values": ([40, 0.25], ["2 values", "3 columns"]),
    "too many values": ((40, 0.25, "chef", 1), ["4 values", "3 columns"]),
    "a column too few": ({"age": 40, "rate": 0.25}, ["'job' is missing"]),
    "a column too many": (X | {"shoes": 44}, ["unknown column 'shoes'"]),
    "a misspelt column": (TABLE.head(1).rename(columns={"rate": "Rate"}), ["'rate' is missing"]),
    "a column twice": (pd.Series([40, 41, 0.25], ["age", "age", "rate"]), ["twice"]),
    "a column twice in a frame": (TABLE.head(1)[["age", "age", "rate", "job"]], ["duplicate column 'age'"]),
    "a missing integer": (X | {"age": None}, ["'age'", "row 0", "missing"]),
    "a NaN integer": (X | {"age": np.nan}, ["'age'", "row 0", "missing"]),
    "an integer that is not whole": (X | {"age": 40.5}, ["'age'", "40.5", "not whole", "age takes whole numbers"]),
    "an integer that is not exact": (X | {"age": 2**60 + 1}, ["'age'", "exact"]),
    "a huge integer": (X | {"age": 10**400}, ["'age'", "too large"]),
    "infinity": (X | {"rate": np.inf}, ["'rate'", "row 0", "inf"]),
    "a number as a string": (X | {"age": "40"}, ["'age'", "row 0", "'40' is not a number"]),
    "a list as a value": (X | {"age": [40]}, ["'age'", "row 0", "list"]),
    "a date as a value": (X | {"age": pd.Timestamp("2020-02-29")}, ["'age'", "row 0", "Timestamp"]),
    "a number as a category": (X | {"job": 1}, ["'job'", "row 0", "1 is no value", "'chef', 'clerk', 'none'"]),
    "strings of an array": (np.array([[40, 0.25, "chef"]]), ["'age'", "not a number"]),
}  # fmt: skip


@pytest.fixture(scope="module")
def explainer() -> Explainer:
    return Explainer(says, TABLE, n_generated=100, min_neighbours=15)


@pytest.mark.parametrize(("x", "words"), BAD_INSTANCES.values(), ids=BAD_INSTANCES)
def test_an_instance_that_cannot_be_used_is_refused(explainer, x, words):
    with refuses(*words):
        explainer.explain(x)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, lambda columns: pa.table(dict(columns))])
@pytest.mark.parametrize(("name", "value"), [("age", 300), ("age", -129), ("rate", 1e300)])
def test_a_number_beyond_the_columns_type_is_refused(make, name, value):
    table = make({"age": (TABLE["age"] - 40).astype("int8"), "rate": TABLE["rate"].astype("float32")})
    with refuses(repr(name), "row 0", "beyond"):
        explain(table, {"age": 1, "rate": 0.5, name: value}, lambda t: np.asarray(t["age"]) > 5)


def test_a_row_of_many_is_named_in_the_error(explainer):
    with refuses("'rate'", "row 2", "inf"):
        explainer.explain_many(TABLE.head(4).assign(rate=[1, 2, np.inf, 3]), on_error="raise")


NOTED_INSTANCES = {
    "a value beyond the background": (X | {"age": 200}, "age = 200 lies outside the background"),
    "a missing value": (X | {"rate": None}, "rate is missing here but never in the background"),
    "a missing category": (X | {"job": None}, "job is missing here but never in the background"),
    "an unseen category": (X | {"job": "cook"}, "job = cook was not seen in the background"),
}


@pytest.mark.parametrize(("x", "note"), NOTED_INSTANCES.values(), ids=NOTED_INSTANCES)
def test_an_instance_unlike_the_background_is_explained_with_a_note(explainer, x, note):
    assert any(found.text.startswith(note) for found in explainer.explain(x).notes)


def test_a_declared_category_that_never_occurs_is_explained_with_a_note():
    jobs = pd.Categorical(TABLE["job"], categories=["none", "clerk", "chef", "pilot"])
    explanation = explain(TABLE.assign(job=jobs), X | {"job": "pilot"})
    assert str(explanation.notes[0]).startswith("job = pilot was not seen in the background")
    assert not any("pilot" in str(rule) for rule in explanation.rules)
    assert list(explanation.sample.rows["job"].cat.categories) == ["none", "clerk", "chef", "pilot"]


@pytest.mark.parametrize("value", [True, 1, 1.0, np.True_, np.int8(1)], ids=repr)
def test_true_and_one_are_the_same_category(value):
    for column in (np.arange(N) % 2, np.arange(N) % 2 == 1):
        explanation = explain(TABLE.assign(flag=column), X | {"flag": value}, categorical=["flag"])
        assert explanation.instance["flag"] == 1
        assert type(explanation.instance["flag"]) is (bool if column.dtype == bool else int)


# Options


BAD_SETTINGS = {
    "min_neighbours": [2, 0, -1, 40.0, "40", True],
    "max_neighbours": [39, 200.0, "200", True],
    "kernel_width": [0, -1.0, np.nan, np.inf, "1", True],
    "thin": ["farthest", "", 1],
    "design": ["sobol", "", 1],
    "n_generated": [-1, 10.5, 100.0, "100", True],
    "n_asked": [-1, 10.5, 100.0, "100", True],
    "snap": [1, "yes"],
    "preset": ["thesis", "", None, 1],
    "bins": [1, 0, -3, 3.0, "3", True, None],
    "random_state": [-1, 0.5, "0", True, None],
    "categorical": ["age", ["agee"], [7], [-1], [["age"]], [True], 3],
    "cuts": [{"agee": [40]}, {"job": [1]}, {"age": [np.nan]}, {"age": [np.inf]}, {"age": ["x"]}, {"age": 40}],
    "feature_names": [["age", "rate", "job"]],
    "class_names": ["ab", 3, {0: "low", 1: "high"}, ["low", None], ["low", "low"], ["low"], ["low", ["high"]]],
    "predictions": [[0] * (N - 1), [[0]] * N, 3, "low", [None] * N, ["medium"] * N],
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in BAD_SETTINGS.items() for value in values]
)
def test_a_wrong_setting_is_named(name, value):
    with refuses(name):
        Explainer(says, TABLE, **{name: value})


BEYOND = [2**63, 10**20, 10**400, 10**5000, -(10**5000), "9" * 5000]
NUMBERS_OF_SETTINGS = ["min_neighbours", "max_neighbours", "n_generated", "n_asked", "bins", "random_state"]


@pytest.mark.parametrize("value", BEYOND, ids=quote)
def test_numbers_beyond_all_limits_are_refused_in_few_words(explainer, value):
    for name in [*NUMBERS_OF_SETTINGS, "kernel_width", "thin", "design", "snap", "preset", "categorical", "cuts"]:
        with refuses(name) as error:
            Explainer(says, TABLE, **{name: value})
        assert len(str(error.value)) < 200
    for name in [*BAD_OPTIONS, "per", "confirm", "weight"]:
        with refuses(f"{name}={quote(value)}") as error:
            explainer.explain(X, **{name: value})
        assert len(str(error.value)) < 200
    for name in [*BAD_OPTIONS, "bins", "cuts", "categorical", "classes"]:
        with refuses(name) as error:
            mine_rules(TABLE, says(TABLE), **{name: value})
        assert len(str(error.value)) < 200


def test_more_neighbours_than_can_be_counted_are_refused():
    with refuses("min_neighbours=10000000000", "from 3 to 2147483647"):
        Explainer(says, TABLE, min_neighbours=10**10, max_neighbours=10**10)
    assert explain(min_neighbours=2**31 - 1, max_neighbours=2**63 - 1).neighbourhood.selected == N


@pytest.mark.parametrize("value", [np.array(3), np.ma.masked, b"age", [np.array([1, 2])], [pd.NA], [np.ma.masked]])
def test_what_is_no_list_of_values_is_refused(value):
    for name in ("categorical", "classes"):
        with refuses(name):
            mine_rules(TABLE, says(TABLE), **{name: value})
    for name in ("categorical", "class_names"):
        with refuses(name):
            Explainer(says, TABLE, **{name: value})
    with refuses("cuts"):
        Explainer(says, TABLE, cuts={"age": value})


def test_whole_numbers_that_no_float_can_hold_are_refused():
    with refuses("y, row 0", "too large"):
        mine_rules(TABLE, [10**5000] * 150 + [1] * 150)
    for values in ([10**5000, "x"] * 20, [10**400, 1] * 20):
        with refuses("column 'a', row 0", "too large"):
            mine_rules({"a": values}, [0, 1] * 20)
    with refuses("y is a ndarray"):
        mine_rules(TABLE, np.array(3))
    with refuses("column 'a' is a single value"):
        mine_rules({"a": np.array(3)}, [1])


# Masked values


MASKED = np.ma.masked_array([1.0, 2.0, 3.0], mask=[False, True, False])


@pytest.mark.parametrize(
    "x", [MASKED, MASKED[None], dict(enumerate(MASKED)), list(MASKED)], ids=["1-D", "2-D", "dict", "list"]
)
def test_a_masked_value_of_an_instance_is_missing(x):
    background = np.random.default_rng(0).normal(size=(N, 3))
    explainer = Explainer(lambda t: t[:, 0] > 0, background, feature_names=["0", "1", "2"], n_generated=50)
    assert explainer.explain(x).instance == {"0": 1.0, "1": None, "2": 3.0}


@pytest.mark.parametrize("values", [np.arange(40) / 8, np.arange(40), np.array(["a", "b"] * 20)], ids=["f", "i", "s"])
def test_masked_values_of_a_column_are_missing(values):
    hidden = np.arange(40) % 4 == 0
    rules = mine_rules({"a": np.ma.masked_array(values, mask=hidden)}, hidden, k=1)
    assert [str(rule) for rule in rules] == ["a is missing ⇒ True"]
    assert rules[0].holds({"a": np.ma.masked_array(values, mask=hidden)}).tolist() == hidden.tolist()


def test_masked_labels_are_refused():
    hidden = np.arange(N) == 7
    with refuses("y, row 7", "masked"):
        mine_rules(TABLE, np.ma.masked_array(is_high(TABLE), mask=hidden))
    with refuses("predictions, row 7", "masked"):
        Explainer(is_high, TABLE, predictions=np.ma.masked_array(is_high(TABLE), mask=hidden))
    for answer, mask in ((is_high, hidden), (both, np.stack([hidden, hidden], axis=1))):
        with pytest.raises(ModelError, match="masked in row 7"):
            Explainer(lambda t, answer=answer, mask=mask: np.ma.masked_array(answer(t), mask=mask), TABLE)
    Explainer(lambda t: np.ma.masked_array(is_high(t)), TABLE)  # nothing is hidden


def test_fewer_neighbours_at_most_than_at_least_are_refused():
    with refuses("max_neighbours=10", "at least 20"):
        Explainer(says, TABLE, min_neighbours=20, max_neighbours=10)


@pytest.mark.parametrize("names", [["a", "b"], ["a", "a", "b"], "abc", 3], ids=repr)
def test_wrong_names_of_an_arrays_columns_are_refused(names):
    with pytest.raises(InputError, match=r"feature_names|duplicate column 'a'"):
        Explainer(lambda t: t[:, 0] > 0, np.eye(50, 3), feature_names=names)


BAD_OPTIONS = {
    "k": [0, -1, 5.0, "5", True, None],
    "objective": ["accuracy", "", None, 1],
    "max_conditions": [0, 7, 2.0, "2", True, None],
    "min_count": [0, -1, 2.5, "10", True, None],
    "m": [-0.5, np.nan, np.inf, "2", True, None],
    "filter": ["best", "", None, 1],
    "alpha": [-0.1, 1.1, np.nan, "0.05", True, None],
    "correction": ["holm", "", None, 1],
}
EVERY_OPTION = [(name, value) for name, values in BAD_OPTIONS.items() for value in values]


@pytest.mark.parametrize(("name", "value"), [*EVERY_OPTION, ("per", "class"), ("per", None)])
def test_a_wrong_option_is_named(explainer, name, value):
    with refuses(f"{name}={value!r}"):
        explainer.explain(X, **{name: value})


@pytest.mark.parametrize(("name", "value"), [*EVERY_OPTION, ("bins", 1), ("bins", "3"), ("bins", True)])
def test_a_wrong_option_of_mining_is_named(name, value):
    with refuses(f"{name}={value!r}"):
        mine_rules(TABLE, says(TABLE), **{name: value})


def test_options_at_their_limits_work():
    assert explain(options={"k": 10**12}).rules
    assert explain(n_generated=0).neighbourhood.generated == 0
    assert explain(n_generated=1).neighbourhood.generated == 1
    assert explain(bins=500, options={"filter": "none", "min_count": 1}).rules
    nothing = explain(options={"min_count": 10**12, "confirm": False})
    assert nothing.rules == ()
    assert len(nothing.notes) == 4
    little = explain(options={"min_count": 10**12})  # what needs no search is there all the same
    assert [rule.weak for rule in little.current_supporting] == [True]
    assert all(rule.rerun.turned for rule in little.counterfactual)
    assert explain(n_asked=0, options={"confirm": False}).effects == ()
    with pytest.raises(InputError, match="n_asked above 0"):
        explain(n_asked=0)


def test_cuts_of_every_form_work():
    for points in ([30, 60], (60, 30, 30), np.array([30.0, 60.0]), {30, 60}):
        explanation = explain(cuts={"age": points}, options={"filter": "none"})
        assert explanation.options["cuts"] == {"age": [30.0, 60.0]}
        searched = [*explanation.current_contradicting, *explanation.hypothetical_supporting]
        shown = {str(c) for rule in searched for c in rule.conditions if c.feature == "age"}
        assert shown <= {"age ≤ 29", "30 ≤ age ≤ 59", "age ≥ 60"}
    uncut = explain(cuts={"age": []}, options={"filter": "none", "confirm": False})
    assert "age" not in features_in_rules(uncut)


# Models


def answers(answer: Any, later: bool = False) -> Any:
    """A model that gives this answer, at once or only after it was shown the background."""

    def model(table: pd.DataFrame) -> Any:
        return says(table) if later and len(table) == N else answer(table)

    return model


def both(table: pd.DataFrame) -> np.ndarray:
    """Probabilities of two classes."""
    return np.stack([~is_high(table), is_high(table)], axis=1) * 0.8 + 0.1


def with_at(row: int, value: Any, array: np.ndarray) -> np.ndarray:
    array = array.astype(object) if value is None else array
    array[row] = value
    return array


BAD_ANSWERS = {
    "an error": (lambda t: 1 / 0, ["failed", "300 rows", "ZeroDivisionError", "division by zero"]),
    "too few rows": (lambda t: says(t)[1:], ["(299,)", "300 rows"]),
    "too many rows": (lambda t: both(t).repeat(2, axis=0), ["(600, 2)", "300 rows"]),
    "nothing": (lambda t: None, ["shape ()"]),
    "one label for all": (lambda t: "high", ["shape ()"]),
    "no class": (lambda t: both(t)[:, :0], ["(300, 0)"]),
    "three dimensions": (lambda t: both(t)[None], ["(1, 300, 2)"]),
    "lists of different lengths": (lambda t: [[1] * (1 + i % 2) for i in range(len(t))], ["different lengths"]),
    "a NaN probability": (lambda t: with_at(4, np.nan, both(t)), ["nan", "row 4"]),
    "an infinite probability": (lambda t: with_at(4, np.inf, both(t)), ["inf", "row 4"]),
    "scores": (lambda t: with_at(4, 7.5, both(t)), ["7.5", "row 4", "0 to 1"]),
    "negative probabilities": (lambda t: with_at(4, -0.5, both(t)), ["-0.5", "row 4", "0 to 1"]),
    "one probability": (lambda t: both(t)[:, 1], ["fractional", "each class"]),
    "one column of probabilities": (lambda t: both(t)[:, 1:], ["one probability per row", "1 - p"]),
    "two strings per row": (lambda t: both(t).astype(str), ["2 answers", "not probabilities"]),
    "a missing label": (lambda t: with_at(4, None, says(t)), ["None", "row 4"]),
    "a NaN label": (lambda t: with_at(4, np.nan, is_high(t).astype(float)), ["nan", "row 4"]),
    "an infinite label": (lambda t: with_at(4, np.inf, is_high(t).astype(float)), ["inf", "row 4"]),
    "bytes": (lambda t: says(t).astype(bytes), ["b'", "row 0"]),
    "dates": (lambda t: np.where(is_high(t), np.datetime64("2020-02-29"), np.datetime64("2020-03-01")), ["date"]),
}


@pytest.mark.parametrize(("answer", "words"), BAD_ANSWERS.values(), ids=BAD_ANSWERS)
def test_an_answer_that_is_no_classification_is_refused(answer, words):
    with pytest.raises(ModelError, match="(?s)" + ".*".join(map(re.escape, words))):
        Explainer(answer, TABLE)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda t: 1 / 0, ["ZeroDivisionError"]),
        (lambda t: says(t)[1:], ["rows"]),
        (lambda t: with_at(4, "medium", says(t).astype(object)), ["'medium'", "row 4", "'high', 'low'", "class_names"]),
        (lambda t: with_at(4, None, says(t)), ["None", "row 4"]),
        (lambda t: np.full((len(t), 3), 1 / 3), ["3", "2 probabilities"]),
        (lambda t: both(t) * np.nan, ["nan", "row 0"]),
        (lambda t: both(t)[:, 0], ["fractional"]),
    ],
    ids=["error", "rows", "another class", "no label", "more classes", "NaN", "fractions"],
)
def test_an_answer_that_goes_wrong_only_later_is_refused(answer, words):
    with pytest.raises(ModelError, match=".*".join(map(re.escape, words))):
        explain(model=answers(answer, later=True))


def test_a_class_seen_only_later_is_fine_if_it_was_named():
    model = answers(lambda t: np.where(t["job"] == "none", "medium", says(t)), later=True)
    explanation = explain(model=model, class_names=["low", "medium", "high"])
    assert [c.label for c in explanation.classes] == ["low", "medium", "high"]
    assert explanation.prediction == "low"


NUMBERS = TABLE[["age", "rate"]]


@pytest.mark.parametrize("model", [LinearRegression(), DecisionTreeRegressor()], ids=lambda m: type(m).__name__)
def test_a_regression_is_refused(model):
    with refuses("model", "regressor"):
        Explainer(model.fit(NUMBERS, TABLE["rate"]), NUMBERS)
    with pytest.raises(ModelError, match="fractional numbers, not labels"):  # of a function nothing else is known
        Explainer(model.fit(NUMBERS, TABLE["rate"]).predict, NUMBERS)


def test_a_model_that_is_none_is_refused():
    with refuses("model", "int"):
        Explainer(3, TABLE)
    with pytest.raises(ModelError, match="NotFittedError"):
        Explainer(LogisticRegression(), NUMBERS)
    outputs = np.stack([is_high(TABLE), TABLE["age"] % 3], axis=1)
    with refuses("model", "several outputs"):
        Explainer(DecisionTreeClassifier().fit(NUMBERS, outputs), NUMBERS)
    with refuses("model", "no class but 1"):
        Explainer(DecisionTreeClassifier().fit(NUMBERS, np.ones(N, dtype=int)), NUMBERS)


def test_a_model_of_other_columns_fails_in_its_own_words():
    model = DecisionTreeClassifier().fit(NUMBERS.rename(columns={"age": "years"}), is_high(TABLE))
    with pytest.raises(ModelError, match=r"(?s)feature names.*years"):
        Explainer(model, NUMBERS)


def test_a_model_that_gives_all_rows_one_label_is_refused():
    with refuses("every row", "'low'", "other classes"):
        Explainer(lambda t: ["low"] * len(t), TABLE)


def test_a_model_that_gives_all_neighbours_one_label_is_explained_with_a_note():
    explanation = explain(model=lambda t: says(t) if len(t) == N else np.full(len(t), "low"))
    assert explanation.rules == ()
    assert any("labels every similar row low" in note.text for note in explanation.notes)


def test_labels_that_are_not_the_models_are_noted():
    explanation = explain(predictions=np.where(is_high(TABLE), "low", "high"))
    assert any("predictions given for the background are not its own" in note.text for note in explanation.notes)


@pytest.mark.parametrize("probabilities", [True, False])
def test_a_model_that_rolls_dice_is_noted(probabilities):
    rng = np.random.default_rng(1)

    def model(table: pd.DataFrame) -> np.ndarray:
        if not probabilities:
            return rng.choice(["low", "high"], len(table))
        return np.clip(both(table) + rng.normal(0, 0.05, len(table))[:, None] * [1, -1], 0, 1)

    explanation = explain(model=model, options={"filter": "none"})
    assert any("not deterministic" in note.text for note in explanation.notes)


def test_a_steady_model_is_not_called_fickle(explainer):
    assert not any("deterministic" in note.text for note in explainer.explain(X).notes)


GOOD_ANSWERS = {
    "a list": lambda t: says(t).tolist(),
    "a pandas series": lambda t: pd.Series(says(t), index=t.index),
    "a pandas category": lambda t: pd.Categorical(says(t)),
    "a polars series": lambda t: pl.Series(says(t).tolist()),
    "an arrow array": lambda t: pa.chunked_array([says(t).tolist()]),
    "a column": lambda t: says(t)[:, None],
    "booleans": is_high,
    "nullable booleans": lambda t: pd.array(is_high(t), dtype="boolean"),
    "whole floats": lambda t: is_high(t).astype(float),
    "probabilities in a frame": lambda t: pd.DataFrame(both(t)),
    "one-hot integers": lambda t: np.stack([~is_high(t), is_high(t)], axis=1).astype(int),
    "float32 probabilities": lambda t: both(t).astype("float32"),
}


@pytest.mark.parametrize("answer", GOOD_ANSWERS.values(), ids=GOOD_ANSWERS)
def test_an_answer_in_any_form_is_understood(answer):
    explanation = explain(model=answer)
    assert explanation.prediction in ("low", 0)  # so are False and 0.0
    assert [tuple(map(str, rule.conditions)) for rule in explanation.rules] == [
        tuple(map(str, rule.conditions)) for rule in explain().rules
    ]


@pytest.mark.parametrize(
    "answer", [is_high, lambda t: is_high(t).astype(int), lambda t: is_high(t).astype(float), both]
)
def test_classes_by_number_get_their_names(answer):
    explanation = explain(model=answer, class_names=["fine", "dear"])
    assert explanation.prediction == "fine"
    assert {rule.consequent for rule in explanation.rules} == {"fine", "dear"}


# What is shown tells apart what differs


LARGE = [10**15, 1_700_000_000_000_001, 2**53 - 1, 10**16 + 2, 10**20, 10**21, 10**25 + 1, 1e15, 1.7e15, 1e16, 1e22]


@pytest.mark.parametrize("write", [format_number, format_exact, format_value])
def test_large_numbers_are_told_apart(write):
    numbers = sorted({sign * number for number in LARGE for sign in (-1, 1)})
    nearby = [math.nextafter(number, math.inf) for number in numbers]
    for number in {*numbers, *nearby}:
        text = write(number)
        assert (int(text) if isinstance(number, int) else float(text)) == number
    assert [write(number) for number in (math.inf, -math.inf, math.nan)] == ["inf", "-inf", "nan"]


def test_large_numbers_are_told_apart_in_rules():
    start = 1_700_000_000_000_000
    table = {"t_us": [start + i for i in range(90)], "id": [10**15 + i % 3 for i in range(90)]}
    late = np.arange(90) >= 60
    labels = np.where(late, 10**15 + 1, 10**15).tolist()
    rules = mine_rules(table, labels, categorical=["id"], k=1000, max_conditions=1)
    texts = [str(rule) for rule in rules]
    assert len(set(texts)) == len(texts)
    assert f"{start + 30} ≤ t_us ≤ {start + 59} ⇒ {10**15}" in texts
    assert {f"id = {10**15 + i} ⇒ {10**15 + 1}" for i in range(3)} <= set(texts)


CHILDREN = [0] * 60 + [1] * 25 + [2] * 15


def test_a_range_of_one_whole_number_is_told_as_that_number():
    table = {"children": CHILDREN, "level": [float(c) for c in CHILDREN], "rate": [c / 2 for c in CHILDREN]}
    rules = mine_rules(table, [min(c, 1) for c in CHILDREN], k=100, max_conditions=1)
    texts = {str(rule.conditions[0]) for rule in rules}
    assert {"children = 0", "children = 1", "children = 2", "level = 0", "rate < 0.2"} <= texts
    [none] = {rule.conditions[0] for rule in rules if str(rule.conditions[0]) == "children = 0"}
    assert none == Interval("children", -math.inf, 0.5, integer=True)  # only the words are others
    assert none.to_sql() == '"children" < 0.5e0'
    gap = mine_rules({"a": [0, 0, 5, 5]}, [0, 0, 1, 1], bins=2)
    assert {str(rule.conditions[0]) for rule in gap} == {"a ≤ 1", "a ≥ 2"}  # what lies between was not seen


def test_the_background_says_what_the_least_number_is():
    table = pd.DataFrame({"children": CHILDREN * 3, "age": np.arange(300) % 61 + 18})
    model = lambda t: (t["children"] > 0) & (t["age"] > 20)  # noqa: E731
    none = explain(table, {"children": 0, "age": 40}, model)
    assert str(none.current_supporting[0]) == "children = 0 ⇒ False"
    assert str(Explanation.from_json(none.to_json()).current_supporting[0]) == "children = 0 ⇒ False"
    for view in (none.to_text(80), none.to_html(), none.summary()):
        assert "children = 0" in view
        assert "children ≤ 0" not in view
    fewer = explain(table, {"children": -1, "age": 40}, model)  # not 0, but in the same range
    assert str(fewer.current_supporting[0]) == "children ≤ 0 ⇒ False"


# Mining


BAD_MINING = {
    "y too short": (TABLE, says(TABLE)[1:], {}, ["y has 299 values", "300 rows"]),
    "y too long": (TABLE, ["low"] * 301, {}, ["y has 301 values", "300 rows"]),
    "y with None": (TABLE, [*says(TABLE)[1:], None], {}, ["y, row 299", "None"]),
    "y with NaN": (TABLE, np.where(is_high(TABLE), 1.0, np.nan), {}, ["y, row", "nan"]),
    "y of dates": (TABLE, pd.to_datetime(["2020-02-29"] * N), {}, ["y, row 0", "Timestamp"]),
    "y of two columns": (TABLE, both(TABLE), {}, ["y, row 0"]),
    "unknown classes": (TABLE, says(TABLE), {"classes": ["high", "medium"]}, ["classes", "'medium'"]),
    "a 1-D array": (TABLE["age"].to_numpy(), says(TABLE), {}, ["1 dimension"]),
    "no table": (None, says(TABLE), {}, ["NoneType"]),
    "a sparse matrix": (scipy.sparse.csr_matrix(np.eye(N)), says(TABLE), {}, ["csr_matrix"]),
    "a lazy frame": (pl.LazyFrame({"a": [1]}), [1], {}, ["LazyFrame"]),
    "no rows": (TABLE.head(0), [], {}, ["no rows"]),
    "no columns": ({}, [], {}, ["no columns"]),
    "columns of different lengths": ({"a": [1], "b": [1, 2]}, [1], {}, ["different lengths"]),
    "a column that is a number": ({"a": 1}, [1], {}, ["'a'", "list"]),
    "a column that is a string": ({"a": "xyz"}, [1, 2, 3], {}, ["'a'", "list"]),
    "infinity": ({"a": [1.0, np.inf]}, [0, 1], {}, ["'a'", "row 1", "inf"]),
    "unknown cuts": (TABLE, says(TABLE), {"cuts": {"agee": [40]}}, ["cuts", "'agee'"]),
    "cuts of a category": (TABLE, says(TABLE), {"cuts": {"job": [40]}}, ["cuts", "'job'"]),
    "cuts with NaN": (TABLE, says(TABLE), {"cuts": {"age": [np.nan]}}, ["cuts", "'age'"]),
    "unknown categorical": (TABLE, says(TABLE), {"categorical": ["agee"]}, ["categorical", "'agee'"]),
    "names of a frame": (TABLE, says(TABLE), {"feature_names": ["a"]}, ["feature_names"]),
}


@pytest.mark.parametrize(("table", "y", "options", "words"), BAD_MINING.values(), ids=BAD_MINING)
def test_what_cannot_be_mined_is_refused(table, y, options, words):
    with refuses(*words):
        mine_rules(table, y, **options)


def test_classes_that_can_hardly_be_told_apart_are_warned_of():
    with pytest.warns(UserWarning, match="one class only, 'low'"):
        mine_rules(TABLE, ["low"] * N)
    with pytest.warns(UserWarning, match="300 classes.*classes$"):
        mine_rules(TABLE, IDS)
    for numbers in (TABLE["rate"] + np.arange(N) * 1e-6, np.arange(N)):
        with pytest.warns(UserWarning, match="300 different numbers.*pandas.cut"):
            mine_rules(TABLE, numbers)
    assert mine_rules(TABLE, IDS, classes=["u7"])  # it is known
    assert mine_rules(TABLE, np.arange(N) % 50)


def test_ugly_tables_can_be_mined():
    with pytest.warns(UserWarning, match="one class"):
        assert mine_rules(TABLE.head(1), ["low"]) == []  # nothing varies
    assert mine_rules(TABLE.assign(age=3, rate=np.nan), says(TABLE), k=1)[0].features == ("job",)
    mixed = {"a": [1, "1", 1, "1", None, None], "b": [True, 1, 1.0, True, 1, True]}
    assert [str(rule) for rule in mine_rules(mixed, list("xyxyzz"), k=3)] == [
        "a = 1 ⇒ x", "a = 1 ⇒ y", "a is missing ⇒ z"
    ]  # fmt: skip
    everything_missing = {"a": [None, None], "b": [1, 2]}
    assert {rule.features for rule in mine_rules(everything_missing, [0, 1])} == {("b",)}

"""Forests followed by our own kernel: the same trees, the same answers, and the forest itself where in doubt."""

from __future__ import annotations

import copy
import gc
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import issparse
from sklearn.base import is_classifier
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.ensemble._forest import ForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import naive
from draws import examples
from lormika import Explainer, _core, datasets
from lormika.models import forests
from lormika.models.forests import QuickForest, quicken_forest

FORESTS = [RandomForestClassifier, ExtraTreesClassifier, RandomForestRegressor, ExtraTreesRegressor]
INFINITY = float("inf")
NUMBERS = st.sampled_from([-INFINITY, -1e300, -1.0, -0.1, 0.0, 0.1, 0.3, 1.0, 16777217.0, 1e39, INFINITY])


@st.composite
def trees(draw, features):
    """Nodes of a tree, in which children come after their parents, in any order."""
    nodes, open_places = [None], [0]
    for _ in range(draw(st.integers(0, 12))):
        place = open_places.pop(draw(st.integers(0, len(open_places) - 1)))
        children = draw(st.permutations([len(nodes), len(nodes) + 1]))
        nodes[place] = (*children, draw(st.integers(0, features - 1)), draw(NUMBERS), draw(st.booleans()))
        open_places += children
        nodes += [None, None]
    return [(-1, -1, -2, -2.0, False) if node is None else node for node in nodes]


def fields(tree):
    """As scikit-learn has them: the fields of a node stand side by side."""
    kind = [("left", "i8"), ("right", "i8"), ("feature", "i8"), ("threshold", "f8"), ("missing", "u1"), ("rest", "V7")]
    nodes = np.zeros(len(tree), kind)
    for place, node in enumerate(tree):
        nodes[place] = (*node, b"")
    return [nodes[name] for name in ("left", "right", "feature", "threshold", "missing")]


def plant(features, classes, *trees):
    forest = _core.Forest(features, classes)
    for tree, values in trees:
        forest.plant(*fields(tree), values)
    return forest


@st.composite
def tables(draw, features):
    """Rows of single precision: some that differ, each several times, so that many go down together."""
    numbers = st.one_of(NUMBERS, st.just(float("nan")))
    kinds = draw(st.lists(st.lists(numbers, min_size=features, max_size=features), min_size=1, max_size=12))
    chosen = draw(st.lists(st.integers(0, len(kinds) - 1), max_size=20)) * draw(st.sampled_from([1, 2, 9]))
    with np.errstate(over="ignore"):
        return np.array([kinds[kind] for kind in chosen]).reshape(len(chosen), features).astype(np.float32)


@settings(max_examples=examples(200))
@given(data=st.data(), features=st.integers(1, 3), classes=st.integers(1, 3), count=st.integers(1, 3))
def test_rows_reach_their_leaves(data, features, classes, count):
    grown = [data.draw(trees(features)) for _ in range(count)]
    rows, rng = data.draw(tables(features)), np.random.default_rng(0)
    forest = plant(features, classes, *((tree, rng.random((len(tree), classes))) for tree in grown))
    rng = np.random.default_rng(0)
    expected = np.ones((len(rows), classes))
    leaves = [[naive.leaf_of(tree, row) for row in rows.astype(float).tolist()] for tree in grown]
    for tree, own in zip(grown, leaves, strict=True):
        expected += rng.random((len(tree), classes))[own]
    block, sums = _core.Block(rows), np.ones((len(rows), classes))
    forest.add(block, sums)
    assert np.array_equal(sums, expected)
    assert forest.find_leaves(block).tolist() == leaves[0]


def test_rows_go_down_a_tree_as_deep_as_there_are_rows():
    """Every node takes one row out, so that as many groups wait as there can be."""
    n_rows = 300
    nodes = []
    for i in range(n_rows):  # its left child is a leaf; the right one goes on
        nodes += [(2 * i + 1, 2 * i + 2, 0, i + 0.5, False), LEAF]
    nodes.append(LEAF)
    for column in (np.arange(n_rows), np.arange(n_rows)[::-1]):
        rows = np.repeat(column, 5).astype(np.float32)[:, None]
        leaves = plant(1, 1, (nodes, np.zeros((len(nodes), 1)))).find_leaves(_core.Block(rows))
        assert leaves.tolist() == [naive.leaf_of(nodes, row) for row in rows.astype(float).tolist()]


LEAF = (-1, -1, 0, 0.0, False)


@pytest.mark.parametrize(
    "tree",
    [
        [],
        [(1, 3, 0, 0.0, False), LEAF, LEAF],
        [(1, 0, 0, 0.0, False), LEAF, LEAF],
        [(1, -1, 0, 0.0, False), LEAF, LEAF],
        [(1, 2, 2, 0.0, False), LEAF, LEAF],
        [(1, 2, -1, 0.0, False), LEAF, LEAF],
    ],
)
def test_trees_that_point_outside_or_back_are_refused(tree):
    with pytest.raises(ValueError, match="tree"):
        plant(2, 1, (tree, np.zeros((len(tree), 1))))


STUMP = [(1, 2, 0, 0.0, False), LEAF, LEAF]


@pytest.mark.parametrize(("rows", "sums"), [((3, 1), (3, 2)), ((3, 2), (3, 1)), ((3, 2), (2, 2))])
def test_tables_that_do_not_fit_are_refused(rows, sums):
    forest = plant(2, 2, (STUMP, np.zeros((3, 2))))
    with pytest.raises(ValueError, match=r"must|one"):
        forest.add(_core.Block(np.zeros(rows, np.float32)), np.zeros(sums))


def test_values_and_rows_that_do_not_fit_are_refused():
    for values in (np.zeros((2, 2)), np.zeros((3, 1))):
        with pytest.raises(ValueError, match="one row of values"):
            plant(2, 2, (STUMP, values))
    with pytest.raises(ValueError, match="fewer rows"):
        _core.Block(np.zeros((5000, 1), np.float32))
    with pytest.raises(ValueError, match="a tree"):
        _core.Forest(1, 1).find_leaves(_core.Block(np.zeros((1, 1), np.float32)))


@pytest.mark.parametrize("sums", [np.zeros((3, 2), np.float32), np.zeros((6, 2))[::2], np.zeros((3, 2), order="F")])
def test_sums_that_would_be_lost_are_refused(sums):
    forest = plant(2, 2, (STUMP, np.zeros((3, 2))))
    with pytest.raises(TypeError):
        forest.add(_core.Block(np.zeros((3, 2), np.float32)), sums)


def test_what_is_not_copied_is_kept_and_must_need_no_copy():
    forest = plant(1, 1, (STUMP, np.arange(3.0)[:, None].copy()))
    block = _core.Block(np.array([[-1.0], [1.0]], np.float32))
    gc.collect()
    sums = np.zeros((2, 1))
    forest.add(block, sums)
    assert sums.tolist() == [[1.0], [2.0]]
    with pytest.raises(TypeError):
        _core.Block(np.zeros((3, 4), np.float32)[:, ::2])
    with pytest.raises(TypeError):
        plant(1, 1, (STUMP, np.zeros((3, 2))[:, :1]))


def test_fields_of_another_type_or_that_are_not_aligned_are_refused():
    ends, flags, values = np.array([-1]), np.zeros(1, np.uint8), np.zeros((1, 1))
    with pytest.raises(TypeError):
        _core.Forest(1, 1).plant(ends, ends, np.array([0.5]), np.zeros(1), flags, values)
    odd = np.zeros(9, np.uint8)[1:].view(np.int64)
    with pytest.raises((TypeError, ValueError)):
        _core.Forest(1, 1).plant(odd - 1 if odd.flags.aligned else odd, ends, ends, np.zeros(1), flags, values)


def make_table(missing=False, n_rows=400):
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"a": rng.normal(size=n_rows), "b": rng.integers(0, 9, n_rows), "c": rng.normal(size=n_rows)})
    y = (X["a"] + X["b"] / 4 + rng.normal(size=n_rows)).to_numpy()
    if missing:
        X = X.mask(rng.random(X.shape) < 0.2)
    return X, y


def fit(kind, X, y, **options):
    model = kind(random_state=0, **options).set_params(n_estimators=7)
    return model.fit(X, np.digitize(y, [0, 1, 2]) if is_classifier(model) else y)


def method_of(model):
    return model.predict_proba if hasattr(model, "predict_proba") else model.predict


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("kind", FORESTS)
def test_answers_are_the_same_to_the_bit(kind, missing):
    X, y = make_table(missing)
    ask = method_of(fit(kind, X, y))
    quick = quicken_forest(ask)
    assert isinstance(quick, QuickForest)
    for some in (X[:200], X, X[:1]):
        assert np.array_equal(quick(some), ask(some))


def test_missing_values_go_where_the_trees_send_them():
    X, y = make_table(missing=True)
    known, unknown = fit(RandomForestClassifier, X, y), fit(RandomForestClassifier, *make_table())
    assert any(tree.tree_.missing_go_to_left.any() for tree in known.estimators_)
    assert np.array_equal(quicken_forest(unknown.predict_proba)(X), unknown.predict_proba(X))


def test_steps_of_a_pipeline_come_first():
    X, y = datasets.make_loans(300)
    model = datasets.make_model("rf", X).fit(X, y)
    quick = quicken_forest(model.predict_proba)
    assert isinstance(quick, QuickForest)
    assert np.array_equal(quick(X), model.predict_proba(X))
    numbers, levels = make_table()
    steps = [("nothing", "passthrough"), ("double", FunctionTransformer(lambda table: 2 * table))]
    other = Pipeline([*steps, ("forest", RandomForestClassifier(5, random_state=0))]).fit(numbers, levels > 1)
    assert np.array_equal(quicken_forest(other.predict_proba)(numbers), other.predict_proba(numbers))


class Contrary(RandomForestClassifier):
    def predict_proba(self, X):
        return super().predict_proba(X)[:, ::-1]


class ContraryTree(DecisionTreeClassifier):
    def predict_proba(self, X, check_input=True):
        return super().predict_proba(X, check_input)[:, ::-1]


def change_class(forest):
    forest.estimators_[0].__class__ = ContraryTree


def change_method(forest):
    forest.estimators_[0].predict_proba = lambda X, check_input=True: np.ones((len(X), 4)) / 4


def exchange_tree(forest):
    X, y = make_table()
    forest.estimators_[0] = fit(RandomForestClassifier, X, -y).estimators_[1]


def change_classes(forest):
    forest.n_classes_ = 3
    for estimator in forest.estimators_:
        estimator.n_classes_ = 3


def lose_classes(forest):
    del forest.n_classes_


def lose_trees(forest):
    forest.estimators_ = None


def outcome(ask, table):
    """What is answered, or how it fails."""
    try:
        return ask(table).tolist()
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize(
    "change", [change_class, change_method, exchange_tree, change_classes, lose_classes, lose_trees]
)
@pytest.mark.parametrize("is_later", [False, True])
def test_a_forest_that_was_changed_is_asked_itself(change, is_later):
    X, y = make_table(n_rows=1200)
    forest = fit(RandomForestClassifier, X, y)
    quick = quicken_forest(forest.predict_proba)
    if is_later:
        quick(X)
    change(forest)
    assert outcome(quick, X[:20]) == outcome(forest.predict_proba, X[:20])


def test_a_method_that_was_replaced_in_the_class_is_asked_itself(monkeypatch):
    X, y = make_table()
    forest = fit(RandomForestClassifier, X, y)
    method = ForestClassifier.predict_proba
    monkeypatch.setattr(ForestClassifier, "predict_proba", lambda self, table: method(self, table)[:, ::-1])
    assert not isinstance(quicken_forest(forest.predict_proba), QuickForest)


def test_a_step_may_give_whatever_a_forest_takes():
    X, y = make_table(n_rows=1200)
    lists = FunctionTransformer(lambda table: table.to_numpy().tolist())
    model = make_pipeline(lists, RandomForestClassifier(3, random_state=0)).fit(X, y > 1)
    assert np.array_equal(quicken_forest(model.predict_proba)(X), model.predict_proba(X))


def test_a_warning_comes_once():
    X, y = make_table()
    quick = quicken_forest(fit(RandomForestClassifier, X, y).predict_proba)
    with pytest.warns(UserWarning, match="valid feature names") as caught:
        quick(X.to_numpy())
    assert len(caught) == 1


def test_what_may_do_otherwise_is_asked_itself():
    X, y = make_table()
    patched = fit(RandomForestClassifier, X, y)
    patched.predict_proba = fit(Contrary, X, y).predict_proba
    plain = fit(RandomForestClassifier, X, y)
    ways = [
        fit(Contrary, X, y).predict_proba,
        patched.predict_proba,
        make_pipeline(patched).predict_proba,
        plain.predict,
        fit(GradientBoostingClassifier, X, y).predict_proba,
        lambda table: plain.predict_proba(table),
        fit(RandomForestRegressor, X, y).score,
    ]
    assert not any(isinstance(quicken_forest(way), QuickForest) for way in ways)


def test_a_method_that_is_replaced_later_is_asked_itself():
    X, y = make_table()
    model = make_pipeline(fit(RandomForestClassifier, X, y))
    quick = quicken_forest(model.predict_proba)
    quick(X)
    model.steps[-1][1].predict_proba = fit(Contrary, X, y).predict_proba
    assert np.array_equal(quick(X), model.predict_proba(X))


def test_a_forest_that_is_fitted_anew_gives_its_new_answers():
    X, y = make_table()
    forest = fit(RandomForestClassifier, X, y, warm_start=True)
    quick = quicken_forest(forest.predict_proba)
    before = quick(X)
    forest.set_params(n_estimators=9).fit(X, np.digitize(y, [0, 1, 2]))  # adds two trees
    grown = quick(X)
    forest.set_params(warm_start=False).fit(X[:300], np.digitize(-y[:300], [0, 1, 2]))
    assert not np.array_equal(before, grown)
    assert np.array_equal(quick(X), forest.predict_proba(X))


def test_an_answer_that_differs_leaves_the_forest_to_itself(monkeypatch):
    X, y = make_table()
    forest = fit(RandomForestClassifier, X, y)
    follow = forests._Trees.follow
    calls = []

    def spoil(self, rows, jobs):
        calls.append(len(rows))
        return follow(self, rows, jobs) + (rows[:, :1] == np.float32(X["a"].iloc[-1])) * 1e-9

    monkeypatch.setattr(forests._Trees, "follow", spoil)
    quick = quicken_forest(forest.predict_proba)
    for some in (X[:100], X, X):
        assert np.array_equal(quick(some), forest.predict_proba(some))
    assert calls == [100, 400]


def test_the_forest_is_asked_about_no_more_rows_than_needed(monkeypatch):
    X, y = make_table()
    forest = fit(RandomForestClassifier, X, y)
    ask_itself, asked = forests._ask_itself, []

    def count(forest, table):
        asked.append(len(table))
        return ask_itself(forest, table)

    monkeypatch.setattr(forests, "_ask_itself", count)
    quick = quicken_forest(forest.predict_proba)
    for _ in range(5):
        quick(X)
    assert asked == [400, 400, 200]


def test_jobs_of_the_forest_share_the_rows():
    X, y = make_table(n_rows=5000)
    forest = fit(RandomForestClassifier, X, y).set_params(n_jobs=2)
    expected = fit(RandomForestClassifier, X, y).predict_proba(X)
    assert np.array_equal(quicken_forest(forest.predict_proba)(X), expected)


@pytest.mark.parametrize("n_rows", [1000, 5000])
@pytest.mark.parametrize("most_cells", [1, 10_000, 2**23])
def test_sparse_tables_are_followed_in_blocks(monkeypatch, n_rows, most_cells):
    X, y = make_table(n_rows=n_rows)
    X = X.round()
    model = make_pipeline(OneHotEncoder(), RandomForestClassifier(3, random_state=0)).fit(X, y > 1)
    assert issparse(model[:-1].transform(X))
    monkeypatch.setattr(forests, "_MOST_CELLS", most_cells)
    quick = quicken_forest(model.predict_proba)
    for _ in range(2):
        assert np.array_equal(quick(X), model.predict_proba(X))
        monkeypatch.setattr(forests, "_ask_itself", None)  # once a thousand rows were compared, it is asked no more


def test_several_outputs_and_huge_forests_are_left_to_the_forest(monkeypatch):
    X, y = make_table()
    two = RandomForestRegressor(3, random_state=0).fit(X, np.column_stack([y, -y]))
    assert np.array_equal(quicken_forest(two.predict)(X), two.predict(X))
    monkeypatch.setattr(forests, "_MOST_NODES", 10)
    forest = fit(RandomForestClassifier, X, y)
    quick = quicken_forest(forest.predict_proba)
    assert np.array_equal(quick(X), forest.predict_proba(X))
    assert quick._trees.planted is None


def test_errors_and_warnings_are_the_forests_own():
    X, y = make_table()
    with pytest.raises(NotFittedError):
        quicken_forest(RandomForestClassifier().predict_proba)(X)
    quick = quicken_forest(fit(RandomForestClassifier, X, y).predict_proba)
    quick(X)
    with pytest.raises(ValueError, match="infinity"):
        quick(X.replace(1, INFINITY))
    with pytest.raises(ValueError, match="feature names"):
        quick(X[["a", "b"]])
    with pytest.warns(UserWarning, match="valid feature names"):
        quick(X.to_numpy())


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_it_can_be_copied_and_pickled(copied):
    X, y = make_table()
    quick = quicken_forest(fit(RandomForestClassifier, X, y).predict_proba)
    answer = quick(X)
    assert np.array_equal(copied(quick)(X), answer)


@pytest.mark.parametrize("bands", [None, [0.5, 2.0]])
def test_explanations_are_the_same_as_by_the_forest_itself(bands):
    X, y = make_table(missing=True)
    model = fit(RandomForestClassifier if bands is None else RandomForestRegressor, X, y)
    quick = Explainer(model, X, bands=bands)
    itself = Explainer(lambda table: method_of(model)(table), X, bands=bands)
    assert isinstance(quick.model.ask, QuickForest)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for row in range(5):
            assert quick.explain(X.iloc[[row]]).rules == itself.explain(X.iloc[[row]]).rules

"""Pipelines that begin with a ColumnTransformer: the same answers about encoded rows as about their frame."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import LinearSVC

from lormika import Explainer, ModelError, datasets, frames
from lormika.frames.encoded import Encoded
from lormika.frames.schema import read_schema
from lormika.models import pipelines
from lormika.models.pipelines import QuickPipeline, quicken

LOANS, DECISIONS = datasets.make_loans(1200)
LOANS = LOANS.fillna({"savings": 0.0})  # which linear models do not do
NUMBERS = ["age", "income", "debt_ratio", "missed_payments", "amount", "savings"]
TEXTS = [name for name in LOANS if name not in NUMBERS]
SCHEMA = read_schema(frames.read(LOANS), None)
ROWS = SCHEMA.encode(LOANS)


def encoder(sparse: bool = False) -> ColumnTransformer:
    encode = OneHotEncoder(handle_unknown="ignore", sparse_output=sparse)
    return make_column_transformer((encode, TEXTS), ("passthrough", NUMBERS), sparse_threshold=1.0)


def fitted(model, sparse: bool = False) -> Pipeline:
    return make_pipeline(encoder(sparse), model).fit(LOANS, DECISIONS)


MODELS = {
    "forest": lambda: RandomForestClassifier(5, max_depth=6, random_state=0),
    "boosting": lambda: HistGradientBoostingClassifier(max_iter=3, random_state=0),
    "linear": lambda: make_pipeline(StandardScaler(with_mean=False), LogisticRegression()),
}


@pytest.fixture
def asked(monkeypatch):
    """How many rows ColumnTransformers are asked about."""
    counts = []
    transform = ColumnTransformer.transform

    def count(self, X, **params):
        counts.append(len(X))
        return transform(self, X, **params)

    monkeypatch.setattr(ColumnTransformer, "transform", count)
    return counts


@pytest.mark.parametrize(
    ("name", "sparse"),
    [("forest", False), ("forest", True), ("boosting", False), ("linear", False), ("linear", True)],
)
def test_the_same_answers_to_the_bit_without_asking_the_first_step(name, sparse, asked):
    model = fitted(MODELS[name](), sparse)
    expected = model.predict_proba(LOANS)
    quick = quicken(model.predict_proba)
    assert isinstance(quick, QuickPipeline)
    np.testing.assert_array_equal(quick(LOANS), expected)
    np.testing.assert_array_equal(quick(Encoded(SCHEMA, ROWS)), expected)
    asked.clear()
    np.testing.assert_array_equal(quick(Encoded(SCHEMA, ROWS[::-1])), expected[::-1])
    assert asked == []  # once a thousand rows were compared, and all categories are known


def test_rows_are_compared_up_to_a_thousand(asked):
    quick = quicken(fitted(MODELS["forest"]()).predict_proba)
    for start in range(0, 1200, 400):
        quick(Encoded(SCHEMA, ROWS[start : start + 400]))
    learnt, compared = asked[0], [count for count in asked if count >= 200]
    assert learnt <= max(len(SCHEMA.features[SCHEMA.index(name)].categories) for name in TEXTS)
    assert compared == [400, 400, 200]


def test_a_step_that_does_otherwise_is_asked_itself(monkeypatch, asked):
    """Of which the tables say something else: each cell is that of the row before."""
    model = fitted(MODELS["forest"]())
    monkeypatch.setattr(pipelines.Columns, "transform", lambda self, rows: np.zeros((len(rows), 1)))
    quick = quicken(model.predict_proba)
    expected = model.predict_proba(LOANS)
    asked.clear()
    for _ in range(2):
        np.testing.assert_array_equal(quick(Encoded(SCHEMA, ROWS)), expected)
    assert asked == [1000, 1200, 1200]  # compared once, and then given frames


@pytest.mark.parametrize("change", ["fit", "first step", "last step"])
def test_a_pipeline_that_is_fitted_anew_or_changed_is_noticed(change):
    model = fitted(MODELS["forest"]())
    quick = quicken(model.predict_proba)
    quick(Encoded(SCHEMA, ROWS))
    if change == "fit":
        some = LOANS["employment"] != "unemployed"  # so that there are fewer columns
        model.fit(LOANS[some], DECISIONS[some])
    elif change == "first step":
        ordinal = make_column_transformer((OrdinalEncoder(), TEXTS), ("passthrough", NUMBERS)).fit(LOANS)
        model.steps[:] = [
            ("columns", ordinal),
            ("forest", MODELS["forest"]().fit(ordinal.transform(LOANS), DECISIONS)),
        ]
    else:
        model.steps[-1] = ("other", MODELS["forest"]().set_params(random_state=7))
        model.steps[-1][1].fit(model[0].transform(LOANS), DECISIONS)
    np.testing.assert_array_equal(quick(Encoded(SCHEMA, ROWS)), model.predict_proba(LOANS))


def test_another_first_step_by_now():
    model = fitted(MODELS["forest"]())
    quick = quicken(model.predict_proba)
    quick(Encoded(SCHEMA, ROWS))
    model.steps[0] = ("mine", Mine(model[0]))
    np.testing.assert_array_equal(quick(Encoded(SCHEMA, ROWS[:5])), model.predict_proba(LOANS[:5]))
    np.testing.assert_array_equal(quick(LOANS[:5]), model.predict_proba(LOANS[:5]))


class Mine:
    """A first step of somebody else."""

    def __init__(self, inner):
        self.inner = inner

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return self.inner.transform(X)[:, ::-1]


def test_methods_that_were_replaced_are_asked_as_they_are():
    model = fitted(MODELS["forest"]())
    assert not isinstance(quicken(lambda table: model.predict_proba(table)), QuickPipeline)
    model.steps[0][1].transform = lambda X: np.zeros((len(X), 3))
    assert not isinstance(quicken(model.predict_proba), QuickPipeline)
    assert not isinstance(quicken(make_pipeline(encoder(), MODELS["forest"]()).predict_proba), QuickPipeline)


def test_errors_are_the_steps_own():
    known = LOANS[LOANS["employment"] != "unemployed"]
    strict = make_column_transformer((OneHotEncoder(), TEXTS), ("passthrough", NUMBERS))
    model = make_pipeline(strict, MODELS["forest"]()).fit(known, DECISIONS[known.index])
    quick = quicken(model.predict_proba)
    for _ in range(2):
        with pytest.raises(ValueError, match="unknown categories"):
            quick(Encoded(SCHEMA, ROWS))
    rows = ROWS.copy()
    rows[7, SCHEMA.index("debt_ratio")] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        quicken(fitted(MODELS["linear"]()).predict_proba)(Encoded(SCHEMA, rows))


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_it_can_be_copied_and_pickled(copied):
    quick = quicken(fitted(MODELS["forest"]()).predict_proba)
    answer = quick(Encoded(SCHEMA, ROWS))
    np.testing.assert_array_equal(copied(quick)(Encoded(SCHEMA, ROWS)), answer)


def explained(model, **options):
    explainer = Explainer(model, LOANS, n_generated=200, **options)
    return explainer, [explainer.explain(LOANS.iloc[[row]]).rules for row in range(4)]


def test_explanations_are_the_same_as_by_the_pipeline_itself(asked):
    for name, make in MODELS.items():
        model = fitted(make(), sparse=name == "linear")
        explainer, rules = explained(model)
        assert isinstance(explainer.model.ask, QuickPipeline)
        asked.clear()
        explainer.explain(LOANS.iloc[[9]])
        assert asked == []
        assert rules == explained(lambda table, model=model: model.predict_proba(table), class_names=model.classes_)[1]
        assert rules == [one.rules for one in explainer.explain_many(LOANS[:4])]


def test_regressors_and_decision_functions():
    regressor = make_pipeline(encoder(), RandomForestRegressor(5, max_depth=6, random_state=0)).fit(
        LOANS, LOANS["income"]
    )
    machine = fitted(make_pipeline(StandardScaler(with_mean=False), LinearSVC(random_state=0)))
    for model, options in ((regressor, {"bands": [40, 60]}), (machine, {})):
        explainer, rules = explained(model, **options)
        assert isinstance(explainer.model.ask, QuickPipeline)

        class Hidden:
            classes_ = getattr(model, "classes_", None)
            predict = staticmethod(lambda table, model=model: model.predict(table))
            if not options:
                decision_function = staticmethod(lambda table, model=model: model.decision_function(table))

        hidden = Hidden() if not options else (lambda table, model=model: model.predict(table))
        assert rules == explained(hidden, **options)[1]


def test_an_unseen_category_goes_the_usual_way():
    model = fitted(MODELS["forest"]())
    explainer = Explainer(model, LOANS, n_generated=200)
    new = LOANS.iloc[[3]].assign(purpose="boat")
    itself = Explainer(lambda table: model.predict_proba(table), LOANS, n_generated=200, class_names=model.classes_)
    for row in (new, LOANS.iloc[[4]], new):
        assert explainer.explain(row).rules == itself.explain(row).rules


def test_a_model_that_fails_is_named():
    model = fitted(MODELS["forest"]())
    explainer = Explainer(model, LOANS, n_generated=200)
    model.steps[-1] = ("forest", RandomForestClassifier())
    with pytest.raises(ModelError, match=r"Pipeline\.predict_proba on .* NotFittedError"):
        explainer.explain(LOANS.iloc[[0]])

"""Pipelines that begin with a ColumnTransformer: the same answers about encoded rows as about their frame."""

from __future__ import annotations

import copy
import pickle
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import LinearSVC

from lormika import Explainer, ModelError, datasets, frames
from lormika.frames.encoded import Encoded
from lormika.frames.schema import read_schema
from lormika.models import forests, pipelines
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


def search(kind=GridSearchCV, depths=(2,)) -> GridSearchCV:
    choices = {"randomforestclassifier__max_depth": list(depths)}
    options = {"n_iter": 1, "random_state": 0} if kind is RandomizedSearchCV else {}
    return kind(make_pipeline(encoder(), MODELS["forest"]()), choices, cv=2, **options).fit(LOANS, DECISIONS)


def test_imputers_that_say_what_was_missing_are_asked_themselves(asked):
    """They add outputs, and leave out columns without a value: another column's outputs could be taken for its own."""
    table = pd.DataFrame({"a": np.full(60, None, dtype=object), "b": ["p", "q"] * 30, "x": np.arange(60.0)})
    encode = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    impute = SimpleImputer(strategy="most_frequent", add_indicator=True)
    columns = ColumnTransformer([("c", make_pipeline(impute, encode), ["a", "b"]), ("n", "passthrough", ["x"])])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = make_pipeline(columns, LogisticRegression()).fit(table, table["b"])
        schema = read_schema(frames.read(table), ["a", "b"])
        rows = schema.encode(table)
        quick = quicken(model.predict_proba)
        for _ in range(3):
            asked.clear()
            np.testing.assert_array_equal(quick(Encoded(schema, rows)), model.predict_proba(schema.restore(rows)))
            assert asked == [60, 60]


@pytest.mark.parametrize("kind", [GridSearchCV, RandomizedSearchCV])
def test_a_search_for_parameters_is_the_best_model_it_found(kind, asked):
    model = search(kind)
    expected = model.predict_proba(LOANS)
    quick = quicken(model.predict_proba)
    assert isinstance(quick, QuickPipeline)
    np.testing.assert_array_equal(quick(Encoded(SCHEMA, ROWS)), expected)
    asked.clear()
    np.testing.assert_array_equal(quick(Encoded(SCHEMA, ROWS)), expected)
    assert asked == []
    model.fit(LOANS[:900], DECISIONS[:900])  # which is noticed
    assert not np.array_equal(model.predict_proba(LOANS), expected)
    np.testing.assert_array_equal(quick(Encoded(SCHEMA, ROWS)), model.predict_proba(LOANS))


def test_a_search_that_does_otherwise_is_asked_itself(monkeypatch):
    class Doubtful(GridSearchCV):
        def predict_proba(self, X):
            return np.full((len(X), 2), 0.5)

    derived, patched = search(Doubtful), search()
    patched.predict_proba = lambda X: np.full((len(X), 2), 0.5)
    for model in (derived, patched):
        assert quicken(model.predict_proba) == model.predict_proba
    monkeypatch.setattr(GridSearchCV, "predict_proba", Doubtful.predict_proba)
    assert not isinstance(quicken(search().predict_proba), QuickPipeline)


def test_rows_are_compared_up_to_a_thousand(asked):
    quick = quicken(fitted(MODELS["forest"]()).predict_proba)
    for start in range(0, 1200, 400):
        quick(Encoded(SCHEMA, ROWS[start : start + 400]))
    learnt, compared = asked[0], [count for count in asked if count >= 200]
    assert learnt <= max(len(SCHEMA.features[SCHEMA.index(name)].categories) for name in TEXTS)
    assert compared == [400, 400, 200]


def test_a_step_that_does_otherwise_is_asked_itself(monkeypatch, asked):
    model = fitted(MODELS["forest"]())
    monkeypatch.setattr(pipelines.Columns, "transform", lambda self, rows: np.zeros((len(rows), 1)))
    quick = quicken(model.predict_proba)
    expected = model.predict_proba(LOANS)
    asked.clear()
    for _ in range(2):
        np.testing.assert_array_equal(quick(Encoded(SCHEMA, ROWS)), expected)
    assert asked == [1000, 1200, 1200]  # compared once, and then given frames


def fit_anew(model):
    some = LOANS["employment"] != "unemployed"  # so that there are fewer columns
    model.fit(LOANS[some], DECISIONS[some])


def other_order(encode):
    """Texts from the last to the first."""
    return [list(some if some.dtype == bool else some[::-1]) for some in encode.categories_]


def fit_encoder_anew(model):
    encode = model[0].named_transformers_["onehotencoder"]
    encode.set_params(categories=other_order(encode)).fit(LOANS[TEXTS])


def replace_encoder(model):
    name, encode, columns = model[0].transformers_[0]
    other = OneHotEncoder(categories=other_order(encode), sparse_output=False).fit(LOANS[TEXTS])
    model[0].transformers_[0] = (name, other, columns)


def replace_method(model):
    encode = model[0].named_transformers_["onehotencoder"]
    encode.transform = lambda X: OneHotEncoder.transform(encode, X)[:, ::-1]


def weigh(model):
    model[0].transformer_weights = {"onehotencoder": 0.0}


def replace_steps(model):
    ordinal = make_column_transformer((OrdinalEncoder(), TEXTS), ("passthrough", NUMBERS)).fit(LOANS)
    model.steps[:] = [("columns", ordinal), ("forest", MODELS["forest"]().fit(ordinal.transform(LOANS), DECISIONS))]


def replace_last_step(model):
    model.steps[-1] = ("other", MODELS["forest"]().set_params(random_state=7))
    model.steps[-1][1].fit(model[0].transform(LOANS), DECISIONS)


@pytest.mark.parametrize(
    "change",
    [fit_anew, fit_encoder_anew, replace_encoder, replace_method, weigh, replace_steps, replace_last_step],
    ids=lambda change: change.__name__,
)
def test_a_pipeline_that_is_fitted_anew_or_changed_is_noticed(change):
    model = fitted(MODELS["forest"]())
    quick = quicken(model.predict_proba)
    before = quick(Encoded(SCHEMA, ROWS))
    change(model)
    after = model.predict_proba(LOANS)
    assert not np.array_equal(before, after)
    np.testing.assert_array_equal(quick(Encoded(SCHEMA, ROWS)), after)


def test_a_step_of_numbers_that_is_taken_out_is_noticed():
    numbers = Pipeline([("imputer", SimpleImputer()), ("scaler", StandardScaler())])
    encode = make_column_transformer((OneHotEncoder(sparse_output=False), TEXTS), (numbers, NUMBERS))
    model = make_pipeline(encode, MODELS["forest"]()).fit(LOANS, DECISIONS)
    quick = quicken(model.predict_proba)
    quick(Encoded(SCHEMA, ROWS))
    model[0].named_transformers_["pipeline"].set_params(scaler=None)
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


def both(model, table, rows):
    """What is said of rows if the pipeline is seen, and if it is hidden in a function."""
    quick = Explainer(model, table, n_generated=200)
    itself = Explainer(lambda frame: model.predict_proba(frame), table, n_generated=200, class_names=model.classes_)
    for row in rows:
        for explainer in (quick, itself):
            try:
                yield explainer.explain(row).to_dict()
            except ModelError as error:
                yield re.sub(r"failed in \S+ on", "failed on", str(error))


def square(matrix):
    return matrix * matrix


def densify(matrix):
    return matrix.toarray()


TYPES = LOANS.astype({"amount": "float32", "missed_payments": "int8"})
HOSTILE = {
    "small integers": (
        make_pipeline(
            make_column_transformer((OrdinalEncoder(dtype=np.int8), TEXTS), ("passthrough", ["missed_payments"])),
            FunctionTransformer(square),
            RandomForestClassifier(9, random_state=0),
        ),
        TYPES,
    ),
    "single precision": (
        make_pipeline(
            make_column_transformer((OneHotEncoder(dtype=np.float32, sparse_output=False), TEXTS)),
            LogisticRegression(),
        ),
        LOANS,
    ),
    "a value to be taken as missing": (
        make_pipeline(
            make_column_transformer(
                (SimpleImputer(missing_values=float(TYPES["amount"].iloc[3]), fill_value=99), ["amount"]),
                (OneHotEncoder(sparse_output=False), TEXTS),
            ),
            HistGradientBoostingClassifier(max_iter=5),
        ),
        TYPES,
    ),
    "dense from sparse": (
        make_pipeline(
            encoder(sparse=True),
            FunctionTransformer(densify, accept_sparse=True),
            RandomForestClassifier(5, random_state=0),
        ),
        LOANS,
    ),
    "a forest on sparse tables": (make_pipeline(encoder(sparse=True), MODELS["forest"]()), LOANS),
    "no names inside": (
        make_pipeline(
            make_column_transformer(
                (make_pipeline("passthrough", StandardScaler()), NUMBERS), (OneHotEncoder(), TEXTS)
            ),
            LogisticRegression(max_iter=1000),
        ),
        LOANS,
    ),
    "nullable": (make_pipeline(encoder(), MODELS["boosting"]()), LOANS.astype({"income": "Int64"})),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_what_later_steps_get_is_the_same_in_every_respect(name):
    model, table = HOSTILE[name]
    model.fit(table, DECISIONS)
    rows = [table.iloc[[row]] for row in (0, 3)]
    rows.append(table.iloc[[5]].assign(debt_ratio=np.nan))
    answers = list(both(model, table, rows))
    assert answers[::2] == answers[1::2]


def test_warnings_come_as_often_as_the_step_gives_them():
    known = LOANS[LOANS["employment"] != "unemployed"]
    careless = OneHotEncoder(handle_unknown="ignore", drop="first", sparse_output=False)
    model = make_pipeline(make_column_transformer((careless, TEXTS)), MODELS["forest"]()).fit(
        known, DECISIONS[known.index]
    )
    quick = quicken(model.predict_proba)
    for _ in range(3):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            quick(Encoded(SCHEMA, ROWS))
        assert [str(warning.message)[:25] for warning in caught] == ["Found unknown categories "]


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("value", [np.inf, 1e300])
def test_a_forest_refuses_what_it_cannot_read_in_its_own_words(sparse, value):
    quick = quicken(fitted(MODELS["forest"](), sparse).predict_proba)
    quick(Encoded(SCHEMA, ROWS))
    rows = ROWS[:5].copy()
    rows[2, SCHEMA.index("debt_ratio")] = value
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # about an overflow, by scikit-learn itself
        with pytest.raises(ValueError, match="infinity or a value too large"):
            quick(Encoded(SCHEMA, rows))


def test_a_forest_that_knows_names_warns_that_it_gets_none():
    columns = encoder().fit(LOANS)
    matrix = pd.DataFrame(columns.transform(LOANS)).add_prefix("c")
    model = Pipeline([("columns", columns), ("forest", MODELS["forest"]().fit(matrix, DECISIONS))])
    quick = quicken(model.predict_proba)
    for _ in range(2):
        with pytest.warns(UserWarning, match="valid feature names") as caught:
            answer = quick(Encoded(SCHEMA, ROWS))
        assert len(caught) == 1
        np.testing.assert_array_equal(answer, model[-1].predict_proba(matrix))


def test_trees_that_differ_leave_the_forest_to_itself(monkeypatch):
    model = fitted(MODELS["forest"]())
    monkeypatch.setattr(forests._Trees, "follow", lambda self, rows, jobs: np.full((len(rows), 2), 0.5))
    quick = quicken(model.predict_proba)
    for _ in range(2):
        np.testing.assert_array_equal(quick(Encoded(SCHEMA, ROWS)), model.predict_proba(LOANS))


def test_one_row_that_is_refused_does_not_slow_the_others(asked):
    model = make_pipeline(
        make_column_transformer((StandardScaler(), NUMBERS), (OneHotEncoder(sparse_output=False), TEXTS)),
        LogisticRegression(max_iter=1000),
    ).fit(LOANS, DECISIONS)
    quick = quicken(model.predict_proba)
    quick(Encoded(SCHEMA, ROWS))
    rows = ROWS[:5].copy()
    rows[2, SCHEMA.index("debt_ratio")] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        quick(Encoded(SCHEMA, rows))
    asked.clear()
    quick(Encoded(SCHEMA, ROWS))
    assert asked == []


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

"""The data sets of the paper, from files and from downloads, and its models."""

from __future__ import annotations

import os
import urllib.error
from functools import cache

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets
from sklearn.utils import Bunch
from threadpoolctl import threadpool_limits

from lormika import Explainer, InputError, Interval, datasets

FOLDER = os.environ.get("LORMIKA_DATA")
needs_files = pytest.mark.skipif(not FOLDER, reason="needs LORMIKA_DATA, the folder with the data sets of the paper")

SHAPES = {
    "german": (1000, 20, {"good": 700, "bad": 300}),
    "compas": (7214, 11, {"Medium-Low": 5219, "High": 1995}),
    "adult": (48842, 12, {"<=50K": 37155, ">50K": 11687}),
    "covertype": (581012, 12, {"other": 297711, "type 2": 283301}),
}
NUMERIC = {
    "german": {"duration_in_month", "credit_amount", "age"},
    "compas": {"age", "priors_count", "days_b_screening_arrest", "length_of_stay"},
    "adult": {"age", "capital-gain", "capital-loss", "hours-per-week"},
}


@needs_files
@pytest.mark.parametrize("name", SHAPES)
def test_files_are_as_documented(name):
    X, y = datasets.load(name)
    n_rows, n_features, classes = SHAPES[name]
    assert X.shape == (n_rows, n_features)
    assert y.value_counts().to_dict() == classes
    if name == "covertype":
        assert X["Soil_Type"].cat.categories.tolist() == list(range(1, 41))
    numeric = {column for column in X if X[column].dtype != "category"}
    assert numeric == NUMERIC.get(name, set(X) - {"Wilderness_Area", "Soil_Type"})
    assert X.isna().sum().sum() == (2 * 307 if name == "compas" else 0)


@needs_files
def test_purposes_bear_their_documented_names():
    X, _ = datasets.load_german()
    counts = {"radio/television": 280, "furniture/equipment": 181, "education": 50, "repairs": 22, "others": 12}
    assert counts.items() <= X["purpose"].value_counts().to_dict().items()


@needs_files
@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("model", datasets.MODELS)
def test_models_fit_without_warnings(name, model):
    X, y = _few(name)
    X_train, X_test, y_train, _ = datasets.split(X, y)
    with threadpool_limits(1):  # small matrices: threads would only get in each other's way
        assert set(datasets.make_model(model, X).fit(X_train, y_train).predict(X_test)) <= set(y)


@needs_files
@pytest.mark.parametrize("name", SHAPES)
def test_an_explainer_takes_coded_columns_as_categorical(name):
    X, y = _few(name)
    model = datasets.make_model("tree", X).fit(X, y)
    explanation = Explainer(model, X).explain(X.iloc[[0]])
    assert explanation.prediction == y.iloc[0]
    coded = {c for c in X if X[c].dtype == "category" and X[c].cat.categories.dtype.kind == "i"}
    used = [condition for rule in explanation.rules for condition in rule.conditions]
    assert not any(condition.feature in coded and isinstance(condition, Interval) for condition in used)


@cache
def _few(name):
    X, y = datasets.load_covertype(binary=False) if name == "covertype" else datasets.load(name)
    if name == "covertype":
        assert y.value_counts().sort_index().tolist() == [211840, 283301, 35754, 2747, 9493, 17367, 20510]
    chosen = np.random.default_rng(0).permutation(len(X))[:300]
    return X.iloc[chosen], y.iloc[chosen]


@pytest.mark.parametrize("model", datasets.MODELS)
def test_models_take_the_loans(model):
    X, y = datasets.make_loans(300)
    X_train, X_test, y_train, y_test = datasets.split(X, y)
    with threadpool_limits(1):
        pipeline = datasets.make_model(model, X).fit(X_train, y_train)
    assert pipeline.score(X_test, y_test) > 0.7


def test_models_take_gaps_in_every_kind_of_column():
    X, y = datasets.make_loans(200)
    X["phone"] = X["phone"].astype(object)
    X["nothing"] = np.nan
    X.loc[X.index[::7], ["age", "income", "employment", "purpose", "phone"]] = None
    for model in datasets.MODELS:
        with threadpool_limits(1):
            datasets.make_model(model, X).fit(X, y).predict(X)


def test_unknown_names():
    with pytest.raises(InputError, match="there is no data set 'iris'; there are loans, german"):
        datasets.load("iris")
    with pytest.raises(InputError, match="there is no standard model 'gpt'; there are rf, lr"):
        datasets.make_model("gpt", datasets.make_loans(10)[0])


@pytest.fixture
def no_files(monkeypatch):
    monkeypatch.delenv("LORMIKA_DATA", raising=False)


def test_a_file_that_is_nowhere_is_named(monkeypatch, tmp_path):
    def fetch(**options):
        raise urllib.error.URLError("no network")

    monkeypatch.setenv("LORMIKA_DATA", str(tmp_path))
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    monkeypatch.setattr(sklearn.datasets, "fetch_covtype", fetch)
    for name in ("adult", "german", "covertype"):
        with pytest.raises(
            InputError, match=rf"no {name}.csv or {name}.csv.gz in {tmp_path}; set LORMIKA_DATA.*network"
        ):
            datasets.load(name)
    with pytest.raises(InputError, match=r"no compas.csv or .*It cannot be downloaded in this form"):
        datasets.load("compas")


def test_adult_from_openml(no_files, monkeypatch):
    frame = pd.DataFrame(
        {
            "age": [25, 38, 28],
            "workclass": pd.Categorical(["Private", None, "Private"], categories=["Local-gov", "Never", "Private"]),
            "fnlwgt": [1, 2, 3],
            "education": pd.Categorical(["11th", "HS-grad", "HS-grad"]),
            "education-num": [7, 9, 9],
            "class": pd.Categorical(["<=50K", "<=50K", ">50K"]),
        }
    )
    asked = _answer(monkeypatch, "fetch_openml", frame)
    X, y = datasets.load_adult()
    assert asked["data_id"] == 1590
    assert list(X) == ["age", "workclass", "education"]
    assert X["workclass"].tolist() == ["Private"] * 3
    assert X["workclass"].cat.categories.tolist() == ["Private"]
    assert (y.name, y.tolist()) == ("class", ["<=50K", "<=50K", ">50K"])


def test_german_from_openml(no_files, monkeypatch):
    words = ["checking_status", "credit_history", "purpose", "savings_status", "employment", "personal_status"]
    words += ["other_parties", "property_magnitude", "other_payment_plans", "housing", "job", "own_telephone"]
    numbers = ["duration", "credit_amount", "installment_commitment", "residence_since", "age", "existing_credits"]
    columns = {name: pd.Categorical(["x", "y"]) for name in [*words, "foreign_worker"]}
    columns |= {name: [1.0, 2.0] for name in [*numbers, "num_dependents"]}
    _answer(monkeypatch, "fetch_openml", pd.DataFrame(columns | {"class": pd.Categorical(["good", "bad"])}))
    X, y = datasets.load_german()
    assert {name for name in X if X[name].dtype == np.int64} == NUMERIC["german"]
    assert X["credits_this_bank"].cat.categories.tolist() == [1, 2]
    assert {"account_check_status", "savings", "present_emp_since", "telephone"} <= set(X)
    assert y.tolist() == ["good", "bad"]
    if FOLDER:
        monkeypatch.setenv("LORMIKA_DATA", FOLDER)
        assert set(datasets.load_german()[0]) == set(X)


def test_covertype_from_scikit_learn(no_files, monkeypatch):
    areas, soils = np.eye(4)[[0, 3, 1]], np.eye(40)[[28, 0, 39]]
    frame = pd.DataFrame({"Elevation": [2596.0, 2590.0, 2804.0]})
    frame = frame.join(pd.DataFrame(areas, columns=[f"Wilderness_Area_{i}" for i in range(4)]))
    frame = frame.join(pd.DataFrame(soils, columns=[f"Soil_Type_{i}" for i in range(40)]))
    _answer(monkeypatch, "fetch_covtype", frame.assign(Cover_Type=np.array([5, 2, 1], dtype=np.int32)))
    X, y = datasets.load_covertype(binary=False)
    assert X.to_dict("list") == {
        "Elevation": [2596, 2590, 2804], "Wilderness_Area": [1, 4, 2], "Soil_Type": [29, 1, 40]
    }  # fmt: skip
    assert y.tolist() == [5, 2, 1]
    assert datasets.load_covertype()[1].tolist() == ["other", "type 2", "other"]


def _answer(monkeypatch, function, frame):
    asked = {}

    def fetch(**options):
        asked.update(options)
        return Bunch(frame=frame)

    monkeypatch.setattr(sklearn.datasets, function, fetch)
    return asked

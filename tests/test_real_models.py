"""Explanations of real models say what the models say: labels, probabilities, counts, categories, re-runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from lightgbm import LGBMClassifier
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier

from lormika import Category, Counts, Explainer, Explanation, Rule, datasets
from lormika.models.model import METHODS

X, DECISIONS = datasets.make_loans(800)
NUMBERS = ["age", "income", "debt_ratio", "missed_payments", "amount"]
CATEGORIES = ["employment", "purpose", "phone"]
NATIVE = X.assign(purpose=X["purpose"].astype("category"))  # boosted trees take categories, not strings


def rejected() -> pd.Series:
    return DECISIONS == "rejected"


@dataclass(frozen=True)
class Case:
    """A model, its background, and the row to explain."""

    model: Any
    background: pd.DataFrame
    row: int = 5
    class_names: list[str] | None = None
    predictions: Any = None
    says: Callable[[pd.DataFrame], list[Any]] | None = None  # its labels, where predict does not tell them

    def predict(self, frame: pd.DataFrame) -> list[Any]:
        """What the explanation must say of these rows."""
        labels = self.says(frame) if self.says is not None else self.model.predict(frame)
        return np.asarray(labels).tolist()

    def probabilities(self, frame: pd.DataFrame) -> np.ndarray | None:
        if hasattr(self.model, "predict_proba"):
            return self.model.predict_proba(frame)
        answer = np.asarray(self.model(frame)) if callable(self.model) else np.empty(0)
        return answer if answer.ndim == 2 else None

    @property
    def instance(self) -> pd.DataFrame:
        return self.background.iloc[[self.row]]


def pipeline() -> Case:
    """Columns by name, as users write it; the savings, which are missing here and there, are left out."""
    columns = ColumnTransformer([("one-hot", OneHotEncoder(), CATEGORIES), ("number", StandardScaler(), NUMBERS)])
    background = X.drop(columns="savings")
    return Case(make_pipeline(columns, LogisticRegression()).fit(background, DECISIONS), background)


def boosted_trees() -> Case:
    model = HistGradientBoostingClassifier(categorical_features="from_dtype", max_iter=20, random_state=0)
    return Case(model.fit(NATIVE, DECISIONS), NATIVE)


def xgboost() -> Case:
    model = XGBClassifier(enable_categorical=True, n_estimators=20, max_depth=3, n_jobs=1, random_state=0)
    return Case(model.fit(NATIVE, rejected().astype(int)), NATIVE)


def lightgbm() -> Case:
    model = LGBMClassifier(n_estimators=20, max_depth=3, n_jobs=1, verbose=-1, random_state=0)
    return Case(model.fit(NATIVE, DECISIONS), NATIVE)


def boolean_labels() -> Case:
    return Case(DecisionTreeClassifier(max_depth=4, random_state=0).fit(X[NUMBERS], rejected()), X[NUMBERS])


def named_classes() -> Case:
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X[NUMBERS], rejected().astype(int))
    return Case(
        model, X[NUMBERS], class_names=["yes", "no"],
        says=lambda frame: np.array(["yes", "no"])[model.predict(frame)],
    )  # fmt: skip


def known_labels() -> Case:
    case = boolean_labels()
    return Case(case.model, case.background, predictions=case.model.predict(case.background))


def known_names() -> Case:
    """Labels given by their names, of a model that counts its classes."""
    case = named_classes()
    return Case(
        case.model,
        case.background,
        class_names=case.class_names,
        predictions=case.says(case.background),
        says=case.says,
    )


def three_classes() -> Case:
    table, target = load_wine(return_X_y=True, as_frame=True)
    return Case(RandomForestClassifier(20, random_state=0, n_jobs=1).fit(table, target), table, row=70)


def three_names() -> Case:
    bunch = load_iris(as_frame=True)
    model = KNeighborsClassifier(7).fit(bunch.data, bunch.target_names[bunch.target])
    return Case(model, bunch.data, row=77)


def four_classes() -> Case:
    decision = np.where(
        rejected(), np.where(X["age"] < 40, "call", "reject"), np.where(X["income"] > 60, "vip", "take")
    )
    return Case(DecisionTreeClassifier(max_depth=7, random_state=0).fit(X[NUMBERS], decision), X[NUMBERS])


def decisions_only() -> Case:
    table, target = load_breast_cancer(return_X_y=True, as_frame=True)
    table = table.iloc[:, :6]
    return Case(make_pipeline(StandardScaler(), SVC()).fit(table, target), table)


def labels_only() -> Case:
    return Case(Perceptron().fit(X[NUMBERS], DECISIONS), X[NUMBERS])


def tuned(threshold: float) -> Case:
    model = FixedThresholdClassifier(LogisticRegression(max_iter=1000), threshold=threshold, pos_label="rejected")
    model.fit(X[NUMBERS], DECISIONS)
    # A row that the threshold decides otherwise than the greater probability would.
    probabilities = model.predict_proba(X[NUMBERS])
    otherwise = model.classes_[probabilities.argmax(axis=1)] != model.predict(X[NUMBERS])
    return Case(model, X[NUMBERS], row=int(otherwise.argmax()))


def says_labels(frame: pd.DataFrame) -> np.ndarray:
    return np.where(datasets.loan_reasons(frame).any(axis=1), "rejected", "accepted")


def says_numbers(frame: pd.DataFrame) -> np.ndarray:
    return datasets.loan_reasons(frame).any(axis=1).to_numpy().astype(int)


def says_probabilities(frame: pd.DataFrame) -> np.ndarray:
    reject = (frame["missed_payments"] / 6 + frame["debt_ratio"]).clip(0, 1).to_numpy()
    return np.stack([1 - reject, reject], axis=1)


CASES: dict[str, Callable[[], Case]] = {
    "pipeline with one-hot columns": pipeline,
    "histogram gradient boosting": boosted_trees,
    "xgboost": xgboost,
    "lightgbm": lightgbm,
    "boolean labels": boolean_labels,
    "class_names of an estimator": named_classes,
    "labels known": known_labels,
    "labels known by name": known_names,
    "three classes": three_classes,
    "three named classes": three_names,
    "four classes": four_classes,
    "SVC without probabilities": decisions_only,
    "predict only": labels_only,
    "tuned threshold, low": lambda: tuned(0.2),
    "tuned threshold, high": lambda: tuned(0.8),
    "function to labels": lambda: Case(says_labels, X, says=says_labels),
    "function to probabilities": lambda: Case(
        says_probabilities, X, says=lambda frame: says_probabilities(frame).argmax(axis=1)
    ),
    "class_names of a function to labels": lambda: Case(
        says_numbers, X, class_names=["yes", "no"], says=lambda frame: np.array(["yes", "no"])[says_numbers(frame)]
    ),
    "class_names of a function to probabilities": lambda: Case(
        says_probabilities, X, class_names=["yes", "no"],
        says=lambda frame: np.array(["yes", "no"])[says_probabilities(frame).argmax(axis=1)],
    ),
}  # fmt: skip


@cache
def explained(name: str) -> tuple[Case, Explanation]:
    case = CASES[name]()
    explainer = Explainer(
        case.model, case.background, class_names=case.class_names, predictions=case.predictions, n_generated=500
    )
    return case, explainer.explain(case.instance, filter="productive")


of_every_model = pytest.mark.parametrize("name", CASES)


@of_every_model
def test_the_prediction_is_the_models_own(name):
    case, explanation = explained(name)
    [wanted] = case.predict(case.instance)
    assert explanation.prediction == wanted
    assert type(explanation.prediction) is type(wanted)


@of_every_model
def test_the_probabilities_are_the_models_own(name):
    case, explanation = explained(name)
    wanted = case.probabilities(case.instance)
    if wanted is None:
        assert explanation.probabilities is None
        assert explanation.probability is None
    else:
        assert list(explanation.probabilities.values()) == pytest.approx(wanted[0], abs=1e-6)
        assert explanation.probability == explanation.probabilities[explanation.prediction]


@of_every_model
def test_the_sample_has_the_models_labels(name):
    case, explanation = explained(name)
    assert explanation.sample.label_names == case.predict(explanation.sample.rows)
    real = explanation.sample.rows[explanation.sample.real]
    assert len(real.merge(case.background.drop_duplicates(), how="inner")) == len(real)


@of_every_model
def test_every_kind_of_rule_is_found_or_missed_with_a_note(name):
    _, explanation = explained(name)
    assert len(explanation.rules) >= 4
    for category in dict.fromkeys(Category):
        found = any(rule.category is category for rule in explanation.rules)
        noted = any(note.category == category for note in explanation.notes)
        assert found != noted


@of_every_model
def test_the_category_of_every_rule_is_right(name):
    case, explanation = explained(name)
    for rule in explanation.rules:
        assert rule.category.is_current == rule.holds(case.instance)[0]
        assert rule.category.is_supporting == (rule.consequent == explanation.prediction)


@of_every_model
def test_the_counts_of_every_rule_can_be_recounted(name):
    _, explanation = explained(name)
    sample = explanation.sample
    labels = np.array(sample.label_names, dtype=object)
    real = sample.rows[sample.real]
    for rule in explanation.rules:
        assert rule.counts == count(rule, sample.rows, labels)
        assert rule.real == count(rule, real, labels[sample.real])


def count(rule: Rule, rows: pd.DataFrame, labels: np.ndarray) -> Counts:
    matching, hits = rule.holds(rows), labels == rule.consequent
    return Counts(len(rows), int(matching.sum()), int(hits.sum()), int((matching & hits).sum()))


@of_every_model
def test_every_hypothetical_rule_was_tried_out(name):
    case, explanation = explained(name)
    for rule in explanation.rules:
        if rule.category.is_current:
            assert rule.rerun is None
            continue
        assert rule.rerun.edits
        assert {edit.feature for edit in rule.rerun.edits} <= set(rule.features)
        edited = case.instance.copy()
        for edit in rule.rerun.edits:
            assert edit.before == explanation.instance[edit.feature]
            edited[edit.feature] = pd.Series([edit.after], index=edited.index).astype(edited[edit.feature].dtype)
        assert rule.holds(edited)[0]
        assert [rule.rerun.label] == case.predict(edited)
        assert rule.rerun.turned == (rule.rerun.label != explanation.prediction)
        chances = case.probabilities(edited)
        if chances is None:
            assert rule.rerun.probability is None
        else:
            position = list(explanation.probabilities).index(explanation.prediction)
            assert rule.rerun.probability == pytest.approx(chances[0, position], abs=1e-6)


class Counting:
    """Counts the calls of each method of a model."""

    def __init__(self, model: Any) -> None:
        self.model, self.calls, self.rows = model, dict.fromkeys([*METHODS, "__call__"], 0), []

    def ask(self, method: str, frame: pd.DataFrame) -> Any:
        self.calls[method] += 1
        self.rows.append(len(frame))
        return getattr(self.model, method)(frame)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.model, name)
        return (lambda frame: self.ask(name, frame)) if name in self.calls else value

    def __call__(self, frame: pd.DataFrame) -> Any:
        return self.ask("__call__", frame)


@of_every_model
def test_the_model_is_called_once_for_the_sample_and_the_edits(name):
    case = CASES[name]()
    model = Counting(case.model)
    explainer = Explainer(
        model, case.background, class_names=case.class_names, predictions=case.predictions, n_generated=100
    )
    model.calls = dict.fromkeys(model.calls, 0)
    model.rows.clear()
    located = explainer.locate(case.instance)
    asked = [calls for calls in model.calls.values() if calls]
    # A model whose labels are not its most probable classes is asked for both.
    assert asked == ([located.calls] * 2 if "threshold" in name else [located.calls])
    settled = located.trials.asked_pairs == located.trials.all_pairs and located.ways.resort is None
    assert located.calls <= (5 if settled else 12)
    for by in ("leverage", "lift", "coverage"):
        assert located.explain(objective=by).rules
    assert [calls for calls in model.calls.values() if calls] == asked


class Threshold:
    """Labels a row 1 from a probability of 0.4 on, which is its column p."""

    classes_ = np.array([0, 1])

    def predict_proba(self, frame: pd.DataFrame) -> np.ndarray:
        return np.stack([1 - frame["p"], frame["p"]], axis=1)

    def predict(self, frame: pd.DataFrame) -> np.ndarray:
        return (frame["p"] >= 0.4).astype(int).to_numpy()


def test_a_threshold_that_decides_few_and_late_rows_is_noticed():
    clear = np.random.default_rng(0).choice([0.05, 0.1, 0.9, 0.95], 2990)
    background = pd.DataFrame({"p": [*clear, *np.full(10, 0.45)], "q": np.arange(3000) % 7})
    explanation = Explainer(Threshold(), background, n_generated=100).explain({"p": 0.45, "q": 3})
    assert explanation.prediction == 1
    assert explanation.probability == pytest.approx(0.45)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "numpy"])
def test_known_labels_spare_the_model_most_of_the_background(library):
    # A column may have the name of a method of the frame.
    table = pd.DataFrame({"slice": np.arange(5000) % 50, "columns": np.arange(5000) % 3})
    make = {"pandas": pd.DataFrame, "polars": pl.from_pandas, "pyarrow": pa.Table.from_pandas, "numpy": np.asarray}
    names = list(table) if library == "numpy" else None
    sizes = []

    def model(rows: Any) -> np.ndarray:
        sizes.append(len(rows))
        return np.asarray(rows[:, 0] if library == "numpy" else rows["slice"]) > 20

    labels = table["slice"] > 20
    explainer = Explainer(model, make[library](table), predictions=labels, feature_names=names, n_generated=50)
    assert sizes == [1000]
    assert explainer.predictions.tolist() == labels.astype(int).tolist()
    assert explainer.explain({"slice": 30, "columns": 1}).prediction is True


def test_a_pipeline_of_polars_frames():
    columns = ColumnTransformer([("one-hot", OneHotEncoder(), ["purpose"]), ("number", StandardScaler(), NUMBERS)])
    table = pl.from_pandas(X[["purpose", *NUMBERS]])
    model = make_pipeline(columns, LogisticRegression()).fit(table, DECISIONS)
    explanation = Explainer(model, table, n_generated=100).explain(table[5])
    assert [explanation.prediction] == model.predict(table[5]).tolist()
    assert list(explanation.probabilities.values()) == pytest.approx(model.predict_proba(table[5])[0])
    assert explanation.sample.label_names == model.predict(explanation.sample.rows).tolist()
    assert all(rule.category.is_current == rule.holds(table[5])[0] for rule in explanation.rules)

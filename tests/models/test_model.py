"""Models that take liberties with what they are given."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from loans import MIXED, TABLE, assert_same, fails, forest, refuses
from sklearn.svm import LinearSVC

from lormika import Explainer, InputError, ModelError


def spoil(table):
    """Change a table in place, in the ways of its library."""
    if isinstance(table, np.ndarray):
        table[:] = 0
    elif isinstance(table, pl.DataFrame):
        table[0, "age"] = -1.0
        table.drop_in_place("income")
    else:
        for name in table:
            values = table[name].to_numpy()
            if values.flags.writeable:
                values[:] = values[0]
        table.loc[:, "age"] = -1.0
        table["new"] = 1
        del table["income"]


class Spoiler:
    """A model that leaves nothing of its input as it was."""

    def __init__(self, inner, *methods):
        self.inner, self.classes_ = inner, inner.classes_
        for name in methods:
            setattr(self, name, self.spoiling(getattr(inner, name)))

    def spoiling(self, ask):
        def spoiled(table):
            answer = ask(table if isinstance(table, np.ndarray) else table[list(TABLE)])
            spoil(table)
            return answer

        return spoiled


class Cautious:
    """A model whose labels are not its most probable classes, and which has to look at the table for them."""

    classes_ = forest().classes_

    def predict_proba(self, table):
        return forest().predict_proba(pd.DataFrame(np.asarray(table), columns=list(TABLE)))

    def predict(self, table):
        return self.classes_[(self.predict_proba(table)[:, 1] > 0.3).astype(int)]


class Support:
    """A model with scores instead of probabilities."""

    def __init__(self):
        self.inner = LinearSVC(random_state=0).fit(TABLE.to_numpy(), forest().predict(TABLE))
        self.classes_ = self.inner.classes_

    def decision_function(self, table):
        return self.inner.decision_function(np.asarray(table))

    def predict(self, table):
        return self.inner.predict(np.asarray(table))


MODELS = {
    "probabilities": (Cautious, ["predict_proba"]),
    "labels": (Cautious, ["predict"]),
    "both": (Cautious, ["predict_proba", "predict"]),
    "scores": (Support, ["decision_function", "predict"]),
}


@pytest.mark.parametrize("library", [pd.DataFrame, pl.from_pandas, pd.DataFrame.to_numpy])
@pytest.mark.parametrize("times", [1, 3])  # beyond a thousand rows, some are compared only
@pytest.mark.parametrize("name", MODELS)
def test_a_model_that_changes_its_input_changes_nothing_else(name, times, library):
    make, methods = MODELS[name]
    inner = make()
    whole = pd.concat([TABLE] * times, ignore_index=True)
    background, untouched = library(whole.copy()), library(whole.copy())
    x = background[5:6]
    spoiled = Explainer(Spoiler(inner, *methods), background, n_generated=200).explain(x)
    np.testing.assert_array_equal(np.asarray(background), np.asarray(untouched))
    kept = type("Kept", (), {"classes_": inner.classes_} | {m: staticmethod(getattr(inner, m)) for m in methods})()
    assert_same(spoiled, Explainer(kept, untouched, n_generated=200).explain(x))


def test_known_labels_do_not_let_the_background_be_changed():
    background = TABLE.copy()
    Explainer(Spoiler(forest(), "predict_proba", "predict"), background, predictions=forest().predict(TABLE))
    pd.testing.assert_frame_equal(background, TABLE)


def test_what_a_model_says_of_its_input_is_heard():
    def model(table):
        raise InputError("column 'age', row 3: too old")

    with refuses("column 'age', row 3: too old"):
        Explainer(model, MIXED)


@pytest.mark.parametrize("label", [{}, [1], np.zeros(2)])
def test_labels_that_cannot_be_compared(label):
    def model(table):
        labels = np.empty(len(table), dtype=object)
        labels[:] = "yes"
        labels[2] = label
        return labels

    with fails(f"the model gave {label!r} in row 2", "expected a string or a number"):
        Explainer(model, MIXED)


def test_an_error_that_cannot_say_what_it_is():
    class SilentError(Exception):
        def __str__(self) -> str:
            raise ValueError("no words")

    def model(frame):
        raise SilentError

    with pytest.raises(ModelError, match="SilentError"):
        Explainer(model, TABLE)


@pytest.mark.parametrize("classes", [2, 3])
def test_of_equally_probable_classes_the_first_is_predicted(classes):
    X = pd.DataFrame({"x": np.arange(40.0)})
    names = [f"class {c}" for c in range(classes)]

    def model(rows):
        chances = np.full((len(rows), classes), 1 / classes)
        chances[rows["x"] > 20] = np.eye(classes)[-1]
        return chances

    assert Explainer(model, X, class_names=names).explain(X.iloc[[0]]).prediction == "class 0"

"""Many rows: the same as one by one, whatever the chunks, and a row that fails does not stop the rest."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression

from lormika import Explainer, Failure, InputError, ModelError, datasets

X, Y = datasets.make_loans(700)
OPTIONS = {"progress": False, "k": 2}


@pytest.fixture(scope="module", params=["tree", "lr"])
def explainer(request) -> Explainer:
    return Explainer(datasets.make_model(request.param, X).fit(X, Y), X, n_generated=300)


@pytest.fixture(scope="module")
def expected(explainer) -> list[str]:
    return [explainer.explain(X.iloc[[i]], k=2).to_json() for i in range(40)]


@pytest.mark.parametrize(("chunk_size", "n_jobs"), [(1, 1), (7, 3), (37, 1), (37, 3), (1000, 1), (None, 3)])
def test_chunks_and_threads_change_nothing(explainer, expected, chunk_size, n_jobs):
    many = explainer.explain_many(X[:40], chunk_size=chunk_size, n_jobs=n_jobs, **OPTIONS)
    assert [explanation.to_json() for explanation in many] == expected


def test_the_model_is_asked_together_about_a_chunk():
    calls = []

    def model(frame):
        calls.append(len(frame))
        return (frame["income"] > 40).to_numpy()

    explainer = Explainer(model, X, n_generated=300)
    calls.clear()
    alone = [explainer.locate(X.iloc[[i]]).calls for i in range(40)]
    calls.clear()
    assert len(list(explainer.explain_many(X[:40], chunk_size=20, **OPTIONS))) == 40
    assert len(calls) == max(alone[:20]) + max(alone[20:])
    calls.clear()
    list(explainer.explain_many(X[:40], chunk_size=20, **OPTIONS, confirm=False))
    assert len(calls) == max(alone[:20]) + max(alone[20:])  # the re-runs were among the edits, and are remembered


def test_results_stream():
    asked = []

    def model(frame):
        asked.append(len(frame))
        return (frame["income"] > 40).to_numpy()

    explainer = Explainer(model, X, n_generated=300)
    asked.clear()
    results = explainer.explain_many(X, chunk_size=5, **OPTIONS)
    next(results)
    assert len(asked) <= 2


def fragile(frame):
    """A model that fails on some rows."""
    if (frame["age"] == 33).any():
        raise ValueError("I do not do 33")
    return (frame["income"] > 40).to_numpy()


def test_a_row_that_fails_is_a_record_and_the_rest_goes_on():
    background = X[X["age"] != 33]
    rows = pd.concat([X[X["age"] == 33][:2], background[:9]]).sample(frac=1, random_state=0)
    explainer = Explainer(fragile, background, n_generated=200)
    results = list(explainer.explain_many(rows, **OPTIONS))
    failed = [row for row, age in enumerate(rows["age"]) if age == 33]
    assert [result.row for result in results if isinstance(result, Failure)] == failed
    assert all("I do not do 33" in results[row].reason and results[row].rules == () for row in failed)
    alone = [explainer.explain(rows.iloc[[i]], k=2).to_json() for i in range(11) if i not in failed]
    assert [result.to_json() for result in results if not isinstance(result, Failure)] == alone
    with pytest.raises(ModelError, match="I do not do 33") as caught:
        list(explainer.explain_many(rows, on_error="raise", **OPTIONS))
    assert caught.value.__notes__ == [f"in row {failed[0]} of the table"]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, lambda t: pa.table(dict(t))])
def test_a_row_that_cannot_be_read_is_a_record(make):
    table = X[["age", "income", "purpose"]].astype({"income": float})
    explainer = Explainer(lambda f: np.asarray(f["age"]) > 40, make(table.to_dict("list")), n_generated=100)
    rows = table[:6].to_dict("list")
    rows["income"][1], rows["purpose"][2], rows["income"][4] = -np.inf, "yacht", np.inf
    results = list(explainer.explain_many(make(rows), **OPTIONS))
    assert [isinstance(result, Failure) for result in results] == [False, True, False, False, True, False]
    assert results[1].reason.startswith("column 'income': -inf is infinite")
    assert results[2].instance["purpose"] == "yacht"
    assert "infinite" in results[4].reason
    with pytest.raises(InputError, match="'income', row 1"):
        explainer.explain_many(make(rows), on_error="raise", **OPTIONS)


def test_what_is_wrong_with_the_whole_table_is_an_error(explainer):
    with pytest.raises(InputError, match="'age'"):
        explainer.explain_many(X.drop(columns="age"), **OPTIONS)
    with pytest.raises(InputError, match="on_error"):
        explainer.explain_many(X, on_error="ignore", **OPTIONS)
    with pytest.raises(InputError, match="chunk_size"):
        explainer.explain_many(X, chunk_size=0, **OPTIONS)


def test_products_of_matrices_do_not_show_the_size_of_the_batch():
    """A logistic regression of many features differs in its last bits between batches; what is said does not."""
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(400, 60))
    model = LogisticRegression().fit(wide, wide[:, 0] + wide[:, 1] > 0)
    explainer = Explainer(model, wide, n_generated=200)
    many = [e.to_json() for e in explainer.explain_many(wide[:30], chunk_size=30, **OPTIONS)]
    assert many == [explainer.explain(row, k=2).to_json() for row in wide[:30]]

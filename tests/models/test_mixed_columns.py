"""Texts in a column of numbers: an error names the column, the row and the text, and says what to do."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from lormika import Explainer, Failure, InputError, ModelError

ROWS = 60
INCOMES = [10 + 7 * i % 50 for i in range(ROWS)]
AGES = [20 + 3 * i % 40 for i in range(ROWS)]
SPOILED: list = [*INCOMES[:17], "n/a?", *INCOMES[18:40], "none", *INCOMES[41:]]

TABLES = {
    "numbers and texts": lambda: pd.DataFrame({"age": AGES, "income": pd.Series(SPOILED, dtype=object)}),
    "texts": lambda: pd.DataFrame({"age": AGES, "income": list(map(str, SPOILED))}),
    "polars": lambda: pl.DataFrame({"age": AGES, "income": list(map(str, SPOILED))}),
    "pyarrow": lambda: pa.table({"age": AGES, "income": list(map(str, SPOILED))}),
    "an array": lambda: np.array(list(zip(AGES, SPOILED, strict=True)), dtype=object),
}


def numeric(frame) -> np.ndarray:
    """A model that takes numbers, of any library."""
    column = frame[:, 1] if isinstance(frame, np.ndarray) else frame["income"]
    return np.asarray(column).astype(np.float64) > 30


@pytest.mark.parametrize("make", TABLES.values(), ids=TABLES)
def test_a_background_with_texts_among_numbers(make):
    table = make()
    names = ["age", "income"] if isinstance(table, np.ndarray) else None
    with pytest.raises(ModelError, match=r"column 'income', row 17: 'n/a\?' is text, and the model takes numbers") as e:
        Explainer(numeric, table, feature_names=names)
    assert "give a number, or a missing value (the model failed in numeric on 60 rows: ValueError" in str(e.value)


def test_a_pipeline_says_it_in_one_line():
    good = pd.DataFrame({"age": AGES, "income": INCOMES})
    model = make_pipeline(SimpleImputer(strategy="median"), LogisticRegression()).fit(good, np.array(INCOMES) > 30)
    with pytest.raises(ModelError, match=r"^column 'income', row 17: 'n/a\?'.* median strategy") as caught:
        Explainer(model, TABLES["texts"]())
    assert "\n" not in str(caught.value)


def test_several_columns_at_once():
    table = pd.DataFrame({"age": ["old", *map(str, AGES[1:])], "income": list(map(str, SPOILED))})
    with pytest.raises(ModelError, match="column 'age', row 0: 'old' is text"):
        Explainer(lambda frame: frame.astype(float)["income"].to_numpy() > 30, table)


def test_codes_that_are_texts_are_not_to_blame():
    """The model takes them; it fails for another reason."""
    codes = pd.DataFrame({"age": AGES, "code": ["unknown", *(f"{i % 7:03}" for i in range(ROWS - 1))]})

    def fails(frame: pd.DataFrame) -> np.ndarray:
        raise ValueError("I never answer")

    with pytest.raises(ModelError) as caught:
        Explainer(fails, codes)
    assert str(caught.value) == (
        "the model failed in test_codes_that_are_texts_are_not_to_blame.<locals>.fails on 60 rows: ValueError: I never "
        "answer"
    )
    assert Explainer(lambda frame: (frame["code"] == "003").to_numpy(), codes).schema.names == ("age", "code")


@pytest.mark.parametrize(("dtype", "advice"), [("int64", "give a number$"), ("float64", "or a missing value$")])
def test_an_instance_with_a_text_for_a_number(dtype, advice):
    table = pd.DataFrame({"age": AGES, "income": pd.Series(INCOMES, dtype=dtype)})
    explainer = Explainer(numeric, table, n_generated=50, min_neighbours=10)
    with pytest.raises(
        InputError, match=r"column 'income', row 0: 'n/a\?' is not a number, but text: " + f".*{advice}"
    ):
        explainer.explain({"age": 30, "income": "n/a?"})
    found = list(explainer.explain_many(TABLES["numbers and texts"]()[15:20], progress=False))
    assert [one.row for one in found if isinstance(one, Failure)] == [2]
    assert found[2].reason.startswith("column 'income': 'n/a?' is not a number, but text")


def test_what_a_library_in_another_language_adds_is_left_out():
    def fails(frame):
        raise ValueError("category not in the training set: puce\nStack trace:\n  [bt] (0) libx.so(+0x22d) [0x7f]")

    with pytest.raises(ModelError, match=r"training set: puce$"):
        Explainer(fails, pd.DataFrame({"a": range(60)}))

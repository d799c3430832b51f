"""Save and load: the same explanations to the byte, from tables of every library."""

from __future__ import annotations

import mmap
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.linear_model import SGDClassifier
from sklearn.tree import DecisionTreeClassifier

from lormika import Constraints, Explainer, InputError, datasets


def _frame(rows: int = 300) -> pd.DataFrame:
    """Columns of many types: of objects with each kind of missing value, lists with and without an order."""
    X, _ = datasets.make_loans(rows)
    draw = np.random.default_rng(0)
    grades = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    return pd.DataFrame(
        {
            "income": X["income"],
            "ratio": X["debt_ratio"].astype("float32").where(draw.random(rows) > 0.1),
            "payments": X["missed_payments"].astype("Int64").where(draw.random(rows) > 0.1),
            "grade": pd.Categorical(draw.choice(["low", "mid", "high"], rows), dtype=grades),
            "code": pd.Categorical(draw.choice([3, 1, 7], rows)),
            "job": X["employment"].astype(object).where(draw.random(rows) > 0.1, None),
            "purpose": X["purpose"].astype(object).where(draw.random(rows) > 0.1, np.nan),
            "mixed": pd.Series(draw.choice(np.array([1, "a", True], dtype=object), rows), dtype=object),
            "phone": X["phone"],
            "text": X["employment"].astype("string").where(draw.random(rows) > 0.1),
        }
    )


def _ask(table) -> np.ndarray:
    """Looks at types as well as values, so that a table which comes back otherwise is answered otherwise."""
    columns = table.to_pandas() if isinstance(table, pa.Table | pl.DataFrame) else table
    kinds = table.schema if isinstance(table, pa.Table | pl.DataFrame) else table.dtypes
    income = columns["income"].to_numpy(dtype=float)
    score = 1 / (1 + np.exp(-(income - 40) / 10 - len(str(kinds)) % 7 / 100))
    return np.column_stack([1 - score, score])


def _same(explainer: Explainer, other: Explainer, x) -> bool:
    return explainer.explain(x).to_json() == other.explain(x).to_json()


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_same_bytes_of_frames(tmp_path, library: str) -> None:
    frame = _frame()
    plain = frame.drop(columns=["mixed", "code"])
    table = {
        "pandas": lambda: frame,
        "polars": lambda: pl.from_pandas(plain).with_columns(pl.col("grade").cast(pl.Enum(["low", "mid", "high"]))),
        "pyarrow": lambda: pa.Table.from_pandas(plain, preserve_index=False),
    }[library]()
    explainer = Explainer(_ask, table)
    assert explainer.save(tmp_path / "saved") == tmp_path / "saved"
    loaded = Explainer.load(tmp_path / "saved", _ask)
    for row in (0, 7, 150):
        x = table.iloc[[row]] if library == "pandas" else table[row : row + 1]
        assert _same(explainer, loaded, x)
    rows = explainer.background.rows(np.arange(50))
    one, other = explainer.schema.restore(rows), loaded.schema.restore(rows)
    assert one.equals(other)
    if library == "pandas":
        assert one.dtypes.tolist() == other.dtypes.tolist()
        missing = [[type(value) for value in table["job"] if not isinstance(value, str)] for table in (one, other)]
        assert missing[0] == missing[1] != []


@pytest.mark.parametrize("dtype", [np.float64, np.float32, object])
def test_same_bytes_of_arrays(tmp_path, dtype: type) -> None:
    X, _ = datasets.make_loans(300)
    array = X[["income", "savings", "debt_ratio"]].to_numpy().astype(dtype)
    if dtype is object:
        array = np.column_stack([array, X["employment"].to_numpy(dtype=object)])

    def ask(rows: np.ndarray) -> np.ndarray:
        assert rows.dtype == dtype
        return np.where(rows[:, 0].astype(float) > 35, "yes", "no")

    explainer = Explainer(ask, array, feature_names=["income", "savings", "ratio", "job"][: array.shape[1]])
    explainer.save(tmp_path / "saved")
    assert _same(explainer, Explainer.load(tmp_path / "saved", ask), array[[5]])


def test_everything_of_an_explainer_is_kept(tmp_path) -> None:
    X, y = datasets.make_loans(400)
    numbers = X[["income", "savings", "debt_ratio", "age"]]
    model = DecisionTreeClassifier(max_depth=6, random_state=0).fit(numbers, y)
    explainer = Explainer(
        model, numbers, class_names=["yes", "no"], threshold=0.3, cuts={"age": [30, 50]}, n_generated=500,
        labels={"income": {"label": "Yearly income", "unit": "k€"}, "groups": {"Means": ["income", "savings"]}},
        constraints=Constraints(fixed=["age"], ranges={"income": "±20%"}, where=["savings <= income"]),
    )  # fmt: skip
    explainer.save(tmp_path / "a")
    loaded = Explainer.load(tmp_path / "a", model)
    for row in range(5):
        assert _same(explainer, loaded, numbers.iloc[[row]])
    assert loaded.fingerprint() == explainer.fingerprint()
    paper = Explainer(model, numbers, preset="paper")
    paper.save(tmp_path / "b")
    assert _same(paper, Explainer.load(tmp_path / "b", model), numbers.iloc[[0]])


def test_a_model_with_a_decision_function(tmp_path) -> None:
    X, y = datasets.make_loans(300)
    numbers = X[["income", "debt_ratio", "age"]].fillna(0)
    model = SGDClassifier(random_state=0).fit(numbers, y)
    explainer = Explainer(model, numbers)
    explainer.save(tmp_path / "saved")
    assert _same(explainer, Explainer.load(tmp_path / "saved", model), numbers.iloc[[0]])


def test_the_background_is_mapped(tmp_path) -> None:
    explainer = Explainer(_ask, _frame())
    explainer.save(tmp_path / "saved")
    loaded = Explainer.load(tmp_path / "saved", _ask)
    for array in (loaded.background.codes, loaded.background.points, loaded.background.distinct[0]):
        base = array
        while isinstance(base, np.ndarray):
            base = base.base
        assert isinstance(memoryview(base).obj, mmap.mmap)


def test_saving_again_replaces_and_spares_what_others_wrote(tmp_path) -> None:
    explainer, folder = Explainer(_ask, _frame()), tmp_path / "deep" / "saved"
    explainer.save(folder)
    first = Explainer.load(folder, _ask)
    Explainer(_ask, _frame(200)).save(folder)
    assert len(Explainer.load(folder, _ask).background) == 200
    assert len(first.background.rows(np.arange(300))) == 300  # what is mapped stays
    assert [path.name for path in folder.parent.iterdir()] == ["saved"]
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match=r"'notes\.txt', which is not of a saved explainer"):
        explainer.save(folder)
    assert (folder / "notes.txt").read_text() == "mine"


def test_a_function_cannot_be_saved(tmp_path) -> None:
    explainer = Explainer(_ask, _frame(), constraints=Constraints(permits=lambda rows: [True] * len(rows)))
    with pytest.raises(InputError, match="leave out permits"):
        explainer.save(tmp_path / "saved")
    assert list(tmp_path.iterdir()) == []


def test_without_pyarrow(tmp_path, monkeypatch) -> None:
    explainer = Explainer(_ask, _frame())
    explainer.save(tmp_path / "saved")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match=r"pip install 'lormika\[files\]'"):
        explainer.save(tmp_path / "other")
    with pytest.raises(InputError, match=r"pip install 'lormika\[files\]'"):
        Explainer.load(tmp_path / "saved", _ask)

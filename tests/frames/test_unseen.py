"""A category that the background does not have is explained like any other, and reaches the model as it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from lightgbm import LGBMClassifier
from matplotlib import pyplot
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from xgboost import XGBClassifier

from lormika import Explainer, Explanation, Failure, InputError, ModelError, datasets
from lormika.frames.restorer import Lookup
from lormika.views.payload import json_schema

ROWS = 120
JOBS = ["none", "clerk", "chef"]
AGES = [20 + 7 * i % 45 for i in range(ROWS)]
OPTIONS: dict[str, Any] = {"progress": False, "k": 2}


def jobs(values: list[Any] = JOBS) -> list[Any]:
    return [values[(i // 2 + i // 7) % len(values)] for i in range(ROWS)]


def read(frame: Any, name: str, place: int = 0) -> list[Any]:
    """A column as plain values, whatever holds it."""
    if isinstance(frame, np.ndarray):
        return frame[:, place].tolist()
    column = frame[name]
    return column.to_pylist() if hasattr(column, "to_pylist") else list(column)


class Recorder:
    """A model for which new jobs count as the first one does, and which keeps what it was asked."""

    def __init__(self, employed: list[Any]) -> None:
        self.employed, self.seen = employed, []

    def __call__(self, frame: Any) -> np.ndarray:
        self.seen.append(frame)
        works = np.array([not pd.isna(value) and value in self.employed for value in read(frame, "job")])
        ages = np.array([float(age) for age in read(frame, "age", 1)])
        chance = (np.where(works, 0.2, 0.75) + (ages - 40) / 60).clip(0.01, 0.99)
        return np.column_stack([1 - chance, chance])

    def values(self) -> set[Any]:
        return {value for frame in self.seen for value in read(frame, "job")}


def in_pandas(dtype: Any, values: list[Any] = JOBS) -> Any:
    return pd.DataFrame({"job": pd.Series(jobs(values), dtype=dtype), "age": AGES})


def in_polars(dtype: Any) -> Any:
    return pl.DataFrame({"job": pl.Series(jobs(), dtype=dtype), "age": AGES})


def in_arrow(column: pa.Array) -> Any:
    return pa.table({"job": column, "age": AGES})


DICTIONARY = pa.dictionary(pa.int8(), pa.string())
TABLES: dict[str, Callable[[], Any]] = {
    "pandas object": lambda: in_pandas(object),
    "pandas str": lambda: in_pandas("str"),
    "pandas string": lambda: in_pandas("string"),
    "pandas string[pyarrow]": lambda: in_pandas(pd.ArrowDtype(pa.string())),
    "pandas category": lambda: in_pandas(pd.CategoricalDtype(["none", "clerk", "chef"])),
    "pandas ordered category": lambda: in_pandas(pd.CategoricalDtype(["none", "clerk", "chef"], ordered=True)),
    "pandas dictionary": lambda: in_pandas(pd.ArrowDtype(DICTIONARY)),
    "polars String": lambda: in_polars(pl.String),
    "polars Categorical": lambda: in_polars(pl.Categorical),
    "polars Enum": lambda: in_polars(pl.Enum(["none", "clerk", "chef"])),
    "arrow string": lambda: in_arrow(pa.array(jobs())),
    "arrow large_string": lambda: in_arrow(pa.array(jobs(), type=pa.large_string())),
    "arrow string_view": lambda: in_arrow(pa.array(jobs(), type=pa.string_view())),
    "arrow dictionary": lambda: in_arrow(pa.array(jobs()).dictionary_encode()),
    "array of objects": lambda: np.array(list(zip(jobs(), AGES, strict=True)), dtype=object),
    "array of texts": lambda: np.array(list(zip(jobs(), map(str, AGES), strict=True))),
}


def explained(table: Any, x: dict[str, Any], employed: list[Any] = JOBS[1:], **settings: Any) -> tuple[Any, Recorder]:
    model = Recorder(employed)
    names = ["job", "age"] if isinstance(table, np.ndarray) else None
    explainer = Explainer(model, table, feature_names=names, n_generated=200, min_neighbours=15, **settings)
    model.seen.clear()
    return explainer.explain(x), model


@pytest.mark.parametrize("make", TABLES.values(), ids=TABLES)
def test_it_is_explained_and_reaches_the_model_as_it_is(make):
    table = make()
    age: Any = "48" if isinstance(table, np.ndarray) and table.dtype.kind == "U" else 48
    explanation, model = explained(table, {"job": "astronaut", "age": age})
    assert model.values() == {*JOBS, "astronaut"}
    assert {type(frame) for frame in model.seen} == {type(table)}
    assert explanation.instance == {"job": "astronaut", "age": age}
    assert explanation.prediction == 1
    assert str(explanation.notes[0]).startswith("job = astronaut was not seen in the background")
    effect = next(effect for effect in explanation.effects if effect.feature == "job")
    assert sorted(effect.values) == sorted(JOBS)
    assert not any("astronaut" in str(rule) for rule in explanation.rules if not rule.weak)
    turning = explanation.counterfactual[0]
    assert turning.rerun.edits[0].before == "astronaut"
    assert turning.rerun.edits[0].after in JOBS[1:]
    rows = explanation.to_counterfactuals()
    assert read(rows, "job")[:2] == ["astronaut", turning.rerun.edits[0].after]
    labels = [1, *(rule.rerun.label for rule in explanation.counterfactual)]
    assert Recorder(JOBS[1:])(rows).argmax(axis=1).tolist() == labels


@pytest.mark.parametrize("make", TABLES.values(), ids=TABLES)
def test_the_model_sees_the_types_of_the_background(make):
    table = make()
    age: Any = "48" if isinstance(table, np.ndarray) and table.dtype.kind == "U" else 48
    explanation, model = explained(table, {"job": "astronaut", "age": age})
    if isinstance(table, np.ndarray):
        assert all(frame.dtype.kind == table.dtype.kind for frame in model.seen)
    elif isinstance(table, pa.Table):
        assert all(frame.schema.equals(table.schema) for frame in model.seen)
    else:
        background = table["job"].dtype
        for frame in model.seen:
            found = frame["job"].dtype
            if isinstance(background, pd.CategoricalDtype):
                assert list(found.categories) == [*background.categories, "astronaut"]
                assert found.categories.dtype == background.categories.dtype
                assert found.ordered == background.ordered
            elif isinstance(background, pl.Enum):
                assert list(found.categories) == [*background.categories, "astronaut"]
            else:
                assert found == background
            assert frame["age"].dtype == table["age"].dtype
    sample = explanation.sample.rows  # which no unseen category is part of
    if isinstance(table, pd.DataFrame | pl.DataFrame):
        assert sample["job"].dtype == table["job"].dtype


VALUES: dict[str, tuple[Callable[[], Any], Any, Any]] = {  # table, what is given, what the model gets
    "a truth among truths as objects": (lambda: in_pandas(object, [True]), False, False),
    "a truth of a list": (lambda: in_pandas("category", [True]), False, False),
    "a number": (lambda: in_pandas("int64", [1, 2, 5]), 7, 7),
    "a whole number as a float": (lambda: in_pandas("int8", [1, 2, 5]), 7.0, 7),
    "a number among numbers with gaps": (lambda: in_pandas("Int64", [1, 2, None]), 7, 7),
    "a number of a list": (lambda: in_pandas(pd.CategoricalDtype([5, 1, 2]), [1, 2, 5]), 7, 7),
    "a number as its type rounds it": (lambda: in_pandas("float32", [0.5, 1.5]), 0.1, float(np.float32(0.1))),
    "a number among texts as objects": (lambda: in_pandas(object), 7, 7),
    "a text where all are missing": (lambda: in_pandas(object, [None]), "cook", "cook"),
    "a text like an operator": (lambda: in_pandas("str"), "≤ 3 <b>", "≤ 3 <b>"),
    "an empty text": (lambda: in_pandas("str"), "", ""),
}  # fmt: skip


@pytest.mark.parametrize(("make", "value", "wanted"), VALUES.values(), ids=VALUES)
def test_values_of_all_kinds(make, value, wanted):
    explanation, model = explained(make(), {"job": value, "age": 48}, categorical=["job"])
    assert wanted in model.values()
    assert explanation.instance["job"] == wanted
    assert type(explanation.instance["job"]) is type(wanted)
    assert "was not seen in the background" in str(explanation.notes[0])
    assert explanation.to_counterfactuals()["job"].tolist()[0] == wanted
    assert Explanation.from_json(explanation.to_json()).to_json() == explanation.to_json()


def test_a_number_that_a_type_rounds_may_be_a_known_one():
    explanation, _ = explained(in_pandas("float32", [0.1, 1.5]), {"job": 0.1, "age": 48}, categorical=["job"])
    assert not any("was not seen" in str(note) for note in explanation.notes)


REFUSED: dict[str, tuple[Callable[[], Any], Any]] = {
    "a number among texts": (lambda: in_pandas("str"), 7),
    "a text among numbers": (lambda: in_pandas("int64", [1, 2]), "cook"),
    "digits among numbers": (lambda: in_pandas("int64", [1, 2]), "7"),
    "a fraction among whole numbers": (lambda: in_pandas("int64", [1, 2]), 2.5),
    "a number beyond its type": (lambda: in_pandas("int8", [1, 2]), 300),
    "a number among truths": (lambda: in_pandas("bool", [True, False]), 7),
    "a text among truths": (lambda: in_pandas("bool", [True, False]), "cook"),
    "a text in a list of numbers": (lambda: in_pandas("category", [1, 2]), "cook"),
    "a number in a list of texts": (lambda: in_pandas("category"), 7),
    "a number in an Enum": (lambda: in_polars(pl.Enum(JOBS)), 7),
    "a number in a dictionary": (lambda: in_arrow(pa.array(jobs()).dictionary_encode()), 7),
    "infinity": (lambda: in_pandas("float64", [0.5, 1.5]), np.inf),
}


@pytest.mark.parametrize(("make", "value"), REFUSED.values(), ids=REFUSED)
def test_what_the_columns_type_cannot_hold_is_refused(make, value):
    with pytest.raises(InputError, match=r"column 'job', row 0: .* is no value that this column can have.*same type"):
        explained(make(), {"job": value, "age": 48}, categorical=["job"])


def test_a_type_whose_positions_are_all_taken():
    names = [f"j{i:03}" for i in range(127)]
    column = pa.DictionaryArray.from_arrays(pa.array([i % 3 for i in range(ROWS)], type=pa.int8()), pa.array(names))
    explanation, _ = explained(in_arrow(column), {"job": "one", "age": 48}, employed=names[1:])
    assert explanation.instance["job"] == "one"
    column = pa.DictionaryArray.from_arrays(column.indices, pa.array([*names, "j127"]))
    with pytest.raises(InputError, match="column 'job': its type has no place for the category 'one'"):
        explained(in_arrow(column), {"job": "one", "age": 48}, employed=names[1:])


@pytest.mark.parametrize("kind", ["matrix", "scatter", "effects"])
def test_every_view_shows_it(kind):
    explanation, _ = explained(in_pandas("str"), {"job": "astronaut", "age": 48})
    jsonschema.validate(explanation.to_dict(), json_schema())
    again = Explanation.from_json(explanation.to_json())
    assert "job astronaut → " in again.to_text()
    assert "job = astronaut was not seen in the background" in " ".join(again.to_text().split())
    assert "astronaut" in again.to_html()
    assert "was not seen in the background" in again.to_html(page=False)
    assert "Changing job to " in again.summary()
    assert "job astronaut → " in " ".join(again.to_frame()["edit"].dropna())
    pyplot.close(again.plot(kind))


def test_without_confirmation_it_works_too():
    for settings, options in (({}, {"confirm": False}), ({"preset": "paper"}, {"per": "category"})):
        model = Recorder(JOBS[1:])
        explainer = Explainer(model, in_pandas("category"), n_generated=200, min_neighbours=15, **settings)
        explanation = explainer.explain({"job": "astronaut", "age": 48}, **options)
        edits = [edit for rule in explanation.rules if rule.rerun for edit in rule.rerun.edits if edit.feature == "job"]
        assert edits
        assert {edit.before for edit in edits} == {"astronaut"}


# Many rows


def codes(frame: pd.DataFrame) -> np.ndarray:
    """A model that goes by the positions of categories, as boosted trees do."""
    chance = 0.15 + 0.2 * frame["job"].cat.codes.to_numpy() % 0.7 + (frame["age"].to_numpy() - 40) / 300
    return np.column_stack([1 - chance, chance])


def mixed(table: pd.DataFrame) -> pd.DataFrame:
    """Some rows of a table, several of which have jobs of their own."""
    new = {1: "astronaut", 4: "cosmonaut", 5: "astronaut", 9: "a much longer word than all others"}
    column = [new.get(row, value) for row, value in enumerate(table["job"][:12].tolist())]
    return pd.DataFrame({"job": pd.Series(column, dtype=object), "age": table["age"][:12]})


@pytest.mark.parametrize("settings", [{}, {"design": "random", "thin": "random"}], ids=["even", "random"])
@pytest.mark.parametrize("dtype", ["category", "str", object])
def test_alone_and_beside_others_an_explanation_is_the_same(dtype, settings):
    table = in_pandas(dtype)
    model = codes if dtype == "category" else Recorder(JOBS[1:])
    explainer = Explainer(model, table, n_generated=100, min_neighbours=15, **settings)
    rows = mixed(table)
    alone = [explainer.explain(rows.iloc[[i]], k=2).to_json() for i in range(len(rows))]
    for order in (range(12), range(11, -1, -1)):
        for size in (None, 5):
            many = explainer.explain_many(rows.iloc[list(order)], chunk_size=size, **OPTIONS)
            assert [found.to_json() for found in many] == [alone[i] for i in order]
    known = [i for i in range(12) if rows["job"].iloc[i] in JOBS]
    many = explainer.explain_many(rows.iloc[known], **OPTIONS)
    assert [found.to_json() for found in many] == [alone[i] for i in known]


def test_rows_without_it_keep_the_backgrounds_list():
    """One frame cannot hold two new categories at the same position; and none changes what others are asked with."""
    table = in_pandas("category")
    model = Recorder(JOBS[1:])
    explainer = Explainer(model, table, n_generated=100, min_neighbours=15)
    model.seen.clear()
    list(explainer.explain_many(mixed(table), **OPTIONS))
    lists = {tuple(frame["job"].cat.categories) for frame in model.seen}
    own = tuple(table["job"].cat.categories)
    assert lists == {own, (*own, "astronaut"), (*own, "cosmonaut"), (*own, "a much longer word than all others")}


def test_texts_share_a_call():
    model = Recorder(JOBS[1:])
    table = in_pandas("str")
    explainer = Explainer(model, table, n_generated=100, min_neighbours=15, n_asked=300)
    model.seen.clear()
    list(explainer.explain_many(mixed(table), **OPTIONS))
    assert {"astronaut", "cosmonaut"} <= set(model.seen[0]["job"])


def test_a_number_and_a_truth_that_are_equal_stay_what_they_are():
    model = Recorder([])
    explainer = Explainer(model, in_pandas(object), n_generated=50, min_neighbours=15)
    model.seen.clear()
    rows = pd.DataFrame({"job": pd.Series([True, 1, "chef"], dtype=object), "age": [30, 31, 32]})
    found = list(explainer.explain_many(rows, **OPTIONS))
    assert [one.instance["job"] for one in found[:2]] == [True, 1]
    assert [type(one.instance["job"]) for one in found[:2]] == [bool, int]
    assert {type(value) for frame in model.seen for value in frame["job"]} == {bool, int, str}


def test_an_identifier_is_always_new_and_needs_no_note():
    table = in_pandas("str").assign(name=[f"n{i}" for i in range(ROWS)])
    with pytest.warns(UserWarning, match="'name'"):
        explainer = Explainer(Recorder(JOBS[1:]), table, n_generated=50, min_neighbours=15)
    explanation = explainer.explain({"job": "chef", "age": 30, "name": "somebody"})
    assert explanation.instance["name"] == "somebody"
    assert not any("somebody" in str(note) for note in explanation.notes)


# Models


LOANS, DECISIONS = datasets.make_loans(800)
NUMBERS = ["age", "income", "debt_ratio", "missed_payments", "amount"]
SPOILED = LOANS[:6].assign(employment=[*LOANS["employment"][:2], "astronaut", "pilot", *LOANS["employment"][4:6]])


def pipeline(unknown: str) -> tuple[Any, pd.DataFrame]:
    table = LOANS[[*NUMBERS, "employment", "purpose"]]
    columns = make_column_transformer(
        (OneHotEncoder(handle_unknown=unknown), ["employment", "purpose"]), remainder="passthrough"
    )
    return make_pipeline(columns, LogisticRegression(max_iter=5000)).fit(table, DECISIONS), table


def test_a_pipeline_that_ignores_unknown_categories():
    model, table = pipeline("ignore")
    explainer = Explainer(model, table, n_generated=200)
    found = list(explainer.explain_many(SPOILED[table.columns], **OPTIONS))
    assert [one.prediction for one in found] == model.predict(SPOILED[table.columns]).tolist()
    chances = model.predict_proba(SPOILED[table.columns]).max(axis=1)
    assert [one.probability for one in found] == pytest.approx(chances.tolist(), abs=1e-8)
    for one in found[2:4]:
        rows = one.to_counterfactuals()
        assert rows["employment"].iloc[0] == one.instance["employment"]
        labels = [one.prediction, *(rule.rerun.label for rule in one.counterfactual)]
        assert model.predict(rows).tolist() == labels


def test_a_model_that_refuses_unknown_categories():
    model, table = pipeline("error")
    explainer = Explainer(model, table, n_generated=200)
    rows = SPOILED[table.columns]
    words = r"unknown categories.*the cause: employment = astronaut was not seen in the background, which has "
    with pytest.raises(ModelError, match=words + "'employed', 'self-employed', 'unemployed'"):
        explainer.explain(rows.iloc[[2]])
    found = list(explainer.explain_many(rows, **OPTIONS))
    assert [isinstance(one, Failure) for one in found] == [False, False, True, True, False, False]
    assert [one.row for one in found if isinstance(one, Failure)] == [2, 3]
    assert "employment = astronaut" in found[2].reason
    assert "employment = pilot" in found[3].reason
    alone = [explainer.explain(rows.iloc[[i]], k=2).to_json() for i in (0, 1, 4, 5)]
    assert [one.to_json() for one in found if not isinstance(one, Failure)] == alone
    given = explainer.explain_many(rows, on_error="raise", **OPTIONS)
    assert [next(given).to_json() for _ in range(2)] == alone[:2]
    with pytest.raises(ModelError, match="employment = astronaut") as caught:
        next(given)
    assert caught.value.__notes__ == ["in row 2 of the table"]


def test_a_model_that_fails_of_another_reason_is_not_blamed_on_a_category():
    def fails(frame: pd.DataFrame) -> np.ndarray:
        if (frame["age"] == 99).any():
            raise ValueError("too old")
        return (frame["age"] > 40).to_numpy()

    explainer = Explainer(fails, in_pandas("str"), n_generated=50, min_neighbours=15)
    for job in ("chef", "astronaut"):
        with pytest.raises(ModelError, match="too old") as caught:
            explainer.explain({"job": job, "age": 99})
        assert "the cause" not in str(caught.value)


@pytest.mark.parametrize("job", ["Chef", " chef", "CHEF "])
def test_another_way_to_write_a_known_one_is_pointed_out(job):
    explanation, _ = explained(in_pandas("str"), {"job": job, "age": 48})
    assert str(explanation.notes[0]).endswith("It has chef, which differs in capitals or blanks alone.")
    explanation, _ = explained(in_pandas("str"), {"job": "cook", "age": 48})
    assert str(explanation.notes[0]).endswith("may not know it either.")


NATIVE = {
    "lightgbm": LGBMClassifier(n_estimators=20, max_depth=3, n_jobs=1, verbose=-1, random_state=0),
    "xgboost": XGBClassifier(enable_categorical=True, n_estimators=20, max_depth=3, n_jobs=1, random_state=0),
    "scikit-learn": HistGradientBoostingClassifier(categorical_features="from_dtype", max_iter=20, random_state=0),
}


def refusal(model: Any, frame: pd.DataFrame) -> str | None:
    """What a model says of rows that it does not take; None: it takes them."""
    try:
        model.predict_proba(frame)
    except Exception as error:
        return str(error).splitlines()[0][-40:]
    return None


@pytest.mark.parametrize("model", NATIVE.values(), ids=NATIVE)
def test_boosted_trees_with_categories_of_their_own(model):
    table = LOANS[[*NUMBERS, "employment"]].assign(employment=LOANS["employment"].astype("category"))
    model.fit(table, (DECISIONS == "rejected").astype(int))
    explainer = Explainer(model, table, n_generated=200)
    rows = SPOILED[table.columns]
    wide = pd.CategoricalDtype([*table["employment"].cat.categories, "astronaut"])
    x = rows.iloc[[2]]
    reason = refusal(model, x.assign(employment=x["employment"].astype(wide)))
    if reason is not None:
        with pytest.raises(ModelError, match="the cause: employment = astronaut") as caught:
            explainer.explain(x)
        assert reason in str(caught.value)
    else:
        explanation = explainer.explain(x)
        chances = model.predict_proba(x.assign(employment=x["employment"].astype(wide)))[0]
        assert [c.probability for c in explanation.classes] == pytest.approx(chances.tolist(), abs=1e-6)
        assert any(effect.feature == "employment" for effect in explanation.effects)
    found = list(explainer.explain_many(rows, **OPTIONS))
    known = [0, 1, 4, 5]
    assert [found[i].to_json() for i in known] == [explainer.explain(rows.iloc[[i]], k=2).to_json() for i in known]


@pytest.mark.parametrize("values", [[0.0, 2.0], [np.nan, 2.0], [3.0, np.nan]])
def test_a_position_beyond_the_list_is_no_missing_value(values):
    lookup = Lookup(np.array(["a", "b", None], dtype=object), 2, holds_missing=True)
    assert lookup(np.array([1.0, np.nan])).tolist() == ["b", None]
    with pytest.raises(AssertionError, match="another list"):
        lookup(np.array(values))

"""The payload: plain, valid, and back again."""

from __future__ import annotations

import copy
import json

import jsonschema
import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from cases import CASES, CONFIRMED, golden
from lormika import Explainer, Explanation, InputError
from lormika.payload import json_schema


def explanations():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=300), "b": rng.integers(0, 9, 300), "c": rng.choice(["x", "y", None], 300)})
    X.loc[::7, "a"] = np.nan
    numbers = X[["a", "b"]].fillna(0)
    yield (
        "numbers",
        Explainer(DecisionTreeClassifier(max_depth=4).fit(numbers, X["b"] % 3), numbers).explain(numbers[:1]),
    )
    yield "booleans", Explainer(lambda f: (f["b"] > 4).to_numpy(), X).explain(X[:1], filter="productive")
    yield "missing", Explainer(lambda f: np.where(f["a"].isna(), "no", "yes"), X).explain(X[:1])
    yield "floats", Explainer(lambda f: np.where(f["c"] == "x", 0.0, 1.0), X).explain(X[1:2])


@pytest.fixture(scope="module", params=["numbers", "booleans", "missing", "floats"])
def explanation(request):
    return dict(explanations())[request.param]


def test_it_follows_its_json_schema(explanation):
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(explanation.to_json()), schema)
    assert explanation.rules


def test_it_holds_plain_python_only(explanation):
    def check(value):
        if isinstance(value, dict):
            for key, inner in value.items():
                assert type(key) is str
                check(inner)
        elif isinstance(value, list):
            for inner in value:
                check(inner)
        else:
            assert type(value) in (str, int, float, bool, type(None)), repr(value)

    check(explanation.to_dict())


def test_it_round_trips(explanation):
    back = Explanation.from_json(explanation.to_json())
    assert back.to_json() == explanation.to_json()
    assert back.rules == explanation.rules
    assert back.prediction == explanation.prediction
    assert back.probabilities == explanation.probabilities
    assert str(back) == str(explanation)
    assert back.sample is None


def test_what_is_no_explanation_is_refused():
    with pytest.raises(InputError, match="not JSON"):
        Explanation.from_json("{")
    with pytest.raises(InputError, match="not an explanation"):
        Explanation.from_json("[]")
    for version in (1, 99):
        with pytest.raises(InputError, match=f"version {version}; this release of lormika reads version 2"):
            Explanation.from_dict({"format": "lormika.explanation", "version": version})


@pytest.mark.parametrize("name", CONFIRMED)
def test_what_was_asked_round_trips(name):
    explanation = CASES[name]()
    payload = json.loads(explanation.to_json())
    jsonschema.validate(payload, json_schema())
    back = Explanation.from_dict(payload)
    assert (back.unit, back.effects, back.asked) == (explanation.unit, explanation.effects, explanation.asked)
    assert [rule.check for rule in back.rules] == [rule.check for rule in explanation.rules]
    assert any(rule.check is not None for rule in back.rules)
    assert back.to_json() == explanation.to_json()


@pytest.mark.parametrize("where", [("asked",), ("effects", 0), ("rules", 0, "check"), ("rules", 0), ()])
def test_the_schema_knows_every_field(where):
    for spoil in (lambda part: part.update(more=1), lambda part: part.popitem()):
        payload = copy.deepcopy(golden("explanation").to_dict())
        part = payload
        for step in where:
            part = part[step]
        spoil(part)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(payload, json_schema())


def test_frame_has_a_row_for_each_rule(explanation):
    frame = explanation.to_frame()
    assert len(frame) == len(explanation.rules)
    assert frame["leverage"].tolist() == [rule.leverage for rule in explanation.rules]
    assert frame["rule"].tolist() == [str(rule) for rule in explanation.rules]


def test_frame_says_what_the_model_said():
    explanation = CASES["rare"]()
    frame = explanation.to_frame()
    for name in ("asked", "agreed", "before", "after"):
        assert frame[name].tolist() == [getattr(rule.check, name) for rule in explanation.rules]
    assert frame["weak"].tolist() == [rule.weak for rule in explanation.rules]
    assert frame["weak"].any()
    assert frame["confidence"].isna().any()  # of rules that no similar row has


def loan_rows() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    columns = {
        "debt": rng.integers(0, 90, 600).astype("int32"),
        "job": rng.choice(["none", "clerk", "chef"], 600),
        "savings": rng.normal(size=600).astype("float32"),
    }
    return pd.DataFrame(columns)


LIBRARIES = {
    "pandas": lambda X: X.astype({"job": "category"}),
    "polars": lambda X: pytest.importorskip("polars").from_pandas(X),
    "arrow": lambda X: pytest.importorskip("pyarrow").Table.from_pandas(X),
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_counterfactuals_are_a_frame_for_the_model(library):
    background = LIBRARIES[library](loan_rows())

    def model(frame):
        assert type(frame) is type(background)
        debt = np.asarray(frame["debt"]).astype(float)
        return np.where((debt > 40) & (np.asarray(frame["job"]).astype(object) == "none"), "no", "yes")

    explanation = Explainer(model, background).explain({"debt": 60, "job": "none", "savings": 0.5})
    rows = explanation.to_counterfactuals()
    types = {"pandas": "dtypes", "polars": "schema", "arrow": "schema"}[library]
    assert str(getattr(rows, types)) == str(getattr(background, types))
    labels = model(rows).tolist()
    reruns = [rule.rerun for rule in explanation.counterfactual]
    assert labels == [explanation.prediction, *(rerun.label for rerun in reruns)]
    assert any(rerun.turned for rerun in reruns)
    for rule, label in zip(explanation.counterfactual, labels[1:], strict=True):
        assert (label != explanation.prediction) == rule.rerun.turned
        assert rule.rerun.turned or rule.check is None  # what was confirmed turns


def test_counterfactuals_need_the_types_of_the_background():
    with pytest.raises(InputError, match="explain the instance again"):
        golden("explanation").to_counterfactuals()


@pytest.mark.parametrize("suffix", ["json", "csv", "txt", "parquet"])
def test_save_by_suffix(explanation, tmp_path, suffix):
    path = explanation.save(tmp_path / f"why.{suffix}")
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    if suffix == "json":
        assert Explanation.from_json(path.read_text(encoding="utf-8")).to_json() == explanation.to_json()
    elif suffix == "txt":
        assert path.read_text(encoding="utf-8").rstrip("\n") == explanation.to_text(110)
    else:
        read = pd.read_csv if suffix == "csv" else pd.read_parquet
        assert read(path)["lift"].tolist() == pytest.approx([rule.lift for rule in explanation.rules])


def test_a_suffix_that_is_not_known_writes_nothing(explanation, tmp_path):
    with pytest.raises(InputError, match="docx"):
        explanation.save(tmp_path / "why.docx")
    assert not list(tmp_path.iterdir())


def test_a_failed_save_leaves_the_old_file(explanation, tmp_path, monkeypatch):
    path = tmp_path / "why.json"
    path.write_text("old")

    def fail(*_, **__):
        raise OSError("disk full")

    monkeypatch.setattr("pathlib.Path.write_text", fail)
    with pytest.raises(OSError, match="disk full"):
        explanation.save(path)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["why.json"]

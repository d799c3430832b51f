"""The payload: plain, valid, and back again."""

from __future__ import annotations

import json

import jsonschema
import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

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
    yield "floats", Explainer(lambda f: np.where(f["c"].isna(), 0.0, 1.0), X).explain(X[1:2])


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
    with pytest.raises(InputError, match="version 99"):
        Explanation.from_dict({"format": "lormika.explanation", "version": 99})


def test_frame_has_a_row_for_each_rule(explanation):
    frame = explanation.to_frame()
    assert len(frame) == len(explanation.rules)
    assert frame["leverage"].tolist() == [rule.leverage for rule in explanation.rules]
    assert frame["rule"].tolist() == [str(rule) for rule in explanation.rules]


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

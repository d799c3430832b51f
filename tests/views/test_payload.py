"""The payload: plain, valid, and back again."""

from __future__ import annotations

import copy
import itertools
import json
import math
import re

import jsonschema
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from cases import CASES, CONFIRMED, golden
from lormika import Category, Explainer, Explanation, InputError
from lormika.views.payload import json_schema
from lormika.views.payload_shape import find_fault


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
    assert back.notes == explanation.notes
    assert str(back) == str(explanation)
    assert back.sample is None


def test_what_is_no_explanation_is_refused():
    with pytest.raises(InputError, match="not JSON"):
        Explanation.from_json("{")
    with pytest.raises(InputError, match="not an explanation"):
        Explanation.from_json("[]")
    for version in (1, 2, 99):
        words = f"version {version}; this release of lormika reads version 3: explain the instance again"
        with pytest.raises(InputError, match=words):
            Explanation.from_dict({"format": "lormika.explanation", "version": version})


@pytest.mark.parametrize("name", CASES)
def test_real_explanations_are_never_refused(name):
    explanation = CASES[name]()
    assert Explanation.from_json(explanation.to_json()).to_json() == explanation.to_json()


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


@pytest.mark.parametrize("where", [("asked",), ("effects", 0), ("rules", 0, "check"), ("rules", 0), ("notes", 0), ()])
def test_the_schema_knows_every_field(where):
    for spoil in (lambda part: part.update(more=1), lambda part: part.popitem()):
        payload = copy.deepcopy(golden("label").to_dict())
        part = payload
        for step in where:
            part = part[step]
        spoil(part)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(payload, json_schema())


@pytest.mark.parametrize("name", CONFIRMED)
def test_no_view_needs_the_payload(name, monkeypatch):
    explanation = CASES[name]()

    def fail(*_):
        raise AssertionError("a view goes through the payload")

    for function in ("dump_explanation", "load_explanation", "dump_rule", "load_rule"):
        monkeypatch.setattr(f"lormika.views.payload.{function}", fail)
    assert all((explanation.to_text(80), explanation.summary(), explanation.to_html(), explanation.to_html(page=False)))
    assert len(explanation.to_frame()) == len(explanation.rules)
    for kind in ("matrix", "scatter", "effects"):
        assert explanation.plot(kind).axes


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


# Hostile payloads


def places(part, path=()):
    """Paths of all fields and entries."""
    if isinstance(part, dict | list):
        for step, inner in part.items() if isinstance(part, dict) else enumerate(part):
            yield (*path, step)
            yield from places(inner, (*path, step))


def at(payload, path):
    for step in path:
        payload = payload[step]
    return payload


def small(name):
    """A real explanation with a rule of each kind, and few enough fields to spoil every one of them."""
    payload = copy.deepcopy(golden(name).to_dict())
    kinds = dict.fromkeys(rule["category"] for rule in payload["rules"])
    payload["rules"] = [next(rule for rule in payload["rules"] if rule["category"] == kind) for kind in kinds]
    payload["effects"] = [
        effect | {name: effect[name][:3] for name in ("values", "certainties", "labels")}
        for effect in payload["effects"][:3]
    ]
    for feature in payload["features"]:
        feature["quantiles"] = feature["quantiles"][:3]
    return payload


HUGE = 1.7e308
WRONG = [
    None, True, 0, -1, 7, 0.5, HUGE, -HUGE, 10**30, 10**400, math.nan, math.inf, "", "x", "2", [], [1], {}, {"x": 1}
]  # fmt: skip
DELETED = object()


def spoil(payload, path, wrong):
    """The payload with one field deleted, or something else in its place."""
    spoilt = copy.deepcopy(payload)
    part = at(spoilt, path[:-1])
    if wrong is DELETED:
        del part[path[-1]]
    else:
        part[path[-1]] = copy.deepcopy(wrong)
    return spoilt


def mutations(payload):
    """Every field deleted once, and each in turn with some of what is wrong."""
    wrong = itertools.cycle(WRONG)
    for path in places(payload):
        for value in (DELETED, *itertools.islice(wrong, 2)):  # of an odd number: fields of a sort get different ones
            yield path, spoil(payload, path, value)


def view_all(explanation):
    views = (
        explanation.to_text(80), explanation.to_text(80, figures=True), explanation.to_html(), explanation.summary(),
        explanation.to_html(page=False), repr(explanation),
    )  # fmt: skip
    assert all(views)
    assert len(explanation.to_frame()) == len(explanation.rules)
    assert Explanation.from_json(explanation.to_json()).to_json() == explanation.to_json()


MEASURES = ("format", "version", "instance", "prediction", "features", "classes", "unit")  # others must agree with them


@pytest.mark.parametrize("name", ["explanation", "label", "margin", "no_single"])
def test_a_spoilt_payload_is_refused_or_can_be_viewed(name):
    payload = small(name)
    view_all(Explanation.from_dict(payload))
    refused = []
    for number, (path, spoilt) in enumerate(mutations(payload)):
        if name != "explanation" and number % 3:  # that one has everything; the others are much the same
            continue
        try:
            explanation = Explanation.from_dict(spoilt)
        except InputError as error:
            refused.append((path[0], str(error)))
        else:
            view_all(explanation)
    assert len(refused) > 150
    for part, words in refused:
        assert part in MEASURES or re.search(rf": {part}\b", words)


def test_a_note_keeps_the_kind_of_rule_that_it_is_about():
    payload = golden("label").to_dict()
    assert [note["category"] for note in payload["notes"]] == ["current_contradicting", "hypothetical_supporting"]
    payload["notes"] = [
        {"text": "Anything.", "category": "current_contradicting"},
        {"text": "No hypothetical supporting rule, as it seems.", "category": None},
    ]
    notes = Explanation.from_dict(payload).notes
    assert [(str(note), note.category) for note in notes] == [
        ("Anything.", Category.CURRENT_CONTRADICTING),
        ("No hypothetical supporting rule, as it seems.", None),
    ]


CLASHES = [
    (("rules", 2, "counts", "rows"), 7, "rules[2].counts.rows: must be 2"),
    (("rules", 0, "counts", "both"), 10**6, "rules[0].counts.both: must be from "),
    (("rules", 0, "real", "antecedent"), 10**6, "rules[0].real.antecedent: must be at most "),
    (("rules", 0, "conditions", 0, "feature"), "shoe size", "rules[0].conditions[0].feature: 'shoe size' is none"),
    (("rules", 0, "conditions", 0, "type"), "circle", "type: must be 'interval', 'equals' or 'missing', not 'circle'"),
    (("rules", 0, "consequent"), "perhaps", "rules[0].consequent: 'perhaps' is the label of none of the classes"),
    (("rules", 0, "category"), "current_contradicting", "rules[0].category: must be 'current_supporting'"),
    (("rules", 2, "rerun", "turned"), 1, "rules[2].rerun.turned: must be true or false, not 1"),
    (("rules", 0, "score"), math.nan, "rules[0].score: must be a finite number, not nan"),
    (("rules", 0, "check", "agreed"), 99, "rules[0].check.agreed: must be at most "),
    (("rules", 1, "conditions", 0, "single"), 1, "rules[1].conditions[0].single: must be true or false"),
    (("prediction",), "perhaps", "prediction: 'perhaps' is the label"),
    (("instance", "age"), "old", "instance.age: must be a number, as 'age' is, not 'old'"),
    (("instance", "to water"), 1, "instance['to water']: 'to water' is none of the features"),
    (("effects", 1, "labels"), [], "effects[1].labels: must have 3 entries"),
    (("neighbourhood", "generated"), 1, "neighbourhood.generated: must be 2000"),
    (("options", "k"), {}, "options.k: must be"),
    (("notes",), ["age is odd"], "notes[0]: must be an object, not 'age is odd'"),
    (("notes",), [{"text": "", "category": "?"}], "notes[0].category: must be null, 'current_supporting', "),
    (
        ("notes",),
        [{"text": "", "category": "current_supporting"}],
        "notes[0].category: must be null, for there are rules",
    ),
    (("more",), 1, "more: is not known here"),
]


@pytest.mark.parametrize(("path", "wrong", "words"), CLASHES, ids=[".".join(map(str, path)) for path, *_ in CLASHES])
def test_a_fault_is_named_with_its_place(path, wrong, words):
    with pytest.raises(InputError, match=re.escape(words)):
        Explanation.from_dict(spoil(small("explanation"), path, wrong))


def test_a_kind_has_one_note_at_most():
    payload = golden("label").to_dict()
    payload["notes"] *= 2
    with pytest.raises(InputError, match=r"notes\[2\]\.category: must be null, for another note is about this kind"):
        Explanation.from_dict(payload)


def test_text_that_is_hard_to_read_is_refused():
    text = golden("explanation").to_json()
    for wrong in ("9" * 5000, "-" + "9" * 5000, "1e999", "NaN", "Infinity"):
        with pytest.raises(InputError, match=r"rules\[0\]\.score: must be a finite number"):
            Explanation.from_json(re.sub(r'"score": [^,]+', f'"score": {wrong}', text, count=1))
    with pytest.raises(InputError, match="nested too deeply"):
        Explanation.from_json("[" * 200_000)
    deep: list[object] = []
    for _ in range(200_000):
        deep = [deep]
    with pytest.raises(InputError, match=r"options\.k: must be .*, not a list"):
        Explanation.from_dict(golden("explanation").to_dict() | {"options": {"k": deep}})
    with pytest.raises(InputError, match="not JSON"):
        Explanation.from_json(b"\xff")
    for wrong in (None, 3, {}):
        with pytest.raises(InputError, match="as text"):
            Explanation.from_json(wrong)


# The validator


def is_whole(_, value):
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(checker, value):
    return is_whole(checker, value) or (isinstance(value, float) and math.isfinite(value))


STRICT = jsonschema.validators.extend(
    jsonschema.Draft202012Validator,
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine("integer", is_whole).redefine(
        "number", is_number
    ),
)(json_schema())

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=3),
    st.sampled_from(WRONG[:14]),
    st.sampled_from(["interval", "equals", "missing", "numeric", "probability", "current_supporting", 1.0, 2.0]),
)  # fmt: skip
NAMES = st.sampled_from(["type", "feature", "low", "high", "integer", "value", "rows", "both", "x", ""])
ANYTHING = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=5), max_leaves=6
)
PAYLOADS = {name: small(name) for name in ("explanation", "margin")}
PLACES = [(name, path) for name, payload in PAYLOADS.items() for path in places(payload)]


@settings(max_examples=80)
@given(st.sampled_from(PLACES), ANYTHING | st.just(DELETED))
def test_the_validator_agrees_with_jsonschema(place, wrong):
    name, path = place
    spoilt = spoil(PAYLOADS[name], path, wrong)
    fault = find_fault(json_schema(), spoilt)
    assert (fault is None) == STRICT.is_valid(spoilt)
    assert fault is None or fault.path[: len(path)] == path[: len(fault.path)]


def test_the_validator_agrees_with_jsonschema_on_every_field():
    schema = json_schema()
    for path, spoilt in itertools.islice(mutations(PAYLOADS["explanation"]), 0, None, 2):
        assert (find_fault(schema, spoilt) is None) == STRICT.is_valid(spoilt), path


def test_the_validator_knows_all_words_of_the_schema():
    with pytest.raises(KeyError, match="pattern"):
        find_fault({"pattern": "x"}, "x")
    for place in places(json_schema()):
        if place[-1] in ("anyOf", "allOf", "pattern", "if", "prefixItems", "maxItems", "patternProperties"):
            pytest.fail(f"{place} is not understood")


@pytest.mark.parametrize(
    ("place", "wrong"), [(("options", "at_least"), "x"), (("options", "spread"), 1), (("versions", "\ud800"), "1")]
)
def test_options_and_texts_that_views_could_not_show(place, wrong):
    payload = small("explanation")
    payload[place[0]][place[1]] = wrong
    with pytest.raises(InputError, match="cannot be used"):
        Explanation.from_dict(payload)


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_numbers_of_options_are_finite(number):
    payload = golden("explanation").to_dict()
    payload["options"]["constraints"] = [{"ranges": {"income": [1, number]}}]
    with pytest.raises(InputError, match="not finite"):
        Explanation.from_dict(payload)


def test_margins_whose_sum_would_overflow_are_refused():
    payload = golden("margin").to_dict()
    payload["effects"][0]["certainties"] = [1e308] * len(payload["effects"][0]["values"])
    with pytest.raises(InputError, match=r"effects\[0\]\.certainties\[0\].* must be below 1e\+300"):
        Explanation.from_dict(payload)

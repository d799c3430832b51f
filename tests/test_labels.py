"""Names, units and texts for people: every view uses them, and what they say stays true."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draws import examples
from lormika import Explainer, Explanation, FeatureGroup, FeatureLabel, InputError, Labels
from lormika.rule import Interval
from lormika.views.labelling import labelled

LABELS = {
    "f_1": {"label": "Yearly income", "unit": "k€", "decimals": 0},
    "f_2": {"label": "Share", "unit": "%", "decimals": 1},
    "f_3": {"label": "Occupation", "values": {"c_1": "clerk", "c_2": "cook", "c_3": "none"}},
    "f_4": "Bill of May",
    "f_5": {"label": "Bill of June", "unit": "€"},
    "classes": {"y_0": "granted", "y_1": "refused"},
    "groups": {"Bills": ["f_4", "f_5"]},
}


def make_table(rng: np.random.Generator, rows: int = 300) -> pd.DataFrame:
    numbers = {"f_1": rng.gamma(3, 10, rows).round(3), "f_2": rng.random(rows) * 100, "f_4": rng.integers(0, 9, rows)}
    frame = pd.DataFrame(numbers | {"f_3": rng.choice(["c_1", "c_2", "c_3"], rows), "f_5": rng.normal(size=rows) * 1e3})
    return frame[["f_1", "f_2", "f_3", "f_4", "f_5"]]


def make_model(rng: np.random.Generator):
    weights = rng.normal(size=5)

    def model(frame: pd.DataFrame) -> np.ndarray:
        score = weights[0] * (frame["f_1"] - 30) / 17 + weights[1] * (frame["f_2"] - 50) / 30
        score += weights[2] * (frame["f_3"] == "c_1") + weights[3] * (frame["f_4"] - 4) / 3
        score += weights[4] * frame["f_5"] / 1e3
        chance = 1 / (1 + np.exp(-2 * score.to_numpy(dtype=float)))
        return np.column_stack([1 - chance, chance])

    return model


def explain(seed: int = 0, labels: object = LABELS, row: int = 0, **options) -> Explanation:
    rng = np.random.default_rng(seed)
    table, model = make_table(rng), make_model(rng)
    explainer = Explainer(model, table, class_names=["y_0", "y_1"], labels=labels, n_generated=300)
    return explainer.explain(table.iloc[[row]], **options)


@pytest.fixture(scope="module")
def explanation() -> Explanation:
    return explain(k=3)


RAW = re.compile(r"\b[fcy]_\d")


@pytest.mark.parametrize(
    "view",
    [
        Explanation.to_text,
        Explanation.summary,
        Explanation.to_html,
        lambda explanation: explanation.to_html(page=False),
        lambda explanation: explanation.to_text(figures=True),
        lambda explanation: " ".join(map(str, explanation.reasons())),
    ],
)
def test_every_view_uses_them(explanation, view):
    text = view(explanation)
    assert not RAW.search(text)
    assert "Yearly income" in text or "Bills" in text or "Share" in text or "Occupation" in text


@pytest.mark.parametrize("kind", ["matrix", "scatter", "effects"])
def test_figures_use_them(explanation, kind, tmp_path):
    figure = explanation.plot(kind)
    texts = [text.get_text() for text in figure.findobj(lambda artist: hasattr(artist, "get_text"))]
    assert not RAW.search(" ".join([*texts, figure.get_label()]))


def test_data_stay_as_they_are(explanation):
    bare = explain(labels=None, k=3)
    pd.testing.assert_frame_equal(explanation.to_frame(), bare.to_frame())
    assert explanation.instance == bare.instance
    assert explanation.to_counterfactuals().equals(bare.to_counterfactuals())
    with_labels, without = explanation.to_dict(), bare.to_dict()
    assert with_labels.pop("labels") == Labels.of(LABELS).to_dict()
    assert with_labels == without


def test_units_decimals_and_groups(explanation):
    text = explanation.to_text()
    assert re.search(r"Yearly income\s+\d+\sk€", text)
    assert re.search(r"Share\s+\d+\.\d%", text)
    assert re.search(r"Bills: Bill of June\s+-?\d", text)
    names = [effect.feature for effect in labelled(explanation).effects]
    places = [place for place, name in enumerate(names) if name.startswith("Bills: ")]
    assert places[1] - places[0] == 1


def test_of_a_group_there_is_one_reason():
    def model(frame: pd.DataFrame) -> np.ndarray:
        score = 0.4 * (frame["f_4"] - 4) + frame["f_5"] / 1e3 + 0.01 * frame["f_1"]
        chance = 1 / (1 + np.exp(-score.to_numpy(dtype=float)))
        return np.column_stack([1 - chance, chance])

    table = make_table(np.random.default_rng(1))
    for labels, most in ((LABELS, 1), (None, 2)):
        explainer = Explainer(model, table, class_names=["y_0", "y_1"], labels=labels)
        rows = table[(table["f_4"] >= 7) & (table["f_5"] > 500)][:3]
        for explanation in explainer.explain_many(rows, progress=False):
            bills = [reason for reason in explanation.reasons() if reason.feature in ("f_4", "f_5")]
            assert len(bills) == most


def test_they_survive_json(explanation):
    again = Explanation.from_json(explanation.to_json())
    assert again.to_text() == explanation.to_text()
    assert again.to_html() == explanation.to_html()


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("features", "f_9"), {"label": "None"}, "there is no feature 'f_9'"),
        (("features", "f_1"), {"label": "Share"}, "shown as 'Share'"),
        (("classes", "y_7"), "other", "there is no class 'y_7'"),
        (("features", "f_1", "decimals"), -1, "decimals"),
        (("groups", "Bills"), {"features": ["f_4"]}, "at least two features"),
        (("groups",), "Bills", "groups"),
    ],
)
def test_a_spoilt_payload_is_refused(explanation, place, value, message):
    payload = json.loads(explanation.to_json())
    inner = payload["labels"]
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    with pytest.raises(InputError, match=message):
        Explanation.from_dict(payload)


# Truth

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@settings(max_examples=examples(40))
@given(st.integers(0, 2**32), st.integers(0, 3), st.integers(0, 299))
def test_few_decimals_say_nothing_untrue(seed, decimals, row):
    labels = {name: {"unit": "u", "decimals": decimals} for name in ("f_1", "f_2", "f_5")}
    explanation = explain(seed, labels, row, k=3)
    shown = labelled(explanation)
    for rule, own in zip(shown.rules, explanation.rules, strict=True):
        edits = {} if own.rerun is None else {edit.feature: edit for edit in own.rerun.edits}
        shown_edits = {} if rule.rerun is None else {edit.feature: edit for edit in rule.rerun.edits}
        for condition, real in zip(rule.conditions, own.conditions, strict=True):
            if not isinstance(real, Interval) or real.feature not in labels:
                continue
            low, high, closed = read_range(condition)
            assert low >= real.ends[0]
            assert high <= real.ends[1]
            value = read(shown.instance[real.feature])
            inside = low <= value <= high if closed else low <= value < high
            assert inside == bool(real.low <= explanation.instance[real.feature] < real.high), (str(condition), value)
            if real.feature in edits:
                after = read(shown_edits[real.feature].after)
                assert real.low <= after < real.high or after == pytest.approx(edits[real.feature].after, rel=1e-5)
        for name, edit in shown_edits.items():
            assert edit.texts[0] != edit.texts[1], name


def read_range(condition: Interval) -> tuple[float, float, bool]:
    """Both ends as they are written, and whether the upper one belongs to it."""
    *ends, sign = condition.ends
    pairs = zip(condition.end_texts, ends, strict=True)
    low, high = (float(NUMBER.search(text)[0]) if np.isfinite(end) else end for text, end in pairs)
    return low, high, sign == "≤"


def read(value: object) -> float:
    return float(NUMBER.match(value.text)[0])


# One of several


def one_hot(kind: type, seed: int = 0) -> tuple[pd.DataFrame, object]:
    rng = np.random.default_rng(seed)
    purposes = pd.get_dummies(pd.Series(rng.choice(["car", "home", "study", "other"], 300)), dtype=kind)
    table = purposes.assign(income=rng.gamma(3, 10, 300).round(1), age=rng.integers(18, 80, 300))
    weights = rng.normal(size=5) * 2

    def model(frame: pd.DataFrame) -> np.ndarray:
        score = sum(w * frame[name].astype(float) for w, name in zip(weights, PURPOSES, strict=False))
        score = score + weights[4] * (frame["income"] - 30) / 17
        chance = 1 / (1 + np.exp(-score.to_numpy(dtype=float)))
        return np.column_stack([1 - chance, chance])

    return table, model


PURPOSES = ["car", "home", "other", "study"]


@pytest.mark.parametrize("kind", [bool, int, float])
def test_one_hot_columns_change_in_step(kind):
    labels = {"groups": {"Purpose": {"features": PURPOSES, "one_hot": True}}}
    found = 0
    for seed in range(4):
        table, model = one_hot(kind, seed)
        explainer = Explainer(model, table, labels=labels, n_generated=300)
        for row, explanation in enumerate(explainer.explain_many(table[:12], progress=False, k=5)):
            before = {name: float(explanation.instance[name]) for name in PURPOSES}
            for rule in (*explanation.counterfactual, *explanation.hypothetical_supporting):
                after = before | {e.feature: float(e.after) for e in rule.rerun.edits if e.feature in PURPOSES}
                assert sorted(after.values()) == [0, 0, 0, 1], f"{seed}, {row}: {rule.rerun}"
                found += after != before
            turned = [name for name in PURPOSES if turns(model, table.iloc[[row]], name)]
            assert bool(turned) <= bool(explanation.counterfactual)
            text = explanation.to_text()
            assert not re.search(r"Purpose: \w+ [≤≥<]", text)
    assert found >= 10


def turns(model, instance: pd.DataFrame, name: str) -> bool:
    """Whether another purpose alone turns the prediction."""
    switched = instance.copy()
    for purpose in PURPOSES:
        switched[purpose] = instance[purpose].dtype.type(purpose == name)
    return bool(model(switched).argmax() != model(instance).argmax())


def test_one_hot_labels_survive():
    labels = Labels.of({"groups": {"Purpose": {"features": PURPOSES, "one_hot": True}}})
    assert Labels.of(labels.to_dict()) == labels
    table, model = one_hot(int)
    explanation = Explainer(model, table, labels=labels).explain(table.iloc[[0]])
    assert Explanation.from_json(explanation.to_json()).to_text() == explanation.to_text()


def test_a_group_may_only_change_together():
    table, model = one_hot(float)
    labels = {"groups": {"Both": {"features": ["income", "age"], "together": True}}}
    explanation = Explainer(model, table, labels=labels).explain(table.iloc[[0]], k=8)
    for rule in explanation.counterfactual:
        changed = {edit.feature for edit in rule.rerun.edits}
        assert ("income" in changed) == ("age" in changed)


# Errors


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (3, "give Labels"),
        ([0] * 300, "goes to predictions"),
        ({"f_9": "Nothing"}, "there is no feature 'f_9'"),
        ({"f_1": 3}, "labels: 'f_1': give label, unit"),
        ({"f_1": {"lable": "Income"}}, "there is no 'lable'"),
        ({"f_1": {"label": ""}}, "label: give a text"),
        ({"f_1": {"unit": 3}}, "unit=3: give a text"),
        ({"f_1": {"decimals": 1.5}}, "decimals=1.5: give a whole number"),
        ({"f_1": {"decimals": True}}, "decimals=True"),
        ({"f_3": {"unit": "€"}}, "'f_3' has categories"),
        ({"f_3": {"values": {"c_1": "same", "c_2": "same"}}}, "shown as 'same'"),
        ({"f_3": {"values": ["clerk"]}}, "give a dict, value to text"),
        ({"f_3": {"values": {"c_1": "c_2"}}}, "shown as 'c_2'"),
        ({"f_3": {"values": {"c_9": "clerk"}}}, "'f_3' has no category 'c_9'"),
        ({"f_1": "Income", "f_2": "Income"}, "shown as 'Income': 'f_1' and 'f_2'"),
        ({"f_1": "f_2"}, "shown as 'f_2'"),
        ({"classes": {"y_9": "?"}}, "there is no class 'y_9'"),
        ({"classes": {"y_0": "same", "y_1": "same"}}, "classes are both shown as 'same'"),
        ({"groups": {"G": ["f_1"]}}, "at least two features"),
        ({"groups": {"G": ["f_1", "f_2"], "H": ["f_2", "f_3"]}}, "'f_2' is in two of them"),
        ({"groups": {"G": {"together": True}}}, "features is missing"),
        ({"groups": {"G": {"features": ["f_1", "f_2"], "together": True, "one_hot": True}}}, "together or one_hot"),
        ({"groups": {"G": {"features": ["f_1", "f_3"], "one_hot": True}}}, "such features are 0 or 1"),
        ("nowhere.toml", "nowhere.toml: cannot be read"),
    ],
)
def test_errors(labels, message):
    with pytest.raises(InputError, match=re.escape(message)):
        explain(labels=labels)


def test_from_files_and_objects(tmp_path):
    written = tmp_path / "labels.toml"
    written.write_text(
        'f_1 = {label = "Yearly income", unit = "k€", decimals = 0}\nf_4 = "Bill of May"\n'
        '[features.f_3]\nlabel = "Occupation"\nvalues = {c_1 = "clerk"}\n[classes]\ny_0 = "granted"\n'
        '[groups]\nBills = ["f_4", "f_5"]\n'
    )
    labels = Labels.of(written)
    assert labels == Labels(
        features={
            "f_1": FeatureLabel(label="Yearly income", unit="k€", decimals=0),
            "f_4": FeatureLabel(label="Bill of May"),
            "f_3": FeatureLabel(label="Occupation", values={"c_1": "clerk"}),
        },
        classes={"y_0": "granted"},
        groups={"Bills": FeatureGroup(features=["f_4", "f_5"])},
    )
    assert Labels.of(labels.to_dict()) == labels
    again = tmp_path / "labels.json"
    again.write_text(json.dumps(labels.to_dict()))
    assert Labels.of(again) == labels
    assert explain(labels=again).summary() == explain(labels=labels).summary()


@pytest.mark.parametrize(
    ("decimals", "value", "text"),
    [
        (3, 30438.21933, "30438.219"),
        (2, 1234567.89, "1234567.89"),
        (0, 35.5, "36"),
        (2, 0.1 + 0.2, "0.30"),
        (0, -0.2, "0"),
    ],
)
def test_decimals(decimals, value, text):
    assert FeatureLabel(decimals=decimals).write(value) == text


def test_a_text_stands_for_one_value_only():
    entry = FeatureLabel(values={"1": "one"})
    assert (entry.write(1.0), entry.write(1.0000001)) == ("one", "1.0000001")
    assert FeatureLabel(values={"1": "one"}, decimals=7).write(1.0000001) == "1.0000001"


def test_notes_use_them():
    rng = np.random.default_rng(0)
    table = make_table(rng)
    explainer = Explainer(make_model(rng), table, class_names=["y_0", "y_1"], labels=LABELS, threshold=0.3)
    strange = table.iloc[0].to_dict() | {"f_1": 999.25, "f_3": "c_9"}
    texts = " ".join(note.text for note in explainer.explain(strange).notes)
    assert "Yearly income = 999.25\N{NO-BREAK SPACE}k€ lies outside the background" in texts
    assert "Occupation = c_9 was not seen" in texts
    assert "refused" in texts
    assert not re.search(r"\b[fy]_\d", texts)


def test_names_that_look_like_numbers_are_quoted():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(400, 3)).round(1), columns=["-1", "2020", "age"])

    def model(frame):
        chance = 1 / (1 + np.exp(-4 * (frame["-1"] + frame["2020"])))
        return np.column_stack([1 - chance, chance])

    explanation = Explainer(model, X).explain(X.iloc[[0]])
    text = explanation.to_text()
    assert "“-1” " in text
    assert "“2020” " in text
    assert "“age”" not in text
    assert re.search(r"(?<!“)(-1|2020) [≤≥=]", text) is None
    assert "Changing “" in explanation.summary()
    assert "“2020”" in explanation.to_html()
    assert {rule.conditions[0].feature for rule in explanation.rules} <= set(X.columns)  # data stay as they are
    labels = {"-1": "Balance"}
    named = Explainer(model, X, labels=labels).explain(X.iloc[[0]]).to_text()
    assert "Balance" in named
    assert "“-1”" not in named

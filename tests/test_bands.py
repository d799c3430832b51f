"""Regression by bands: every value and band that is said, asked of the regressor itself."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from lormika import Explainer, InputError, ModelError
from lormika.explanation import Explanation
from lormika.models.bands import Bands, find_spread, read_bands
from lormika.views.payload import json_schema
from lormika.views.payload_shape import find_fault
from lormika.views.values import write_values

ROWS = 400


def table(seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "a": rng.integers(0, 40, ROWS),
            "b": rng.uniform(0, 10, ROWS).round(2),
            "kind": rng.choice(["plain", "fine", "rare"], ROWS, p=[0.5, 0.4, 0.1]),
            "idle": rng.normal(size=ROWS).round(3),
        }
    )


X = table()


def stepped(frame: pd.DataFrame) -> np.ndarray:
    """3 a, 40 more from b = 5 on, and 25 more if fine; idle does nothing."""
    b, kind = np.asarray(frame["b"], dtype=float), np.asarray(frame["kind"], dtype=object)
    return 3.0 * np.asarray(frame["a"], dtype=float) + 40.0 * (b >= 5) + 25.0 * (kind == "fine")


def position(edges: tuple[float, ...], value: float) -> int:
    """The band of a value, without any of ours."""
    return sum(value >= edge for edge in edges)


def depth(edges: tuple[float, ...], band: int, value: float) -> float:
    """How far a value is inside a band."""
    ends = [-math.inf, *edges, math.inf]
    return min(value - ends[band], ends[band + 1] - value)


def check_truth(explanation: Explanation, model, row: pd.DataFrame) -> None:
    """Ask the regressor about everything that an explanation says of it."""
    labels, edges = [one.label for one in explanation.classes], explanation.bands
    own = float(model(row)[0])
    band = position(edges, own)
    assert explanation.value == pytest.approx(own, rel=1e-11)
    assert labels[band] == explanation.prediction
    rows = explanation.to_counterfactuals()
    values = model(rows).tolist()
    assert values[0] == own
    for rule, value in zip(explanation.counterfactual, values[1:], strict=True):
        assert rule.rerun.value == pytest.approx(value, rel=1e-11)
        assert labels[position(edges, value)] == rule.rerun.label == rule.consequent != explanation.prediction
        assert rule.holds(rows.iloc[[1 + explanation.counterfactual.index(rule)]]).all()
    for effect in explanation.effects:
        for asked, value, label in zip(effect.values, effect.certainties, effect.labels, strict=True):
            assert float(model(row.assign(**{effect.feature: asked}))[0]) == pytest.approx(value, rel=1e-11)
            assert labels[position(edges, value)] == label
    for rule in explanation.rules:
        assert rule.check is not None
        assert rule.check.before == pytest.approx(depth(edges, band, own), abs=1e-6)
    for rule in explanation.current_supporting:
        assert rule.check.after < rule.check.before
        assert 2 * rule.check.agreed > rule.check.asked
        assert "idle" not in rule.features
    for rule in explanation.current_contradicting:
        assert rule.check.after > rule.check.before
    for rule in explanation.hypothetical_supporting:
        assert depth(edges, band, rule.rerun.value) > depth(edges, band, own)
        assert position(edges, rule.rerun.value) == band


@pytest.mark.parametrize("bands", [[60, 120], [80], [30, 60, 90, 120], "around", {"around": 12}])
def test_all_that_is_said_is_true_of_the_regressor(bands):
    explainer = Explainer(stepped, X, bands=bands)
    for i, explanation in enumerate(explainer.explain_many(X[:8], progress=False)):
        check_truth(explanation, stepped, X.iloc[[i]])
        assert explanation.to_json() == explainer.explain(X.iloc[[i]]).to_json()
        assert explanation.to_json() == explainer.locate(X.iloc[[i]]).explain().to_json()


@pytest.mark.parametrize("bands", [[60, 120], [70]])
def test_a_mean_value_is_that_of_the_breaking_changes(bands):
    """By hand: a rule about `kind` alone is broken by all other kinds that were tried."""
    row = X[(X["kind"] == "fine") & (X["a"] == 20)].iloc[[0]]
    explanation = Explainer(stepped, X, bands=bands).explain(row, k=10)
    rules = [rule for rule in explanation.rules if rule.features == ("kind",) and rule.category.is_current]
    values = [float(stepped(row.assign(kind=kind))[0]) for kind in ("plain", "rare")]
    band = position(explanation.bands, explanation.value)
    for rule in rules:
        assert rule.check.asked == 2
        assert rule.check.value == pytest.approx(np.mean(values))
        assert rule.check.after == pytest.approx(np.mean([depth(explanation.bands, band, value) for value in values]))
    assert rules


def test_effects_are_changes_of_the_value():
    """Also in a middle band, where a value may be as far from an edge as before."""
    effects = {one.feature: one for one in Explainer(stepped, X, bands=[60, 120]).explain(X.iloc[[0]]).effects}
    assert effects["idle"].effect == effects["idle"].largest == 0
    spread = find_spread(stepped(X))
    own = float(stepped(X.iloc[[0]])[0])
    for one in effects.values():
        moves = [abs(value - own) / spread for value in one.certainties]
        assert one.largest == pytest.approx(max(moves))
    assert next(iter(effects)) == "a"


def test_sentences_speak_of_values():
    row = pd.DataFrame({"a": [30], "b": [7.5], "kind": ["plain"], "idle": [0.1]})
    text = Explainer(stepped, X, bands=[60, 120]).explain(row).summary()
    assert text.startswith("The model predicts 130 (120 and above).")
    assert "the predicted value falls from 130 to " in text
    assert " leads to " in text
    assert " (60 to 120)" in text
    assert "%" not in text.split("without that")[1].split(".")[0]
    assert "probability" not in text
    assert "certain" not in text


def test_sides_of_a_middle_band_are_told_as_distances():
    """Where changes lead to both sides, the mean of the values would say that nothing happens."""
    frame = pd.DataFrame({"a": np.tile(np.arange(41), 10), "idle": np.tile(np.arange(10), 41)})
    explanation = Explainer(lambda f: 3.0 * f["a"], frame, bands=[45, 75]).explain({"a": 20, "idle": 3})
    rule = explanation.current_supporting[0]
    assert rule.features == ("a",)
    assert "inside →" in explanation.to_text()
    assert "outside" in explanation.to_text()
    assert "moves from 15 inside the edge of that band to" in explanation.summary()
    assert "outside it on average" in explanation.summary()


def test_a_value_on_an_edge_belongs_to_the_band_above():
    explainer = Explainer(lambda f: f["a"].astype(float), X, bands=[10, 20])
    for a, label in {9: "below 10", 10: "10 to 20", 19: "10 to 20", 20: "20 and above"}.items():
        assert explainer.explain(X.iloc[[0]].assign(a=a)).prediction == label
    tenths = Explainer(lambda f: (f["a"] / 10).astype(np.float32), X, bands=[0.7, 1.3])  # as XGBoost answers
    assert tenths.explain(X.iloc[[0]].assign(a=7)).prediction == "0.7 to 1.3"
    assert tenths.explain(X.iloc[[0]].assign(a=13)).prediction == "1.3 and above"


def test_what_the_model_predicts_can_be_an_edge():
    """Values have twelve digits, and so have edges; they may come from numpy."""
    frame = pd.DataFrame({"a": np.linspace(0, 1, 50) ** 3, "b": np.arange(50) % 7})
    for kind in (np.float64, np.float32):
        values = np.sqrt(frame["a"].to_numpy() + 0.1).astype(kind)
        model = lambda f, kind=kind: np.sqrt(f["a"].to_numpy() + 0.1).astype(kind)  # noqa: E731
        for row in range(5, 45, 4):
            explanation = Explainer(model, frame, bands=values[row : row + 1]).explain(frame.iloc[[row]])
            assert explanation.prediction.endswith("and above")


@pytest.mark.parametrize("factor", [1e-250, 1e-6, 1.0, 1e9, 1e250])
def test_the_scale_of_the_values_makes_no_difference(factor):
    def rules(scale: float) -> list[tuple]:
        model = lambda f: scale * stepped(f)  # noqa: E731
        explanation = Explainer(model, X, bands=[scale * 60, scale * 120]).explain(X.iloc[[3]])
        around = Explainer(model, X, bands="around").explain(X.iloc[[3]])
        assert "inf" not in explanation.to_text() + around.summary()
        assert len(explanation.to_html()) > 1000
        return [(str(rule).split("⇒")[0], rule.category) for one in (explanation, around) for rule in one.rules]

    assert rules(factor) == rules(1.0)


def test_around_is_about_the_value_itself():
    explainer = Explainer(stepped, X, bands="around")
    tolerance = find_spread(stepped(X)) / 2
    for i in range(5):
        explanation = explainer.explain(X.iloc[[i]])
        low, high = explanation.bands
        assert explanation.prediction == "about"
        assert low < explanation.value < high
        assert low == pytest.approx(explanation.value - tolerance, abs=tolerance / 100)
        assert high == pytest.approx(explanation.value + tolerance, abs=tolerance / 100)
        assert f"({low:g} to {high:g})" in explanation.summary()
        assert [one.label for one in explanation.classes] == ["below", "about", "above"]
    assert Explainer(stepped, X, bands={"around": 7}).explain(X.iloc[[0]]).bands == tuple(
        float(stepped(X.iloc[[0]])[0]) + side for side in (-7, 7)
    )


def test_most_values_alike_leave_something_about():
    """More than half of the predictions are the same: the quartiles do not tell how far apart values are."""
    model = lambda f: np.where(f["a"] < 30, 0.0, f["a"].astype(float))  # noqa: E731
    explanation = Explainer(model, X, bands="around").explain(X.iloc[[0]].assign(a=35))
    assert explanation.prediction == "about"
    assert explanation.bands[0] > 0
    check_truth(explanation, model, X.iloc[[0]].assign(a=35))


def test_huge_values_that_differ_little():
    bands = Bands((), spread=1.0, tolerance=0.001).at(1e17)
    assert bands.edges[0] < 1e17 < bands.edges[1]
    assert bands.positions(np.array([1e17])).tolist() == [1]


def test_a_band_that_no_row_has():
    explanation = Explainer(stepped, X, bands=[60, 1000]).explain(X.iloc[[0]])
    check_truth(explanation, stepped, X.iloc[[0]])
    assert [one.rows for one in explanation.classes][2] == 0
    assert "1000 and above" not in [rule.consequent for rule in explanation.rules]


@pytest.mark.parametrize(
    ("bands", "words"),
    [
        ([], "increasing edges"),
        ([200, 100], "increasing edges"),
        ([100, 100], "increasing edges"),
        ([100, math.nan], "finite"),
        ([100, math.inf], "finite"),
        (["100"], "finite"),
        ([True], "finite"),
        ([10**400], "finite"),
        (100, "increasing edges"),
        ("near", "increasing edges"),
        ({"around": 0}, "above 0"),
        ({"around": -1}, "above 0"),
        ({"near": 3}, "increasing edges"),
        (("around", 10), "finite"),
        ([1e6], "every row of the background the label 'below 1000000'.*other edges"),
    ],
)
def test_wrong_bands(bands, words):
    with pytest.raises(InputError, match=words):
        Explainer(stepped, X, bands=bands)


@pytest.mark.parametrize("bands", [[1, 2], "around"])
def test_a_constant_regressor(bands):
    with pytest.raises(InputError, match="predicts 7 for every row"):
        Explainer(lambda f: np.full(len(f), 7.0), X, bands=bands)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda f: np.where(f["a"] == f["a"].iloc[3], np.nan, 1.0), "nan in row 3.*finite"),
        (lambda f: np.full(len(f), np.inf), "inf in row 0"),
        (lambda f: np.full(len(f), 1e301), "finite"),
        (lambda f: np.zeros((len(f), 2)), r"shape \(400, 2\).*one number each"),
        (lambda f: ["high"] * len(f), "'high' in row 0"),
        (lambda f: f["a"] > 3, "True|False"),
        (lambda f: 1 / 0, "ZeroDivisionError"),
    ],
)
def test_what_is_no_number(answer, words):
    frame = X.assign(a=np.arange(ROWS))
    with pytest.raises(ModelError, match=words):
        Explainer(answer, frame, bands=[0.5])


def test_refusals_say_what_to_do():
    numbers = X[["a", "b"]]
    model = LinearRegression().fit(numbers, stepped(X))
    with pytest.raises(InputError, match=r"LinearRegression is a regressor: give bands.*bands=\[100, 200\].*--bands"):
        Explainer(model, numbers)
    with pytest.raises(ModelError, match=r"fractional numbers.*bands="):
        Explainer(model.predict, numbers)
    explainer = Explainer(model, numbers, bands=[60])
    explanation = explainer.explain(numbers.iloc[[0]])
    with pytest.raises(InputError, match="letters are about the decision of a classifier"):
        explanation.letter()
    with pytest.raises(InputError, match="name a band as the target"):
        explainer.explain(numbers.iloc[[0]], at_least=0.5)
    for wrong in ({"class_names": ["low", "high"]}, {"threshold": 0.5}):
        with pytest.raises(InputError, match="for classifiers"):
            Explainer(model, numbers, bands=[60], **wrong)
    with pytest.raises(InputError, match="same for all rows"):
        Explainer(model, numbers, bands="around").group_actions(numbers, "below")


def test_a_classifier_has_classes_of_its_own():
    from sklearn.tree import DecisionTreeClassifier

    numbers = X[["a", "b"]]
    model = DecisionTreeClassifier().fit(numbers, X["kind"])
    with pytest.raises(InputError, match="bands are for a regressor; a DecisionTreeClassifier has classes"):
        Explainer(model, numbers, bands=[60])


def test_a_target_is_a_band():
    explainer = Explainer(stepped, X, bands=[60, 120])
    row = X[(stepped(X) < 50)].iloc[[0]]
    explanation = explainer.explain(row, target="120 and above", constraints={"fixed": ["kind"]})
    assert explanation.counterfactual
    for rule in explanation.counterfactual:
        assert rule.rerun.value >= 120
        assert "kind" not in [edit.feature for edit in rule.rerun.edits]
    with pytest.raises(InputError, match="no such class; there are 'below 60', '60 to 120'"):
        explainer.explain(row, target="130 and above")
    around = Explainer(stepped, X, bands="around").explain(row, target="above")
    assert around.counterfactual
    assert all(rule.rerun.value > around.bands[1] for rule in around.counterfactual)


@pytest.mark.parametrize("bands", [[60, 120], "around", {"around": 12.5}])
def test_saved_and_loaded(bands, tmp_path):
    explainer = Explainer(stepped, X, bands=bands, labels={"a": "Amount"})
    explainer.save(tmp_path / "saved")
    again = Explainer.load(tmp_path / "saved", stepped)
    assert again.explain(X.iloc[[4]]).to_json() == explainer.explain(X.iloc[[4]]).to_json()
    assert again.fingerprint() == explainer.fingerprint()
    with pytest.raises(InputError, match="another model"):
        Explainer.load(tmp_path / "saved", lambda frame: stepped(frame) + 1)


@pytest.mark.parametrize("bands", [[60, 120], [60], "around"])
def test_every_view_and_the_way_back(bands, tmp_path):
    explanation = Explainer(stepped, X, bands=bands).explain(X.iloc[[2]])
    payload = json.loads(explanation.to_json())
    assert find_fault(json_schema(), payload) is None
    assert (payload["unit"], payload["value"], payload["bands"]) == (
        "value",
        explanation.value,
        list(explanation.bands),
    )
    again = Explanation.from_json(explanation.to_json())
    assert again.to_json() == explanation.to_json()
    value = write_values([explanation.value], explanation.bands)[0]
    for view in (explanation.summary(), explanation.to_text(), explanation.to_html(), explanation.to_html(page=False)):
        assert value in view
    for name in ("summary", "to_text", "to_html"):
        assert getattr(again, name)() == getattr(explanation, name)()
    assert len(explanation.to_frame()) == len(explanation.rules)
    assert explanation.reasons()[0].feature in ("a", "b", "kind")
    for kind in ("matrix", "scatter", "effects"):
        assert explanation.plot(kind).axes
    for suffix in ("html", "json", "csv", "txt", "parquet"):
        assert explanation.save(tmp_path / f"why.{suffix}").stat().st_size > 100


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"value": 0.0}, "value: must be in the band"),
        ({"bands": [120.0, 60.0]}, "bands: must go from the least"),
        ({"bands": [60.0]}, "bands: must have 2 entries"),
        ({"unit": "margin"}, "value: must not be there"),
        ({"value": "much"}, "value: must be a finite number"),
    ],
)
def test_a_payload_that_contradicts_itself(change, words):
    row = X[(stepped(X) > 130)].iloc[[0]]
    payload = Explainer(stepped, X, bands=[60, 120]).explain(row).to_dict()
    with pytest.raises(InputError, match=words):
        Explanation.from_dict(payload | change)


def test_a_payload_whose_change_leads_elsewhere():
    payload = Explainer(stepped, X, bands=[60, 120]).explain(X.iloc[[0]]).to_dict()
    rule = next(rule for rule in payload["rules"] if rule["rerun"] and rule["rerun"]["turned"])
    rule["rerun"]["value"] = payload["value"]
    with pytest.raises(InputError, match=r"rerun\.value: must be in the band"):
        Explanation.from_dict(payload)


def test_values_that_are_known_already():
    asked = []

    def model(frame):
        asked.append(len(frame))
        return stepped(frame)

    explainer = Explainer(model, X, bands=[60, 120], predictions=stepped(X))
    assert not asked
    assert (
        explainer.explain(X.iloc[[1]]).to_json()
        == Explainer(stepped, X, bands=[60, 120]).explain(X.iloc[[1]]).to_json()
    )
    with pytest.raises(InputError, match="predictions, row 2: nan"):
        Explainer(model, X, bands=[60], predictions=np.where(np.arange(ROWS) == 2, np.nan, 1.0))


def test_a_model_that_does_not_repeat_itself():
    calls = []

    def model(frame):
        calls.append(1)
        return stepped(frame) + 0.01 * np.arange(len(frame))[::-1]

    notes = [note.text for note in Explainer(model, X, bands=[60, 120]).explain(X.iloc[[0]]).notes]
    assert any("did not answer the same" in note for note in notes)


@pytest.mark.parametrize("kind", ["forest", "boosting", "pipeline", "xgboost"])
def test_regressors_of_libraries(kind):
    numbers, y = X[["a", "b", "idle"]], stepped(X)
    if kind == "xgboost":
        model = pytest.importorskip("xgboost").XGBRegressor(n_estimators=20, n_jobs=1)
    else:
        model = {
            "forest": RandomForestRegressor(10, random_state=0),
            "boosting": HistGradientBoostingRegressor(max_iter=20),
            "pipeline": make_pipeline(StandardScaler(), LinearRegression()),
        }[kind]
    model.fit(numbers, y)
    for bands in ([60, 120], "around"):
        explanation = Explainer(model, numbers, bands=bands).explain(numbers.iloc[[0]])
        value = float(model.predict(numbers.iloc[[0]])[0])
        assert explanation.value == pytest.approx(value, rel=1e-6)
        rows = explanation.to_counterfactuals()
        for rule, after in zip(explanation.counterfactual, model.predict(rows)[1:].tolist(), strict=True):
            assert explanation.classes[position(explanation.bands, after)].label == rule.rerun.label


def test_polars_frames_and_a_column_of_values():
    frame = pl.from_pandas(X)
    model = lambda rows: stepped(rows.to_pandas()).reshape(-1, 1)  # noqa: E731
    explainer = Explainer(model, frame, bands=[60, 120])
    explanation = explainer.explain(frame[3:4])
    assert explanation.to_json() == Explainer(stepped, X, bands=[60, 120]).explain(X.iloc[[3]]).to_json()


def test_a_category_that_is_new():
    row = X.iloc[[0]].assign(kind="strange")
    for bands in ([60, 120], "around"):
        explanation = Explainer(stepped, X, bands=bands).explain(row)
        assert explanation.value == stepped(row)[0]
        check_truth(explanation, stepped, row)


def test_group_actions_lead_to_a_band():
    explainer = Explainer(stepped, X, bands=[60, 120])
    found = explainer.group_actions(X[:100], "below 60", target="60 to 120")
    assert found.actions


def test_unconfirmed_rules_have_values_too():
    explanation = Explainer(stepped, X, bands=[60, 120]).explain(X.iloc[[0]], confirm=False)
    rows = explanation.to_counterfactuals()
    for rule, value in zip(explanation.counterfactual, stepped(rows)[1:], strict=True):
        assert rule.rerun.value == value
    assert Explanation.from_json(explanation.to_json()).to_text() == explanation.to_text()


def test_edges_and_values_in_words():
    assert read_bands([-5, 0.1, 1e6]).names == ("below -5", "-5 to 0.1", "0.1 to 1000000", "1000000 and above")
    edges = [100.0, 200.0]
    assert write_values([199.9999], edges) == ("199.9999",)
    assert write_values([200.0], edges) == ("200",)
    for value in (99.99999999, 100.0, 100.00000001, 1e-12, -3.5, 1e17):
        assert position((100.0, 200.0), float(write_values([value], edges)[0])) == position((100.0, 200.0), value)

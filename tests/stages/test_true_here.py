"""Every rule that is shown is true of its instance, whatever the model and the table are like."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from lormika import Explainer, Explanation, InputError, datasets
from lormika.rule import Category


class Counting:
    """A model that counts what it is asked."""

    def __init__(self, answer, classes=None):
        self.answer, self.calls, self.rows = answer, 0, 0
        if classes is not None:
            self.classes_ = classes

    def __call__(self, frame):
        self.calls += 1
        self.rows += len(frame)
        return self.answer(frame)


def certainty(model, frame: pd.DataFrame, label) -> np.ndarray:
    """Probability of a class, or its margin."""
    place = list(model.classes_).index(label)
    if hasattr(model, "predict_proba"):
        return model.predict_proba(frame)[:, place]
    margin = model.decision_function(frame)
    if margin.ndim == 1:
        return margin if place else -margin
    return margin[:, place] - np.delete(margin, place, axis=1).max(axis=1)


def changed_rows(x: pd.DataFrame, values: pd.DataFrame, features) -> pd.DataFrame:
    """The instance, with some features as other rows have them."""
    rows = pd.concat([x] * len(values), ignore_index=True)
    for name in features:
        rows[name] = values[name].to_numpy()
    return rows.astype(x.dtypes.to_dict())


def truths(model, background: pd.DataFrame, x: pd.DataFrame, explanation: Explanation) -> list[bool]:
    """Whether each rule is true of the instance, asked anew with values that were drawn here."""
    rng, prediction = np.random.default_rng(0), explanation.prediction
    before = certainty(model, x, prediction)[0]
    asked: list[tuple[Category, pd.DataFrame]] = []
    for rule in explanation.rules:
        holds = rule.holds(background)
        if rule.category.is_current:
            values, features = background[~holds], list(rule.features)
        else:
            values, features = background[holds], [edit.feature for edit in rule.rerun.edits]
        if len(values) < 3:
            continue
        chosen = values.iloc[rng.choice(len(values), min(100, len(values)), replace=False)]
        asked.append((rule.category, changed_rows(x, chosen, features)))
    together = pd.concat([rows for _, rows in asked], ignore_index=True)  # one call for all rules: calls cost most
    ends = np.cumsum([len(rows) for _, rows in asked])[:-1]
    certainties = np.split(certainty(model, together, prediction), ends)
    turned = np.split(model.predict(together) != prediction, ends)
    results = []
    for (category, _), after, turns in zip(asked, certainties, turned, strict=True):
        if category == Category.COUNTERFACTUAL:
            results.append(bool(turns.mean() >= 0.7))
        elif category in (Category.CURRENT_CONTRADICTING, Category.HYPOTHETICAL_SUPPORTING):
            results.append(bool(after.mean() > before))
        else:
            results.append(bool(after.mean() < before))
    return results


def tables():
    cancer, wine = load_breast_cancer(as_frame=True), load_wine(as_frame=True)
    loans, decisions = datasets.make_loans(1500)
    yield "loans, forest", datasets.make_model("rf", loans), loans, decisions
    yield "loans, linear", datasets.make_model("lr", loans), loans, decisions
    yield "cancer, boosted", HistGradientBoostingClassifier(max_iter=40), cancer.data.iloc[:, :12], cancer.target
    yield "wine, forest of three classes", RandomForestClassifier(50, random_state=0), wine.data, wine.target
    yield "wine, margins of three classes", make_pipeline(StandardScaler(), LinearSVC()), wine.data, wine.target
    yield "cancer, margins", make_pipeline(StandardScaler(), SVC()), cancer.data.iloc[:, :12], cancer.target


TABLES = {name: table for name, *table in tables()}


@pytest.mark.parametrize(("model", "X", "y"), TABLES.values(), ids=TABLES)
def test_rules_are_true_when_the_model_is_asked_anew(model, X, y):
    model.fit(X, y)
    explainer = Explainer(model, X)
    results = []
    for i in range(0, 120, 8):
        x = X.iloc[[i]]
        explanation = explainer.explain(x)
        results += truths(model, X, x, explanation)
        assert explanation.current_supporting
        turned = model.predict(explanation.to_counterfactuals())
        assert turned[0] == explanation.prediction
        assert [rule.rerun.label for rule in explanation.counterfactual] == turned[1:].tolist()
        assert (turned[1:] != turned[0]).all()
        assert len(turned) > 1
    assert len(results) > 60
    assert np.mean(results) >= 0.95


def test_a_counterfactual_leads_to_any_other_class_and_names_it():
    X, y = load_digits(return_X_y=True, as_frame=True)
    X = X[X.columns[10:40]]
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=300)).fit(X, y)
    explainer = Explainer(model, X, n_generated=500)
    reached = set()
    for i in range(6):
        explanation = explainer.explain(X.iloc[[i]])
        for rule in explanation.counterfactual:
            assert rule.consequent == rule.rerun.label != explanation.prediction
            reached.add((explanation.prediction, rule.consequent))
    assert len({prediction for prediction, _ in reached}) > 3


def test_labels_alone_confirm_why_and_what_would_turn_it():
    X, _ = datasets.make_loans(800)
    explainer = Explainer(lambda f: np.where((f["income"] < 40) & (f["debt_ratio"] > 0.3), "no", "yes"), X)
    explanation = explainer.explain(X.iloc[[0]].assign(income=30, debt_ratio=0.5))
    assert explanation.unit == "label"
    assert {name for rule in explanation.rules for name in rule.features} <= {"income", "debt_ratio"}
    assert explanation.current_supporting
    assert explanation.hypothetical_supporting == explanation.current_contradicting == ()
    assert sum("labels only" in note.text for note in explanation.notes) == 2
    assert [rule.rerun.turned for rule in explanation.counterfactual] == [True, True]


def test_missing_values_can_be_filled_but_nothing_becomes_missing():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"income": rng.normal(40, 10, 600).round(1), "job": rng.choice(["a", "b", None], 600)})
    X.loc[rng.random(600) < 0.2, "income"] = np.nan
    risk = X["income"].isna() * 2.0 + (X["job"].isna()) * 1.0 - 1

    def model(frame):
        risk = frame["income"].isna() * 3.0 + frame["job"].isna() * 1.0 - 2 + (frame["income"] < 25) * 2
        chance = 1 / (1 + np.exp(-risk.to_numpy(dtype=float)))
        return np.column_stack([1 - chance, chance])

    explainer = Explainer(model, X, class_names=["pass", "check"])
    for i in np.flatnonzero(risk > 0)[:10].tolist() + np.flatnonzero(risk < 0)[:10].tolist():
        explanation = explainer.explain(X.iloc[[i]])
        for rule in explanation.rules:
            assert rule.rerun is None or all(edit.after is not None for edit in rule.rerun.edits)
        assert all(value is not None for effect in explanation.effects for value in effect.values)
        if explanation.prediction == "check":
            assert any("missing" in str(rule) for rule in explanation.current_supporting)
            assert explanation.counterfactual


def test_thousands_of_categories():
    rng = np.random.default_rng(0)
    shops = np.array([f"shop {i}" for i in range(4000)])
    X = pd.DataFrame({"shop": rng.choice(shops, 6000), "amount": rng.normal(50, 20, 6000).round(1)})

    def model(frame):
        chance = 1 / (1 + np.exp(-(frame["amount"].to_numpy() - 60) / 8))
        return np.column_stack([1 - chance, chance])

    explanation = Explainer(model, X).explain(X.iloc[[0]].assign(amount=40.0))
    assert {name for rule in explanation.rules for name in rule.features} == {"amount"}
    assert next(effect for effect in explanation.effects if effect.feature == "shop").effect == 0
    assert explanation.asked.rows < 5000
    assert str(explanation.counterfactual[0].conditions[0]).startswith("amount ≥ 6")


def test_a_thousand_features():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(400, 1000)).round(3)).add_prefix("c")
    model = Counting(lambda f: np.column_stack([1 - (p := 1 / (1 + np.exp(-4 * (f["c3"] - f["c7"])))), p]))
    explainer = Explainer(model, X, n_generated=300)
    model.calls = model.rows = 0
    explanation = explainer.explain(X.iloc[[0]].assign(c3=-0.2, c7=0.1))
    assert {effect.feature for effect in explanation.effects[:2]} == {"c3", "c7"}
    assert {name for rule in explanation.rules for name in rule.features} <= {"c3", "c7"}
    assert explanation.counterfactual
    assert explanation.asked.singles < explanation.asked.all_singles
    assert model.calls == explanation.asked.calls <= 3
    assert model.rows < 8000


def test_a_slow_model_is_asked_once_and_never_again_for_another_objective():
    X, _ = datasets.make_loans(600)
    model = Counting(lambda f: np.column_stack([1 - (p := 1 / (1 + np.exp((f["income"] - 45) / 5))), p]))
    explainer = Explainer(model, X, class_names=["accepted", "rejected"])
    model.calls = model.rows = 0
    case = explainer.locate(X.iloc[[3]])
    assert model.calls == case.calls == 1
    for objective in ("leverage", "confidence", "lift", "coverage", "support"):
        assert case.explain(objective=objective).rules
    assert model.calls == 1
    assert model.rows <= case.rows + 1  # the instance, once more
    case.explain(confirm=False)
    assert model.calls == 2


@pytest.mark.parametrize("kind", ["random", "alternating"])
def test_a_model_that_does_not_repeat_itself_is_told(kind):
    X, _ = datasets.make_loans(400)
    rng, asked = np.random.default_rng(0), [0]

    def model(frame):
        asked[0] += 1
        noise = rng.random(len(frame)) if kind == "random" else np.arange(len(frame)) * 0.37 % 1 * (asked[0] > 1)
        chance = np.clip((frame["income"] > 45) * 0.6 + 0.4 * noise, 0, 1)
        return np.column_stack([1 - chance, chance])

    explanation = Explainer(model, X, n_generated=200).explain(X.iloc[[1]])
    assert any("not deterministic" in note.text for note in explanation.notes)
    assert explanation.to_text()


def test_a_feature_that_is_constant_among_similar_rows_and_matters_is_named():
    rng = np.random.default_rng(0)
    contract = np.where(np.arange(1500) < 1300, "monthly", "one year")
    X = pd.DataFrame({"contract": contract, "charge": np.where(contract == "monthly", 70, 20) + rng.normal(0, 4, 1500)})
    X["months"] = np.where(contract == "monthly", 5, 50) + rng.integers(0, 5, 1500)

    def model(frame):
        risk = 1.2 * (frame["contract"] == "monthly") + 0.2 * (frame["charge"] - 69) - 0.3
        chance = 1 / (1 + np.exp(-risk.to_numpy(dtype=float)))
        return np.column_stack([1 - chance, chance])

    explanation = Explainer(model, X, class_names=["stays", "leaves"]).explain(X.iloc[[0]].assign(charge=70.0))
    assert explanation.prediction == "leaves"
    effect = next(effect for effect in explanation.effects if effect.feature == "contract")
    assert effect.constant
    assert effect.turning("leaves") == ("one year",)
    assert ("contract",) in [rule.features for rule in explanation.counterfactual]
    assert "All similar cases have the same value of contract" in explanation.summary()


def test_alone_and_in_any_batch_the_same_bytes():
    X, y = datasets.make_loans(500)
    explainer = Explainer(datasets.make_model("rf", X).fit(X, y), X, n_generated=200)
    alone = [explainer.explain(X.iloc[[i]]).to_json() for i in range(12)]
    for options in ({"chunk_size": 1}, {"chunk_size": 5}, {"chunk_size": 12, "n_jobs": 2}):
        together = explainer.explain_many(X[:12], progress=False, **options)
        assert [explanation.to_json() for explanation in together] == alone


def test_the_paper_in_one_word():
    X, y = datasets.make_loans(500)
    model = datasets.make_model("tree", X).fit(X, y)
    explainer = Explainer(model, X, preset="paper")
    explanation = explainer.explain(X.iloc[[0]])
    options = explanation.options
    assert (options["thin"], options["design"], options["snap"], options["n_asked"]) == ("random", "random", False, 0)
    assert (options["per"], options["confirm"], options["weight"]) == ("overall", False, "none")
    assert set(options["cuts"]) == set(X.select_dtypes("number"))
    assert len(explanation.rules) == 5
    assert explanation.effects == ()
    assert {rule.check for rule in explanation.rules} == {None}
    assert Explainer(model, X, preset="paper", snap=True).explain(X.iloc[[0]]).options["snap"] is True
    with pytest.raises(InputError, match="n_asked above 0"):
        explainer.explain(X.iloc[[0]], confirm=True)


def two(chance) -> np.ndarray:
    return np.column_stack([1 - chance, chance])


def test_three_changes_are_not_told_where_two_of_them_turn_it():
    """Of a hundred features, not all pairs can be asked about; what is left of three is asked about once more."""
    X = pd.DataFrame(np.random.default_rng(0).integers(0, 2, (600, 100)), columns=[f"f{i}" for i in range(100)])
    model = Counting(lambda X: two(np.where((X["f0"] == 1) & (X["f80"] == 1), 0.9, 0.1)))
    explanation = Explainer(model, X).explain(dict.fromkeys(X.columns, 0))
    assert [str(rule) for rule in explanation.counterfactual] == ["f0 = 1 and f80 = 1 ⇒ 1"]


def test_a_reason_ends_before_values_that_turn_the_prediction():
    """Similar rows are cut at other points than the model: the instance's own range reaches across the model's."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"a": rng.integers(0, 100, 600), "b": rng.random(600).round(2), "c": rng.integers(0, 9, 600)})
    model = Counting(lambda X: two(1 / (1 + np.exp(-(X["a"] - 45) / 3 - (X["b"] - 0.5) * 8))))
    explainer = Explainer(model, X, cuts={"a": [60]})
    explanation = explainer.explain({"a": 40, "b": 0.4, "c": 4})
    assert str(explanation.current_supporting[0]) == "a ≤ 47 ⇒ 0"
    assert not explanation.current_supporting[0].weak
    ranges = {str(c) for rule in explanation.current_supporting for c in rule.conditions if c.feature == "a"}
    assert ranges == {"a ≤ 47"}
    finer = Explainer(model, X, cuts={"a": [30]})
    assert str(finer.explain({"a": 20, "b": 0.4, "c": 4}).current_supporting[0]) == "a ≤ 44 ⇒ 0"


@pytest.mark.parametrize("a", [3, 20, 41, 60])
def test_a_reason_is_as_wide_as_it_is_true(a):
    """Whatever range similar rows give the instance: the model makes a difference at 60 alone, apart from noise."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"a": rng.integers(0, 100, 900), "b": rng.random(900).round(2)})
    model = Counting(lambda X: two(np.where(X["a"] <= 60, 0.08, 0.9) + 0.02 * np.sin(X["a"]) + 0.05 * X["b"]))
    explanation = Explainer(model, X).explain({"a": a, "b": 0.4})
    (condition,) = explanation.current_supporting[0].conditions
    assert condition.low == -np.inf
    assert 55 < condition.high <= 61
    inside = X.assign(b=0.4)[lambda frame: condition.low <= frame["a"]][lambda frame: frame["a"] < condition.high]
    assert (model(inside).argmax(axis=1) == explanation.prediction).all()


def test_a_range_of_all_values_is_no_reason():
    """`reach`: nothing that `b` can be makes the model less certain, so no rule says why with it."""
    rng = np.random.default_rng(4)
    X = pd.DataFrame({"a": rng.integers(0, 100, 500), "b": rng.random(500).round(2)})
    model = Counting(lambda X: two(1 / (1 + np.exp(-(X["a"] - 50) / 9))))
    explanation = Explainer(model, X).explain({"a": 20, "b": 0.5})
    assert {rule.features for rule in explanation.current_supporting} == {("a",)}


def test_each_of_two_changes_makes_the_model_more_certain():
    """Together with a large b, a larger a still leaves the model more certain; but less than b alone."""
    rng = np.random.default_rng(2)
    X = pd.DataFrame({name: rng.normal(size=800).round(2) for name in "abc"})
    model = Counting(lambda X: two(1 / (1 + np.exp(0.4 * X["a"] - 3 * X["b"] - 0.2))))
    explanation = Explainer(model, X).explain({"a": 0.0, "b": 0.0, "c": 0.0}, k=20, filter="none")
    changes = [{edit.feature: edit.after for edit in rule.rerun.edits} for rule in explanation.hypothetical_supporting]
    assert any(set(change) == {"a", "b"} for change in changes)
    assert all(change.get("a", -1) < 0 < change.get("b", 1) for change in changes)
    assert all(rule.rerun.probability > rule.check.before for rule in explanation.hypothetical_supporting)


def test_labels_are_those_of_the_models_votes():
    """An SVC of several classes votes: its label need not be the class with the largest score."""
    data = load_digits(as_frame=True)
    X = data.data.iloc[:, [10, 18, 20, 28, 34, 36, 42, 44]]
    model = SVC(decision_function_shape="ovr").fit(X[:900], data.target[:900])
    explainer = Explainer(model, X[:900], n_generated=500)
    for i in (901, 905, 930):
        explanation = explainer.explain(X.iloc[[i]])
        assert explanation.sample.label_names == model.predict(explanation.sample.rows).tolist()
        for effect in explanation.effects:
            rows = pd.concat([X.iloc[[i]]] * len(effect.values)).assign(**{effect.feature: list(effect.values)})
            assert list(effect.labels) == model.predict(rows).tolist()


def test_rules_that_labels_cannot_confirm_are_not_searched_for():
    """Else all rules there are would be listed before it is known that none counts."""
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(500, 12)), columns=[f"f{i}" for i in range(12)])
    explainer = Explainer(lambda X: (X.to_numpy().sum(axis=1) > 0).astype(int), X, n_generated=300)
    case = explainer.locate(dict.fromkeys(X.columns, 0.01))
    explanation = case.explain(filter="none", max_conditions=4)
    assert explanation.current_supporting
    assert explanation.counterfactual
    assert not explanation.current_contradicting
    assert not explanation.hypothetical_supporting


def test_a_row_that_differs_in_the_sign_of_zero_alone_is_no_change():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": [0.0, -0.0] * 100, "b": rng.normal(size=200)})
    explainer = Explainer(lambda X: two(np.where(np.copysign(1, X["a"]) > 0, 0.9, 0.1)), X, n_generated=100)
    explanation = explainer.explain({"a": -0.0, "b": 0.1})
    assert explanation.counterfactual == ()
    assert any("no change" in note.text.lower() for note in explanation.notes)


def test_a_table_so_wide_that_few_values_are_asked_about_has_reasons_as_well():
    """With room for two values of each feature, none may be left for values of the background."""
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(600, 40)), columns=[f"f{i}" for i in range(40)])
    weights = np.where(np.arange(40) % 4 == 0, 1.0, 0.05)
    explainer = Explainer(lambda X: two(1 / (1 + np.exp(-X.to_numpy() @ weights))), X, n_generated=400, n_asked=80)
    for row in range(5):
        explanation = explainer.explain(X.iloc[[row]])
        assert 80 <= explanation.asked.singles <= 100  # and a quarter at the borders
        assert not any(rule.weak for rule in explanation.current_supporting)
        for rule in explanation.current_supporting:
            assert all(int(name[1:]) % 4 == 0 for name in rule.features)
        assert explanation.current_supporting


@pytest.mark.parametrize("x", [1e155, 1e308, -1e308])
def test_a_number_so_far_away_that_distances_overflow(x):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=200), "y": rng.integers(0, 4, 200).astype(float)})
    explainer = Explainer(lambda X: two(1 / (1 + np.exp(1.5 - X["y"]))), X, n_generated=100)
    explanation = explainer.explain({"x": x, "y": 1.0})
    assert explanation.counterfactual
    (_, many, _) = explainer.explain_many(pd.DataFrame({"x": [0.1, x, 0.2], "y": [1.0, 1, 1]}), progress=False)
    assert many.to_json() == explanation.to_json()


def test_a_weak_reason_has_no_feature_that_speaks_against_it():
    """Together, other values of a and b lower the certainty; but other values of b alone raise it."""
    draw = np.random.default_rng(3)
    X = pd.DataFrame({name: draw.integers(0, 20, 400) for name in "abc"})
    y = (X["a"] + draw.normal(0, 6, 400) > 8) & (X["b"] + draw.normal(0, 6, 400) < 14)
    model = KNeighborsClassifier(15).fit(X, y)
    explanation = Explainer(model, X, n_generated=300).explain(X.iloc[[47]])
    others = pd.concat([X.iloc[[47]]] * 400).assign(b=X["b"].to_numpy())[X["b"].to_numpy() < 13]
    assert not explanation.prediction
    assert model.predict_proba(others)[:, 0].mean() > explanation.probability + 0.1
    assert not any("b" in rule.features for rule in explanation.current_supporting)


def test_a_weak_reason_is_the_value_without_which_the_model_is_least_certain():
    """Of the other contracts, the frequent one lowers the certainty much, the rare one raises it."""
    draw = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "contract": draw.choice(["month", "year", "two years"], 600, p=[0.75, 0.05, 0.2]),
            "paperless": draw.choice(["yes", "no"], 600),
        }
    )
    certain = {"month": 0.45, "year": 0.9, "two years": 0.99}
    explainer = Explainer(
        lambda X: two(X["contract"].map(certain).to_numpy(float) - 0.02 * (X["paperless"] == "no")), X, n_generated=300
    )
    explanation = explainer.explain({"contract": "year", "paperless": "yes"})
    (rule,) = explanation.current_supporting
    assert rule.weak
    assert [str(condition) for condition in rule.conditions] == ["contract = year"]
    assert explanation.reasons()[0].feature == "contract"


def test_what_would_make_it_more_certain_holds_no_value_that_was_seen_to_turn_it():
    """Rare spikes, inside ranges that usually raise the probability, where the label is another one."""
    shown = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = pd.DataFrame({"a": rng.normal(size=800).round(3), "b": rng.normal(size=800).round(3)})
        spikes = rng.uniform(-0.5, 1.5, size=2)

        def model(frame, spikes=spikes):
            in_spike = (np.abs(frame["a"].to_numpy()[:, None] - spikes) < 0.01).any(axis=1)
            return two(np.where(in_spike, 0.1, 1 / (1 + np.exp(-(frame["a"] + 1.5 * frame["b"])))))

        explainer = Explainer(model, X, n_generated=300)
        certain = X[(X["a"] < 0) & (X["a"] + 1.5 * X["b"] > 0.2) & (X["b"] < 1.2)]
        for row in range(8):
            explanation = explainer.explain(certain.iloc[[row]])
            effect = next(effect for effect in explanation.effects if effect.feature == "a")
            for rule in explanation.hypothetical_supporting:
                for low, high in [(c.low, c.high) for c in rule.conditions if c.feature == "a"]:
                    shown += 1
                    turning = effect.turning(explanation.prediction)
                    assert low <= certain["a"].iloc[row] < high or not [v for v in turning if low <= v < high]
    assert shown

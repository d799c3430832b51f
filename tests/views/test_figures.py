"""Every figure that a reader sees, recomputed from the sample or by hand."""

from __future__ import annotations

import math
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeRegressor

import naive
from cases import CASES
from lormika import Category, Counts, Equals, Explainer, InputError, ModelError, Rule, mine_rules
from lormika.rule import Edit, Rerun
from lormika.views.answers import answer, sentence
from lormika.views.certainty import Scale
from lormika.views.words import leverage, percent
from lormika.views.words import shares as shares_of


def rule(category: Category, consequent: str, label: str, probability: float | None) -> Rule:
    rerun = Rerun((Edit("job", "a", "b"),), label, probability, turned=label != "yes")
    return Rule((Equals("job", "b"),), consequent, Counts(10, 5, 5, 4), 0.1, category=category, rerun=rerun)


@pytest.mark.parametrize(
    ("category", "consequent", "label", "before", "after", "said", "mark"),
    [
        ("hypothetical_contradicting", "no", "no", 0.9, 0.2, "90% → 20%, now no", "✔"),
        ("hypothetical_contradicting", "no", "maybe", 0.9, 0.2, "90% → 20%, now maybe", "~"),
        ("hypothetical_contradicting", "no", "yes", 0.9, 0.6, "90% → 60%", "✖"),
        ("hypothetical_contradicting", "no", "no", None, None, "now no", "✔"),
        ("hypothetical_contradicting", "no", "yes", None, None, "still yes", "✖"),
        ("hypothetical_supporting", "yes", "yes", 0.6, 0.8, "60% → 80%", "✔"),
        ("hypothetical_supporting", "yes", "yes", 0.6, 0.5, "60% → 50%", "✖"),
        ("hypothetical_supporting", "yes", "yes", 0.94, 0.9401, "94% → 94%", "="),
        ("hypothetical_supporting", "yes", "yes", 0.992, 0.999, "99.2% → 99.9%", "✔"),
        ("hypothetical_supporting", "yes", "yes", 1.0, 1.0, "100% → 100%", "="),
        ("hypothetical_supporting", "yes", "no", 0.6, 0.3, "60% → 30%, now no", "✖"),
        ("hypothetical_supporting", "yes", "yes", None, None, "still yes", ""),
    ],
)
def test_verdict_of_a_rerun(category, consequent, label, before, after, said, mark):
    scale = Scale("label" if before is None else "probability", before, 1.0, border=True)
    reply = answer(rule(Category(category), consequent, label, after), "yes", scale)
    assert (reply.outcome, reply.mark) == (said, mark)
    line = sentence(rule(Category(category), consequent, label, after), reply)
    assert line.endswith(f"job a → b: {said} {mark}".rstrip())


@pytest.mark.parametrize("name", ["binary", "all_numeric", "seven_classes"])
def test_text_shows_the_figures_of_each_rule(name):
    explanation = CASES[name]()
    lines = explanation.to_text(110, figures=True).splitlines()
    for each in explanation.rules:
        words = " and ".join(map(str, each.conditions))
        if not each.category.is_supporting:
            words += f" ⇒ {each.consequent}"
        shares = " ".join(shares_of(each))
        pattern = rf"^  (\S+) +{re.escape(shares)} +{re.escape(words)}$"
        found = [(i, m[1]) for i, line in enumerate(lines) if (m := re.match(pattern, line))]
        assert found, words
        figures = (
            f"lift {each.lift:.2f} · leverage {leverage(each)} · "
            f"{percent(each.coverage)}: {each.real.antecedent:,} real + "
            f"{each.counts.antecedent - each.real.antecedent:,} made"
        )
        assert any(figures in " ".join(lines[i + 1 : i + 5]) for i, _ in found)
        bar = found[0][1]
        assert bar.index("│") == min(int(each.counts.share_without * 8), 7)
        assert bar.replace("│", "").count("█") == pytest.approx(8 * each.confidence, abs=1.6)


@pytest.mark.parametrize("name", ["binary", "missing_values"])
def test_table_shows_the_figures_of_each_rule(name):
    explanation = CASES[name]()
    for each, row in zip(explanation.rules, explanation.to_frame().itertuples(), strict=True):
        assert row.rows == each.counts.antecedent
        assert row.real_rows == each.real.antecedent
        assert row.confidence == each.counts.both / each.counts.antecedent
        assert row.support == each.counts.both / each.counts.rows
        assert row.conditions == len(each.conditions)
        if each.rerun is None:
            assert row.turned is pd.NA
        else:
            assert row.turned == each.rerun.turned
            assert row.rerun_label == each.rerun.label


@pytest.mark.parametrize("name", ["binary", "seven_classes", "missing_values"])
def test_summaries_are_of_the_sample(name):
    explanation = CASES[name]()
    sample, labels = explanation.sample, np.array(explanation.sample.label_names, dtype=object)
    for each in explanation.classes:
        assert each.rows == (labels == each.label).sum()
        assert each.real == (labels[sample.real] == each.label).sum()
    assert explanation.neighbourhood.selected == sample.real.sum()


def test_similarity_is_the_papers():
    X = pd.DataFrame({"a": np.arange(100.0), "b": np.arange(100.0) % 7})
    model = lambda f: (f["a"] > 50).to_numpy()  # noqa: E731
    x = X.iloc[[20]]
    for width, wanted in ((None, 0.75 * math.sqrt(2)), (3.0, 3.0)):
        explanation = Explainer(model, X, kernel_width=width, min_neighbours=10).explain(x)
        scaled = (X - x.to_numpy()) / X.std(ddof=0)
        squared = (scaled**2).sum(axis=1)
        cut = max(np.sort(squared[X["a"] > 50])[9], np.sort(squared[X["a"] <= 50])[9])
        assert explanation.neighbourhood.cut_similarity == pytest.approx(math.exp(-cut / (2 * wanted**2)))


def test_quantiles_are_of_the_background():
    X = pd.DataFrame({"a": np.arange(2001.0)[::-1], "b": np.arange(2001) % 2})
    quantiles = Explainer(lambda f: (f["a"] > 9).to_numpy(), X).explain(X.iloc[[0]]).features[0].quantiles
    assert quantiles == pytest.approx(np.quantile(X["a"], np.linspace(0, 1, 21)), abs=2)


def test_a_missing_number_moves_from_the_mean():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.integers(0, 100, 600).astype(float), "b": rng.normal(size=600)})
    X.loc[::5, "a"] = np.nan
    explanation = Explainer(lambda f: (f["a"] > 30).to_numpy(), X).explain({"a": None, "b": 0.0}, filter="productive")
    edits = [(r, e) for r in explanation.rules if r.rerun for e in r.rerun.edits if e.feature == "a"]
    assert edits
    for each, edit in edits:
        condition = next(c for c in each.conditions if c.feature == "a")
        seen = X["a"].dropna()
        inside = seen[(condition.low <= seen) & (seen < condition.high)]
        assert abs(edit.after - X["a"].mean()) == pytest.approx((inside - X["a"].mean()).abs().min())


def test_p_values_of_large_tables():
    """Also of rules that speak against their class: those are certain, not impossible."""
    half, few = 750, 5
    X = {"a": ["x"] * half + ["z"] * half}
    y = ["p"] * few + ["q"] * (half - few) + ["p"] * (half - few) + ["q"] * few
    for each in mine_rules(X, y, k=4):
        c = each.counts
        wanted = float(naive.fisher(c.rows, c.consequent, c.antecedent, c.both))
        assert each.p_value == pytest.approx(wanted, rel=1e-9)
    assert mine_rules(X, y, filter="significant", alpha=0.0) == []


def test_exactness_beyond_one_word_per_class():
    rng = np.random.default_rng(3)
    rows = rng.integers(0, 3, (300, 5)).tolist()
    labels = [int(r[0] == 1 and r[2] != 0) ^ int(rng.random() < 0.1) for r in rows]
    columns = {f"f{f}": [str(r[f]) for r in rows] for f in range(5)}
    for filter in naive.FILTERS:
        given = {
            "k": 30, "objective": "leverage", "max_conditions": 3, "min_count": 5, "m": 0.0, "filter": filter,
            "alpha": 0.05, "correction": "layered",
        }  # fmt: skip
        found = [(str(r), r.counts.both, r.score) for r in mine_rules(columns, labels, **given)]
        wanted = [
            (" and ".join(f"f{f} = {v}" for f, v in r.conditions) + f" ⇒ {r.consequent}", r.both, r.score)
            for r in naive.k_optimal_rules(rows, labels, **given)
        ]
        assert found == wanted


def test_whole_number_regressors_are_refused():
    X = pd.DataFrame({"a": np.arange(50.0)})
    with pytest.raises(InputError, match="regressor"):
        Explainer(DecisionTreeRegressor().fit(X, np.arange(50)), X)


def test_threads_do_not_run_ahead_and_stop_when_told():
    X = pd.DataFrame({"a": np.arange(200.0), "b": np.arange(200.0) % 3})
    calls = []

    def model(frame):
        calls.append(len(frame))
        return (frame["a"] > 100).to_numpy()

    explainer = Explainer(model, X, n_generated=20)
    calls.clear()
    results = explainer.explain_many(X, n_jobs=2, progress=False)
    next(results)
    results.close()
    assert len(calls) < 2 * 12
    with pytest.raises(InputError, match="n_jobs"):
        explainer.explain_many(X, n_jobs=0)


def test_a_failing_model_is_reported_from_threads():
    X = pd.DataFrame({"a": np.arange(200.0)})
    state = {"calls": 0}

    def model(frame):
        state["calls"] += 1
        if state["calls"] > 5:
            raise RuntimeError("out of order")
        return (frame["a"] > 100).to_numpy()

    with pytest.raises(ModelError, match="out of order"):
        list(Explainer(model, X).explain_many(X, n_jobs=2, chunk_size=10, progress=False, on_error="raise"))

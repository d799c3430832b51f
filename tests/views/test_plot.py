"""Figures: nothing overlaps or is cut off, text is shown as it is, and the same explanation gives the same bytes."""

from __future__ import annotations

import io
import math
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from cases import CASES as CASES_OF_ALL
from cases import golden
from lormika import Explainer, Explanation, InputError, datasets
from lormika.explanation import ClassSummary, Effect, FeatureSummary
from lormika.frames.values import format_value
from lormika.rule import Category, Condition, Counts, Edit, Equals, Interval, Missing, Rerun, Rule
from lormika.views import plot
from lormika.views.plot_sheet import BAR, left_to_right
from lormika.views.reading import Reading
from lormika.views.words import condition_label, percent

pytest.importorskip("matplotlib", reason="figures need matplotlib: pip install 'lormika[plot]'")

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex, to_rgb
from matplotlib.lines import Line2D
from matplotlib.patches import FancyBboxPatch, Patch
from matplotlib.text import Text

BLUE, ORANGE = "#0072b2", "#bd4b00"
LONG = "a_long_name " * 400 + "W" * 300
NASTY = [
    "$x^2$", "_", "{{7*7}}", "%s", "$", r"\frac{1}{2}", "<script>alert(1)</script>", "a\nb\tc", "\x1b[31mred", "\ud800",
    "שלום עולם", "السلام عليكم", "日本語の名前", "👩‍💻🎉😀", "e\u0301" * 30, "W" * 5000, "i" * 5000, " ", "", LONG,
]  # fmt: skip


# Explanations


@cache
def loans() -> Explanation:
    X, y = datasets.make_loans(800)
    numbers = X[["age", "income", "debt_ratio", "missed_payments", "amount"]]
    model = DecisionTreeClassifier(max_depth=5, random_state=0).fit(numbers, y)
    return Explainer(model, numbers, n_generated=600).explain(numbers[2:3], k=3)


@cache
def mixed() -> Explanation:
    X, _ = datasets.make_loans(800)
    model = lambda f: np.where(datasets.loan_reasons(f).any(axis=1), "rejected", "accepted")  # noqa: E731
    return Explainer(model, X, n_generated=600).explain(X[7:8], k=4)


@cache
def seven_classes() -> Explanation:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(500, 4)), columns=["height", "weight", "length_of_the_left_wing", "d"])
    powers = rng.normal(size=(4, 7))

    def model(frame: pd.DataFrame) -> np.ndarray:
        scores = np.exp(2 * frame.to_numpy() @ powers)
        return scores / scores.sum(axis=1, keepdims=True)

    names = ["Alder", "Birch", "Cottonwood or willow of any kind", "Douglas-fir", "Elm", "Fir", "Krummholz"]
    return Explainer(model, X, n_generated=600, class_names=names).explain(X[3:4], k=4)


@cache
def categorical() -> Explanation:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "job": rng.choice(["none", "clerk", "chef de cuisine at the grand hotel", "civil servant"], 500),
            "marital-status": rng.choice(["Married-civ-spouse", "Never-married", "Divorced"], 500),
            "flag": rng.random(500) < 0.5,
        }
    )
    model = lambda f: (f["job"] == "clerk") | (f["marital-status"] == "Divorced") & f["flag"].astype(bool)  # noqa: E731
    return Explainer(model, X, n_generated=400).explain(X[2:3], k=4)


@cache
def missing() -> Explanation:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"a": rng.normal(size=500).round(2), "b": rng.integers(0, 9, 500), "c": rng.choice(["x", None], 500)}
    )
    X.loc[::3, "a"] = np.nan
    model = lambda f: np.where(f["a"].isna() | (f["b"] > 5), "no", "yes")  # noqa: E731
    return Explainer(model, X, n_generated=400).explain(X[3:4], k=4)


def empty_kinds() -> Explanation:
    return replace(mixed(), rules=tuple(rule for rule in mixed().rules if rule.category.is_current))


def nothing() -> Explanation:
    return replace(loans(), rules=())


def rule(number: int, features: list[str], labels: list[Any], values: list[Any]) -> Rule:
    """An invented rule: of each kind in turn, with conditions of each type."""
    category = list(dict.fromkeys(Category))[number % 4]
    conditions: dict[str, Condition] = {}
    for i in range(2 * number, 2 * number + 3):
        name = features[i % len(features)]
        numeric = [Interval(name, -1.23456789012, 0.98765432109), Interval(name, -math.inf, 1e300), Missing(name)]
        equals = Equals(name, values[(i + number // 5) % len(values)])
        conditions[name] = numeric[i % 3] if i % len(features) % 2 else equals
    counts = Counts(rows=31_000, antecedent=1 + 577 * number, consequent=1 + number, both=1 + number // 2)
    rerun = Rerun((), labels[number % len(labels)], (number % 11) / 10, turned=number % 3 > 0)
    return Rule(
        tuple(conditions.values()),
        labels[0] if category.is_supporting else labels[1 + number % (len(labels) - 1)],
        counts,
        score=0.1,
        category=category,
        real=replace(counts, antecedent=500 * number) if number % 2 else None,
        rerun=None if category.is_current else rerun,
    )


def invented(features: list[str], labels: list[Any], values: list[Any], n_rules: int) -> Explanation:
    """Any names, labels and categories; every second feature is numeric."""
    numeric = {name: i % 2 == 1 for i, name in enumerate(features)}
    quantiles = (-1e9, -1.0, -1.0, 0.0, 0.0, 0.0, 1.0, 5.0, 1e305)
    return replace(
        loans(),
        instance={f: (0.123456789 if numeric[f] else values[i % len(values)]) for i, f in enumerate(features)},
        prediction=labels[0],
        features=tuple(
            FeatureSummary(f, "numeric", quantiles) if numeric[f] else FeatureSummary(f, "categorical", ())
            for f in features
        ),
        classes=tuple(ClassSummary(label, 10, 5, 1 / len(labels)) for label in labels),
        rules=tuple(rule(number, features, labels, values) for number in range(n_rules)),
        effects=(),
        asked=None,
    )


def nasty() -> Explanation:
    return invented(NASTY, NASTY[::-1][:12], NASTY, 12)


def many() -> Explanation:
    features = [f"feature {i} with a name of some_length" for i in range(20)]
    return invented(features, [f"class {i}" for i in range(12)], ["a", "a rather long category, really", 3, True], 50)


def long_labels() -> Explanation:
    return invented([LONG, LONG + "2"], [LONG, LONG[::-1]], [LONG, "short"], 8)


def confirmed() -> Explanation:
    return golden("explanation")


def margin() -> Explanation:
    return golden("margin")


def label() -> Explanation:
    return golden("label")


def no_single() -> Explanation:
    return golden("no_single")


def rare() -> Explanation:
    return CASES_OF_ALL["rare"]()


def nasty_effects() -> Explanation:
    """Effects of features with any names, categories and labels."""
    labels = NASTY[::-1][:12]
    effects = [
        Effect(
            name,
            effect=1.0 / (1 + i),
            largest=2.0,
            constant=i % 3 == 0,
            values=(-1e9, 0.5, 1e300) if i % 2 else tuple(NASTY[:7]),
            certainties=(0.9999, 0.5, 0.00001) if i % 2 else tuple(j / 7 for j in range(7)),
            labels=(labels[i % 12], labels[0], labels[1]) if i % 2 else tuple(labels[:7]),
        )
        for i, name in enumerate(NASTY)
    ]
    return replace(nasty(), effects=tuple(effects[::-1]), asked=confirmed().asked)


CONFIRMED = [confirmed, margin, label, no_single, rare, nasty_effects]
CASES = [loans, mixed, seven_classes, categorical, missing, empty_kinds, nothing, nasty, many, long_labels, *CONFIRMED]
KINDS = [plot.matrix, plot.scatter]


@cache
def drawn(case: Any, kind: Any) -> Any:
    return kind(case())


# Helpers


def texts(figure: Any) -> list[Text]:
    """All texts that a reader sees; ticks beyond the ends of an axis are not drawn."""
    figure.draw_without_rendering()
    hidden = set()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            drawn = axis._update_ticks() if axes.axison else []
            ticks = [tick for tick in axis.get_major_ticks() if tick not in drawn]
            hidden |= {id(label) for tick in ticks for label in (tick.label1, tick.label2)}
    found = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    return [text for text in found if id(text) not in hidden]


def said(figure: Any) -> str:
    return "\n".join(text.get_text() for text in texts(figure))


def assert_tidy(figure: Any) -> None:
    """No two texts overlap, and none leaves the figure."""
    found = texts(figure)
    renderer = FigureCanvasAgg(figure).get_renderer()
    x0, y0, x1, y1 = np.array([text.get_window_extent(renderer).extents for text in found]).T
    inside = (x0 >= 0) & (y0 >= 0) & (x1 <= figure.bbox.x1) & (y1 <= figure.bbox.y1)
    assert inside.all(), f"{found[int(inside.argmin())].get_text()!r} is cut off"
    wide = np.minimum(x1[:, None], x1) - np.maximum(x0[:, None], x0)
    high = np.minimum(y1[:, None], y1) - np.maximum(y0[:, None], y0)
    for i, j in np.argwhere(np.triu(np.minimum(wide, high) > 0.5, 1)):
        pytest.fail(f"{found[i].get_text()!r} overlaps {found[j].get_text()!r}")


def bars(figure: Any) -> list[FancyBboxPatch]:
    """Bars of conditions and confidences."""
    return [patch for patch in figure.findobj(FancyBboxPatch) if to_hex(patch.get_edgecolor()) in (BLUE, ORANGE)]


def uprights(figure: Any) -> list[Line2D]:
    """Lines at the instance's values."""
    return [line for line in figure.findobj(Line2D) if line.get_zorder() == 3]


def condition_bars(figure: Any) -> tuple[list[FancyBboxPatch], list[FancyBboxPatch]]:
    """Bars of conditions on numbers, and on categories, which are higher."""
    end = next(text.get_position()[0] for text in texts(figure) if text.get_text() == "confidence")
    found = [bar for bar in bars(figure) if bar.get_x() < end - 1]
    return [bar for bar in found if bar.get_height() == BAR], [bar for bar in found if bar.get_height() > BAR]


def luminance(colour: Any) -> float:
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(colour)]
    return float(np.dot([0.2126, 0.7152, 0.0722], parts))


def contrast(one: Any, other: Any) -> float:
    """As WCAG 2 defines it."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def background(text: Text, boxes: dict[Patch, Any], figure: Any) -> Any:
    """The colour behind a text: of its own box, of what was drawn there last, or of the paper."""
    if text.get_bbox_patch() is not None:
        return text.get_bbox_patch().get_facecolor()
    middle = np.mean(text.get_window_extent().get_points(), axis=0)
    behind = [patch for patch, box in boxes.items() if box.contains(*middle)]
    return max(behind, key=lambda patch: patch.get_zorder(), default=figure).get_facecolor()


def assert_legible(figure: Any) -> None:
    """Every text stands out from what is behind it."""
    own = {text.get_bbox_patch() for text in figure.findobj(Text)}
    found = texts(figure)  # draws it once more: boxes are measured after that
    patches = [patch for patch in figure.axes[0].get_children() if isinstance(patch, Patch) and patch not in own]
    boxes = {patch: patch.get_window_extent() for patch in patches}
    for text in found:
        assert contrast(text.get_color(), background(text, boxes, figure)) >= 4.5, text.get_text()


# All figures


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", CASES)
def test_no_text_overlaps_or_is_cut_off(case, kind):
    assert_tidy(drawn(case, kind))


@pytest.mark.parametrize("case", CONFIRMED)
def test_effects_are_tidy(case):
    assert_tidy(drawn(case, plot.effects))
    assert_legible(drawn(case, plot.effects))


def constant_first():
    explanation = no_single()
    return replace(explanation, effects=tuple(sorted(explanation.effects, key=lambda effect: not effect.constant)))


def test_effects_say_what_the_model_says_along_each_feature():
    text = said(drawn(confirmed, plot.effects))
    for words in ("employment", "unemployed", "turns at ≥ 6.1", "employed  8%", "the darker the surer"):
        assert words in text, words
    assert "the same in all similar rows" in said(drawn(constant_first, plot.effects))
    assert "%" not in said(drawn(margin, plot.effects))


def test_effects_need_a_confirmed_explanation():
    with pytest.raises(InputError, match="confirm=True"):
        plot.effects(replace(loans(), effects=()))


def test_a_strip_covers_its_axis_and_turns_where_the_model_does():
    from matplotlib.patches import Rectangle

    figure = drawn(label, plot.effects)
    pieces = [p for p in figure.findobj(Rectangle) if 9 < p.get_height() < 13 and p.get_zorder() == 0]
    effect = next(e for e in label().effects if e.feature == "savings")
    reds = [to_rgb(p.get_facecolor())[0] > to_rgb(p.get_facecolor())[2] for p in pieces]
    assert sum(reds) == sum(one != label().prediction for one in effect.labels)
    assert len(pieces) == len(effect.values) + 1  # and the instance's own


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", [loans, mixed, categorical, nasty, nothing, confirmed, no_single])
def test_every_text_stands_out_from_what_is_behind_it(case, kind):
    assert_legible(drawn(case, kind))


def test_words_from_right_to_left_keep_their_places():
    mark = "\N{LEFT-TO-RIGHT MARK}"
    assert left_to_right("job clerk → chef, 5 → 7") == "job clerk → chef, 5 → 7"
    assert left_to_right("⇒ שלום עולם 5") == f"{mark}⇒ {mark}שלום עולם{mark} 5"
    figure = plot.matrix(invented(["job", "b"], ["yes", "שלום"], ["السلام", "x"], 8))
    for word in ("⇒ שלום", "السلام"):
        assert left_to_right(word) in said(figure).split("\n")
    assert f"⇒ {mark}שלום{mark}" in said(plot.scatter(invented(["job", "b"], ["yes", "שלום"], ["x"], 8)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", [missing, nasty])
@pytest.mark.parametrize(("suffix", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_it_is_saved_without_warnings(case, kind, suffix, start, tmp_path):
    plot.save(drawn(case, kind), tmp_path / f"why.{suffix}")
    assert (tmp_path / f"why.{suffix}").read_bytes().startswith(start)


def test_a_very_large_picture_is_saved_with_fewer_dots(monkeypatch, tmp_path):
    for most, pixels in (((300, 10**9), 300 * 300), ((10**5, 50_000), 51_000)):
        monkeypatch.setattr(plot, "_MOST_PIXELS", most)
        plot.save(drawn(nothing, plot.scatter), tmp_path / "why.png")
        head = (tmp_path / "why.png").read_bytes()
        assert int.from_bytes(head[16:20]) * int.from_bytes(head[20:24]) <= pixels


@pytest.mark.parametrize(("kind", "suffix"), [(plot.matrix, "svg"), (plot.matrix, "pdf"), (plot.scatter, "svg")])
def test_the_same_explanation_gives_the_same_bytes(kind, suffix, tmp_path):
    paths = tmp_path / f"one.{suffix}", tmp_path / f"two.{suffix}"
    for path in paths:
        plot.save(kind(mixed()), path)
    assert paths[0].read_bytes() == paths[1].read_bytes()


SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("kind", KINDS)
def test_an_svg_can_be_read_aloud(kind, tmp_path):
    plot.save(drawn(mixed, kind), tmp_path / "why.svg")
    root = ET.parse(tmp_path / "why.svg").getroot()
    assert root.get("role") == "img"
    assert [child.tag for child in root][:2] == [f"{SVG}title", f"{SVG}desc"]
    assert root[0].text.endswith(f"prediction {mixed().prediction}")
    assert root[1].text == mixed().summary()


@pytest.mark.parametrize("case", [nasty, long_labels])
def test_names_from_data_stay_text_in_an_svg(case, tmp_path):
    name = "</desc></title><script>alert(1)</script>&"
    for explanation in (case(), invented([name, "b"], [name, "x"], [name, "y"], 8)):
        plot.save(plot.scatter(explanation), tmp_path / "why.svg")
        root = ET.parse(tmp_path / "why.svg").getroot()
        assert root.find(f".//{SVG}script") is None
        assert len(root[0].text) < 300
        assert len(root[1].text) < 10_000
    assert root[0].text.endswith(f"“{name}”")


def test_pictures_and_documents_say_what_they_show(tmp_path):
    from PIL import Image

    for suffix in ("png", "pdf"):
        plot.save(drawn(loans, plot.matrix), tmp_path / f"why.{suffix}")
    with Image.open(tmp_path / "why.png") as picture:
        assert picture.text["Description"] == loans().summary()
        assert picture.text["Title"].endswith(f"prediction {loans().prediction}")
    document = (tmp_path / "why.pdf").read_bytes()
    assert b"/Title (Rules that explain the prediction" in document
    assert b"/Subject" in document
    assert b"/CreationDate" not in document


def test_a_figure_without_label_is_saved_too(tmp_path):
    figure = plot.scatter(nothing())
    figure.set_label("")
    plot.save(figure, tmp_path / "why.svg")
    assert b"<title>" not in (tmp_path / "why.svg").read_bytes()


def test_a_file_without_suffix_is_saved_as_it_is_told(tmp_path):
    plot.save(drawn(nothing, plot.scatter), tmp_path / ".why.svg.123", "svg")
    assert b"<svg" in (tmp_path / ".why.svg.123").read_bytes()


def test_other_ways_of_drawing_do_not_warn_either():
    for kind in (plot.matrix, plot.scatter):
        drawn(nasty, kind).savefig(io.BytesIO(), format="png", dpi=50)


def test_nothing_global_is_touched():
    program = """
import sys
from lormika import Explanation
from lormika.views import plot
assert "matplotlib" not in sys.modules
explanation = Explanation.from_json(sys.stdin.read())
import matplotlib
def settings():  # to look at the backend is to choose one
    return {name: matplotlib.rcParams[name] for name in matplotlib.rcParams if name != "backend"}
before = settings()
for kind in plot.matrix, plot.scatter:
    plot.save(kind(explanation), "/dev/null", "svg")
assert settings() == before
assert "matplotlib.pyplot" not in sys.modules
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        input=loans().to_json().encode(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.parametrize("kind", KINDS)
def test_the_readers_settings_do_no_harm(kind):
    odd = {"figure.autolayout": True, "text.color": "red", "font.size": 30, "font.family": "serif", "axes.grid": True}
    with matplotlib.rc_context(odd):
        assert_tidy(kind(mixed()))


def test_without_matplotlib_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match=r"lormika\[plot\]"):
        plot.matrix(loans())


# The matrix


def test_matrix_names_kinds_figures_and_values():
    explanation = loans()
    text = said(plot.matrix(explanation))
    for words in (
        "Why “",
        "Speaks against",
        "More certain if …",
        "Would turn if …",
        "current supporting",
        "counterfactual",
    ):
        assert words in text
    for found in explanation.rules:
        for measure in (
            percent(found.confidence),
            percent(found.coverage),
            f"{found.lift:.2f}",
            f"{found.leverage:.3f}",
        ):
            assert measure in text.split("\n")
        for condition in found.conditions:
            assert condition_label(condition) in text.split("\n")
            assert format_value(explanation.instance[condition.feature]) in text.split("\n")


def test_matrix_has_a_bar_for_each_condition_and_confidence():
    for make in (loans, mixed, categorical, missing):
        rules, found = make().rules, bars(drawn(make, plot.matrix))
        drawn_bars = [bool(rule.counts.antecedent) + len(rule.conditions) for rule in rules]  # else no confidence
        assert len(found) == sum(drawn_bars)
        hypothetical = [rule for rule in rules if not rule.category.is_current]
        hatched = [bar for bar in found if bar.get_hatch()]
        assert len(hypothetical) <= len(hatched) <= sum(len(rule.conditions) for rule in hypothetical)
        against = sum(n for n, rule in zip(drawn_bars, rules, strict=True) if not rule.category.is_supporting)
        assert sum(to_hex(bar.get_edgecolor()) == ORANGE for bar in found) == against


def test_a_line_runs_through_the_bars_that_are_true_now():
    for make in (loans, mixed, categorical, missing):
        figure, kinds = drawn(make, plot.matrix), {f.name: f.kind for f in make().features}
        lines = [line.get_xdata()[0] for line in uprights(figure)]
        used = {feature for rule in make().rules for feature in rule.features}
        assert len(lines) == sum(kinds[feature] == "numeric" for feature in used)
        for bar in condition_bars(figure)[0]:
            through = any(bar.get_x() <= x <= bar.get_x() + bar.get_width() for x in lines)
            assert through != bool(bar.get_hatch())


@pytest.mark.parametrize("case", CASES)
def test_no_line_strikes_through_a_text(case):
    figure = drawn(case, plot.matrix)
    boxes = [text.get_window_extent() for text in texts(figure)]
    to_pixels = figure.axes[0].transData.transform
    for line in figure.findobj(Line2D):
        if line.get_zorder() in (1.5, 3):
            ends = to_pixels(np.column_stack(line.get_data()))
            for (x, start), (_, end) in zip(ends[::3], ends[1::3], strict=True):
                low, high = sorted((start, end))
                assert not any(box.x0 < x < box.x1 and low < box.y1 and box.y0 < high for box in boxes)


def test_bars_of_categories_are_as_wide_as_their_column():
    found = condition_bars(drawn(categorical, plot.matrix))[1]
    assert {bool(bar.get_hatch()) for bar in found} == {True, False}
    used = {feature for rule in categorical().rules for feature in rule.features}
    assert len({(bar.get_x(), bar.get_width()) for bar in found}) == len(used)


def test_the_tick_is_explained():
    text = said(drawn(loans, plot.matrix))
    assert "│ = share of all\nsimilar rows" in text
    assert "without the rule" not in text


def test_a_kind_without_rules_says_so():
    assert said(drawn(nothing, plot.matrix)).count("none found") == 4
    assert said(drawn(empty_kinds, plot.matrix)).count("none found") >= 2


def test_reruns_have_their_verdicts():
    lines = said(drawn(loans, plot.matrix)).split("\n")
    reruns = [found for found in loans().rules if found.rerun is not None]
    assert reruns
    for found in reruns:
        reply = Reading.of(loans()).answer(found)
        assert f"{reply.certainty.split(' → ')[1]} {reply.mark}" in lines


def test_reruns_say_what_was_changed():
    for make in (loans, mixed, categorical, missing):
        text = said(drawn(make, plot.matrix)).replace("\n", " ")
        edits = [edit for found in make().rules if found.rerun for edit in found.rerun.edits]
        assert edits
        for edit in edits:
            assert str(edit) in text or f"→ {format_value(edit.after)}" in text


def test_an_endless_name_does_not_hide_the_new_value():
    explanation = invented([LONG, "b"], ["yes", "no"], ["x", "y"], 8)
    edits = (Edit(LONG, "x", "y"),)
    rules = [
        replace(found, rerun=replace(found.rerun, edits=edits))
        for found in explanation.rules
        if found.rerun is not None
    ]
    figure = plot.matrix(replace(explanation, rules=tuple(rules)))
    assert_tidy(figure)
    assert "→ y" in said(figure).split("\n")


def test_what_the_model_says_now_is_told():
    reruns = [found.rerun for found in seven_classes().rules if found.rerun and found.rerun.turned]
    assert reruns
    for rerun in reruns:
        assert f"now {rerun.label}"[:12] in said(drawn(seven_classes, plot.matrix))


def test_text_is_shown_as_it_is():
    text = said(plot.matrix(invented(["$x^2$", "_", "{{7*7}}", "%s"], ["yes", "$n_0$"], ["$y$", "{0}", "\\alpha"], 12)))
    for word in ("$x^2$", "{{7*7}}", "%s", "⇒ $n_0$", "$y$", "{0}", "\\alpha"):
        assert word in text.split("\n")


def test_figures_grow_with_rules_and_features():
    small = plot.matrix(replace(loans(), rules=loans().rules[:1])).get_size_inches()
    large = drawn(many, plot.matrix).get_size_inches()
    assert (large > 2 * small).all()


# The scatter


def test_scatter_has_a_dot_for_each_rule():
    rules = seven_classes().rules
    axes = plot.scatter(seven_classes()).axes[0]
    dots = [line for line in axes.lines if line.get_marker() == "o"]
    assert len(dots) == len(rules)
    for dot, found in zip(dots, rules, strict=True):
        counts = found.counts
        assert dot.get_xdata()[0] == counts.antecedent / counts.rows
        assert dot.get_ydata()[0] == counts.both / counts.antecedent
        assert to_hex(dot.get_color()) == (BLUE if found.category.is_supporting else ORANGE)
        assert (dot.get_markerfacecolor() == "none") == (not found.category.is_current)


def test_leverage_is_equal_along_each_dashed_line():
    shares = {rule.consequent: rule.counts.consequent / rule.counts.rows for rule in loans().rules}
    curves = [line for line in plot.scatter(loans()).axes[0].lines if line.get_linestyle() == "--"]
    assert len(curves) >= len(shares)
    for curve in curves:
        xs, ys = (np.asarray(data) for data in curve.get_data())
        assert any(np.ptp(xs * (ys - share)) < 1e-9 for share in shares.values())


def test_axes_are_in_per_cent():
    axes = drawn(loans, plot.scatter).axes[0]
    axes.figure.draw_without_rendering()
    for label in (*axes.get_xticklabels(), *axes.get_yticklabels()):
        assert label.get_text().endswith("%")
    assert math.isclose(axes.get_xlim()[0], 0)

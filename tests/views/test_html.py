"""The HTML view: escaped, self-contained, small, and a deliberate look."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest

from cases import CASES, HOSTILE
from lormika import Explainer, Explanation, Note
from lormika.rule import Category, Edit
from lormika.views.narrative import narrate
from lormika.views.reading import Reading
from lormika.views.words import HEADINGS, leverage

GOLDEN = Path(__file__).parents[1] / "golden"
VOID = {"meta", "wbr", "br"}


class Reader(HTMLParser):
    """Collects text and attributes, and checks that elements are closed in order."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.text += data


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert not reader.open
    return reader


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("page", [True, False])
def test_it_is_well_formed_and_needs_no_script_and_no_network(name, page):
    html = CASES[name]().to_html(page)
    reader = read(html)
    assert reader.tags.isdisjoint({"script", "img", "link", "iframe", "object", "embed", "a", "form"})
    for attribute, value in reader.attributes:
        assert not attribute.startswith("on"), attribute
        assert attribute not in ("src", "href", "action"), attribute
        if attribute == "style":
            assert "url(" not in (value or "")
    assert len(html.encode()) < 250_000


@pytest.mark.parametrize("name", [name for name in CASES if name != "hostile"])
def test_all_rules_and_figures_are_there(name):
    explanation = CASES[name]()
    text = re.sub(r"\s+", " ", read(explanation.to_html()).text)
    for rule in explanation.rules:
        assert str(rule) in text
        assert leverage(rule) in text
        for edit in rule.rerun.edits if rule.rerun is not None else ():
            assert str(edit) in text
    for note in explanation.notes:
        assert note.text in text
    story = narrate(Reading.of(explanation))
    for part in (story.reasons, story.changes, story.checked):
        assert "".join(span.text for span in part) in text


def test_what_comes_from_data_is_shown_as_text():
    reader = read(CASES["hostile"]().to_html())
    for name in HOSTILE[:3]:
        assert name in reader.text
    assert "49" not in re.findall(r"\{\{.*?\}\}", reader.text)


def test_both_values_of_a_change_are_whole():
    explanation = CASES["confirmed"]()
    rule = explanation.counterfactual[0]
    edits = (Edit("employment", "a → b", "c → d"),)
    rules = (replace(rule, rerun=replace(rule.rerun, edits=edits)),)
    html = replace(explanation, rules=rules).to_html(page=False)
    assert "<bdi>employment</bdi> <bdi>“a → b”</bdi> → <bdi>“c → d”</bdi>" in html


def test_lines_of_equal_leverage_are_whole():
    explanation = CASES["binary"]()
    paths = re.findall(r'<polyline points="([^"]*)"', explanation.to_html())
    assert len(paths) == 6  # three for each class
    for path in paths:
        pairs = [tuple(map(float, pair.split(","))) for pair in path.split()]
        assert max(x for x, _ in pairs) == 530  # the right edge


@pytest.mark.parametrize("name", ["binary", "confirmed", "margin", "no_single"])
def test_an_arrow_ends_where_the_model_does(name):
    explanation = CASES[name]()
    reading = Reading.of(explanation)
    arrows = re.findall(r'<i style="left: ([\d.]+)%"></i><u style="left: ([\d.]+)%">', explanation.to_html(page=False))
    replies = [reply for reply in map(reading.answer, explanation.rules) if reply is not None]
    ends = [(reading.scale.place(reply.before), reading.scale.place(reply.after)) for reply in replies]
    assert ends
    assert arrows == [(f"{100 * before:.1f}", f"{100 * after:.1f}") for before, after in ends]


def test_a_model_without_certainty_has_no_arrows():
    html = CASES["label"]().to_html(page=False)
    assert 'class="run' not in html
    assert "changes turn the prediction" in read(html).text


def test_every_confirmed_rule_says_so():
    for name in ("confirmed", "margin", "no_single", "rare"):
        explanation = CASES[name]()
        text = read(explanation.to_html(page=False)).text
        for rule in explanation.rules:
            turns = rule.category == Category.COUNTERFACTUAL
            several = rule.check.asked > 1
            count = f" {rule.check} ways" if turns and several else f"{rule.check} " if several else ""
            words = f"turned{count}" if turns else f"{count}agree{'' if several else 's'}"
            assert f"✔ {words}" in text
    assert "no similar row has this" in text
    assert "weak: found by asking the model" in text


def test_strips_show_where_the_prediction_turns():
    explanation = CASES["confirmed"]()
    html = explanation.to_html(page=False)
    pieces = re.findall(r'<b class="(for|against)" title="[^"]*" style="left: ([\d.]+)%; width: ([\d.]+)%', html)
    numeric = {f.name for f in explanation.features if f.kind == "numeric"}
    effects = [e for e in explanation.effects if e.feature in numeric]
    turned = sum(label != explanation.prediction for effect in effects for label in effect.labels)
    assert 0 < sum(tone == "against" for tone, _, _ in pieces) <= turned  # those that look the same are one
    assert sum(float(width) for _, _, width in pieces) == pytest.approx(100 * len(effects), abs=1)
    assert "turns at ≥ 6.1" in read(html).text
    assert 'class="ruler"><b style="left:' in html  # where the feature alone turns it, in the matrix


def test_without_confirmation_nothing_is_said_of_effects():
    explanation = CASES["confirmed"]()
    plain = replace(explanation, effects=(), asked=None, rules=tuple(replace(r, check=None) for r in explanation.rules))
    text = read(plain.to_html()).text
    assert "What this prediction depends on" not in text
    assert "Every rule here" not in text


def test_definitions_are_within_reach_of_the_keyboard():
    html = CASES["binary"]().to_html(page=False)
    assert len(re.findall(r'<abbr tabindex="0" title="[^"]{20,}"', html)) == html.count("<abbr") == 1
    for name in ("coverage", "lift", "leverage", "p-value", "what the model said"):
        assert f"<dt>{name}</dt>" in html


def test_an_empty_kind_says_why():
    explanation = CASES["empty_kind"]()
    reasons = [note for note in explanation.notes if note.category is not None]
    assert reasons
    text = read(explanation.to_html(page=False)).text
    for reason in reasons:
        assert text.count(reason.text) == 1


def test_a_note_stands_with_the_kind_that_it_is_about_whatever_its_words():
    explanation = replace(CASES["confirmed"](), rules=CASES["confirmed"]().current_supporting)
    about = Note("Nothing speaks against it, really.", Category.CURRENT_CONTRADICTING)
    other = Note("No hypothetical supporting rule can tell what the weather will be.")
    html = replace(explanation, notes=(about, other)).to_html(page=False)
    groups, _, end = html.partition('<ul class="notes">')
    sections = dict(zip(HEADINGS, groups.split("<section")[1:], strict=True))
    assert about.text in sections[Category.CURRENT_CONTRADICTING]
    assert html.count(about.text) == html.count(other.text) == 1
    assert other.text in end
    assert "No rule of this kind was found." in sections[Category.HYPOTHETICAL_SUPPORTING]


def test_notebooks_get_html_and_text():
    explanation = CASES["binary"]()
    bundle = explanation._repr_mimebundle_()
    assert bundle["text/html"] == explanation._repr_html_() == explanation.to_html(page=False)
    assert bundle["text/plain"] == str(explanation)


def test_saved_report_is_the_page(tmp_path):
    explanation = CASES["binary"]()
    assert explanation.save(tmp_path / "why.html").read_text(encoding="utf-8") == explanation.to_html()


def test_the_look_is_deliberate():
    """To change the look, run this test with LORMIKA_UPDATE_GOLDEN=1 and read the diff."""
    explanation = Explanation.from_dict(json.loads((GOLDEN / "explanation.json").read_text(encoding="utf-8")))
    html = explanation.to_html()
    if os.environ.get("LORMIKA_UPDATE_GOLDEN"):
        (GOLDEN / "explanation.html").write_text(html, encoding="utf-8")
    assert html == (GOLDEN / "explanation.html").read_text(encoding="utf-8")


def luminance(colour: str) -> float:
    digits = colour.lstrip("#")
    digits = "".join(2 * d for d in digits) if len(digits) == 3 else digits
    channels = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_enough_contrast(scheme):
    css = CASES["binary"]().to_html(page=False)
    block = re.search(rf"color-scheme: {scheme};(.*?)\}}", css, re.S)[1]
    colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{3,6})", block))
    inks = {"text", "faded", "good", "bad", "strong"}
    shown = {"page": inks | {"for", "against"}, "for-band": inks | {"for"}, "against-band": inks | {"against"}}
    shown |= {"for-hatch": {"text"}, "against-hatch": {"text"}, "for": {"on"}, "against": {"on"}, "text": {"page"}}
    for behind, all_inks in shown.items():
        for ink in all_inks:
            bright, dim = sorted([luminance(colours[ink]), luminance(colours[behind])], reverse=True)
            assert (bright + 0.05) / (dim + 0.05) >= 4.5, f"{ink} on {behind}"


def test_of_many_categories_some_are_shown():
    X = pd.DataFrame({"day": [f"day {i % 80:02}" for i in range(400)], "x": [float(i % 9) for i in range(400)]})
    model = lambda frame: ((frame["day"] > "day 70") | (frame["x"] > 6)).to_numpy()  # noqa: E731
    explanation = Explainer(model, X, n_generated=100).explain({"day": "day 10", "x": 1.0})
    (effect,) = [effect for effect in explanation.effects if effect.feature == "day"]
    page = explanation.to_html()
    assert page.count('<span class="choice ') == 4
    assert f"… {len(effect.values) + 1 - 4} others" in page

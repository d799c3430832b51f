"""The HTML view: escaped, self-contained, small, and a deliberate look."""

from __future__ import annotations

import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from cases import CASES, HOSTILE
from lormika import Explanation
from lormika.values import format_value

GOLDEN = Path(__file__).parent / "golden"
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
    assert len(html.encode()) < 200_000


@pytest.mark.parametrize("name", [name for name in CASES if name != "hostile"])
def test_all_rules_and_figures_are_there(name):
    explanation = CASES[name]()
    text = re.sub(r"\s+", " ", read(explanation.to_html()).text)
    for rule in explanation.rules:
        assert str(rule) in text
        assert f"{rule.leverage:.3f}" in text
        for edit in rule.rerun.edits if rule.rerun is not None else ():
            assert f"{edit.feature} {format_value(edit.before)} → {format_value(edit.after)}" in text
    for note in explanation.notes:
        assert note in text
    assert explanation.summary() in text


def test_what_comes_from_data_is_shown_as_text():
    reader = read(CASES["hostile"]().to_html())
    for name in HOSTILE[:3]:
        assert name in reader.text
    assert "49" not in re.findall(r"\{\{.*?\}\}", reader.text)


def test_lines_of_equal_leverage_are_whole():
    explanation = CASES["binary"]()
    paths = re.findall(r'<polyline points="([^"]*)"', explanation.to_html())
    assert len(paths) == 6  # three for each class
    for path in paths:
        pairs = [tuple(map(float, pair.split(","))) for pair in path.split()]
        assert max(x for x, _ in pairs) == 530  # the right edge


def test_the_arrow_of_a_rerun_ends_where_the_model_does():
    explanation = CASES["binary"]()
    arrows = re.findall(r'<i style="left: ([\d.]+)%"></i><u style="left: ([\d.]+)%">', explanation.to_html(page=False))
    reruns = [rule.rerun for rule in explanation.rules if rule.rerun is not None]
    assert reruns
    assert arrows == [(f"{100 * explanation.probability:.1f}", f"{100 * r.probability:.1f}") for r in reruns]


def test_definitions_are_within_reach_of_the_keyboard():
    html = CASES["binary"]().to_html(page=False)
    assert len(re.findall(r'<abbr tabindex="0" title="[^"]{20,}"', html)) == 5


def test_an_empty_kind_says_why():
    explanation = CASES["empty_kind"]()
    reasons = [note for note in explanation.notes if note.startswith("No ")]
    assert reasons
    text = read(explanation.to_html(page=False)).text
    for reason in reasons:
        assert text.count(reason) == 1


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
    for behind, all_inks in shown.items():
        for ink in all_inks:
            bright, dim = sorted([luminance(colours[ink]), luminance(colours[behind])], reverse=True)
            assert (bright + 0.05) / (dim + 0.05) >= 4.5, f"{ink} on {behind}"

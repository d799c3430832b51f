"""The HTML view in a real browser: nothing overlaps, nothing is cut off, nothing runs, nothing leaves the page."""

from __future__ import annotations

import re

import pytest

from browser import DARK, LIGHT, Browser
from cases import CASES
from lacking import lacks


@pytest.mark.parametrize(("width", "dark"), [(860, False), (1440, True), (1440, False), (860, True)])
@pytest.mark.parametrize("name", CASES)
def test_no_text_overlaps_or_is_cut_off(name, width, dark, browser):
    result = browser.visit(CASES[name]().to_html(), width, dark)
    assert result["faults"] == []
    assert result["width"] == width
    assert result["pieces"] > 30
    assert result["colour"] == (DARK if dark else LIGHT)
    assert result["requests"] == []


@pytest.mark.parametrize("name", ["binary", "many", "confirmed", "margin", "no_single"])
def test_a_phone_shows_it_too(name, browser):
    assert browser.visit(CASES[name]().to_html(), 500)["faults"] == []


@pytest.mark.parametrize("name", ["binary", "hostile"])
def test_a_notebook_shows_it_too(name, browser):
    fragment = f'<body style="margin: 0">{CASES[name]().to_html(page=False)}'
    result = browser.visit(fragment, 860, dark=True)
    assert result["faults"] == []
    assert result["title"] == "", "a script from the data has run"
    assert result["requests"] == []


@pytest.mark.parametrize("theme", ["true", "false"])
def test_a_notebooks_theme_goes_before_the_systems(theme, browser):
    fragment = CASES["binary"]().to_html(page=False)
    shown = f'<body data-jp-theme-light="{theme}" style="margin: 0">{fragment}'
    assert browser.visit(shown, 860, dark=theme == "true")["colour"] == {"true": LIGHT, "false": DARK}[theme]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_theme_of_a_site_goes_before_the_systems_and_its_cards_are_not_ours(theme, browser):
    fragment = CASES["binary"]().to_html(page=False)
    foreign = "<style>.card { background: rgb(1, 2, 3); color: rgb(4, 5, 6) }</style>"  # as Bootstrap has one
    shown = f'<body data-theme="{theme}" style="margin: 0">{foreign}{fragment}'
    assert browser.visit(shown, 860, dark=theme == "light")["colour"] == {"light": LIGHT, "dark": DARK}[theme]
    rule = re.search(r"\.lormika \.card \{[^}]*", fragment)[0]
    assert "background: none" in rule
    assert "color: inherit" in rule


def test_a_narrow_box_of_a_wide_window_gets_the_narrow_layout(browser):
    fragment = CASES["binary"]().to_html(page=False)
    result = browser.visit(f'<body><div style="width: 500px">{fragment}</div>', 1440)
    assert result["faults"] == []
    assert result["heading"] == "none"


def test_the_measure_finds_faults(browser):
    """The tests above can fail."""
    html = '<body><p style="position: absolute">one text</p><p style="position: absolute">another text</p>'
    html += '<div style="width: 20px; overflow: hidden; white-space: nowrap">a text that is cut off</div>'
    html += '<img src="picture.png"><script>document.title = "a script"</script>'
    result = browser.visit(html, 860)
    faults = result["faults"]
    assert any(fault.startswith("overlap") for fault in faults)
    assert any(fault.startswith("cut off") for fault in faults)
    assert [url.rpartition("/")[2] for url in result["requests"]] == ["picture.png"]
    assert result["title"] == "a script"


def test_without_a_browser_tests_are_skipped_but_fail_in_ci(monkeypatch):
    for value in ("", "false", "true"):
        monkeypatch.setenv("CI", value)
        outcome = pytest.fail if value == "true" else pytest.skip
        with pytest.raises(outcome.Exception, match="no browser"):
            lacks("no browser")


def test_ci_is_told_of_a_missing_browser(monkeypatch, tmp_path):
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(pytest.fail.Exception, match="apt-get install chromium-headless-shell"):
        Browser(tmp_path)

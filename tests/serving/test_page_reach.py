"""The page in a browser: on a phone, in the dark, by keyboard alone, and for those who hear it."""

import os
import re
from importlib.resources import files
from pathlib import Path

import pytest

from lormika.views.html import board_styles

CHANGED = {"row": 3, "edits": {"savings": 9.5, "job": "employed"}, "locks": {"age": "fixed"}}
STATES = {"plain": {}, "changed": CHANGED, "compared": {"row": 3, "compared": {"row": 5, "edits": {}}}}


def unfold(page):
    page.tab.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")


@pytest.mark.parametrize("state", STATES.values(), ids=list(STATES))
@pytest.mark.parametrize("width", [360, 800, 1100, 1440])
def test_nothing_is_wider_than_the_window(show, client, width, state):
    page = show(client.server, width, 740, **state)
    unfold(page)
    content, window = page.wide()
    assert content <= window
    outside = page.tab.run(
        """[...document.querySelectorAll('button, input, select, h2, p, td')].filter((one) => {
        const box = one.getBoundingClientRect();
        return box.width > 1 && (box.right > innerWidth + 1 || box.left < -1)
          && !one.closest('.scroll, .unseen, .skip, [popover]'); }).map((one) => one.outerHTML.slice(0, 120))"""
    )
    assert [one for one in outside if "skip" not in one] == []


def test_dark_and_light(show, client):
    ground = "getComputedStyle(document.body).backgroundColor"
    text = "getComputedStyle(document.body).color"
    light, dark = show(client.server), show(client.server, dark=True)
    assert sum(map(int, re.findall(r"\d+", light.tab.run(ground)))) > 700
    assert sum(map(int, re.findall(r"\d+", dark.tab.run(ground)))) < 100
    assert sum(map(int, re.findall(r"\d+", dark.tab.run(text)))) > 600
    board = "getComputedStyle(document.querySelector('.board .lormika')).color"
    assert dark.tab.run(board) == dark.tab.run(text)


def test_colours_are_those_of_the_report():
    names = r"(--(?:text|faded|line|track|page|strong|for|against|good|bad|on)[a-z-]*): (#\w+)"
    own = (files("lormika.serving") / "page" / "page.css").read_text()
    light, dark = own.split("prefers-color-scheme: dark", 1)
    report_light, report_dark = board_styles().split("prefers-color-scheme: dark", 1)
    for mine, theirs in ((light, report_light), (dark.partition("}")[0], report_dark.partition("}")[0])):
        found = dict(re.findall(names, theirs.partition("font:")[0]))
        assert len(found) >= 15
        assert found.items() <= dict(re.findall(names, mine)).items()


def focused(page):
    return page.tab.run("document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText ?? ''")


def tab_to(page, wanted, most=200):
    """Press Tab until something has the focus; what has it must be seen to have it."""
    for _ in range(most):
        page.tab.press("Tab")
        if re.fullmatch(wanted, focused(page) or ""):
            ring = page.tab.run(
                "(getComputedStyle(document.activeElement).outlineStyle + "
                "getComputedStyle(document.activeElement.parentElement).outlineStyle)"
            )
            assert ring != "nonenone"
            return
    raise AssertionError(f"Tab does not reach {wanted!r}")


def test_all_by_keyboard(page, client):
    page.tab.press("/")
    page.tab.until("document.activeElement.type === 'search'")
    page.tab.type("17")
    page.tab.press("Enter")
    page.tab.until("location.hash.includes('row=17&')")
    page.settle()
    tab_to(page, "savings")
    before = client.fetch("cases/17")["values"]["savings"]
    page.tab.press("ArrowRight")
    page.tab.until("location.hash.includes('edits')")
    page.settle()
    assert page.state()["edits"]["savings"] > (before or 0)
    page.tab.press("u")
    page.settle()
    assert "edits" not in page.state()
    tab_to(page, "Apply: .*")
    page.tab.press("Enter")
    page.tab.until("location.hash.includes('edits')")
    page.settle()
    page.tab.press("r")
    page.settle()
    assert "edits" not in page.state()
    page.tab.press("?")
    page.tab.until("document.querySelector('dialog[open]')")
    assert "undo" in page.tab.text("dialog .keys")
    page.tab.press("Escape")
    page.tab.until("!document.querySelector('dialog')")


def test_the_list_by_keyboard(page):
    page.click(".case[data-row='4']")
    page.tab.press("j")
    page.settle()
    assert page.state()["row"] == 5
    page.tab.press("j")  # which is on the next page
    page.tab.until("location.hash.includes('row=6&')")
    page.settle()
    page.tab.press("k")
    page.tab.until("location.hash.includes('row=5&')")


def test_keys_do_nothing_in_fields_and_can_be_turned_off(page):
    page.tab.press("/")
    page.tab.type("c?m")
    assert page.tab.run("document.activeElement.value") == "c?m"
    assert page.tab.run("document.querySelectorAll('dialog').length") == 0
    page.tab.run("document.activeElement.blur()")
    page.tab.press("?")
    page.tab.click("dialog .switch input")
    page.tab.press("Escape")
    page.tab.until("!document.querySelector('dialog')")
    page.tab.press("c")
    assert page.tab.run("document.querySelectorAll('dialog').length") == 0
    page.tab.run("localStorage.clear()")


def test_landmarks_and_the_live_region(page):
    for place in ("header", "[role=search]", "main", "nav", "[role=status]", "h1"):
        assert page.tab.run(f"document.querySelectorAll('{place}').length") > 0, place
    assert page.tab.run("document.title").startswith("loans.csv")
    page.choose(f"{page.feature('savings')} input[type=number]", "11")
    assert page.tab.text("#live").startswith("Now ")


def axe_source() -> str:
    place = os.environ.get("LORMIKA_AXE", "")
    if not place or not Path(place).is_file():
        pytest.skip("there is no axe-core: npm install axe-core, and LORMIKA_AXE=…/axe-core/axe.min.js")
    return Path(place).read_text(encoding="utf-8")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("state", STATES.values(), ids=list(STATES))
def test_axe_finds_nothing_serious(show, client, state, dark):
    source = axe_source()
    page = show(client.server, dark=dark, **state)
    unfold(page)
    page.tab.run("document.getAnimations().forEach((one) => one.finish())")
    page.tab.run(source)  # told by the developer tools, which no policy binds
    script = """axe.run(document, {resultTypes: ['violations']}).then(({violations}) => violations.filter(
        ({impact}) => ['serious', 'critical'].includes(impact)).map(({id, nodes}) =>
        [id, nodes.slice(0, 4).map((one) => one.html.slice(0, 160) + ' ' + one.failureSummary.slice(0, 200))]))"""
    assert page.tab.run(script) == []


@pytest.mark.parametrize("key", ["?", "m", "c"])
def test_axe_finds_nothing_serious_in_dialogs(page, key):
    source = axe_source()
    page.tab.press(key)
    page.tab.until("document.querySelector('dialog[open]')")
    page.tab.run(source)
    script = """axe.run(document.querySelector('dialog'), {resultTypes: ['violations']}).then(({violations}) =>
        violations.filter(({impact}) => ['serious', 'critical'].includes(impact)).map(
        ({id, nodes}) => [id, nodes[0].html]))"""
    assert page.tab.run(script) == []

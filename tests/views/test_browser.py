"""The HTML view in a real browser: nothing overlaps, nothing is cut off, nothing runs, nothing leaves the page."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import unescape

import pytest

from cases import CASES

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt-get install chromium")

LIGHT, DARK = "rgb(27, 39, 51)", "rgb(228, 233, 238)"

# Every piece of text that is on screen, with its box. Two pieces may not share more than a pixel, none may leave the
# page (unless a box scrolls), and none may be wider than an element that cuts it off, unless its title says all.
MEASURE = r"""
const boxes = [], faults = [];
document.querySelectorAll("details").forEach(e => e.open = true);
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode, parent = node.parentElement;
  if (!node.data.trim() || parent.closest("style, script, title, .unseen")) continue;
  const range = document.createRange();
  range.selectNodeContents(node);
  for (const box of range.getClientRects())
    if (box.width > 1 && box.height > 1) boxes.push({text: node.data.trim().slice(0, 40), box, parent});
}
const width = document.documentElement.clientWidth;
for (const {text, box, parent} of boxes) {
  if ((box.left < -1 || box.right > width + 1) && !parent.closest(".scroll")) faults.push(`outside the page: ${text}`);
  for (let e = parent; e && e !== document.body; e = e.parentElement)
    if (getComputedStyle(e).overflowX === "hidden" && e.scrollWidth > e.clientWidth + 1 && !e.title)
      faults.push(`cut off: ${text}`);
}
for (let i = 0; i < boxes.length; i++)
  for (let j = i + 1; j < boxes.length; j++) {
    const a = boxes[i].box, b = boxes[j].box;
    if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1.5 &&
        Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3)
      faults.push(`overlap: ${boxes[i].text} | ${boxes[j].text}`);
  }
const result = {faults: faults.slice(0, 20), pieces: boxes.length, title: document.title,
                colour: getComputedStyle(document.querySelector(".lormika") || document.body).color,
                heading: getComputedStyle(document.querySelector(".head") || document.body).display,
                requests: performance.getEntriesByType("resource").map(e => e.name)};
document.body.innerHTML = "";
document.body.dataset.result = JSON.stringify(result);
"""


def visit(html: str, tmp_path, width: int, dark: bool = False) -> dict:
    """Open a page that measures itself, and read what it found."""
    page = tmp_path / "page.html"
    html = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", html)  # it would forbid the measuring
    page.write_text(f'<!DOCTYPE html><meta charset="utf-8">{html}<script>{MEASURE}</script>', encoding="utf-8")
    command = [
        CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        f"--user-data-dir={tmp_path / 'profile'}", f"--window-size={width},1000", "--hide-scrollbars",
        f"--blink-settings=preferredColorScheme={0 if dark else 1}", "--dump-dom", page.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    found = re.search(r'data-result="([^"]*)"', done.stdout)
    assert found, done.stdout[-500:]
    return json.loads(unescape(found.group(1)))


@pytest.mark.parametrize(("width", "dark"), [(860, False), (1440, True), (1440, False), (860, True)])
@pytest.mark.parametrize("name", CASES)
def test_no_text_overlaps_or_is_cut_off(name, width, dark, tmp_path):
    result = visit(CASES[name]().to_html(), tmp_path, width, dark)
    assert result["faults"] == []
    assert result["pieces"] > 30
    assert result["colour"] == (DARK if dark else LIGHT)
    assert result["requests"] == []


@pytest.mark.parametrize("name", ["binary", "many", "confirmed", "margin", "no_single"])
def test_a_phone_shows_it_too(name, tmp_path):
    assert visit(CASES[name]().to_html(), tmp_path, 500)["faults"] == []


@pytest.mark.parametrize("name", ["binary", "hostile"])
def test_a_notebook_shows_it_too(name, tmp_path):
    fragment = f'<body style="margin: 0">{CASES[name]().to_html(page=False)}'
    result = visit(fragment, tmp_path, 860, dark=True)
    assert result["faults"] == []
    assert result["title"] == "", "a script from the data has run"
    assert result["requests"] == []


@pytest.mark.parametrize("theme", ["true", "false"])
def test_a_notebooks_theme_goes_before_the_systems(theme, tmp_path):
    fragment = CASES["binary"]().to_html(page=False)
    shown = f'<body data-jp-theme-light="{theme}" style="margin: 0">{fragment}'
    assert visit(shown, tmp_path, 860, dark=theme == "true")["colour"] == {"true": LIGHT, "false": DARK}[theme]


def test_a_narrow_box_of_a_wide_window_gets_the_narrow_layout(tmp_path):
    fragment = CASES["binary"]().to_html(page=False)
    result = visit(f'<body><div style="width: 500px">{fragment}</div>', tmp_path, 1440)
    assert result["faults"] == []
    assert result["heading"] == "none"


def test_the_measure_finds_faults(tmp_path):
    """The tests above can fail."""
    html = '<body><p style="position: absolute">one text</p><p style="position: absolute">another text</p>'
    html += '<div style="width: 20px; overflow: hidden; white-space: nowrap">a text that is cut off</div>'
    faults = visit(html, tmp_path, 860)["faults"]
    assert any(fault.startswith("overlap") for fault in faults)
    assert any(fault.startswith("cut off") for fault in faults)

"""Takes the pictures of the documentation, with the browser of the tests: python docs/picture.py writes all of them.

`explanation.png` is the demo's report, `serve.png` the page of `lormika serve`.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from lormika.cli.app import app
from lormika.cli.output import Talk
from lormika.cli.served import demo
from lormika.serving.launch import Server
from lormika.serving.service import Service

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from browser import Browser
from tab import open_tab

DOCS = Path(__file__).parent
READY = "document.querySelector('.board .rule') && !document.querySelector('#answer[aria-busy]')"
# A lock, and the least certain rejections beside the case.
STATE = "#row=1091&k=2&locks=%7B%22age%22%3A%22fixed%22%7D"
LIST = """for (const [place, value] of [["Predicted", "rejected"], ["Order", "uncertain"]]) {
  const list = document.querySelector(`#find select[aria-label=${place}]`);
  list.value = value;
  list.dispatchEvent(new Event("change"));
}"""


def main() -> None:
    """Take all pictures."""
    with tempfile.TemporaryDirectory() as folder:
        browser = Browser(Path(folder))
        try:
            _take_report(browser, Path(folder))
            _take_page(browser)
        finally:
            browser.close()


def _take_report(browser: Browser, folder: Path) -> None:
    """The report that the demo writes."""
    app(["demo", "--out", str(folder / "report.html"), "--quiet"], standalone_mode=False)
    with open_tab(browser, 1180, 1450) as tab:
        tab.go((folder / "report.html").as_uri())
        tab.until("document.readyState == 'complete' && document.querySelector('.rule, .board')")
        tab.picture(DOCS / "explanation.png")


def _take_page(browser: Browser) -> None:
    """The page, with the demo's case open."""
    subject = demo({}, Talk(quiet=True))
    service = Service(subject.explainer, subject.rows, subject.about)
    with Server(service) as server, open_tab(browser, 1440, 1130) as tab:
        service.forecasts.join()
        tab.go(server.address + STATE)
        tab.until(READY)
        tab.run(LIST)
        tab.until("!document.querySelector('.pages').innerText.includes('of 2,000')")
        tab.picture(DOCS / "serve.png")


if __name__ == "__main__":
    main()

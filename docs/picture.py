"""Takes the picture of the page: python docs/picture.py writes docs/serve.png, with the browser of the tests."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from lormika.cli.output import Talk
from lormika.cli.served import demo
from lormika.serving.launch import Server
from lormika.serving.service import Service

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from browser import Browser
from tab import open_tab

READY = "document.querySelector('.board .rule') && !document.querySelector('#answer[aria-busy]')"
# A lock, and the least certain rejections beside the case.
STATE = "#row=1091&k=2&locks=%7B%22age%22%3A%22fixed%22%7D"
LIST = """for (const [place, value] of [["Predicted", "1"], ["Order", "uncertain"]]) {
  const list = document.querySelector(`#find select[aria-label=${place}]`);
  list.value = value;
  list.dispatchEvent(new Event("change"));
}"""


def main() -> None:
    """Serve the demo, open its page, and take the picture."""
    subject = demo({}, Talk(quiet=True))
    service = Service(subject.explainer, subject.rows, subject.about)
    with Server(service) as server, tempfile.TemporaryDirectory() as folder:
        service.forecasts.join()
        browser = Browser(Path(folder))
        try:
            with open_tab(browser, 1440, 1130) as tab:
                tab.go(server.address + STATE)
                tab.until(READY)
                tab.run(LIST)
                tab.until("!document.querySelector('.pages').innerText.includes('of 2,000')")
                tab.picture(Path(__file__).with_name("serve.png"))
        finally:
            browser.close()


if __name__ == "__main__":
    main()

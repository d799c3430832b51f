"""A browser that stays open for all pages of the tests: it is told what to do through a pipe."""

from __future__ import annotations

import fcntl
import json
import os
import re
import select
import shutil
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

from lacking import lacks

LIGHT, DARK = "rgb(27, 39, 51)", "rgb(228, 233, 238)"  # of text, on a light and on a dark page

# Every piece of text that is on screen, with its box. Two pieces may not share more than a pixel, none may leave the
# page (unless a box scrolls), and none may be wider than an element that cuts it off, unless its title says all.
MEASURE = r"""(() => {
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
const cut = new Map();  // whether an element or one around it cuts off: many pieces have the same ones
const cuts = (e) => {
  if (!e || e === document.body) return false;
  if (!cut.has(e))
    cut.set(e, cuts(e.parentElement) ||
      getComputedStyle(e).overflowX === "hidden" && e.scrollWidth > e.clientWidth + 1 && !e.title);
  return cut.get(e);
};
for (const {text, box, parent} of boxes) {
  if ((box.left < -1 || box.right > width + 1) && !parent.closest(".scroll")) faults.push(`outside the page: ${text}`);
  if (cuts(parent)) faults.push(`cut off: ${text}`);
}
boxes.sort((a, b) => a.box.top - b.box.top);  // below the end of one, no other shares anything with it
for (let i = 0; i < boxes.length; i++)
  for (let j = i + 1; j < boxes.length && boxes[j].box.top < boxes[i].box.bottom - 3; j++) {
    const a = boxes[i].box, b = boxes[j].box;
    if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1.5 &&
        Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3)
      faults.push(`overlap: ${boxes[i].text} | ${boxes[j].text}`);
  }
return {faults: faults.slice(0, 20), pieces: boxes.length, title: document.title, width,
        colour: getComputedStyle(document.querySelector(".lormika") || document.body).color,
        heading: getComputedStyle(document.querySelector(".head") || document.body).display};
})()"""

_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
_OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--hide-scrollbars", "--remote-debugging-pipe",
    # Nothing of a page of ours need be kept apart for safety: fewer processes take less time.
    "--in-process-gpu", "--enable-features=NetworkServiceInProcess2", "--disable-site-isolation-trials",
    "--renderer-process-limit=1",
)  # fmt: skip
_HANGS = 600  # seconds: no measure of anything, they end a test that would hang for ever


class Browser:
    """Chromium, and the pipe that its developer tools talk through: JSON, with a zero byte after each message."""

    def __init__(self, folder: Path) -> None:
        program = next(filter(None, map(shutil.which, _NAMES)), None)
        if program is None:
            lacks("there is no Chromium: apt-get install chromium-headless-shell, or chromium")
        self._page, self._count, self._heard = folder / "page.html", 0, b""
        self.passed: list[dict[str, Any]] = []
        self._tab: str | None = None
        (orders, self._orders), (self._answers, answers) = os.pipe(), os.pipe()
        # It reads from 3 and writes to 4: the ends must be neither of them before they are put there.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (orders, answers)]
        exchange = f'exec "$0" "$@" 3<&{ends[0]} 4>&{ends[1]}'
        self._process = subprocess.Popen(
            ["bash", "-c", exchange, program, *_OPTIONS, f"--user-data-dir={folder}"],
            pass_fds=ends, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        for end in (orders, answers, *ends):
            os.close(end)

    def visit(self, html: str, width: int, dark: bool = False) -> dict[str, Any]:
        """Open a page in a window of a width, and measure it."""
        # What it forbids would not be seen to be tried.
        html = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", html)
        self._page.write_text(f'<!DOCTYPE html><meta charset="utf-8">{html}', encoding="utf-8")
        tab = self._tab = self._tab or self._open()
        size = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
        self.ask("Emulation.setDeviceMetricsOverride", tab, **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", tab, features=[scheme])
        self.passed.clear()
        loader = self.ask("Page.navigate", tab, url=self._page.as_uri())["loaderId"]
        self._await(lambda message: message.get("method") == "Page.loadEventFired" and message["sessionId"] == tab)
        measured = self.ask("Runtime.evaluate", tab, expression=MEASURE, returnByValue=True)
        assert "exceptionDetails" not in measured, measured
        return measured["result"]["value"] | {"requests": self._requests(loader)}

    def _open(self) -> str:
        """A tab for all pages that are visited: a new one is a new process, which takes longer than a page."""
        # Nobody looks at it: where Chromium can, it lays out pages and paints none.
        answer = self.try_asking("Target.createTarget", url="about:blank", enableBeginFrameControl=True)
        answer = answer.get("result") or self.ask("Target.createTarget", url="about:blank")
        target = answer["targetId"]
        tab = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.ask("Page.enable", tab)
        self.ask("Network.enable", tab)
        return tab

    def _requests(self, loader: str) -> list[str]:
        """What a page asked for, beside itself; not what the one before it still wanted."""
        sent = [message["params"] for message in self.passed if message.get("method") == "Network.requestWillBeSent"]
        urls = [each["request"]["url"] for each in sent if each["loaderId"] == loader]
        assert urls[0] == self._page.as_uri()
        return [url for url in urls[1:] if not url.startswith("data:")]

    def ask(self, method: str, tab: str | None = None, **values: Any) -> dict[str, Any]:
        """Tell the browser to do something, and give what it answers."""
        answer = self.try_asking(method, tab, **values)
        assert "error" not in answer, answer
        return answer["result"]

    def try_asking(self, method: str, tab: str | None = None, **values: Any) -> dict[str, Any]:
        """The same, with an error as an answer."""
        self._count += 1
        order = {"id": self._count, "method": method, "params": values} | ({"sessionId": tab} if tab else {})
        os.write(self._orders, json.dumps(order).encode() + b"\0")
        return self._await(lambda message: message.get("id") == order["id"])

    def _await(self, wanted) -> dict[str, Any]:
        """The next message of a sort; those before it are kept."""
        while True:
            while b"\0" not in self._heard:
                assert select.select([self._answers], [], [], _HANGS)[0], "the browser says nothing"
                piece = os.read(self._answers, 1 << 16)
                assert piece, "the browser is gone"
                self._heard += piece
            text, _, self._heard = self._heard.partition(b"\0")
            message = json.loads(text)
            if wanted(message):
                return message
            self.passed.append(message)

    def close(self) -> None:
        """End it with all its processes."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._orders)
        os.close(self._answers)

"""A page of a server in the browser of the tests: looked at, typed into, and asked by scripts."""

from __future__ import annotations

import base64
import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from browser import Browser

_KEYS = {
    "Enter": (13, "\r"), "Tab": (9, ""), "Escape": (27, ""), " ": (32, " "), "ArrowUp": (38, ""),
    "ArrowDown": (40, ""), "ArrowLeft": (37, ""), "ArrowRight": (39, ""), "PageUp": (33, ""), "Home": (36, ""),
}  # fmt: skip
_SHIFT = 8
# Waits until an expression is true: the page's own changes wake it, and so does a short pause.
_UNTIL = """new Promise((resolve, reject) => {
  const condition = () => (%s), end = performance.now() + 60000;
  const look = () => {
    let found;
    try { found = condition(); } catch { found = false; }
    if (found) resolve(found instanceof Node ? true : found);
    else if (performance.now() > end) reject(new Error(`in vain: ${condition}; ${document.body.innerText}`));
    else setTimeout(look, 15);
  };
  look();
})"""  # 60000 ms: no measure of anything, they end a test that would hang for ever


class Tab:
    """One page."""

    def __init__(self, browser: Browser, width: int, height: int, dark: bool) -> None:
        self._browser = browser
        self._target = browser.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.ask("Target.attachToTarget", targetId=self._target, flatten=True)["sessionId"]
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.tell("Emulation.setDeviceMetricsOverride", **size)
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.tell("Emulation.setEmulatedMedia", features=scheme)
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.tell(f"{domain}.enable")

    def tell(self, method: str, **values: Any) -> dict[str, Any]:
        """Tell the browser something about this page."""
        return self._browser.ask(method, self.session, **values)

    def go(self, address: str) -> None:
        """Open an address, and wait until it is loaded."""
        self.tell("Page.navigate", url="about:blank")  # lest another # is no new page
        self._browser.passed.clear()
        answer = self.tell("Page.navigate", url=address)
        assert "errorText" not in answer, answer

    def run(self, script: str) -> Any:
        """What an expression comes to."""
        answer = self.tell(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True, userGesture=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def until(self, condition: str) -> Any:
        """Wait until an expression is true; the page may be left for another one meanwhile."""
        while True:
            answer = self._browser.try_asking(
                "Runtime.evaluate", self.session, expression=_UNTIL % condition, returnByValue=True, awaitPromise=True
            )
            if "result" in answer:
                assert "exceptionDetails" not in answer["result"], answer
                return answer["result"]["result"].get("value")

    def text(self, selector: str) -> str:
        """What an element says, on one line."""
        return self.run(f"document.querySelector({json.dumps(selector)}).innerText.replace(/\\s+/g, ' ').trim()")

    def click(self, selector: str) -> None:
        """Click on an element."""
        self.until(f"document.querySelector({json.dumps(selector)})")
        self.run(f"document.querySelector({json.dumps(selector)}).click()")

    def press(self, *keys: str, modifiers: int = 0) -> None:
        """Press keys as a hand does."""
        for key in keys:
            code, text = _KEYS.get(key, (ord(key.upper()) if len(key) == 1 else 0, key))
            about = {"key": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
            text = "" if modifiers & ~_SHIFT else text
            self.tell("Input.dispatchKeyEvent", type="keyDown", text=text, **about)
            self.tell("Input.dispatchKeyEvent", type="keyUp", **about)

    def type(self, text: str) -> None:
        """Type a text."""
        self.press(*text)

    def picture(self, path: Path, *, whole: bool = False) -> None:
        """Take a picture of what is seen, or of the whole page."""
        shot = self.tell("Page.captureScreenshot", format="png", captureBeyondViewport=whole, **self._clip(whole))
        path.write_bytes(base64.b64decode(shot["data"]))

    def _clip(self, whole: bool) -> dict[str, Any]:
        if not whole:
            return {}
        size = self.tell("Page.getLayoutMetrics")["cssContentSize"]
        return {"clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}}

    def complaints(self) -> list[str]:
        """Errors that scripts raised, and what the policy of the page forbade."""
        found = []
        for message in self._browser.passed:
            if message.get("sessionId") != self.session:
                continue
            if message["method"] == "Runtime.exceptionThrown":
                found.append(json.dumps(message["params"]["exceptionDetails"]))
            if message["method"] == "Log.entryAdded" and message["params"]["entry"]["source"] in (
                "security",
                "javascript",
            ):
                found.append(message["params"]["entry"]["text"])
        return found

    def addresses(self) -> list[str]:
        """All that was asked for."""
        sent = (one for one in self._browser.passed if one.get("method") == "Network.requestWillBeSent")
        return [one["params"]["request"]["url"] for one in sent if one.get("sessionId") == self.session]

    def close(self) -> None:
        """Close the page."""
        self._browser.ask("Target.closeTarget", targetId=self._target)


@contextmanager
def open_tab(browser: Browser, width: int = 1440, height: int = 900, *, dark: bool = False) -> Iterator[Tab]:
    """A page that is closed in the end."""
    tab = Tab(browser, width, height, dark)
    try:
        yield tab
    finally:
        tab.close()

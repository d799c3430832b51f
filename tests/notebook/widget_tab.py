"""A page of the tests' browser that stays open, and a host of a widget in it: anywidget's model, as views see it."""

from __future__ import annotations

import base64
import json
import time
from typing import Any

from browser import Browser

HANGS = 300  # seconds: no measure of anything, they end a test that would hang for ever

# The part of a notebook that a view knows: a model with traits, which tells of changes and passes on what is set.
_HOST = """<title>host</title><body><div id="cell"></div><script>
class Model {
  constructor(state) { this.state = state; this.dirty = {}; this.sent = []; this.heard = []; }
  get(name) { return this.state[name]; }
  set(name, value) { this.state[name] = value; this.dirty[name] = value; }
  save_changes() { this.sent.push(JSON.parse(JSON.stringify(this.dirty))); this.dirty = {}; }
  on(event, hear) { this.heard.push([event, hear]); }
  off(event, hear) { this.heard = this.heard.filter(([own, one]) => own !== event || one !== hear); }
  receive(state) {
    for (const [name, value] of Object.entries(state)) {
      this.state[name] = value;
      for (const [event, hear] of this.heard) if (event === `change:${name}`) hear();
    }
  }
}
async function show(code, styles, state) {
  const style = document.createElement("style");
  style.textContent = styles;
  document.head.append(style);
  window.model = new Model(state);
  const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const { default: widget } = await import(address);
  window.cleanup = widget.render({ model, el: document.getElementById("cell") });
}
const find = (name) => document.querySelector(`#cell [aria-label="${name}"]`);
function enter(name, value, event = "change") {
  const control = find(name);
  control.value = value;
  control.dispatchEvent(new Event(event, { bubbles: true }));
}
</script></body>"""


class Tab:
    """A page with a widget in it; what its view sends goes to the widget itself, and answers go back."""

    def __init__(self, browser: Browser, folder, widget, *, width: int = 900, dark: bool = False) -> None:
        self._browser, self.widget = browser, widget
        path = folder / "host.html"
        path.write_text(f'<!DOCTYPE html><meta charset="utf-8">{_HOST}', encoding="utf-8")
        ask = browser.ask
        self._target = ask("Target.createTarget", url="about:blank")["targetId"]
        self._tab = ask("Target.attachToTarget", targetId=self._target, flatten=True)["sessionId"]
        size = {"width": width, "height": 1200, "deviceScaleFactor": 1, "mobile": False}
        ask("Emulation.setDeviceMetricsOverride", self._tab, **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        ask("Emulation.setEmulatedMedia", self._tab, features=[scheme])
        ask("Page.enable", self._tab)
        ask("Page.navigate", self._tab, url=path.as_uri())
        browser._await(lambda one: one.get("method") == "Page.loadEventFired" and one["sessionId"] == self._tab)
        state = widget.get_state()
        shown = {name: state[name] for name in ("row", "rows", "changes", "features", "answer", "board", "question")}
        self.run(f"show({json.dumps(state['_esm'])}, {json.dumps(state['_css'])}, {json.dumps(shown)})")

    def run(self, code: str) -> Any:
        """The value of an expression."""
        result = self._browser.ask(
            "Runtime.evaluate", self._tab, expression=code, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def pass_on(self) -> list[dict[str, Any]]:
        """Questions that the view has sent, given to the widget as a notebook does, and its answers to the view."""
        questions = [sent["question"] for sent in self.run("model.sent.splice(0)")]
        for question in questions:
            answers: list[tuple[str, Any]] = []
            listen = lambda change, answers=answers: answers.append((change["name"], change["new"]))  # noqa: E731
            self.widget.observe(listen, ["row", "changes", "answer", "board"])
            try:
                self.widget.set_state({"question": question})
            finally:
                self.widget.unobserve(listen, ["row", "changes", "answer", "board"])
            for name, value in answers:
                self.receive(name, value)
        return questions

    def receive(self, name: str, value: object) -> None:
        """Let the view hear of a trait."""
        self.run(f"model.receive({json.dumps({name: value})})")

    def settle(self) -> list[dict[str, Any]]:
        """Pass on until the view waits for nothing."""
        passed, deadline = self.pass_on(), time.monotonic() + HANGS
        while self.run("document.querySelector('#cell .doing').textContent") != "":
            assert time.monotonic() < deadline, "the view waits for ever"
            passed += self.pass_on()
        return passed

    def text(self, selector: str) -> str:
        """The text of the first element that is selected."""
        return self.run(f"document.querySelector({json.dumps('#cell ' + selector)}).textContent")

    def picture(self, path) -> None:
        """What it looks like."""
        image = self._browser.ask("Page.captureScreenshot", self._tab, captureBeyondViewport=True)["data"]
        path.write_bytes(base64.b64decode(image))

    def close(self) -> None:
        """Close the page."""
        self._browser.ask("Target.closeTarget", targetId=self._target)

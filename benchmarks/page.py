"""How quickly the page answers in a browser: from its opening, and from a changed value, to what is on screen.

    python benchmarks/page.py --edits 200

Chromium asks a server on this machine; a value is typed into a field, and the page is watched, to the millisecond.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

import lormika
from lormika import Explainer, datasets

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from browser import Browser
from tab import Tab, open_tab

TOKEN = "a-token-for-measuring"
READY = "document.querySelector('.board .rule') && !document.querySelector('#answer[aria-busy]')"
# Types a value, and says after how many milliseconds the prediction and the reasons were replaced.
EDIT = """new Promise((resolve) => {
  const field = document.querySelector(%s), began = performance.now(), times = {};
  const note = (name) => () => {
    times[name] ??= performance.now() - began;
    if (times.explanation) { watchers.forEach((one) => one.disconnect()); requestAnimationFrame(() => resolve(times)); }
  };
  const watchers = [["#verdict", "prediction"], [".board", "explanation"]].map(([place, name]) => {
    const watcher = new MutationObserver(note(name));
    watcher.observe(document.querySelector(place), { childList: true });
    return watcher;
  });
  field.value = %s;
  field.dispatchEvent(new Event("change"));
})"""


def main() -> None:
    warnings.simplefilter("ignore")
    options = _options()
    for name in options.datasets:
        X, y = datasets.load(name)
        train_X, test_X, train_y, _ = datasets.split(X, y)
        explainer = Explainer(datasets.make_model("rf", train_X).fit(train_X, train_y), train_X)
        server = lormika.serve(explainer, test_X, token=TOKEN, browser=False)
        server.service.forecasts.join()
        with server, tempfile.TemporaryDirectory() as folder:
            browser = Browser(Path(folder))
            try:
                with open_tab(browser) as tab:
                    print(f"{name}, opening: {_open(tab, server.address):.0f} ms to the first explanation")
                    _report(name, _edit(tab, options.edits))
            finally:
                browser.close()


def _open(tab: Tab, address: str) -> float:
    tab.go(address)
    tab.until(READY)
    return tab.run("performance.now()")  # since the page was opened


def _edit(tab: Tab, count: int) -> list[dict[str, float]]:
    """Other values of numbers, each of them new."""
    draw = np.random.default_rng(0)
    labels = tab.run("[...document.querySelectorAll('.feature:has(input[type=range])')].map((one) => one.ariaLabel)")
    ends = tab.run("fetch('/api/description').then((one) => one.json()).then((one) => one.features)")
    known = {one["label"]: one for one in ends}
    times: list[dict[str, float]] = []
    while len(times) < count + 3:
        label = str(draw.choice(labels))
        low, high, step = (known[label][name] for name in ("least", "greatest", "step"))
        value = low + step * int(draw.integers(0, max(1, round((high - low) / step)) + 1))
        selector = json.dumps(f'.feature[aria-label="{label}"] input[type=number]')
        if tab.run(f"document.querySelector({selector}).valueAsNumber") == value:
            continue
        measured = tab.run(EDIT % (selector, json.dumps(round(value, 6))))
        tab.until(READY)
        times.append(measured)
    return times[3:]  # after what is slow only once


def _report(name: str, times: list[dict[str, float]]) -> None:
    for what in ("prediction", "explanation"):
        own = [one[what] for one in times]
        print(f"{name}, {what}: median {np.median(own):.0f} ms, 95% {np.quantile(own, 0.95):.0f} ms, {len(own)} edits")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", nargs="*", default=["loans", "german"])
    parser.add_argument("--edits", type=int, default=200)
    return parser.parse_args()


if __name__ == "__main__":
    main()

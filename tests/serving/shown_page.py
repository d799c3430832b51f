"""The page of a server in a browser, as tests use it."""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from tab import Tab, open_tab

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from browser import Browser
    from lormika.serving.launch import Server

_SETTLED = (
    "document.querySelector('#verdict .label, .comparison, .trouble') && !document.querySelector('#answer[aria-busy]')"
)
# Both keep what the page would give to the world outside.
_CATCH = """navigator.clipboard.writeText = async (text) => { window.copied = text; };
URL.createObjectURL = (blob) => { window.saved = blob; return 'about:blank#'; };
HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download; };"""


class Page:
    """The page, and what people do with it."""

    def __init__(self, tab: Tab, server: Server) -> None:
        self.tab, self.server = tab, server

    def visit(self, *, token: str | None = None, **state: object) -> Page:
        """Open the page, with a state in its link, and wait for the answer."""
        said = {name: value if isinstance(value, int | str) else json.dumps(value) for name, value in state.items()}
        hash_part = f"#{urlencode(said)}" if said else ""
        query = "" if token is None else f"?token={token}"
        self.tab.go(f"{self.server.origin}/{query}{hash_part}")
        return self.settle()

    def settle(self) -> Page:
        """Wait until all answers are there."""
        self.tab.until(_SETTLED)
        return self

    def catch(self) -> Page:
        """Keep what is copied and saved from now on."""
        self.tab.run(_CATCH)
        return self

    def saved(self) -> str:
        """The file that was saved last."""
        self.tab.until("window.savedAs")
        return self.tab.run("window.saved.text()")

    def copied(self) -> str:
        """The text that was copied last."""
        return self.tab.until("window.copied")

    def label(self) -> str:
        """What the model says, as the page shows it."""
        return self.tab.text("#verdict .label")

    def state(self) -> dict[str, Any]:
        """What the address holds."""
        pairs = self.tab.run("[...new URLSearchParams(location.hash.slice(1))]")
        plain = {"row", "k"}
        return {
            name: int(value) if name in plain else value if name == "data" else json.loads(value)
            for name, value in pairs
        }

    def feature(self, label: str) -> str:
        """How to select a feature's part of the page."""
        return f'.feature[aria-label="{label}"]'

    def choose(self, selector: str, value: str) -> Page:
        """Choose from a list, or fill in a field."""
        where = json.dumps(selector)
        self.tab.run(
            f"""{{ const one = document.querySelector({where}); one.value = {json.dumps(value)};
            one.dispatchEvent(new Event('input', {{ bubbles: true }}));
            one.dispatchEvent(new Event('change', {{ bubbles: true }})); }}"""
        )
        return self.settle()

    def click(self, selector: str) -> Page:
        """Click, and wait for the answer."""
        self.tab.click(selector)
        return self.settle()

    def rows(self) -> list[int]:
        """The cases that are listed."""
        return self.tab.run("[...document.querySelectorAll('.case')].map((one) => Number(one.dataset.row))")

    def wide(self) -> list[int]:
        """How wide the page's content is, and the window."""
        return self.tab.run("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")


def pages(browser: Browser, token: str) -> Iterator[Callable[..., Page]]:
    """Opens pages, and closes them in the end."""
    opened = ExitStack()

    def make(server: Server, width: int = 1440, height: int = 900, *, dark: bool = False, **state: object) -> Page:
        tab = opened.enter_context(open_tab(browser, width, height, dark=dark))
        return Page(tab, server).visit(token=token, **state)

    with opened:
        yield make

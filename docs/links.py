"""Links between the pages of a built site: each must lead to a file, and to a place in it if it names one."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """What a page links to, and places in it that can be linked to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect addresses and names."""
        for name, value in attrs:
            if value is None:
                continue
            if name == "id" or (tag == "a" and name == "name"):
                self.places.add(value)
            elif name == "href" or (name == "src" and tag in ("img", "script", "source", "iframe")):
                self.links.append(value)


def find_broken(folder: Path) -> list[str]:
    """Links inside a folder of pages that lead nowhere, each with the page it stands on."""
    pages = {path.resolve(): Page(path.read_text(encoding="utf-8")) for path in _pages(folder)}
    broken = []
    for path, page in pages.items():
        for link in dict.fromkeys(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            place = unquote(parts.fragment)
            if not target.is_file() or (place and target in pages and place not in pages[target].places):
                broken.append(f"{path.relative_to(folder.resolve())}: {link}")
    return broken


def _pages(folder: Path) -> list[Path]:
    """All pages; what the theme brings along are none."""
    return [path for path in sorted(folder.rglob("*.html")) if "_static" not in path.relative_to(folder).parts]

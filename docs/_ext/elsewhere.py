"""Pages that stand elsewhere in the project (CHANGELOG.md …), and links to files that are no pages of the site.

On a code host every file is a page, so the texts link to them by their paths; here these links lead to the page that
shows the file, or become plain text.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from pygments.lexers import TextLexer

if TYPE_CHECKING:
    from pathlib import Path

    from sphinx.application import Sphinx

PAGES = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "README.md": "index.md",
    "src/lormika/evaluation/README.md": "internals/evaluation.md",
    "src/lormika/jobs/README.md": "internals/jobs.md",
    "src/lormika/serving/README.md": "internals/serving.md",
    "src/lormika/stages/README.md": "internals/stages.md",
}
"""By the path of a file in the project: the page that includes it."""

_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:|#|mailto:)([^)#\s]+)(#[^)]*)?\)")


def relink(text: str, folder: str, page: str) -> str:
    """The text of a file in this folder of the project, as a page of the site, with links that work there.

    >>> relink("See [design](docs/design.md#runs) and [jobs](src/lormika/jobs/README.md).", "", "contributing")
    'See [design](design.md#runs) and [jobs](internals/jobs.md).'
    >>> relink("[more](../src/lormika/jobs/README.md), [settings](../pyproject.toml)", "docs", "design")
    '[more](internals/jobs.md), settings'
    """

    def replace(match: re.Match[str]) -> str:
        name, path, anchor = match[1], match[2], match[3] or ""
        target = posixpath.normpath(posixpath.join(folder, path))
        target = PAGES.get(target, target.removeprefix("docs/") if target.startswith("docs/") else "")
        return f"[{name}]({posixpath.relpath(target, posixpath.dirname(page) or '.')}{anchor})" if target else name

    return _LINK.sub(replace, text)


def _on_page(_: Sphinx, page: str, content: list[str]) -> None:
    if not page.startswith(("gallery/", "api/")):
        content[0] = relink(content[0], posixpath.dirname(f"docs/{page}"), page)


def _on_include(app: Sphinx, path: Path, _: str, content: list[str]) -> None:
    folder = (app.srcdir / path).resolve().parent.relative_to(app.srcdir.parent).as_posix()
    content[0] = relink(content[0], "" if folder == "." else folder, app.env.docname)


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("source-read", _on_page)
    app.connect("include-read", _on_include)
    app.add_lexer("csv", TextLexer)  # which Pygments does not know
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""The site's own tools: links, pages that stand elsewhere, and what scripts write into pages and pictures."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parents[1] / "docs"


def load(path: str) -> ModuleType:
    """A script of the documentation as a module."""
    name = f"docs_{Path(path).stem}"
    spec = importlib.util.spec_from_file_location(name, DOCS / path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where dataclasses look for it
    spec.loader.exec_module(module)
    return module


def test_the_page_of_commands_is_what_help_says():
    """If not: python docs/commands.py."""
    page = (DOCS / "command_line.md").read_text(encoding="utf-8")
    assert load("commands.py").fill(page) == page


def test_the_drawing_of_the_search_is_of_a_search_that_finds_what_the_library_finds():
    """If not: python docs/opus_picture.py."""
    opus = load("opus_picture.py")
    assert opus.make_picture() == opus.PICTURE.read_text(encoding="utf-8")  # which compares the rules, too
    search = opus.Search(*opus.make_table())
    assert search.counted < opus._count_sets(search) / 3
    search.best[0].score += 0.01
    with pytest.raises(ValueError, match="does not find what mine_rules finds"):
        opus.check(search, *opus.make_table())


def test_links_that_lead_nowhere_are_found(tmp_path):
    (tmp_path / "_static").mkdir()
    (tmp_path / "_static" / "part.html").write_text('<a href="{{ path }}">')
    (tmp_path / "other.html").write_text('<h2 id="here">Here</h2><a name="old"></a>')
    (tmp_path / "index.html").write_text(
        '<a href="other.html#here"><a href="other.html#old"><a href="#top"><a href="https://example.org/nothing">'
        '<a href="lost.html"><a href="other.html#there"><img src="lost.png"><p id="top">'
    )
    found = load("links.py").find_broken(tmp_path)
    assert found == ["index.html: lost.html", "index.html: other.html#there", "index.html: lost.png"]


@pytest.mark.parametrize(
    ("text", "folder", "page", "expected"),
    [
        ("[design](docs/design.md#runs)", "", "contributing", "[design](design.md#runs)"),
        ("[jobs](src/lormika/jobs/README.md)", "", "contributing", "[jobs](internals/jobs.md)"),
        ("[more](../src/lormika/jobs/README.md)", "docs", "design", "[more](internals/jobs.md)"),
        ("[all](../../../docs/compare.md)", "src/lormika/evaluation", "internals/evaluation", "[all](../compare.md)"),
        ("[settings](../pyproject.toml)", "docs", "design", "settings"),
        ("[here](#there) and [far](https://example.org)", "docs", "faq", "[here](#there) and [far](https://example.org)"),
    ],
)  # fmt: skip
def test_links_between_files_become_links_between_pages(text, folder, page, expected):
    pytest.importorskip("sphinx", reason="Sphinx is not installed: pip install 'lormika[docs]'")
    assert load("_ext/elsewhere.py").relink(text, folder, page) == expected

"""What pages for contributors name is there: files, and names in them."""

from __future__ import annotations

import re

import pytest

from examples import README

ROOT = README.parent
PAGES = ("CONTRIBUTING.md", "docs/releasing.md", "SECURITY.md")
_FILE = re.compile(r"`([\w.]+(?:/[\w.]+)+/?|\w+\.(?:md|toml|cff))`")
_RECIPE = re.compile(r"^\d+\. `([\w./]+\.\w+)`(.*?)(?=^\d+\. |^$)", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"(?<![/.])`([A-Z_]\w+)`")


@pytest.mark.parametrize("page", PAGES)
def test_files_are_there(page):
    named = [name for name in _FILE.findall((ROOT / page).read_text(encoding="utf-8")) if "NAME" not in name]
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_recipes_name_what_is_in_their_files():
    """The names in capitals that stand beside a file: a table to add to, a class."""
    recipes = _RECIPE.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert len(recipes) >= 15
    lost = [
        (file, name) for file, words in recipes if (ROOT / file).is_file() for name in _NAME.findall(words)
        if not re.search(rf"\b{name}\b", (ROOT / file).read_text(encoding="utf-8"))
        and not any((ROOT / other).is_file() and name in (ROOT / other).read_text(encoding="utf-8")
                    for other in re.findall(r"`([\w/]+\.py)`", words))
    ]  # fmt: skip
    assert lost == []

"""The gallery: every example has what a page needs, and runs plainly. LORMIKA_GALLERY=all runs all of them."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from children import end

FOLDER = Path(__file__).parents[1] / "examples"
EXAMPLES = sorted(path.name for path in FOLDER.glob("*.py"))
QUICK = ["03_three_classes.py"]  # the quick form of the site runs three others
CHOSEN = EXAMPLES if os.environ.get("LORMIKA_GALLERY") == "all" else QUICK
_LONGEST = 600  # seconds: no measure of anything, but they end what hangs


@pytest.mark.parametrize("name", CHOSEN)
def test_it_runs_and_leaves_nothing(name, tmp_path):
    here, temporary = tmp_path / "here", tmp_path / "temporary"
    here.mkdir()
    temporary.mkdir()
    surroundings = os.environ | {"MPLBACKEND": "Agg", "TMPDIR": str(temporary)}
    process = subprocess.Popen(
        [sys.executable, str(FOLDER / name)],
        cwd=here,
        env=surroundings,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        said, errors = process.communicate(timeout=_LONGEST)
    finally:
        end(process)
    assert process.returncode == 0, errors
    assert said.strip()  # who runs it in a terminal sees something
    assert not list(here.iterdir())
    assert not [path.name for path in temporary.iterdir() if not _of_java(path)]


def _of_java(path: Path) -> bool:
    """Whether Java, not the example, has left it."""
    return path.name.startswith("hsperfdata")


@pytest.mark.parametrize("name", EXAMPLES)
def test_it_is_a_page(name):
    """A title with its line, prose that says what one learns, cells, and a picture for the overview."""
    source = (FOLDER / name).read_text(encoding="utf-8")
    module = ast.parse(source)
    title, line, *prose = (ast.get_docstring(module) or "").splitlines()
    assert line == "=" * len(title)
    assert "learn" in " ".join(prose) or "four questions" in " ".join(prose)
    assert source.count("\n# %%\n") >= 3
    assert "show" in _methods(module) or "plot" in _methods(module) or "barh" in _methods(module)


def _methods(module: ast.Module) -> set[str]:
    """Names of the methods that a script calls."""
    calls = (node.func for node in ast.walk(module) if isinstance(node, ast.Call))
    return {function.attr for function in calls if isinstance(function, ast.Attribute)}

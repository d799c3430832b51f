"""Every public name is documented, has an example that pytest runs, and stands in the reference."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

REFERENCE = Path(__file__).parents[1] / "docs" / "reference.md"
MODULES = (
    "lormika", "lormika.data", "lormika.datasets", "lormika.evaluation", "lormika.integrations.mlflow", "lormika.jobs",
    "lormika.models", "lormika.rule",
)  # fmt: skip
"""Modules whose `__all__` is a promise to users."""


def find(path: str) -> object:
    """What has this dotted name."""
    parts = path.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for name in parts[end:]:
            found = getattr(found, name)
        return found
    raise AttributeError(path)


def public_names() -> Iterator[str]:
    for module in MODULES:
        yield from (f"{module}.{name}" for name in find(module).__all__)


def listed() -> list[str]:
    """The names that the reference shows: of each table, the module and what stands below it."""
    names, module = [], ""
    for line in REFERENCE.read_text(encoding="utf-8").splitlines():
        if match := re.fullmatch(r"\.\. currentmodule:: ([\w.]+)", line):
            module = match[1]
        elif match := re.fullmatch(r"   ([A-Za-z_]\w*(?:\.\w+)*)", line):
            names.append(f"{module}.{match[1]}")
    return names


def members(kind: type) -> Iterator[tuple[str, object]]:
    """Its own public methods and properties."""
    for name, member in vars(kind).items():
        if not name.startswith("_"):
            function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
            if inspect.isfunction(function):
                yield name, function


DOCUMENTED = sorted({*public_names(), *listed()})


def test_there_is_something_to_look_at():
    assert len(listed()) > 60
    assert "lormika.Explainer" in listed()


def test_the_reference_has_every_public_name():
    shown = [find(name) for name in listed()]
    lacking = [
        name for name in public_names()
        if not any(find(name) is one for one in shown) and not isinstance(find(name), ModuleType | str)
    ]  # fmt: skip
    assert not lacking, f"add to docs/reference.md: {', '.join(lacking)}"


@pytest.mark.parametrize("name", DOCUMENTED)
def test_public_names_have_docstrings_and_examples(name):
    thing = find(name)
    if not (inspect.isclass(thing) or inspect.isroutine(thing)):
        return  # a constant, whose text follows it
    text = thing.__doc__ or ""
    is_written = text.strip() and not text.startswith(f"{thing.__name__}(")  # what a dataclass gets by itself
    assert is_written, f"{name} has no docstring"
    assert ">>> " in text, f"{name} has no example"
    assert "+SKIP" not in text, f"{name} has an example that is not run"
    if inspect.isclass(thing):
        lacking = [f"{name}.{member}" for member, function in members(thing) if not function.__doc__]
        assert not lacking, f"without a docstring: {', '.join(lacking)}"

"""Options in the reference: what each field of `Settings` and `SearchOptions` means, as `--help` and errors say it."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from lormika.option import Options, options_of

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def describe(kind: type[Options]) -> list[str]:
    """A list of definitions, in the order of the fields."""
    known = options_of(kind)
    lines = [".. rubric:: Options", ""]
    for one in fields(kind):
        if one.name in known:
            option = known[one.name]
            default = option.unset if one.default is None else one.default
            choices = f" One of {', '.join(f'``{name}``' for name in option.choices)}." if option.choices else ""
            lines += [f"``{one.name}`` (default: {default})", f"    {option.text}{choices}"]
    return [*lines, ""]


def _extend(_: Sphinx, what: str, __: str, thing: object, ___: object, lines: list[str]) -> None:
    if what == "class" and isinstance(thing, type) and issubclass(thing, Options) and thing is not Options:
        place = next((n for n, line in enumerate(lines) if line.startswith(".. rubric:: Examples")), len(lines))
        lines[place:place] = describe(thing)


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx; after numpydoc, which has read the docstring then."""
    app.connect("autodoc-process-docstring", _extend, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

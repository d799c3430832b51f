"""Write the options of all commands into command_line.md, as `--help` has them: python docs/commands.py."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from lormika.cli.app import app

PAGE = Path(__file__).parent / "command_line.md"
MARK, END = "<!-- commands: docs/commands.py writes them -->", "<!-- end of commands -->"


def fill(page: str) -> str:
    """The page with what belongs between its marks."""
    pattern = re.compile(f"{re.escape(MARK)}.*?{re.escape(END)}", re.DOTALL)
    text = "\n\n".join([MARK, *to_markdown(), END])
    page, count = pattern.subn(lambda _: text, page)
    if count != 1:
        raise ValueError(f"command_line.md has {count} places for the commands, not one")
    return page


def to_markdown() -> Iterator[str]:
    """For each command: its name, what it does, and tables of its options."""
    commands: Any = typer.main.get_command(app)
    for name, command in commands.commands.items():
        yield f"## lormika {name}"
        yield " ".join(re.split(r"\s*For example:", command.help or "")[0].split())
        shown = [one for one in command.params if not getattr(one, "hidden", False)]
        panels: dict[str, list[Any]] = {}
        for one in shown:
            panels.setdefault(getattr(one, "rich_help_panel", None) or "", []).append(one)
        for panel, options in panels.items():
            rows = [f"| {_name(one)} | {_plain(one.help or '')} | {_plain(_default(one))} |" for one in options]
            yield "\n".join([f"| {panel or 'option'} | | default |", "|---|---|---|", *rows])


def _name(one: Any) -> str:
    if one.param_type_name == "argument":
        return f"`{one.name.upper()}`"
    return " ".join(f"`{name}`" for name in (*one.opts, *one.secondary_opts))


def _default(one: Any) -> str:
    value = one.default
    if isinstance(one.show_default, str):
        return one.show_default
    if value is None or value in ([], (), "") or value is False or callable(value):
        return "required" if one.required else ""
    values = value if isinstance(value, list | tuple) else [value]
    return "yes" if value is True else ", ".join(f"`{one}`" for one in values)


def _plain(text: str) -> str:
    """Text for a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


if __name__ == "__main__":
    PAGE.write_text(fill(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

"""Constraints on the command line: options, and a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from lormika.cli.parameters import Changing
    from lormika.types import JsonObject, JsonValue


def read_constraints(changing: Changing) -> JsonObject | None:
    """Constraints as plain data; None if there are none. A file and options add up."""
    from lormika.constraints import Constraints

    content: JsonObject = {} if changing.constraints is None else Constraints.of(changing.constraints).to_dict()
    for name, columns in (("fixed", changing.fixed), ("up", changing.up), ("down", changing.down)):
        if columns:
            content[name] = [*content.get(name, []), *columns]
    if changing.range:
        content["ranges"] = content.get("ranges", {}) | dict(map(_read_range, changing.range))
    for text in changing.allow:
        column, before, after = _read_change(text)
        changes = content.setdefault("changes", {}).setdefault(column, {})
        changes[before] = [*changes.get(before, []), after]
    Constraints.of(content)  # what is wrong is refused before anything takes time
    return content or None


def _read_range(text: str) -> tuple[str, JsonValue]:
    """A column and its limits.

    >>> _read_range("income=20..60"), _read_range("income=..60"), _read_range("age=+5")
    (('income', [20.0, 60.0]), ('income', [None, 60.0]), ('age', '+5'))
    """
    column, equals, limits = text.rpartition("=")
    if not equals or not column:
        raise typer.BadParameter(f"{text!r} is not of the form income=20..60", param_hint="--range")
    if ".." not in limits:
        return column, limits
    try:
        low, high = (None if not end.strip() else float(end) for end in limits.split("..", 1))
    except ValueError:
        raise typer.BadParameter(f"{text!r}: {limits!r} is no pair of numbers", param_hint="--range") from None
    return column, [low, high]


def _read_change(text: str) -> tuple[str, str, str]:
    """A column, and the categories before and after.

    >>> _read_change("job=none>clerk")
    ('job', 'none', 'clerk')
    """
    column, equals, change = text.partition("=")
    before, arrow, after = change.partition(">")
    if not equals or not arrow:
        raise typer.BadParameter(f"{text!r} is not of the form job=none>clerk", param_hint="--allow")
    return column, before.strip(), after.strip()

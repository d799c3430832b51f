"""Options about changes: what may change, how far, and where it must lead."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from lormika.types import JsonObject, JsonValue, Keywords

PANEL = "Changes"


@dataclass(frozen=True, slots=True)
class Changing:
    """What a suggested change may change, and where it must lead."""

    fixed: Annotated[
        list[str],
        typer.Option(metavar="COLUMN", help="Column that must not change. Repeatable.", rich_help_panel=PANEL),
    ] = field(default_factory=list)
    up: Annotated[
        list[str],
        typer.Option(metavar="COLUMN", help="Column that may only rise. Repeatable.", rich_help_panel=PANEL),
    ] = field(default_factory=list)
    down: Annotated[
        list[str],
        typer.Option(metavar="COLUMN", help="Column that may only fall. Repeatable.", rich_help_panel=PANEL),
    ] = field(default_factory=list)
    range: Annotated[
        list[str],
        typer.Option(
            metavar="COLUMN=LIMITS",
            help="Limits of a number: income=20..60, income=..60, or from its present value on: income=±20%, age=+5. "
            "Repeatable.",
            rich_help_panel=PANEL,
        ),
    ] = field(default_factory=list)
    allow: Annotated[
        list[str],
        typer.Option(
            metavar="COLUMN=FROM>TO",
            help="Permitted change of a category, job=none>clerk; then no other change of the column is. Repeatable.",
            rich_help_panel=PANEL,
        ),
    ] = field(default_factory=list)
    constraints: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="TOML or JSON file with these and further constraints: see docs/constraints.md.",
            rich_help_panel=PANEL,
        ),
    ] = None
    toward: Annotated[
        str | None,
        typer.Option(metavar="CLASS", help="Class that a change must lead to.", rich_help_panel=PANEL),
    ] = None

    def keywords(self) -> Keywords:
        """As `explain` takes them, checked as far as they can be before the data are there."""
        constraints = self._constraints()
        found: Keywords = {} if constraints is None else {"constraints": constraints}
        return found | ({} if self.toward is None else {"target": self.toward})

    def _constraints(self) -> JsonObject | None:
        """Constraints as plain data; None if there are none. A file and options add up."""
        from lormika.constraints import Constraints

        content: JsonObject = {} if self.constraints is None else Constraints.of(self.constraints).to_dict()
        for name, columns in (("fixed", self.fixed), ("up", self.up), ("down", self.down)):
            if columns:
                content[name] = [*content.get(name, []), *columns]
        if self.range:
            content["ranges"] = content.get("ranges", {}) | dict(map(_read_range, self.range))
        for text in self.allow:
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
    from lormika.constraints import RelativeLimits

    column, equals, limits = text.rpartition("=")
    if not equals or not column:
        raise typer.BadParameter(f"{text!r} is not of the form income=20..60", param_hint="--range")
    if ".." not in limits:
        if RelativeLimits.of(limits) is None:
            raise typer.BadParameter(f"{text!r}: write 20..60, ..60, 20.., ±20% or +5", param_hint="--range")
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

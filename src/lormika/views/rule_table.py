"""Rules of a table, without an instance, in a terminal or as plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lormika.views.payload import Payload, load_rule
from lormika.views.text import plain_text
from lormika.views.words import leverage, p_value, percent, printable

if TYPE_CHECKING:
    from rich.table import Table


def to_text(payload: Payload, width: int) -> str:
    """Plain text, at most so wide."""
    return plain_text([renderable(payload)], width)


def renderable(payload: Payload) -> Table:
    """A table to be printed by a rich console."""
    from rich.table import Table
    from rich.text import Text

    rules, by = [load_rule(rule) for rule in payload["rules"]], payload["options"]["objective"]
    rows = f"{rules[0].counts.rows:,} rows" if rules else "no rule passed"
    table = Table(
        title=f"Best rules by {by} ({rows})", title_justify="left", title_style="bold", box=None, padding=(0, 2, 0, 0)
    )
    table.add_column("rule", overflow="fold")
    for name in ("confidence", "coverage", "lift", "leverage", "p-value"):
        table.add_column(name, justify="right", no_wrap=True, style="bold" if name == by else None)
    for rule in rules:
        table.add_row(
            Text(printable(str(rule))),
            f"{percent(rule.confidence)} vs {percent(rule.counts.share_without)}",
            f"{percent(rule.coverage)}: {rule.counts.antecedent:,}",
            f"{rule.lift:.2f}",
            leverage(rule),
            p_value(rule),
        )
    return table

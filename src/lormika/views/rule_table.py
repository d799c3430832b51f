"""Rules of a table, without an instance, in a terminal or as plain text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lormika.labels import NO_LABELS, Labels
from lormika.rule import Rule
from lormika.views.labelling import label_rules
from lormika.views.text import plain_text
from lormika.views.words import leverage, p_value, percent, printable

if TYPE_CHECKING:
    from rich.table import Table


@dataclass(frozen=True, slots=True)
class RuleList:
    """The best rules of a table, and what they were searched with."""

    rules: tuple[Rule, ...]
    options: Mapping[str, object]  # plain data, with the objective among them
    labels: Labels = NO_LABELS


def to_text(rules: RuleList, width: int) -> str:
    """Plain text, at most so wide."""
    return plain_text([renderable(rules)], width)


def renderable(rules: RuleList) -> Table:
    """A table to be printed by a rich console."""
    from rich.table import Table
    from rich.text import Text

    best, by = label_rules(rules.rules, rules.labels), rules.options["objective"]
    rows = f"{best[0].counts.rows:,} rows" if best else "no rule passed"
    table = Table(
        title=f"Best rules by {by} ({rows})", title_justify="left", title_style="bold", box=None, padding=(0, 2, 0, 0)
    )
    table.add_column("rule", overflow="fold")
    for name in ("confidence", "coverage", "lift", "leverage", "p-value"):
        table.add_column(name, justify="right", no_wrap=True, style="bold" if name == by else None)
    for rule in best:
        table.add_row(
            Text(printable(str(rule))),
            f"{percent(rule.confidence)} vs {percent(rule.counts.share_without)}",
            f"{percent(rule.coverage)}: {rule.counts.antecedent:,}",
            f"{rule.lift:.2f}",
            leverage(rule),
            p_value(rule),
        )
    return table

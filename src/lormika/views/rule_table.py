"""Rules of a table, without an instance, in a terminal or as plain text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lormika.labels import NO_LABELS, Labels
from lormika.rule import Rule
from lormika.summaries import Incomplete
from lormika.views.labelling import label_rules
from lormika.views.layout import Column, Grid, plain_text
from lormika.views.words import leverage, p_value, percent, printable

_HEADINGS = ("rule", "confidence", "coverage", "lift", "leverage", "p-value")
_COLUMNS = (Column(), *[Column(wraps=False, right=True)] * 5)


@dataclass(frozen=True, slots=True)
class RuleList:
    """The best rules of a table, and what they were searched with."""

    rules: tuple[Rule, ...]
    options: Mapping[str, object]  # plain data, with the objective among them
    labels: Labels = NO_LABELS
    incomplete: Incomplete | None = None  # how the search was stopped


def to_text(rules: RuleList, width: int) -> str:
    """Plain text, at most so wide."""
    return plain_text([block(rules)], width)


def block(rules: RuleList) -> Grid:
    """A table with a title and headings."""
    best, by = label_rules(rules.rules, rules.labels), rules.options["objective"]
    rows = f"{best[0].counts.rows:,} rows" if best else "no rule passed"
    caption = None if rules.incomplete is None else str(rules.incomplete)
    styles = ["bold" if name == by else "" for name in _HEADINGS]
    table = [[[(name, "bold")] for name in _HEADINGS]]
    table += [[[cell] for cell in zip(_cells(rule), styles, strict=True)] for rule in best]
    return Grid(_COLUMNS, table, title=f"Best rules by {by} ({rows})", caption=caption)


def _cells(rule: Rule) -> tuple[str, ...]:
    return (
        printable(str(rule)),
        f"{percent(rule.confidence)} vs {percent(rule.counts.share_without)}",
        f"{percent(rule.coverage)}: {rule.counts.antecedent:,}",
        f"{rule.lift:.2f}",
        leverage(rule),
        p_value(rule),
    )

"""An explanation in a terminal, with colours, or as plain text."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from lormika.payload import Payload, load_rule
from lormika.rule import Category, Rule
from lormika.values import format_value
from lormika.views.words import HEADINGS, conditions, heading, percent, printable, remark, rerun_verdict

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

_BAR = 8  # cells
_FOR, _AGAINST, _FADED = "bold blue", "bold dark_orange", "dim"
_LEGEND = (
    "Bar and first figure: how many of the rows that match the conditions the model labels so; │ and “vs”: how many "
    "of all similar rows. Last: how many of all similar rows match, real and made (generated) ones. Where a rule is "
    "not true yet: the smallest change that makes it true, the probability of the prediction before and after it, and "
    "any new label: ✔ the model did what the rule says, ✖ it did not, ~ it turned to another class, = as certain."
)


def to_text(payload: Payload, width: int) -> str:
    """Plain text, at most so wide."""
    return plain_text(renderables(payload), width)


def plain_text(parts: Iterable[RenderableType], width: int) -> str:
    """What a console of this width without colours would print."""
    from rich.console import Console

    out = io.StringIO()
    console = Console(file=out, width=width, no_color=True, force_terminal=False, highlight=False, emoji=False)
    for part in parts:
        console.print(part)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()).strip("\n")


def renderables(payload: Payload) -> Iterator[RenderableType]:
    """The parts of an explanation, to be printed by a rich console."""
    from rich.text import Text

    rules = [load_rule(rule) for rule in payload["rules"]]
    yield _opening(payload)
    prediction = payload["prediction"]
    probability = next(c["probability"] for c in payload["classes"] if c["label"] == prediction)
    for category, (_, term) in HEADINGS.items():
        own = [rule for rule in rules if rule.category == category]
        style = _FOR if category.is_supporting else _AGAINST
        yield Text("\n").append(printable(heading(category, prediction)), style).append(f"  {term}", _FADED)
        remarked = remark(category, own, prediction, probability)
        if remarked is not None:
            yield Text(f"  {remarked}", _FADED)
        yield _rule_table(own, category, payload) if own else Text("  none found", _FADED)
    if rules:
        yield Text(f"\n{_LEGEND}", _FADED)
    for note in payload["notes"]:
        yield Text(f"\nNote: {printable(note)}", _FADED)


def _opening(payload: Payload) -> Text:
    from rich.text import Text

    prediction = payload["prediction"]
    own = next(c for c in payload["classes"] if c["label"] == prediction)
    total = sum(c["rows"] for c in payload["classes"])
    chance = "" if own["probability"] is None else f" ({percent(own['probability'])})"
    near = payload["neighbourhood"]
    text = Text("The model predicts ").append(printable(format_value(prediction)), _FOR).append(f"{chance}.")
    text.append(f"\nIt does so for {percent(own['rows'] / total)} of {total:,} similar rows: ")
    text.append(f"{near['selected']:,} real ones and {near['generated']:,} generated from them.")
    return text


def _rule_table(rules: list[Rule], category: Category, payload: Payload) -> Table:
    from rich.table import Table
    from rich.text import Text

    style = _FOR if category.is_supporting else _AGAINST
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True, min_width=4)
    table.add_column(overflow="fold")
    for rule in rules:
        text = Text(printable(conditions(rule)), "bold")
        text.append(f"\n{_figures(rule)}", f"not bold {_FADED}")
        if rule.rerun is not None:
            text.append("\n").append_text(_rerun(rule, payload))
        table.add_row(f"  {_bar(rule)}", Text(percent(rule.confidence), style), text)
    return table


def _bar(rule: Rule) -> str:
    """Confidence as a bar, with a tick at the share without the rule."""
    cells = ["█" if (i + 0.5) / _BAR <= rule.confidence else "░" for i in range(_BAR)]
    cells[min(int(rule.counts.share_without * _BAR), _BAR - 1)] = "│"
    return "".join(cells)


def _figures(rule: Rule) -> str:
    real = rule.real.antecedent if rule.real is not None else 0
    return (
        f"vs {percent(rule.counts.share_without)} · lift {rule.lift:.2f} · leverage {rule.leverage:.3f} · "
        f"{percent(rule.coverage)}: {real:,} real + {rule.counts.antecedent - real:,} made"
    )


def _rerun(rule: Rule, payload: Payload) -> Text:
    from rich.text import Text

    probability = next(c["probability"] for c in payload["classes"] if c["label"] == payload["prediction"])
    said, mark = rerun_verdict(rule, payload["prediction"], probability)
    text = Text(f"{printable(str(rule.rerun))}: ", f"not bold {_FADED}")
    return text.append(f"{printable(said)} {mark}", {"✔": "not bold green", "✖": "not bold red"}.get(mark, _FADED))

"""An explanation in a terminal, with colours, or as plain text."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from lormika.frames.values import format_value
from lormika.rule import Category, Rule
from lormika.views import text_effects
from lormika.views.answers import sentence
from lormika.views.narrative import narrate
from lormika.views.reading import Reading
from lormika.views.words import HEADINGS, WEAK, conditions, heading, leverage, p_value, percent, printable, shares

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
    from rich.table import Table
    from rich.text import Text

    from lormika.explanation import Explanation

_BAR = 8  # cells
_NARROW = 76  # characters: below, a rule's conditions stand beneath its share
_FOR, _AGAINST, _FADED = "bold blue", "bold dark_orange", "dim"
_TONES = {"plain": "", "strong": "bold", "for": _FOR, "against": _AGAINST}
_LEGEND = (
    "Bar and shares: how many of the similar rows that match the conditions the model labels so, instead of how many "
    "of all similar rows (│)."
)
_LEGEND_CHECK = (
    "Below: what the model said of this case, the rule made false (without it, on average) or true (by the smallest "
    "change that was tried), all else as it is"
)
_LEGEND_UNIT = {
    "probability": "; a percentage is its probability of the prediction.",
    "margin": "; the margin is that of its decision function, for the prediction.",
    "label": ".",
}
_LEGEND_SAME = " =: more certain, but by less than is shown."
_LEGEND_RERUN = (
    "Below a rule that is not true yet: the smallest change that makes it true, and what the model then said: ✔ what "
    "the rule says, ✖ not so, ~ it turned to another class, = as certain as before."
)
_LEGEND_FIGURES = (
    "Figures: lift and leverage; how many of all similar rows match, real and made (generated) ones; the p-value."
)


def to_text(explanation: Explanation, width: int, figures: bool = False) -> str:
    """Plain text, at most so wide."""
    return plain_text(renderables(explanation, figures), width)


def plain_text(parts: Iterable[RenderableType], width: int) -> str:
    """What a console of this width without colours would print."""
    from rich.console import Console

    out = io.StringIO()
    console = Console(file=out, width=width, no_color=True, force_terminal=False, highlight=False, emoji=False)
    for part in parts:
        console.print(part)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()).strip("\n")


def renderables(explanation: Explanation, figures: bool = False) -> Iterator[RenderableType]:
    """The parts of an explanation, to be printed by a rich console."""
    from rich.text import Text

    reading = Reading.of(explanation)
    explanation = reading.explanation
    yield _opening(reading)
    for category, (_, term) in HEADINGS.items():
        title = printable(heading(category, explanation.prediction))
        yield Text("\n").append(title, _style(category)).append(f"  {term}", _FADED)
        remark = reading.remark(category)
        if remark is not None:
            yield Text(f"  {remark}", _FADED)
        rules = explanation.rules_of(category)
        yield _Rules(rules, reading, _style(category), figures) if rules else Text("  none found", _FADED)
    yield from text_effects.renderables(reading)
    if explanation.rules:
        yield Text(f"\n{_legend(reading, figures)}", _FADED)
    for note in explanation.notes:
        yield Text(f"\nNote: {printable(note.text)}", _FADED)


def _style(category: Category) -> str:
    return _FOR if category.is_supporting else _AGAINST


def _opening(reading: Reading) -> Text:
    """The sentences, and which similar rows they are about."""
    from rich.text import Text

    explanation, story = reading.explanation, narrate(reading)
    text = Text()
    for part in (story.prediction, story.reasons, story.changes):
        text.append(" " if text and part else "")
        for span in part:
            text.append(printable(span.text), _TONES[span.tone])
    near = explanation.neighbourhood
    share = percent(explanation.predicted.rows / near.rows) if near.rows else "none"
    text.append(
        f"\n\nRules among {near.rows:,} similar rows: {near.selected:,} real ones and {near.generated:,} generated "
        f"from them; the model labels {share} of them {printable(format_value(explanation.prediction))}.",
        _FADED,
    )
    for span in story.checked:
        text.append(f" {span.text}", _FADED)
    return text


def _legend(reading: Reading, figures: bool) -> str:
    """What the signs mean, of those that are used."""
    texts, rules = [_LEGEND], reading.explanation.rules
    if reading.is_confirmed:
        marks = {reply.mark for reply in map(reading.answer, rules) if reply is not None}
        texts.append(_LEGEND_CHECK + _LEGEND_UNIT[reading.scale.unit] + (_LEGEND_SAME if "=" in marks else ""))
    elif any(rule.rerun is not None for rule in rules):
        texts.append(_LEGEND_RERUN)
    return " ".join([*texts, _LEGEND_FIGURES] if figures else texts)


class _Rules:
    """The rules of a kind, laid out for the width of the console."""

    def __init__(self, rules: Sequence[Rule], reading: Reading, style: str, figures: bool) -> None:
        self.rules, self.reading, self.style, self.figures = rules, reading, style, figures

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if options.max_width >= _NARROW:
            yield self._beside()
            return
        from rich.padding import Padding

        for rule in self.rules:
            yield self._share(rule, f"  {_bar(rule)}  ")
            yield Padding(self._body(rule), (0, 0, 0, 4))

    def _beside(self) -> Table:
        from rich.table import Table

        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(no_wrap=True)
        table.add_column(no_wrap=True, min_width=18)
        table.add_column(overflow="fold")
        for rule in self.rules:
            table.add_row(f"  {_bar(rule)}", self._share(rule), self._body(rule))
        return table

    def _share(self, rule: Rule, start: str = "") -> Text:
        from rich.text import Text

        if rule.counts.antecedent == 0:
            return Text(start).append("no similar row has this", _FADED)
        share, beside = shares(rule)
        return Text(start).append(f"{share:>4}", self.style).append(f" {beside}", _FADED)

    def _body(self, rule: Rule) -> Text:
        """Conditions, what the model said, and the figures if they are wanted."""
        from rich.text import Text

        text = Text(printable(conditions(rule)), "bold")
        reply = self.reading.answer(rule)
        if reply is not None:
            colour = {"✔": "green", "✖": "red"}.get(reply.mark, _FADED)
            text.append(f"\n{printable(sentence(rule, reply))}", f"not bold {colour}")
        if rule.weak:
            text.append(f"\n{WEAK}", f"not bold {_FADED}")
        if self.figures:
            text.append(f"\n{_figures(rule)}", f"not bold {_FADED}")
        return text


def _bar(rule: Rule) -> str:
    """Confidence as a bar, with a tick at the share without the rule."""
    confidence = 0.0 if math.isnan(rule.confidence) else rule.confidence
    cells = ["█" if (i + 0.5) / _BAR <= confidence else "░" for i in range(_BAR)]
    cells[min(int(rule.counts.share_without * _BAR), _BAR - 1)] = "│"
    return "".join(cells)


def _figures(rule: Rule) -> str:
    real = rule.real.antecedent if rule.real is not None else 0
    lift = "" if math.isnan(rule.lift) else f"lift {rule.lift:.2f} · "
    tested = f" · p {p_value(rule)}" if p_value(rule) else ""
    return (
        f"{lift}leverage {leverage(rule)} · {percent(rule.coverage)}: {real:,} real + "
        f"{rule.counts.antecedent - real:,} made{tested}"
    )

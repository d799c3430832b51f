"""An explanation in a terminal, with colours, or as plain text."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from lormika.frames.values import Scalar, format_value
from lormika.rule import Category, Rule
from lormika.views import text_effects
from lormika.views.answers import answer, remark, sentence
from lormika.views.certainty import Scale, scale
from lormika.views.narrative import narrative
from lormika.views.payload import Payload, load_rule
from lormika.views.words import HEADINGS, WEAK, conditions, heading, leverage, p_value, percent, printable, shares

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
    from rich.table import Table
    from rich.text import Text

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


def to_text(payload: Payload, width: int, figures: bool = False) -> str:
    """Plain text, at most so wide."""
    return plain_text(renderables(payload, figures), width)


def plain_text(parts: Iterable[RenderableType], width: int) -> str:
    """What a console of this width without colours would print."""
    from rich.console import Console

    out = io.StringIO()
    console = Console(file=out, width=width, no_color=True, force_terminal=False, highlight=False, emoji=False)
    for part in parts:
        console.print(part)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()).strip("\n")


def renderables(payload: Payload, figures: bool = False) -> Iterator[RenderableType]:
    """The parts of an explanation, to be printed by a rich console."""
    from rich.text import Text

    rules = [load_rule(rule) for rule in payload["rules"]]
    measure, prediction = scale(payload), payload["prediction"]
    yield _opening(payload)
    for category, (_, term) in HEADINGS.items():
        own = [rule for rule in rules if rule.category == category]
        style = _FOR if category.is_supporting else _AGAINST
        yield Text("\n").append(printable(heading(category, prediction)), style).append(f"  {term}", _FADED)
        remarked = remark(category, own, prediction, measure)
        if remarked is not None:
            yield Text(f"  {remarked}", _FADED)
        yield _Rules(own, category, prediction, measure, figures) if own else Text("  none found", _FADED)
    yield from text_effects.renderables(payload, measure)
    if rules:
        yield Text(f"\n{_legend(rules, measure, figures)}", _FADED)
    for note in payload["notes"]:
        yield Text(f"\nNote: {printable(note)}", _FADED)


def _opening(payload: Payload) -> Text:
    """The sentences, and which similar rows they are about."""
    from rich.text import Text

    story = narrative(payload)
    text = Text()
    for part in (story.prediction, story.reasons, story.changes):
        text.append(" " if text and part else "")
        for span in part:
            text.append(printable(span.text), _TONES[span.tone])
    own = next(c for c in payload["classes"] if c["label"] == payload["prediction"])
    total, near = sum(c["rows"] for c in payload["classes"]), payload["neighbourhood"]
    share = percent(own["rows"] / total) if total else "none"
    text.append(
        f"\n\nRules among {total:,} similar rows: {near['selected']:,} real ones and {near['generated']:,} generated "
        f"from them; the model labels {share} of them {printable(format_value(payload['prediction']))}.",
        _FADED,
    )
    for span in story.checked:
        text.append(f" {span.text}", _FADED)
    return text


def _legend(rules: list[Rule], measure: Scale, figures: bool) -> str:
    """What the signs mean, of those that are used."""
    texts = [_LEGEND]
    same = any(reply is not None and reply.mark == "=" for reply in (answer(rule, "", measure) for rule in rules))
    if any(rule.check is not None for rule in rules):
        texts.append(_LEGEND_CHECK + _LEGEND_UNIT[measure.unit] + (_LEGEND_SAME if same else ""))
    elif any(rule.rerun is not None for rule in rules):
        texts.append(_LEGEND_RERUN)
    return " ".join([*texts, _LEGEND_FIGURES] if figures else texts)


class _Rules:
    """The rules of a kind, laid out for the width of the console."""

    def __init__(
        self, rules: list[Rule], category: Category, prediction: Scalar, measure: Scale, figures: bool
    ) -> None:
        self.rules, self.prediction, self.measure, self.figures = rules, prediction, measure, figures
        self.style = _FOR if category.is_supporting else _AGAINST

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
        reply = answer(rule, self.prediction, self.measure)
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

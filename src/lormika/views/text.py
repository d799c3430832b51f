"""An explanation in a terminal, with colours, or as plain text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from lormika.frames.values import format_value
from lormika.rule import Category, Rule
from lormika.views import text_effects
from lormika.views.answers import sentence
from lormika.views.layout import Block, Column, Grid, Line, Paragraph, Piece, plain_text
from lormika.views.narrative import narrate
from lormika.views.reading import Reading
from lormika.views.words import HEADINGS, WEAK, conditions, heading, leverage, p_value, percent, printable, shares

if TYPE_CHECKING:
    from lormika.explanation import Explanation

_BAR = 8  # cells
_NARROW = 76  # characters: below, a rule's conditions stand beneath its share
_FOR, _AGAINST, _FADED = "bold blue", "bold dark_orange", "dim"
_COLUMNS = (Column(wraps=False), Column(wraps=False, least=18), Column())  # bar, share, conditions
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
    "value": "; a number is the value that it predicts, or how far inside or outside the band that is on average.",
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
    return plain_text(blocks(explanation, figures), width)


def blocks(explanation: Explanation, figures: bool = False) -> Iterator[Block]:
    """The parts of an explanation."""
    reading = Reading.of(explanation)
    explanation = reading.explanation
    yield _opening(reading)
    for category, (_, term) in HEADINGS.items():
        title = printable(heading(category, explanation.prediction, explanation.unit))
        yield Paragraph((f"\n{title}", _style(category)), (f"  {term}", _FADED))
        remark = reading.remark(category)
        if remark is not None:
            yield Paragraph((f"  {remark}", _FADED))
        rules = explanation.rules_of(category)
        yield _Rules(rules, reading, _style(category), figures) if rules else Paragraph(("  none found", _FADED))
    yield from text_effects.blocks(reading)
    if explanation.rules:
        yield Paragraph((f"\n{_legend(reading, figures)}", _FADED))
    for note in explanation.notes:
        yield Paragraph((f"\nNote: {printable(note.text)}", _FADED))


def _style(category: Category) -> str:
    return _FOR if category.is_supporting else _AGAINST


def _opening(reading: Reading) -> Paragraph:
    """The sentences, and which similar rows they are about."""
    explanation, story = reading.explanation, narrate(reading)
    pieces: list[Piece] = []
    for part in (story.prediction, story.reasons, story.changes):
        pieces += [(" ", "")] if pieces and part else []
        pieces += [(printable(span.text), _TONES[span.tone]) for span in part]
    near = explanation.neighbourhood
    share = percent(explanation.predicted.rows / near.rows) if near.rows else "none"
    about = (
        f"\n\nRules among {near.rows:,} similar rows: {near.selected:,} real ones and {near.generated:,} generated "
        f"from them; the model labels {share} of them {printable(format_value(explanation.prediction))}."
    )
    return Paragraph(*pieces, (about, _FADED), *((f" {span.text}", _FADED) for span in story.checked))


def _legend(reading: Reading, figures: bool) -> str:
    """What the signs mean, of those that are used."""
    texts, rules = [_LEGEND], reading.explanation.rules
    if reading.is_confirmed:
        marks = {reply.mark for reply in map(reading.answer, rules) if reply is not None}
        texts.append(_LEGEND_CHECK + _LEGEND_UNIT[reading.scale.unit] + (_LEGEND_SAME if "=" in marks else ""))
    elif any(rule.rerun is not None for rule in rules):
        texts.append(_LEGEND_RERUN)
    return " ".join([*texts, _LEGEND_FIGURES] if figures else texts)


class _Rules(Block):
    """The rules of a kind: conditions beside shares, or beneath them where there is little room."""

    def __init__(self, rules: Sequence[Rule], reading: Reading, style: str, figures: bool) -> None:
        self.rules, self.reading, self.style, self.figures = rules, reading, style, figures

    def lines(self, width: int) -> Iterator[Line]:
        """The lines of all rules."""
        if width >= _NARROW:
            rows = [[[(f"  {_bar(rule)}", "")], self._share(rule), self._body(rule)] for rule in self.rules]
            yield from Grid(_COLUMNS, rows).lines(width)
            return
        for rule in self.rules:
            yield from Paragraph((f"  {_bar(rule)}  ", ""), *self._share(rule)).lines(width)
            yield from Paragraph(*self._body(rule), indent=4).lines(width)

    def _share(self, rule: Rule) -> list[Piece]:
        if rule.counts.antecedent == 0:
            return [("no similar row has this", _FADED)]
        share, beside = shares(rule)
        return [(f"{share:>4}", self.style), (f" {beside}", _FADED)]

    def _body(self, rule: Rule) -> list[Piece]:
        """Conditions, what the model said, and the figures if they are wanted."""
        pieces = [(printable(conditions(rule)), "bold")]
        reply = self.reading.answer(rule)
        if reply is not None:
            colour = {"✔": "green", "✖": "red"}.get(reply.mark, _FADED)
            pieces.append((f"\n{printable(sentence(rule, reply))}", colour))
        if rule.weak:
            pieces.append((f"\n{WEAK}", _FADED))
        if self.figures:
            pieces.append((f"\n{_figures(rule)}", _FADED))
        return pieces


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

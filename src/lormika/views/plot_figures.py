"""The right-hand side of the matrix: confidence, coverage, lift, leverage, and what the model said of this case."""

from __future__ import annotations

import math

from lormika.frames.values import format_value
from lormika.rule import Edit, Rule
from lormika.views.answers import Answer
from lormika.views.plot_sheet import BAR, FAINT, INK, NAME, SMALL, TEXT, VALUE, Sheet, Style
from lormika.views.reading import Reading
from lormika.views.words import leverage, percent

# All lengths are points.
_GAP = 11.0
_CONFIDENCE, _PERCENT, _COVERAGE, _LIFT, _LEVERAGE, _ARROWS, _VERDICT = 62.0, 39.0, 52.0, 32.0, 42.0, 74.0, 60.0
_LEAST_ARROW = 6.0  # shorter ones are a dot
_SIGN = 14.0  # room of a verdict's sign before its text
_STRONG, _ANSWER = Style(9, INK, "bold"), Style(SMALL.size)
_KEPT, _FAILED, _OTHER = (Style(8.5, colour, "bold") for colour in ("#0B5D2A", "#8A2D00", INK))


class Figures:
    """Columns of figures, from `left` to `right`."""

    def __init__(self, reading: Reading, left: float) -> None:
        self.reading, self.scale = reading, reading.scale
        self.asked = any(reading.answer(rule) is not None for rule in reading.explanation.rules)
        self.confidence = left
        self.coverage = self.confidence + _CONFIDENCE + _PERCENT + _GAP
        self.lift = self.coverage + _COVERAGE + _GAP
        self.leverage = self.lift + _LIFT + _GAP
        self.arrows = self.leverage + _LEVERAGE + _GAP
        self.verdict = self.arrows + _ARROWS + _GAP / 2
        self.right = self.verdict + _VERDICT if self.asked else self.arrows - _GAP

    def head(self, sheet: Sheet, names: float, values: float) -> None:
        """Headings, with their names and the values of the instance down to the given heights."""
        headings = [
            (self.confidence, "confidence", ["│ = share of all", "similar rows"]),
            (self.coverage, "coverage", ["real +", "made rows"]),
            (self.lift, "lift", []),
            (self.leverage, "leverage", []),
        ]
        if self.asked:
            headings.append((self.arrows, "the model said", self._of_what(sheet)))
        for x, name, explained in headings:
            sheet.write(x, names, [name], NAME, down="bottom")
            if explained:
                sheet.write(x, names + 4, explained, SMALL)
        if self.asked and self._before is not None:
            now = [self.scale.text(self._before)]
            sheet.write(self._chance(self._before), values, now, VALUE, "center", "bottom")

    @property
    def _before(self) -> float | None:
        """The certainty of the instance as it is; None: only labels are known."""
        return None if self.scale.unit == "label" else self.scale.before

    def _of_what(self, sheet: Sheet) -> list[str]:
        if self._before is None:
            return []
        measure = "margin" if self.scale.unit == "margin" else "chance"
        text = f"{measure} of “{format_value(self.reading.explanation.prediction)}”"
        if self.scale.unit == "value":
            text = "value that it predicts"
        return sheet.typesetter.wrap(text, SMALL, self.right - self.arrows)

    def mark(self, sheet: Sheet, top: float, bottom: float) -> None:
        """The line of the instance's probability."""
        if self.asked and self._before is not None:
            x = self._chance(self._before)
            sheet.marker(x, top - 4, "v", 5)
            sheet.line(x, top - 5, bottom, 0.7, 1.5, dots=True)

    def _chance(self, certainty: float) -> float:
        return self.arrows + 4 + self.scale.place(certainty) * (_ARROWS - 8)

    def below(self, sheet: Sheet, rule: Rule) -> list[list[tuple[str, Style]]]:
        """Lines beneath the confidence bar, the coverage and the re-run."""
        wrap, real = sheet.typesetter.wrap, rule.real
        supporting = rule.category is not None and rule.category.is_supporting
        leads = [] if supporting else wrap(f"⇒ {format_value(rule.consequent)}", SMALL, _CONFIDENCE + _PERCENT, 2)
        rows = f"{rule.counts.antecedent:,}"
        if real is not None:
            rows = f"{real.antecedent:,} + {rule.counts.antecedent - real.antecedent:,}"
        faded = [[(line, SMALL) for line in lines] for lines in (leads, wrap(rows, SMALL, _COVERAGE, 2))]
        reply = self.reading.answer(rule)
        return [*faded, [] if reply is None else self._below_answer(sheet, rule, reply)]

    def _below_answer(self, sheet: Sheet, rule: Rule, reply: Answer) -> list[tuple[str, Style]]:
        """The new label, what was changed, and how many changes agree."""
        wrap, room = sheet.typesetter.wrap, self.right - self._beneath(reply)
        if not reply.certainty:
            lines = self._labels(sheet, reply)[1:]
        else:
            lines = wrap(f"now {reply.label}", _ANSWER, room) if reply.label is not None else []
        edits = [line for edit in reply.edits for line in _change(sheet, edit, room)]
        if rule.rerun is None and reply.certainty:
            edits = ["without it, on average"] if reply.mean else ["without it"]
        elif reply.mean:
            edits.append("on average")
        counts = [] if rule.check is None or not reply.certainty else [f"in {rule.check} changes"]
        return [(line, _ANSWER) for line in lines] + [(line, SMALL) for line in edits + counts]

    def _beneath(self, reply: Answer | None) -> float:
        """Left end of what stands beneath an answer."""
        return self.arrows if reply is not None and reply.certainty else self.arrows + _SIGN

    def row(self, sheet: Sheet, rule: Rule, y: float, colour: str) -> None:
        """The figures of a rule."""
        left, share = self.confidence, rule.counts.share_without
        sheet.bar(left, left + _CONFIDENCE, y, BAR, FAINT)
        if rule.counts.antecedent:
            sheet.bar(left, left + max(3.0, rule.confidence * _CONFIDENCE), y, BAR, colour)
        tick = left + share * _CONFIDENCE
        sheet.line(tick, y - BAR / 2 - 2.5, y + BAR / 2 + 2.5, 1.6, 4)
        sheet.write(left + _CONFIDENCE + 6, y, [percent(rule.confidence)], _STRONG, down="center")
        sheet.write(self.coverage, y, [percent(rule.coverage)], TEXT, down="center")
        lift = "–" if math.isnan(rule.lift) else f"{rule.lift:.{2 if rule.lift < 100 else 0}f}"
        sheet.write(self.lift, y, [lift], TEXT, down="center")
        sheet.write(self.leverage, y, [leverage(rule)], TEXT, down="center")
        reply = self.reading.answer(rule)
        for x, lines in zip((left, self.coverage, self._beneath(reply)), self.below(sheet, rule), strict=True):
            for number, (line, style) in enumerate(lines):
                sheet.write(x, y + BAR / 2 + 3 + number * SMALL.line, [line], style)
        if reply is not None:
            self._reply(sheet, reply, y, colour)

    def _reply(self, sheet: Sheet, reply: Answer, y: float, colour: str) -> None:
        """An arrow from the old certainty to the new one, or the labels if nothing else is known."""
        style = {"✔": _KEPT, "✖": _FAILED}.get(reply.mark, _OTHER)
        if reply.before is None or reply.after is None:
            sheet.write(self.arrows + _SIGN, y, self._labels(sheet, reply)[:1], TEXT, down="center")
            sheet.write(self.arrows, y, [reply.mark], style, down="center")
            return
        before, after = self._chance(reply.before), self._chance(reply.after)
        sheet.tracks([(self.arrows, self.arrows + _ARROWS)], y)
        if abs(after - before) >= _LEAST_ARROW:
            sheet.arrow(before, after, y, colour)
        sheet.marker(before, y, "o", 5)
        new = self.scale.pair(reply.before, reply.after)[1]
        sheet.write(self.verdict, y, [f"{new} {reply.mark}".strip()], style, down="center")

    def _labels(self, sheet: Sheet, reply: Answer) -> list[str]:
        """Both labels on one line, or the new one below the old one if they are long; or how many changes turn it."""
        wrap, room = sheet.typesetter.wrap, self.right - self.arrows - _SIGN
        if not reply.edits and reply.count is not None:
            return wrap(reply.count, TEXT, room, 2)
        old, new = reply.prediction, reply.label or reply.prediction
        line = wrap(f"{old} → {new}", TEXT, room)[0]
        if not line.endswith("…"):
            return [line]
        return [wrap(old, TEXT, room)[0], wrap(f"→ {new}", _ANSWER, room)[0]]


def _change(sheet: Sheet, edit: Edit, room: float) -> list[str]:
    """An edit on one line or two; if that is too little, without the value before, which stands above the matrix."""
    wrap = sheet.typesetter.wrap
    lines = wrap(str(edit), SMALL, room, 2)
    if not lines[-1].endswith("…"):
        return lines
    return [wrap(text, SMALL, room)[0] for text in (edit.feature, f"→ {format_value(edit.after)}")]

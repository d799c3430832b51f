"""The right-hand side of the matrix: confidence, coverage, lift, leverage, and what the model said when asked again."""

from __future__ import annotations

from lormika.payload import Payload
from lormika.rule import Edit, Rerun, Rule
from lormika.values import Scalar, format_value
from lormika.views.plot_sheet import BAR, FAINT, INK, NAME, SMALL, TEXT, VALUE, Sheet, Style
from lormika.views.words import percent, rerun_verdict

# All lengths are points.
_GAP = 11.0
_CONFIDENCE, _PERCENT, _COVERAGE, _LIFT, _LEVERAGE, _ARROWS, _VERDICT = 62.0, 35.0, 52.0, 32.0, 42.0, 74.0, 52.0
_LEAST_ARROW = 6.0  # shorter ones are a dot
_SIGN = 14.0  # room of a verdict's sign before its text
_STRONG, _SAID = Style(9, INK, "bold"), Style(SMALL.size)
_KEPT, _FAILED, _OTHER = (Style(8.5, colour, "bold") for colour in ("#0B5D2A", "#8A2D00", INK))


class Figures:
    """Columns of figures, from `left` to `right`."""

    def __init__(self, payload: Payload, rules: list[Rule], left: float) -> None:
        self.prediction: Scalar = payload["prediction"]
        self.probability: float | None = next(
            c["probability"] for c in payload["classes"] if c["label"] == self.prediction
        )
        self.asked = any(rule.rerun is not None for rule in rules)
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
            headings.append((self.arrows, "model re-run", self._of_what(sheet)))
        for x, name, explained in headings:
            sheet.write(x, names, [name], NAME, down="bottom")
            if explained:
                sheet.write(x, names + 4, explained, SMALL)
        if self.asked and self.probability is not None:
            said = [percent(self.probability)]
            sheet.write(self._chance(self.probability), values, said, VALUE, "center", "bottom")

    def _of_what(self, sheet: Sheet) -> list[str]:
        if self.probability is None:
            return []
        text = f"chance of “{format_value(self.prediction)}”"
        return sheet.typesetter.wrap(text, SMALL, self.right - self.arrows)

    def mark(self, sheet: Sheet, top: float, bottom: float) -> None:
        """The line of the instance's probability."""
        if self.asked and self.probability is not None:
            x = self._chance(self.probability)
            sheet.marker(x, top - 4, "v", 5)
            sheet.line(x, top - 5, bottom, 0.7, 1.5, dots=True)

    def _chance(self, probability: float) -> float:
        return self.arrows + 4 + probability * (_ARROWS - 8)

    def below(self, sheet: Sheet, rule: Rule) -> list[list[tuple[str, Style]]]:
        """Lines beneath the confidence bar, the coverage and the re-run."""
        wrap, real = sheet.typesetter.wrap, rule.real
        supporting = rule.category is not None and rule.category.is_supporting
        leads = [] if supporting else wrap(f"⇒ {format_value(rule.consequent)}", SMALL, _CONFIDENCE + _PERCENT, 2)
        rows = f"{rule.counts.antecedent:,}"
        if real is not None:
            rows = f"{real.antecedent:,} + {rule.counts.antecedent - real.antecedent:,}"
        faded = [[(line, SMALL) for line in lines] for lines in (leads, wrap(rows, SMALL, _COVERAGE, 2))]
        return [*faded, self._below_rerun(sheet, rule)]

    def _below_rerun(self, sheet: Sheet, rule: Rule) -> list[tuple[str, Style]]:
        """The new label, and what was changed."""
        if rule.rerun is None:
            return []
        wrap, room = sheet.typesetter.wrap, self.right - self._beneath(rule)
        if not self._has_chances(rule):
            said = self._labels(sheet, rule)[1:]
        else:
            said = wrap(f"now {format_value(rule.rerun.label)}", _SAID, room) if rule.rerun.turned else []
        edits = [line for edit in rule.rerun.edits for line in _change(sheet, edit, room)]
        return [(line, _SAID) for line in said] + [(line, SMALL) for line in edits]

    def _has_chances(self, rule: Rule) -> bool:
        return self.probability is not None and rule.rerun is not None and rule.rerun.probability is not None

    def _beneath(self, rule: Rule) -> float:
        """Left end of what stands beneath a re-run."""
        return self.arrows if self._has_chances(rule) else self.arrows + _SIGN

    def row(self, sheet: Sheet, rule: Rule, y: float, colour: str) -> None:
        """The figures of a rule."""
        left, share = self.confidence, rule.counts.share_without
        sheet.bar(left, left + _CONFIDENCE, y, BAR, FAINT)
        sheet.bar(left, left + max(3.0, rule.confidence * _CONFIDENCE), y, BAR, colour)
        tick = left + share * _CONFIDENCE
        sheet.line(tick, y - BAR / 2 - 2.5, y + BAR / 2 + 2.5, 1.6, 4)
        sheet.write(left + _CONFIDENCE + 6, y, [percent(rule.confidence)], _STRONG, down="center")
        sheet.write(self.coverage, y, [percent(rule.coverage)], TEXT, down="center")
        sheet.write(self.lift, y, [f"{rule.lift:.{2 if rule.lift < 100 else 0}f}"], TEXT, down="center")
        sheet.write(self.leverage, y, [f"{rule.leverage:.3f}"], TEXT, down="center")
        for x, lines in zip((left, self.coverage, self._beneath(rule)), self.below(sheet, rule), strict=True):
            for number, (line, style) in enumerate(lines):
                sheet.write(x, y + BAR / 2 + 3 + number * SMALL.line, [line], style)
        if rule.rerun is not None:
            self._rerun(sheet, rule, rule.rerun, y, colour)

    def _rerun(self, sheet: Sheet, rule: Rule, rerun: Rerun, y: float, colour: str) -> None:
        """An arrow from the old probability to the new one, or the labels if the model gives no probabilities."""
        _, mark = rerun_verdict(rule, self.prediction, self.probability)
        style = {"✔": _KEPT, "✖": _FAILED}.get(mark, _OTHER)
        if self.probability is None or rerun.probability is None:
            sheet.write(self.arrows + _SIGN, y, self._labels(sheet, rule)[:1], TEXT, down="center")
            sheet.write(self.arrows, y, [mark], style, down="center")
            return
        before, after = self._chance(self.probability), self._chance(rerun.probability)
        sheet.tracks([(self.arrows, self.arrows + _ARROWS)], y)
        if abs(after - before) >= _LEAST_ARROW:
            sheet.arrow(before, after, y, colour)
        sheet.marker(before, y, "o", 5)
        sheet.write(self.verdict, y, [f"{percent(rerun.probability)} {mark}"], style, down="center")

    def _labels(self, sheet: Sheet, rule: Rule) -> list[str]:
        """Both labels on one line, or the new one below the old one if they are long."""
        assert rule.rerun is not None
        wrap, room, old, new = (
            sheet.typesetter.wrap,
            self.right - self.arrows - _SIGN,
            self.prediction,
            rule.rerun.label,
        )
        line = wrap(f"{format_value(old)} → {format_value(new)}", TEXT, room)[0]
        if not line.endswith("…"):
            return [line]
        return [wrap(format_value(old), TEXT, room)[0], wrap(f"→ {format_value(new)}", _SAID, room)[0]]


def _change(sheet: Sheet, edit: Edit, room: float) -> list[str]:
    """An edit on one line or two; if that is too little, without the value before, which stands above the matrix."""
    wrap = sheet.typesetter.wrap
    lines = wrap(str(edit), SMALL, room, 2)
    if not lines[-1].endswith("…"):
        return lines
    return [wrap(text, SMALL, room)[0] for text in (edit.feature, f"→ {format_value(edit.after)}")]

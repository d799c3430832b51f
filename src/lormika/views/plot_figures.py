"""The right-hand side of the matrix: confidence, coverage, lift, leverage, and what the model said when asked again."""

from __future__ import annotations

from lormika.payload import Payload
from lormika.rule import Rule
from lormika.values import Scalar, format_value
from lormika.views.plot_sheet import BAR, FADED, FAINT, INK, NAME, SMALL, TEXT, VALUE, Sheet, Style
from lormika.views.words import percent, rerun_verdict

# All lengths are points.
_GAP = 11.0
_CONFIDENCE, _PERCENT, _COVERAGE, _LIFT, _LEVERAGE, _ARROWS, _VERDICT = 62.0, 35.0, 52.0, 32.0, 42.0, 66.0, 44.0
_LEAST_ARROW = 6.0  # shorter ones are a dot
_STRONG = Style(9, INK, "bold")
_VERDICTS = {"✔": Style(8.5, "#0B5D2A", "bold"), "✖": Style(8.5, "#8A2D00", "bold"), "=": Style(8.5, FADED, "bold")}


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
            (self.confidence, "confidence", ["│ = share without", "the rule"]),
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
            sheet.line((x, x), (top - 5, bottom), INK, 0.7, 1.5, dots=True)

    def _chance(self, probability: float) -> float:
        return self.arrows + 4 + probability * (_ARROWS - 8)

    def below(self, sheet: Sheet, rule: Rule) -> list[list[str]]:
        """Lines beneath the confidence bar, the coverage and the re-run."""
        wrap, real = sheet.typesetter.wrap, rule.real
        supporting = rule.category is not None and rule.category.is_supporting
        leads = [] if supporting else wrap(f"⇒ {format_value(rule.consequent)}", SMALL, _CONFIDENCE + _PERCENT, 2)
        rows = f"{rule.counts.antecedent:,}"
        if real is not None:
            rows = f"{real.antecedent:,} + {rule.counts.antecedent - real.antecedent:,}"
        said: list[str] = []
        if rule.rerun is not None and rule.rerun.turned and rule.rerun.probability is not None:
            said = wrap(f"says {format_value(rule.rerun.label)}", SMALL, self.right - self.arrows)
        return [leads, wrap(rows, SMALL, _COVERAGE, 2), said]

    def row(self, sheet: Sheet, rule: Rule, y: float, colour: str, tint: str) -> None:
        """The figures of a rule."""
        left, share = self.confidence, rule.counts.share_without
        sheet.bar(left, left + _CONFIDENCE, y, BAR, FAINT)
        sheet.bar(left, left + max(3.0, rule.confidence * _CONFIDENCE), y, BAR, colour)
        tick = left + share * _CONFIDENCE
        sheet.line((tick, tick), (y - BAR / 2 - 2.5, y + BAR / 2 + 2.5), INK, 1.6, 4)
        sheet.write(left + _CONFIDENCE + 6, y, [percent(rule.confidence)], _STRONG, down="center")
        sheet.write(self.coverage, y, [percent(rule.coverage)], TEXT, down="center")
        sheet.write(self.lift, y, [f"{rule.lift:.{2 if rule.lift < 100 else 0}f}"], TEXT, down="center")
        sheet.write(self.leverage, y, [f"{rule.leverage:.3f}"], TEXT, down="center")
        for x, lines in zip((left, self.coverage, self.arrows), self.below(sheet, rule), strict=True):
            if lines:
                sheet.write(x, y + BAR / 2 + 3, lines, SMALL, behind=tint)
        if rule.rerun is not None:
            self._rerun(sheet, rule, y, colour, tint)

    def _rerun(self, sheet: Sheet, rule: Rule, y: float, colour: str, tint: str) -> None:
        """An arrow from the old probability to the new one, or the labels if the model gives no probabilities."""
        assert rule.rerun is not None
        said, mark = rerun_verdict(rule, self.prediction, self.probability)
        style = _VERDICTS[mark]
        if rule.rerun.probability is None or self.probability is None:
            sheet.write(self.arrows + 14, y, self._labels(sheet, said, rule.rerun.label), TEXT, down="center")
            sheet.write(self.arrows, y, [mark], style, down="center")
            return
        before, after = self._chance(self.probability), self._chance(rule.rerun.probability)
        sheet.tracks([(self.arrows, self.arrows + _ARROWS)], y)
        if abs(after - before) >= _LEAST_ARROW:
            sheet.arrow(before, after, y, colour)
        sheet.marker(before, y, "o", 5)
        sheet.write(self.verdict, y, [f"{percent(rule.rerun.probability)} {mark}"], style, down="center", behind=tint)

    def _labels(self, sheet: Sheet, said: str, label: Scalar) -> list[str]:
        """Both labels on one line, or the new one below the old one if they are long."""
        wrap, room = sheet.typesetter.wrap, self.right - self.arrows - 14
        line = wrap(said, TEXT, room)[0]
        if not line.endswith("…"):
            return [line]
        return [wrap(format_value(self.prediction), TEXT, room)[0], wrap(f"→ {format_value(label)}", TEXT, room)[0]]

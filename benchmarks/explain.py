"""`Explainer.explain` on real data: the time of the model's own calls, what is added to it, what confirming costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pandas as pd
from explaining import STAGES, Timing, mean, median, time_stages, time_ways
from report import Report, Requirement, SkippedError, Table
from sklearn.model_selection import train_test_split
from timing import milliseconds

import data
import models
from lormika import Explainer

INSTANCES = 30
RATIO = 1.15  # of the time with the forest, to that without confirmation
MOST = 0.015  # seconds beside the logistic regression

DATA = {"adult": data.adult, "compas": data.compas, "german": data.german}
MODELS = {"random forest": models.random_forest, "logistic regression": models.logistic_regression}


@dataclass(frozen=True)
class Outcome:
    data: str
    model: str
    background: tuple[int, int]
    timings: list[Timing]
    unconfirmed: list[Timing]  # the same with `confirm=False`, and no edits
    stages: dict[str, float]

    @property
    def label(self) -> str:
        return f"{self.data}, {self.model}"

    @property
    def outside(self) -> float:
        return median(self.timings, "outside")

    @property
    def ratio(self) -> float:
        return mean(self.timings, "total") / mean(self.unconfirmed, "total")


def run() -> Report:
    outcomes: list[Outcome] = []
    skipped: list[str] = []
    for name, load in DATA.items():
        try:
            outcomes.extend(_explain_all(name, load))
        except SkippedError as reason:
            skipped.append(f"{name}: {reason}.")
    if not outcomes:
        return Report(remarks=skipped)
    tables = [_times(outcomes), _confirmation(outcomes), _stages(outcomes)]
    return Report(tables, [_requirement(each) for each in outcomes], skipped)


def _explain_all(name: str, load: Callable[[], tuple[pd.DataFrame, pd.Series]]) -> Iterator[Outcome]:
    X, y = load()
    background, others, y_background, _ = train_test_split(X, y, test_size=0.2, random_state=0)
    rows = [others.iloc[[i]] for i in range(INSTANCES)]
    for title, make in MODELS.items():
        model = models.TimedModel(make(X).fit(background, y_background))
        explainer = Explainer(model, background)
        timings = _compare(explainer, Explainer(model, background, n_asked=0), model, rows)
        yield Outcome(name, title, background.shape, *timings, time_stages(explainer, rows))


def _compare(
    explainer: Explainer, without_edits: Explainer, model: models.TimedModel, rows: list[pd.DataFrame]
) -> list[list[Timing]]:
    """Timings of explanations, and of such as are not confirmed; in turn."""
    ways = [lambda i: explainer.explain(rows[i]), lambda i: without_edits.explain(rows[i], confirm=False)]
    return time_ways(ways, model, len(rows))


def _times(outcomes: list[Outcome]) -> Table:
    columns = ["data", "model", "background", "total", "model's calls", "first call", "outside"]
    rows = [
        [
            each.data,
            each.model,
            f"{each.background[0]:,} × {each.background[1]}",
            *(milliseconds(median(each.timings, name)) for name in ("total", "model", "first")),
            milliseconds(each.outside),
        ]
        for each in outcomes
    ]
    return Table(f"Milliseconds per explanation, median of {INSTANCES} test rows", columns, rows)


def _confirmation(outcomes: list[Outcome]) -> Table:
    columns = ["data", "model", "rules", "total", "ratio", "model's calls", "outside", "calls", "rows in them"]
    rows = [
        [
            each.data,
            each.model,
            title,
            milliseconds(mean(timings, "total")),
            f"{mean(timings, 'total') / mean(each.unconfirmed, 'total'):.2f}",
            *(milliseconds(mean(timings, name)) for name in ("model", "outside")),
            f"{mean(timings, 'calls'):.1f}",
            f"{mean(timings, 'rows'):,.0f}",
        ]
        for each in outcomes
        for title, timings in (("confirmed", each.timings), ("`confirm=False`", each.unconfirmed))
    ]
    return Table(f"What confirming costs: milliseconds per explanation, mean of {INSTANCES} test rows", columns, rows)


def _stages(outcomes: list[Outcome]) -> Table:
    rows = [[stage, *(f"{each.stages[stage] * 1000:.2f}" for each in outcomes)] for stage in STAGES]
    return Table("Milliseconds by stage", ["stage", *(e.label for e in outcomes)], rows)


def _requirement(each: Outcome) -> Requirement:
    if each.model == "random forest":
        text = f"{each.data}: confirming takes at most {RATIO} times as long with the forest"
        return Requirement(text, f"{each.ratio:.2f}", each.ratio <= RATIO)
    text = f"{each.data}: outside ≤ {MOST * 1000:.0f} ms beside the logistic regression"
    return Requirement(text, f"{milliseconds(each.outside)} ms", each.outside <= MOST)

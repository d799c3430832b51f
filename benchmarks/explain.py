"""`Explainer.explain` on real data: the time of the model's own calls, and what is added to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import data
import pandas as pd
from explaining import STAGES, Timing, median, time_explanations, time_stages
from report import Report, Requirement, SkippedError, Table
from sklearn.model_selection import train_test_split
from timing import milliseconds

import models
from lormika import Explainer

INSTANCES = 30
SHARE = 0.25  # of what the forest takes to predict the sample
MOST = 0.015  # seconds beside the logistic regression

DATA = {"adult": data.adult, "compas": data.compas, "german": data.german}
MODELS = {"random forest": models.random_forest, "logistic regression": models.logistic_regression}


@dataclass(frozen=True)
class Outcome:
    data: str
    model: str
    background: tuple[int, int]
    timings: list[Timing]
    stages: dict[str, float]

    @property
    def label(self) -> str:
        return f"{self.data}, {self.model}"

    @property
    def outside(self) -> float:
        return median(self.timings, "outside")

    @property
    def share(self) -> float:
        return self.outside / median(self.timings, "sample")


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
    return Report([_times(outcomes), _stages(outcomes)], [_requirement(each) for each in outcomes], skipped)


def _explain_all(name: str, load: Callable[[], tuple[pd.DataFrame, pd.Series]]) -> Iterator[Outcome]:
    X, y = load()
    background, others, y_background, _ = train_test_split(X, y, test_size=0.2, random_state=0)
    rows = [others.iloc[[i]] for i in range(INSTANCES)]
    for title, make in MODELS.items():
        model = models.TimedModel(make(X).fit(background, y_background))
        explainer = Explainer(model, background)
        timings = time_explanations(explainer, model, rows)
        yield Outcome(name, title, background.shape, timings, time_stages(explainer, rows))


def _times(outcomes: list[Outcome]) -> Table:
    columns = ["data", "model", "background", "total", "model's calls", "first call: the sample", "outside", "share"]
    rows = [
        [
            each.data,
            each.model,
            f"{each.background[0]:,} × {each.background[1]}",
            *(milliseconds(median(each.timings, name)) for name in ("total", "model", "sample", "outside")),
            f"{each.share:.1%}",
        ]
        for each in outcomes
    ]
    return Table(f"Milliseconds per explanation, median of {INSTANCES} test rows", columns, rows)


def _stages(outcomes: list[Outcome]) -> Table:
    rows = [[stage, *(f"{each.stages[stage] * 1000:.2f}" for each in outcomes)] for stage in STAGES]
    return Table("Milliseconds outside the model's calls, by stage", ["stage", *(e.label for e in outcomes)], rows)


def _requirement(each: Outcome) -> Requirement:
    if each.model == "random forest":
        text = f"{each.data}: outside ≤ {SHARE:.0%} of what the forest takes to predict the sample"
        return Requirement(text, f"{each.share:.1%} ({milliseconds(each.outside)} ms)", each.share <= SHARE)
    text = f"{each.data}: outside ≤ {MOST * 1000:.0f} ms beside the logistic regression"
    return Requirement(text, f"{milliseconds(each.outside)} ms", each.outside <= MOST)

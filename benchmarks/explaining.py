"""Time of explanations, split into the model's own calls and the rest, and the rest into stages."""

from __future__ import annotations

import functools
import importlib
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from typing import Any

from timing import cpu

from lormika import Explainer
from models import TimedModel

# Where each stage of an explanation can be timed. A stage does not count the stages called inside it.
STAGES = {
    "read x": "lormika.schema:Schema.encode_instance",
    "distance scan": "lormika.background:Background.squared_distances",
    "select": "lormika.neighbourhood:select",
    "generate": "lormika.neighbourhood:generate",
    "gather rows, seed": "lormika.neighbourhood:_find_one",
    "restore frame": "lormika.schema:Schema.restore",
    "label": "lormika.explainer:label",
    "itemise": "lormika.explainer:itemise",
    "search": "lormika._core:search",
    "rule building": "lormika.explainer:k_optimal_rules",
    "re-run": "lormika.explainer:rerun",
    "the rest": "lormika.explainer:Explainer.explain",
}
_MODEL = "the model's calls"


@dataclass(frozen=True)
class Timing:
    """CPU seconds of one explanation."""

    total: float
    model: float  # all of the model's calls
    sample: float  # its calls on the sample: the first one, unless labels are asked for apart
    outside: float  # what the explainer adds to the model's calls


def time_explanations(explainer: Explainer, model: TimedModel, rows: Sequence[Any], repeat: int = 5) -> list[Timing]:
    """Timing of each row's explanation; each figure is the least of some interleaved repetitions."""
    explainer.explain(rows[0])  # first calls load modules
    rounds = [[_time(explainer, model, x) for x in rows] for _ in range(repeat)]
    return [Timing(*map(min, zip(*map(astuple, of_row), strict=True))) for of_row in zip(*rounds, strict=True)]


def _time(explainer: Explainer, model: TimedModel, x: Any) -> Timing:
    model.calls.clear()
    total, _ = cpu(lambda: explainer.explain(x))
    inside = sum(call.seconds for call in model.calls)
    sample = sum(call.seconds for call in model.calls if call.rows == model.calls[0].rows)
    return Timing(total, inside, sample, total - inside)


def median(timings: Sequence[Timing], name: str) -> float:
    return statistics.median(getattr(timing, name) for timing in timings)


def time_stages(explainer: Explainer, rows: Sequence[Any], repeat: int = 3) -> dict[str, float]:
    """Median CPU seconds of each stage, without the model's calls; a pass of its own, for the clocks cost a little."""
    with _clocks() as clocks:
        rounds = [[_stages_of(clocks, explainer, x) for x in rows] for _ in range(repeat)]
    least = [{stage: min(each[stage] for each in of_row) for stage in STAGES} for of_row in zip(*rounds, strict=True)]
    return {stage: statistics.median(times[stage] for times in least) for stage in STAGES}


def _stages_of(clocks: Clocks, explainer: Explainer, x: Any) -> dict[str, float]:
    clocks.seconds.clear()
    explainer.explain(x)
    return defaultdict(float, clocks.seconds)


class Clocks:
    """Exclusive time of nested stages: while an inner one runs, the outer one's clock stands."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._running: list[str] = []
        self._since = 0.0

    def timed(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def run(*arguments: Any, **named: Any) -> Any:
            self._tick()
            self._running.append(stage)
            try:
                return function(*arguments, **named)
            finally:
                self._tick()
                self._running.pop()

        return run

    def _tick(self) -> None:
        now = time.process_time()
        if self._running:
            self.seconds[self._running[-1]] += now - self._since
        self._since = now


@contextmanager
def _clocks() -> Iterator[Clocks]:
    """Put a clock around every stage, and take it away again."""
    clocks = Clocks()
    places = {**_PLACES, _MODEL: (TimedModel, "_timed")}
    before = {stage: getattr(owner, name) for stage, (owner, name) in places.items()}
    for stage, (owner, name) in places.items():
        setattr(owner, name, clocks.timed(stage, before[stage]))
    try:
        yield clocks
    finally:
        for stage, (owner, name) in places.items():
            setattr(owner, name, before[stage])


def _find(place: str) -> tuple[Any, str]:
    """Owner and name of a function given as module:name or module:Class.name."""
    module, _, path = place.partition(":")
    *owners, name = path.split(".")
    owner = functools.reduce(getattr, owners, importlib.import_module(module))
    if not hasattr(owner, name):
        raise SystemExit(f"{place} has moved: correct STAGES in {__file__}")
    return owner, name


_PLACES = {stage: _find(place) for stage, place in STAGES.items()}  # now, not after minutes of measuring

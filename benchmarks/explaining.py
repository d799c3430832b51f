"""Time of explanations, split into the model's own calls and the rest, and into stages."""

from __future__ import annotations

import functools
import importlib
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import astuple, dataclass
from typing import Any
from unittest import mock

from timing import cpu

from lormika import Explainer
from models import TimedModel

# Where each stage of an explanation can be timed. A stage does not count the stages called inside it.
STAGES = {
    "read x": ["lormika.frames.schema:Schema.read_instance"],
    "distance scan": ["lormika.stages.background:Background.squared_distances"],
    "select": ["lormika.stages.neighbourhood:select"],
    "generate": ["lormika.stages.neighbourhood:generate"],
    "gather rows, seed": ["lormika.stages.neighbourhood:_find_one"],
    "itemise": ["lormika.case:itemise"],
    "make edits": ["lormika.case:make_edits", "lormika.case:Plan.of", "lormika.case:Plan.rows"],
    "same rows once, read answers": ["lormika.stages.asking:_ask"],
    "restore frame": ["lormika.frames.schema:Schema.restore"],
    "the model's calls": ["models:TimedModel._timed"],
    "trials: turning, settle": ["lormika.case:try_edits"],
    "search": ["lormika._core:search"],
    "confirm, choose": ["lormika.case:_choice", "lormika.stages.choose:Choice.rules"],
    "the rest": ["lormika.explainer:Explainer.explain"],
}

Way = Callable[[int], Any]
"""Something to do with the i-th test row, such as explaining it."""


@dataclass(frozen=True)
class Timing:
    """CPU seconds of one explanation."""

    total: float
    model: float  # all of the model's calls
    first: float  # its calls on the sample and the edits: the first one, unless labels are asked for apart
    outside: float  # what the explainer adds to the model's calls
    calls: int
    rows: int  # in these calls


def time_ways(ways: Sequence[Way], model: TimedModel, instances: int, repeat: int = 5) -> list[list[Timing]]:
    """For each way, the timing of each test row; each figure is the least of some interleaved repetitions."""
    for way in ways:
        way(0)  # first calls load modules
    rounds = [[[_time(way, model, i) for way in ways] for i in range(instances)] for _ in range(repeat)]
    return [[_least([one[i][w] for one in rounds]) for i in range(instances)] for w in range(len(ways))]


def _time(way: Way, model: TimedModel, i: int) -> Timing:
    model.calls.clear()
    total, _ = cpu(lambda: way(i))
    inside = sum(call.seconds for call in model.calls)
    first = sum(call.seconds for call in model.calls if call.rows == model.calls[0].rows)
    return Timing(total, inside, first, total - inside, len(model.calls), sum(call.rows for call in model.calls))


def _least(timings: Sequence[Timing]) -> Timing:
    return Timing(*map(min, zip(*map(astuple, timings), strict=True)))


def median(timings: Sequence[Timing], name: str) -> float:
    return statistics.median(getattr(timing, name) for timing in timings)


def mean(timings: Sequence[Timing], name: str) -> float:
    return statistics.fmean(getattr(timing, name) for timing in timings)


def time_stages(explainer: Explainer, rows: Sequence[Any], repeat: int = 3) -> dict[str, float]:
    """Median CPU seconds of each stage; a pass of its own, for the clocks cost a little."""
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
            with self._counting(stage):
                result = function(*arguments, **named)
            return self._steps(stage, result) if isinstance(result, Generator) else result

        return run

    def _steps(self, stage: str, asking: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        """The same generator, timed while it works, and not while it waits for an answer."""
        answer = None
        while True:
            with self._counting(stage):
                try:
                    question = asking.send(answer)
                except StopIteration as stop:
                    return stop.value
            answer = yield question

    @contextmanager
    def _counting(self, stage: str) -> Iterator[None]:
        self._tick()
        self._running.append(stage)
        try:
            yield
        finally:
            self._tick()
            self._running.pop()

    def _tick(self) -> None:
        now = time.process_time()
        if self._running:
            self.seconds[self._running[-1]] += now - self._since
        self._since = now


@contextmanager
def _clocks() -> Iterator[Clocks]:
    """Put a clock around every stage, and take it away again."""
    clocks = Clocks()
    with ExitStack() as stack:
        for stage, places in _PLACES.items():
            for owner, name in places:
                stack.enter_context(mock.patch.object(owner, name, clocks.timed(stage, getattr(owner, name))))
        yield clocks


def _find(place: str) -> tuple[Any, str]:
    """Owner and name of a function given as module:name or module:Class.name."""
    module, _, path = place.partition(":")
    *owners, name = path.split(".")
    owner = functools.reduce(getattr, owners, importlib.import_module(module))
    if not hasattr(owner, name):
        raise SystemExit(f"{place} has moved: correct STAGES in {__file__}")
    return owner, name


_PLACES = {stage: [_find(place) for place in places] for stage, places in STAGES.items()}  # now, not minutes later

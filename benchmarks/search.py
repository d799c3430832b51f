"""The search alone: nodes and CPU time on the standard tasks, by objective and filter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from previous import compare
from report import Report, Table
from tasks import Task, make_task
from timing import best, milliseconds, within

from lormika import _core
from lormika.frames.feature import Feature
from lormika.frames.of_numpy import ArrayNumber
from lormika.options import Filter, Objective, SearchOptions
from lormika.rule import Rule
from lormika.stages.items import Items
from lormika.stages.search import Space, make_lists

LIMIT = 60  # seconds for one cell
RUNS = [("A", 4), ("B", 3), ("B", 4), ("C", 4)]
SIZES = (10, 100)

# Milliseconds of a throw-away prototype of the same scheme on a loaded machine: leverage, confidence; k = 10, 100.
PROTOTYPE = {
    ("A", 4): {"leverage": ("<1", "2"), "confidence": ("6", "11")},
    ("B", 3): {"leverage": ("1", "13"), "confidence": ("18", "20")},
    ("B", 4): {"leverage": ("2", "16"), "confidence": ("120", "340")},
    ("C", 4): {"leverage": ("7", "52"), "confidence": ("470", "460")},
}


@dataclass(frozen=True)
class Outcome:
    seconds: float
    nodes: int
    rules: int


Cell = tuple[str, int, str, str, int]  # task, conditions, objective, filter, k


def run() -> Report:
    cells = {key: outcome for name, conditions in RUNS for key, outcome in _measure_task(name, conditions)}
    tables = [_beside_prototype(cells), *(_table(cells, *run) for run in RUNS)]
    beside = compare()
    return Report([*beside.tables, *tables], beside.requirements, [_REMARK, *beside.remarks])


_REMARK = (
    f"Least CPU time of up to five runs in milliseconds, bitsets included; `>{LIMIT} s` marks a search that was "
    "stopped. The prototype was a throw-away program with the same scheme, measured on another day."
)


def _measure_task(name: str, conditions: int) -> Iterator[tuple[Cell, Outcome | None]]:
    task = make_task(name)
    items = task_items(task)
    for objective, filter, k in product(Objective, Filter, SIZES):
        options = search_options(task, k, objective, filter, conditions)
        # A child for each, for it may have to be stopped.
        yield (name, conditions, objective, filter, k), within(LIMIT, _measure, items, task.labels, options)


def _beside_prototype(cells: dict[Cell, Outcome | None]) -> Table:
    rows = []
    for (name, conditions), known in PROTOTYPE.items():
        for objective, times in known.items():
            for k, before in zip(SIZES, times, strict=True):
                found = _texts(cells[name, conditions, objective, "none", k])[:2]
                rows.append([name, str(conditions), objective, str(k), *found, before])
    columns = ["task", "conditions", "objective", "k", "ms", "nodes", "prototype, ms"]
    return Table("Without filter, beside the prototype", columns, rows)


def _table(cells: dict[Cell, Outcome | None], name: str, conditions: int) -> Table:
    columns = ["objective", "filter", *(title for k in SIZES for title in (f"k={k}: ms", "nodes", "rules"))]
    rows = [
        [objective, filter, *(text for k in SIZES for text in _texts(cells[name, conditions, objective, filter, k]))]
        for objective, filter in product(Objective, Filter)
    ]
    rows_of_task, features = make_task(name).table.shape
    return Table(
        f"Task {name}: {rows_of_task:,} rows × {features} features, up to {conditions} conditions", columns, rows
    )


def _texts(outcome: Outcome | None) -> list[str]:
    if outcome is None:
        return [f">{LIMIT} s", "", ""]
    return [milliseconds(outcome.seconds), f"{outcome.nodes:,}", str(outcome.rules)]


def task_items(task: Task) -> Items:
    """Items of a task: its codes are items already."""
    features = task.table.shape[1]
    as_it_is = ArrayNumber(np.dtype(np.int64))
    described = tuple(Feature(f"x{f}", (0, 1, 2), None, as_it_is, {0: 0, 1: 1, 2: 2}) for f in range(features))
    codes = np.ascontiguousarray(task.table.T)
    sizes = np.full(features, 3, dtype=np.int32)
    rows = np.array([np.count_nonzero(own == value) for own in codes for value in range(3)])
    no_range, whole = np.full(3 * features, np.nan), np.zeros(3 * features, dtype=bool)
    categories = np.tile([0.0, 1.0, 2.0], features)
    nowhere = np.full(features, -1, dtype=np.int32)  # no instance
    no_numbers = np.empty((0, codes.shape[1]))
    places = tuple(range(features))
    return Items(described, places, sizes, rows, no_range, no_range, whole, categories, codes, nowhere, no_numbers)


def search_options(task: Task, k: int, objective: str, filter: str, conditions: int) -> SearchOptions:
    return SearchOptions(
        k=k, objective=objective, max_conditions=conditions, min_count=task.min_count, m=0.0,
        filter=filter, alpha=0.05, correction="layered",
    )  # fmt: skip


def find_rules(items: Items, labels: np.ndarray, options: SearchOptions) -> list[Rule]:
    """The k best rules that lead to class 1, found as the library finds them."""
    space = Space(items, labels, (0, 1), consequents=[1])
    return [space.make_rule(candidate) for candidate in space.find(options, make_lists(space, options.per), options.k)]


def _measure(items: Items, labels: np.ndarray, options: SearchOptions) -> Outcome:
    """Time the core's search alone, called as the library calls it, and without making rules of what it found."""
    found = {}

    def search(*arguments: object, **named: object) -> tuple:
        seconds, result = best(lambda: kernel(*arguments, **named), repeat=5)
        rules, nodes, *_ = result
        found["outcome"] = Outcome(seconds, nodes, len(rules))
        return result

    kernel, _core.search = _core.search, search  # in a child of its own: nothing to put back
    find_rules(items, labels, options)
    return found["outcome"]

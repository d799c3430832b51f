"""Many rows: several at a time, in order, with threads and a progress bar; a row that fails does not stop the rest."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

import numpy as np

from lormika import frames
from lormika.case import Case, explain_together, locate_together
from lormika.checks import check_choice, check_integer
from lormika.errors import InputError, ModelError
from lormika.explanation import Explanation, Failure
from lormika.frames.instances import Instances, Unseen
from lormika.frames.schema import Schema
from lormika.goals import Aim, read_aim
from lormika.options import SearchOptions
from lormika.parts import Parts
from lormika.progress import follow
from lormika.stages.asking import Spread
from lormika.stages.memory import Memory
from lormika.types import UserTable

OnError = Literal["record", "raise"]
T = TypeVar("T")
Some = TypeVar("Some", bound=Instances)
Work = Callable[[Instances, Spread], list[T]]
"""What to do with several encoded instances together."""

ROWS_PER_CALL = 50_000  # more would no longer fit into the processor's cache, and be slower


@dataclass(frozen=True, slots=True)
class Pace:
    """How the rows of a table are worked through."""

    n_jobs: int = 1
    chunk_size: int | None = None
    on_error: OnError = "record"
    progress: bool = False

    def __post_init__(self) -> None:
        check_integer("n_jobs", self.n_jobs, -1)
        if self.n_jobs == 0:
            raise InputError("n_jobs=0: give a number of threads, or -1 for all processors")
        if self.chunk_size is not None:
            check_integer("chunk_size", self.chunk_size, 1)
        check_choice("on_error", self.on_error, ["record", "raise"])


def locate_rows(parts: Parts, table: UserTable, pace: Pace) -> Iterator[Case | Failure]:
    """Locate the rows of a table; every case depends on its own row alone."""
    memory = Memory()

    def locate(instances: Instances, spread: Spread) -> list[Case]:
        return locate_together(parts, instances, Aim(parts.constraints), spread, memory)

    return _follow(locate, parts, table, pace)


def explain_rows(parts: Parts, table: UserTable, options: SearchOptions, pace: Pace) -> Iterator[Explanation | Failure]:
    """Explain the rows of a table; every explanation depends on its own row alone."""
    aim, memory = read_aim(parts, options), Memory()

    def explain(instances: Instances, spread: Spread) -> list[Explanation]:
        return explain_together(locate_together(parts, instances, aim, spread, memory), options, aim, spread, memory)

    return _follow(explain, parts, table, pace)


def _follow(work: Work[T], parts: Parts, table: UserTable, pace: Pace) -> Iterator[T | Failure]:
    instances, failures = read_rows(parts.schema, table, pace.on_error)
    size = pace.chunk_size or even_size(len(instances), max(1, ROWS_PER_CALL // parts.rows_asked))
    results = _work_through(work, instances, failures, replace(pace, chunk_size=size))
    return follow(results, "explaining", len(instances)) if pace.progress else results


def even_size(rows: int, about: int) -> int:
    """Rows per chunk, about as many as given: a model call for a few remaining rows would cost as much as a full one.

    >>> even_size(100, 49), even_size(1000, 49), even_size(10, 49), even_size(0, 49)
    (50, 50, 10, 1)
    """
    chunks = max(1, round(rows / about))
    return max(1, -(-rows // chunks))


def _work_through(work: Work[T], instances: Instances, failures: dict[int, str], pace: Pace) -> Iterator[T | Failure]:
    n_threads = pace.n_jobs if pace.n_jobs > 0 else os.cpu_count() or 1
    with nullcontext() if n_threads == 1 else ThreadPoolExecutor(n_threads) as pool:
        spread: Spread = map if pool is None else pool.map
        size = pace.chunk_size or len(instances)
        for start in range(0, len(instances), size):
            chunk = range(start, min(start + size, len(instances)))
            sound = np.array([row for row in chunk if row not in failures], dtype=np.intp)
            results = attempt(lambda some: work(some, spread), instances, sound, pace.on_error)
            for row in chunk:
                yield Failure(row, failures[row]) if row in failures else next(results)


def attempt(
    work: Callable[[Some], Iterable[T]], instances: Some, rows: np.ndarray, on_error: OnError
) -> Iterator[T | Failure]:
    """Work on rows together; if that fails, on fewer and fewer at a time, down to the row that is to blame."""
    if len(rows) == 0:
        return
    try:
        yield from work(instances[rows])
    except (InputError, ModelError) as error:
        if len(rows) == 1:
            if on_error == "raise":
                error.add_note(f"in row {rows[0]} of the table")
                raise
            yield Failure(int(rows[0]), str(error))
            return
        suspect = np.array([bool(instances.unseen[row]) for row in rows.tolist()])  # a model may refuse such rows
        if on_error == "raise" or suspect.all() or not suspect.any():
            for half in (rows[: len(rows) // 2], rows[len(rows) // 2 :]):
                yield from attempt(work, instances, half, on_error)
            return
        sound, doubtful = (attempt(work, instances, some, on_error) for some in (rows[~suspect], rows[suspect]))
        yield from (next(doubtful if is_suspect else sound) for is_suspect in suspect.tolist())


def read_rows(schema: Schema, table: UserTable, on_error: OnError) -> tuple[Instances, dict[int, str]]:
    """Encoded rows, and why some of them could not be encoded."""
    try:
        return schema.read(table), {}
    except InputError:
        if on_error == "raise":
            raise
    schema.read(frames.take(table, range(0)))  # what is wrong with the whole table is no failure of a row
    n_rows = frames.read(table, schema.names if isinstance(table, np.ndarray) else None).n_rows
    encoded, failures = np.full((n_rows, len(schema)), np.nan, order="F"), {}
    unseen: list[Unseen] = [{} for _ in range(n_rows)]
    waiting = [range(n_rows)]
    while waiting:
        rows = waiting.pop()
        try:
            some = schema.read(frames.take(table, rows))
            encoded[rows.start : rows.stop], unseen[rows.start : rows.stop] = some.rows, some.unseen
        except InputError as error:
            if len(rows) > 1:
                waiting += [rows[: len(rows) // 2], rows[len(rows) // 2 :]]
            else:
                failures[rows[0]] = str(error).replace(", row 0:", ":")
    return Instances(encoded, unseen), failures

"""The ledger: which chunks are to be done, and what happens to one that kills its process.

An engine runs tasks somewhere; this part decides which. A chunk whose process dies is tried once more. If that kills a
process again, its rows are tried in pieces, and these in smaller ones, down to the rows that are to blame: they become
error records, and the chunk is written without them. Processes also die for other reasons: so a row is guilty only if
it kills two processes by itself.

A process that takes longer than the limit is ended, too. A piece has the limit of a whole chunk, down to a single row:
so a slow but working model gets through, and the limit of all chunks is then multiplied by the number of pieces.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Protocol, Self

from lormika.errors import ModelError

_PATIENCE = 5.0  # seconds of each wait, so that an interrupt is never far
_MOST_DEATHS = 4  # of processes that worked on a whole chunk, since one of its rows was found guilty
_PIECES = 8  # more make a row that hangs found sooner, fewer leave more time to a model that is slow


@dataclass(frozen=True, slots=True)
class Task:
    """A chunk to be written, or some of its rows to be tried."""

    chunk: int
    rows: range | None = None  # rows to be tried, nothing is written; None: the whole chunk is, and is written
    skip: dict[int, str] = field(default_factory=dict)  # rows that are not explained, and why
    limits: int = 1  # times the limit of a chunk that it may take
    again: bool = False  # whether it has killed a process before


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a task."""

    task: Task
    failed: int = 0  # rows that could not be explained
    error: str | None = None  # why the whole run must stop: the disk is full, the model has changed …
    died: str | None = None  # how its process ended
    late: bool = False  # whether that was for taking too long: trying it once more would, too


class Engine(Protocol):
    """Runs tasks in other processes."""

    @property
    def capacity(self) -> int:
        """How many tasks may be in flight."""
        ...

    def submit(self, task: Task) -> None:
        """Begin a task."""
        ...

    def wait(self, seconds: float) -> list[Outcome]:
        """Outcomes since the last call; wait for one, but no longer than the given time."""
        ...

    def close(self) -> None:
        """End all processes."""
        ...


def drive(
    engine: Engine,
    chunks: Iterable[int],
    rows_of: Callable[[int], range],
    done: Callable[[int, int], None],
    warn: Callable[[str], None] = lambda text: None,
) -> None:
    """Run all chunks; `done` is told of each one and how many of its rows failed, `warn` of one that took too long."""
    ledger = _Ledger(iter(chunks), rows_of, warn)
    in_flight = 0
    while True:
        for task in islice(ledger, max(0, engine.capacity - in_flight)):  # a cluster may have shrunk
            engine.submit(task)
            in_flight += 1
        if not in_flight:
            break
        for outcome in engine.wait(_PATIENCE):
            in_flight -= 1
            if outcome.error is not None:
                raise ModelError(outcome.error)
            if outcome.died is not None:
                ledger.blame(outcome.task, outcome.died, late=outcome.late)
            elif outcome.task.rows is not None:
                ledger.acquit(outcome.task)
            else:
                done(outcome.task.chunk, outcome.failed)
    if ledger.hopeless:
        chunk, reason = min(ledger.hopeless.items())
        raise ModelError(
            f"{len(ledger.hopeless)} chunk(s) could not be done, the first is {chunk}: {reason}, though its rows do no "
            "harm apart; free memory or raise --chunk-limit and start again, or lower --chunk-rows in another folder"
        )


@dataclass(slots=True)
class _Ledger:
    """Waiting tasks, one after the other, and the search for the rows that kill processes."""

    chunks: Iterator[int]  # of which nothing is known yet
    rows_of: Callable[[int], range]
    warn: Callable[[str], None]
    limits: int = 1  # of a whole chunk
    queue: deque[Task] = field(default_factory=deque)  # goes before them
    deaths: Counter[int] = field(default_factory=Counter)  # of processes that worked on a whole chunk
    guilty: dict[int, dict[int, str]] = field(default_factory=dict)  # rows of each chunk, and why
    trials: Counter[int] = field(default_factory=Counter)  # tasks that try rows of a chunk
    passed: Counter[int] = field(default_factory=Counter)  # those that did no harm
    slow: set[int] = field(default_factory=set)  # chunks that took too long
    hopeless: dict[int, str] = field(default_factory=dict)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Task:
        """The next task; a whole chunk gets the time that whole chunks get by now."""
        task = self.queue.popleft() if self.queue else Task(next(self.chunks))
        return task if task.rows is not None else replace(task, limits=max(task.limits, self.limits))

    def blame(self, task: Task, reason: str, *, late: bool) -> None:
        """A task has killed its process."""
        if task.rows is None:
            self._blame_chunk(task, reason, late=late)
        elif len(task.rows) > 1:
            self._try_pieces(task.chunk, task.rows)
            self._judged(task.chunk)
        elif not task.again and not late:
            self.queue.appendleft(replace(task, again=True))
        else:
            self.guilty.setdefault(task.chunk, {})[task.rows[0]] = reason
            self.deaths[task.chunk] = 0
            self._judged(task.chunk)

    def _blame_chunk(self, task: Task, reason: str, *, late: bool) -> None:
        chunk = task.chunk
        self.deaths[chunk] += 1
        if late:
            self.slow.add(chunk)
            self.warn(
                f"chunk {chunk}: {reason}; its rows are tried in pieces; if the model is slow, raise --chunk-limit or "
                "lower --chunk-rows"
            )
        if self.deaths[chunk] > _MOST_DEATHS:
            self.hopeless[chunk] = reason
        elif self.deaths[chunk] == 1 and not late:
            self.queue.appendleft(task)
        else:
            self._try_pieces(chunk, self.rows_of(chunk))
            if not self.trials[chunk]:  # no row was left to be explained, and none is to blame
                self.queue.appendleft(task)

    def _try_pieces(self, chunk: int, rows: range) -> None:
        """Let rows be tried in pieces, except where all of them are guilty already."""
        size = -(-len(rows) // _PIECES)
        for start in reversed(range(0, len(rows), size)):
            piece = rows[start : start + size]
            reasons = {row: why for row, why in self.guilty.get(chunk, {}).items() if row in piece}
            if len(reasons) < len(piece):
                self.trials[chunk] += 1
                self.queue.appendleft(Task(chunk, piece, reasons))

    def acquit(self, task: Task) -> None:
        """The rows of a trial do no harm."""
        self.passed[task.chunk] += 1
        self._judged(task.chunk)

    def _judged(self, chunk: int) -> None:
        """A trial is over. After the last one of a chunk, it is written without the guilty rows."""
        self.trials[chunk] -= 1
        if self.trials[chunk] == 0:
            guilty = dict(sorted(self.guilty.get(chunk, {}).items()))
            if chunk in self.slow:  # its pieces took at most so long; if none hung, the other chunks are slow as well
                self.limits = max(self.limits, 1 if guilty else self.passed[chunk])
            self.queue.appendleft(Task(chunk, skip=guilty, limits=max(1, self.passed[chunk])))

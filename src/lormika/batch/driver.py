"""The ledger: which chunks are to be done, and what becomes of one that kills its process.

An engine runs tasks somewhere; this part decides which. A chunk whose process dies is tried once more. If that kills a
process again, its rows are tried in halves, down to those that are to blame: they become error records, and the chunk
is written without them. Processes also die for reasons of their own: so a row is guilty only if it kills two, alone.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Protocol

from lormika.errors import ModelError

_PATIENCE = 5.0  # seconds of each wait, so that an interrupt is never far
_MOST_DEATHS = 4  # of processes that worked on a whole chunk, since one of its rows was found guilty
_LEAST_SHARE = 0.1  # of a chunk's time that a few of its rows may take


@dataclass(frozen=True, slots=True)
class Task:
    """A chunk to be written, or some of its rows to be tried."""

    chunk: int
    rows: range | None = None  # rows to be tried, nothing is written; None: the whole chunk is, and is written
    skip: dict[int, str] = field(default_factory=dict)  # rows that are not explained, and why
    share: float = 1.0  # of the time that a chunk may take
    again: bool = False  # whether it has killed a process before


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a task."""

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
        """Outcomes since the last call; waits for one at most so long."""
        ...

    def close(self) -> None:
        """End all processes."""
        ...


def drive(
    engine: Engine, chunks: Iterable[int], rows_of: Callable[[int], range], done: Callable[[int, int], None]
) -> None:
    """Run all chunks; `done` hears of each one, and how many of its rows failed."""
    ledger = _Ledger(rows_of)
    ledger.queue.extend(Task(chunk) for chunk in chunks)
    in_flight = 0
    while ledger.queue or in_flight:
        for _ in range(min(len(ledger.queue), engine.capacity - in_flight)):
            engine.submit(ledger.queue.popleft())
            in_flight += 1
        for outcome in engine.wait(_PATIENCE):
            in_flight -= 1
            if outcome.error is not None:
                raise ModelError(outcome.error)
            if outcome.died is not None:
                ledger.blame(outcome.task, outcome.died, late=outcome.late)
            elif outcome.task.rows is not None:
                ledger.judged(outcome.task)
            else:
                done(outcome.task.chunk, outcome.failed)
    if ledger.hopeless:
        chunk, reason = min(ledger.hopeless.items())
        raise ModelError(
            f"{len(ledger.hopeless)} chunk(s) could not be done, the first is {chunk}: {reason}, though its rows do no "
            "harm apart; free memory or allow more time and start again, or take smaller chunks in another folder"
        )


@dataclass(slots=True)
class _Ledger:
    """Tasks that wait, and the search for the rows that kill processes."""

    rows_of: Callable[[int], range]
    queue: deque[Task] = field(default_factory=deque)
    deaths: Counter[int] = field(default_factory=Counter)  # of processes that worked on a whole chunk
    guilty: dict[int, dict[int, str]] = field(default_factory=dict)  # rows of each chunk, and why
    trials: Counter[int] = field(default_factory=Counter)  # tasks that try rows of a chunk
    hopeless: dict[int, str] = field(default_factory=dict)

    def blame(self, task: Task, reason: str, *, late: bool) -> None:
        """A task has killed its process."""
        if task.rows is None:
            self._blame_chunk(task, reason, late=late)
        elif len(task.rows) == 1 and not task.again:
            self.queue.appendleft(replace(task, again=True))
        else:
            if len(task.rows) == 1:
                self.guilty.setdefault(task.chunk, {})[task.rows[0]] = reason
                self.deaths[task.chunk] = 0
            else:
                self._try(task.chunk, task.rows[len(task.rows) // 2 :])
                self._try(task.chunk, task.rows[: len(task.rows) // 2])
            self.judged(task)

    def _blame_chunk(self, task: Task, reason: str, *, late: bool) -> None:
        chunk, rows = task.chunk, self.rows_of(task.chunk)
        self.deaths[chunk] += 1
        if self.deaths[chunk] > _MOST_DEATHS:
            self.hopeless[chunk] = reason
        elif self.deaths[chunk] == 1 and not late:
            self.queue.appendleft(task)
        elif len(rows) == 1:
            self._try(chunk, rows)
        else:
            self._try(chunk, rows[len(rows) // 2 :])
            self._try(chunk, rows[: len(rows) // 2])

    def _try(self, chunk: int, rows: range) -> None:
        """Let some rows be tried, unless all of them are guilty already."""
        known = {row: why for row, why in self.guilty.get(chunk, {}).items() if row in rows}
        if len(known) < len(rows):
            share = max(_LEAST_SHARE, len(rows) / len(self.rows_of(chunk)))
            self.trials[chunk] += 1
            self.queue.appendleft(Task(chunk, rows, known, share))

    def judged(self, task: Task) -> None:
        """A trial is over. After the last one of a chunk, it is written without the guilty rows."""
        self.trials[task.chunk] -= 1
        if self.trials[task.chunk] == 0:
            self.queue.appendleft(Task(task.chunk, skip=dict(sorted(self.guilty.get(task.chunk, {}).items()))))

"""The ledger: which chunks are to be done, and what becomes of one that kills its process.

An engine runs tasks somewhere; this part decides which. A chunk whose process dies is tried once more. If that kills a
process again, its rows are tried in halves, down to those that are to blame: they become error records, and the chunk
is written without them.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol

from lormika.errors import ModelError

_PATIENCE = 5.0  # seconds of each wait, so that an interrupt is never far
_MOST_DEATHS = 4  # of processes that worked on the same whole chunk


@dataclass(frozen=True, slots=True)
class Task:
    """A chunk to be written, or some of its rows to be tried."""

    chunk: int
    rows: range | None = None  # rows to be tried, nothing is written; None: the whole chunk is, and is written
    skip: dict[int, str] = field(default_factory=dict)  # rows that are not explained, and why


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a task."""

    task: Task
    failed: int = 0  # rows that could not be explained
    error: str | None = None  # why the whole run must stop: the disk is full, the model has changed …
    died: str | None = None  # how its process ended


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


@dataclass(slots=True)
class _Suspect:
    """A chunk that has killed processes."""

    waiting: int = 0  # ranges that are being tried
    guilty: dict[int, str] = field(default_factory=dict)


def drive(
    engine: Engine, chunks: Iterable[int], rows_of: Callable[[int], range], done: Callable[[int, int], None]
) -> None:
    """Run all chunks; `done` hears of each one, and how many of its rows failed."""
    ledger = _Ledger(rows_of)
    ledger.queue.extend(Task(chunk) for chunk in chunks)
    in_flight = 0
    while ledger.queue or in_flight:
        while ledger.queue and in_flight < engine.capacity:
            engine.submit(ledger.queue.popleft())
            in_flight += 1
        for outcome in engine.wait(_PATIENCE):
            in_flight -= 1
            if outcome.error is not None:
                raise ModelError(outcome.error)
            if outcome.died is not None:
                ledger.blame(outcome.task, outcome.died)
            elif outcome.task.rows is not None:
                ledger.acquit(outcome.task)
            else:
                done(outcome.task.chunk, outcome.failed)


@dataclass(slots=True)
class _Ledger:
    """Tasks that wait, and the search for the rows that kill processes."""

    rows_of: Callable[[int], range]
    queue: deque[Task] = field(default_factory=deque)
    deaths: Counter[int] = field(default_factory=Counter)  # of processes that worked on a whole chunk
    suspects: dict[int, _Suspect] = field(default_factory=dict)

    def blame(self, task: Task, reason: str) -> None:
        """A task has killed its process."""
        chunk = task.chunk
        if task.rows is not None:
            self.suspects[chunk].waiting -= 1
            self._halve(chunk, task.rows, reason)
            self._conclude(chunk)
            return
        self.deaths[chunk] += 1
        if self.deaths[chunk] > _MOST_DEATHS:
            raise ModelError(
                f"chunk {chunk} kills its process ({reason}), though its rows do not one by one; try smaller chunks"
            )
        if self.deaths[chunk] == 1:
            self.queue.appendleft(task)
        else:
            self.suspects[chunk] = _Suspect()
            self._halve(chunk, self.rows_of(chunk), reason)
            self._conclude(chunk)

    def acquit(self, task: Task) -> None:
        """Some rows of a suspect have done no harm."""
        self.suspects[task.chunk].waiting -= 1
        self._conclude(task.chunk)

    def _halve(self, chunk: int, rows: range, reason: str) -> None:
        if len(rows) == 1:
            self.suspects[chunk].guilty[rows[0]] = reason
            return
        for half in (rows[len(rows) // 2 :], rows[: len(rows) // 2]):
            self.suspects[chunk].waiting += 1
            self.queue.appendleft(Task(chunk, half))

    def _conclude(self, chunk: int) -> None:
        """Once all rows of a suspect are judged, write it without the guilty ones."""
        if self.suspects[chunk].waiting == 0:
            guilty = self.suspects.pop(chunk).guilty
            self.queue.appendleft(Task(chunk, skip=dict(sorted(guilty.items()))))

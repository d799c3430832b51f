"""A process that does tasks, as its parent sees it: the parent never waits for it, but only looks."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from lormika.jobs.driver import Task
from lormika.jobs.run_file import Run
from lormika.processes import Child, LostError
from lormika.types import JsonObject

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


class WorkerProcess:
    """One task at a time."""

    def __init__(self, folder: Path, run: Run, headers: Sequence[str], start_limit: float, *, one_thread: bool) -> None:
        # Several processes share the processors already.
        threads = {name: os.environ.get(name, "1") for name in _THREADS} if one_thread else None
        self.process = Child.of_module("lormika.jobs.worker", str(folder), environment=threads)
        # Not as arguments or variables, which others on the machine may see: headers may be secrets.
        self.process.send({"run": asdict(run), "headers": list(headers)})
        self._limit, self._deadline = start_limit, time.monotonic() + start_limit
        self._fault: str | None = None  # why nothing that it says counts any longer
        self.ready = False  # whether it has shown that it can explain
        self.task: Task | None = None
        self.end = self.process.end

    def begin(self, task: Task, limit: float) -> None:
        """Send a task, which may take this many seconds; a process that is still starting does it once ready."""
        rows = None if task.rows is None else [task.rows.start, task.rows.stop]
        self.task, self._limit = task, limit
        self._set_deadline()
        self.process.send({"chunk": task.chunk, "rows": rows, "skip": task.skip})

    def look(self) -> JsonObject | None:
        """The outcome of the task, if it is there."""
        try:
            while self._fault is None and (message := self.process.look()):
                answer, _ = message
                if "ready" not in answer:
                    return answer
                self.ready = True
                self._set_deadline()
        except LostError as lost:  # the model has written into our pipe
            self._fault = str(lost)
        return None

    @property
    def ended(self) -> bool:
        """Whether it has ended. What it said before may still be in the pipe."""
        return self._fault is not None or self.process.ended

    @property
    def late(self) -> bool:
        """Whether its task, or its start, takes longer than allowed."""
        return (self.task is not None or not self.ready) and time.monotonic() > self._deadline

    def last_words(self) -> str:
        """How the process ended."""
        return self._fault or str(self.process.death())

    def _set_deadline(self) -> None:
        if self.ready and self.task is not None:
            self._deadline = time.monotonic() + self._limit

"""The local engine: processes on this machine, each with its own model and explainer."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from lormika.errors import ModelError
from lormika.jobs.driver import Outcome, Task
from lormika.jobs.run_file import Run
from lormika.jobs.worker_process import WorkerProcess
from lormika.processes import wait_for_any

_PAUSE = 0.5  # seconds after which processes are looked at in any case: one that dies need not close its pipe
_START = 120.0  # seconds, at least, for a process to load the model
_MORE_STARTS = 3  # that may fail, beside one of each process, until one does a task


class LocalEngine:
    """A fixed number of processes; one that dies, or takes too long, is replaced."""

    def __init__(self, folder: Path, run: Run, workers: int, time_limit: float, headers: Sequence[str] = ()) -> None:
        self.time_limit, self._wasted = time_limit, 0
        limit = max(time_limit, _START)
        self._start = partial(WorkerProcess, folder.resolve(), run, headers, limit, one_thread=workers > 1)
        self._workers: list[WorkerProcess] = []
        try:
            for _ in range(workers):
                self._workers.append(self._start())
        except BaseException:
            self.close()
            raise

    @property
    def capacity(self) -> int:
        """One task for each process."""
        return len(self._workers)

    def submit(self, task: Task) -> None:
        """Give a task to an idle process."""
        place = next(place for place, worker in enumerate(self._workers) if worker.task is None)
        if self._workers[place].ended:
            self._replace(place, self._workers[place].last_words())
        self._begin(place, task)

    def _begin(self, place: int, task: Task) -> None:
        self._workers[place].begin(task, self.time_limit * task.limits)

    def wait(self, seconds: float) -> list[Outcome]:
        """Outcomes since the last call; wait for one, but no longer than the given time."""
        deadline = time.monotonic() + seconds
        while True:
            outcomes = [outcome for place in range(len(self._workers)) for outcome in self._look(place)]
            left = deadline - time.monotonic()
            if outcomes or left <= 0:
                return outcomes
            wait_for_any([worker.process for worker in self._workers], min(left, _PAUSE))

    def _look(self, place: int) -> list[Outcome]:
        worker = self._workers[place]
        ended, late = worker.ended, worker.late  # asked first: what it said before its end is then in the pipe
        answer, task = worker.look(), worker.task
        if answer is not None and (task is not None or "error" in answer):
            worker.task, self._wasted = None, 0
            if "died" in answer:  # of the model: its process is ending, and must not get another task
                self._replace(place, str(answer["died"]))
            return [Outcome(task or Task(-1), **answer)]
        if not ended and not late:
            return []
        if late:
            worker.end()
        reason = "it took too long" if late else worker.last_words()
        if worker.ready and task is not None:
            self._wasted = 0
            self._replace(place, reason)
            reason = f"it took longer than {self.time_limit * task.limits:g} s (--chunk-limit)" if late else reason
            return [Outcome(task, died=reason, late=late)]
        self._replace(place, reason)
        if task is not None:  # which it never began
            self._begin(place, task)
        return []

    def _replace(self, place: int, reason: str) -> None:
        """Start another process; but not for ever, if none of them gets to do a task."""
        self._workers[place].end()
        if self._wasted >= len(self._workers) + _MORE_STARTS:
            raise ModelError(f"processes die before they begin, the last since {reason}")
        self._wasted += 1
        self._workers[place] = self._start()

    def close(self) -> None:
        """End all processes."""
        for worker in self._workers:
            worker.end()

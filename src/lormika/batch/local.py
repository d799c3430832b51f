"""The local engine: processes on this machine, each with a model and an explainer of its own."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from lormika.batch.driver import Outcome, Task

_OUT_OF_MEMORY = 77
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


class LocalEngine:
    """So many processes; one that dies, or takes too long, is replaced."""

    def __init__(self, folder: Path, workers: int, time_limit: float) -> None:
        self._folder, self._limit = folder, time_limit
        self._selector = selectors.DefaultSelector()
        self._workers = [_Worker(folder, workers) for _ in range(workers)]
        self._idle = list(self._workers)
        for worker in self._workers:
            self._selector.register(worker.line, selectors.EVENT_READ, worker)

    @property
    def capacity(self) -> int:
        """One task for each process."""
        return len(self._workers)

    def submit(self, task: Task) -> None:
        """Give a task to a process that has none."""
        worker = self._idle.pop()
        if worker.ended:
            worker = self._replace(worker)
        worker.begin(task)

    def wait(self, seconds: float) -> list[Outcome]:
        """Outcomes since the last call; waits for one at most so long."""
        outcomes = []
        for key, _ in self._selector.select(seconds):
            worker: _Worker = key.data
            outcomes += self._finish(worker, worker.answer())
        for worker in self._workers:
            if worker.task is not None and time.monotonic() - worker.began > self._limit:
                worker.end()
                outcomes += self._finish(worker, None, f"it took longer than {self._limit:g} s")
        return outcomes

    def _finish(self, worker: _Worker, answer: dict[str, object] | None, reason: str | None = None) -> list[Outcome]:
        task, worker.task = worker.task, None
        if answer is None:
            reason = reason or worker.last_words()
            worker = self._replace(worker)
        self._idle.append(worker)
        if task is None:  # it died without one: whoever is next will see whether the new one lives
            return []
        return [Outcome(task, died=reason) if answer is None else Outcome(task, **answer)]  # type: ignore[arg-type]

    def _replace(self, worker: _Worker) -> _Worker:
        self._selector.unregister(worker.line)
        worker.end()
        place = self._workers.index(worker)
        if worker in self._idle:
            self._idle.remove(worker)
        self._workers[place] = _Worker(self._folder, len(self._workers))
        self._selector.register(self._workers[place].line, selectors.EVENT_READ, self._workers[place])
        return self._workers[place]

    def close(self) -> None:
        """End all processes."""
        for worker in self._workers:
            worker.end()
        self._selector.close()


class _Worker:
    """A process that does one task at a time."""

    def __init__(self, folder: Path, workers: int) -> None:
        environment = dict(os.environ)
        if workers > 1:  # processes share the processors already
            environment |= {name: environment.get(name, "1") for name in _THREADS}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "lormika.batch.worker", str(folder), str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
            encoding="utf-8",
        )
        assert self._process.stdout is not None
        assert self._process.stdin is not None
        self.line, self._orders = self._process.stdout, self._process.stdin
        self.task: Task | None = None
        self.began = 0.0

    @property
    def ended(self) -> bool:
        """Whether the process is over."""
        return self._process.poll() is not None

    def begin(self, task: Task) -> None:
        """Send a task; a process that is over is found out when its answer is read."""
        rows = None if task.rows is None else [task.rows.start, task.rows.stop]
        self.task, self.began = task, time.monotonic()
        with suppress(BrokenPipeError):
            self._orders.write(json.dumps({"chunk": task.chunk, "rows": rows, "skip": task.skip}) + "\n")
            self._orders.flush()

    def answer(self) -> dict[str, object] | None:
        """What it says; None: it is over."""
        text = self.line.readline()
        answer: dict[str, object] | None = json.loads(text) if text.endswith("\n") else None
        return answer

    def last_words(self) -> str:
        """How the process ended."""
        code = self._process.wait()
        if code == _OUT_OF_MEMORY:
            return "its process ran out of memory"
        return (
            f"its process was ended by {signal.Signals(-code).name}"
            if code < 0
            else f"its process ended with code {code}"
        )

    def end(self) -> None:
        """End the process, whatever it does."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        for stream in (self.line, self._orders):
            with suppress(BrokenPipeError):
                stream.close()

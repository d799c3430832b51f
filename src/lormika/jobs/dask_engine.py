"""The Dask engine: chunks as futures on an existing cluster.

Workers read all data from the run's folder, which they must see at the same path, and write their parts there. Only the
description of the run and chunk numbers are sent, and nothing is lost with a worker. On a worker, a chunk runs in a
separate process: a model that crashes does not take the worker down with it.
"""

from __future__ import annotations

import json
import logging
import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from lormika.errors import InputError, ModelError
from lormika.jobs.driver import Outcome, Task
from lormika.jobs.local import LocalEngine
from lormika.jobs.run_file import Run

if TYPE_CHECKING:
    from distributed import Future

    from lormika.types import JsonObject

_CONNECT = 10  # seconds for the scheduler to answer
_IN_FLIGHT = 2  # chunks for each worker: one at work, one at hand
_MOST_LOSSES = 10  # of one task, with the workers that had it
_SLACK = 300.0  # seconds for a process to start, beside the time of a task
_MOMENT = 1.0  # seconds between two looks at all workers, or at all that is in flight
_IDLE = 30.0  # seconds after which a process on a worker is ended


class DaskEngine:
    """At most two chunks for each worker of a cluster."""

    def __init__(
        self,
        folder: Path,
        run: Run,
        scheduler: str,
        time_limit: float,
        warn: Callable[[str], None] = lambda text: None,
        headers: Sequence[str] = (),
    ) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise InputError("the dask engine needs dask: pip install 'lormika[dask]'") from None
        for name in ("", ".client", ".core", ".comm", ".utils"):  # errors are reported here, in one line
            logging.getLogger(f"distributed{name}").setLevel(logging.CRITICAL + 1)
        try:
            self._client = Client(scheduler, timeout=_CONNECT, set_as_default=False)
        except (OSError, ValueError) as error:
            raise InputError(f"there is no Dask scheduler at {scheduler}: {error}") from error
        self._limit, self._scheduler = time_limit, scheduler
        start = {"folder": str(folder.resolve()), "run": asdict(run), "headers": list(headers)}
        self._start = json.dumps(start)
        self._tasks: dict[Future, tuple[Task, float, int]] = {}  # when it was submitted, and how often it was lost
        self._over: SimpleQueue[Future] = SimpleQueue()  # those that are done, one way or another
        self._count, self._counted, self._looked = 0, -math.inf, time.monotonic()
        self._seen = time.monotonic()  # when there were workers
        self._warn, self._waits = warn, False  # whether it has been said that there are none

    @property
    def capacity(self) -> int:
        """Two tasks for each worker that is there now."""
        return max(1, _IN_FLIGHT * self._workers())

    def _workers(self) -> int:
        """How many there are, or were a moment ago: with many, it takes long to count them."""
        if time.monotonic() - self._counted > _MOMENT:
            ask = self._client.scheduler.ncores
            try:
                self._count = len(self._client.sync(ask, workers=None, callback_timeout=_CONNECT))
            except Exception as error:  # of many kinds, as the connection ends in one way or another
                raise self._gone() from error
            self._counted = time.monotonic()
        return self._count

    def _gone(self) -> ModelError:
        return ModelError(f"the Dask scheduler at {self._scheduler} is gone: start again once there is one")

    def submit(self, task: Task) -> None:
        """Begin a task."""
        with self._connected():
            self._submit(task, 0)

    @contextmanager
    def _connected(self) -> Iterator[None]:
        """Whatever fails once the connection has ended fails for that reason, by errors of many kinds."""
        try:
            yield
        except (InputError, ModelError):
            raise
        except Exception as error:
            if isinstance(error, OSError) or self._client.status != "running":
                raise self._gone() from error
            raise

    def _submit(self, task: Task, losses: int) -> None:
        rows = None if task.rows is None else (task.rows.start, task.rows.stop)
        limit = self._limit * task.limits
        future = self._client.submit(work, self._start, task.chunk, rows, task.skip, limit, pure=False)
        self._tasks[future] = task, time.monotonic(), losses
        future.add_done_callback(self._over.put)

    def wait(self, seconds: float) -> list[Outcome]:
        """Outcomes since the last call; wait for one, but no longer than the given time."""
        with self._connected():
            return self._wait(seconds)

    def _wait(self, seconds: float) -> list[Outcome]:
        self._check_workers()
        outcomes = []
        for future in [*self._ended(seconds), *self._overdue()]:
            task, _, losses = self._tasks.pop(future)
            outcome = self._outcome(future, task) if future.done() else None
            if outcome is not None:
                outcomes.append(outcome)
            elif losses == _MOST_LOSSES:
                outcomes.append(Outcome(task, error=f"chunk {task.chunk} was lost {losses} times with its workers"))
            else:
                future.cancel(force=True)
                self._submit(task, losses + 1)
        return outcomes

    def _ended(self, seconds: float) -> list[Future]:
        """Futures that are done; wait for the first, without looking at the others: there may be thousands."""
        told: dict[Future, None] = {}
        with suppress(Empty):
            told[self._over.get(timeout=seconds)] = None
            while True:
                told[self._over.get_nowait()] = None
        ended = []
        for future in told:
            if future not in self._tasks:  # it was given up before
                continue
            if future.done():
                ended.append(future)
            else:  # its result was lost with a worker, and is being made again
                future.add_done_callback(self._over.put)
        return ended

    def _overdue(self) -> list[Future]:
        """Futures that should have been done long ago, looked for now and then."""
        now = time.monotonic()
        if now - self._looked < _MOMENT:
            return []
        self._looked = now
        limits = {future: self._limit * task.limits + _SLACK for future, (task, _, _) in self._tasks.items()}
        late = [future for future, limit in limits.items() if now - self._tasks[future][1] > _IN_FLIGHT * limit]
        return [future for future in late if not future.done()]

    def _check_workers(self) -> None:
        """Wait for workers for as long as a chunk may take, and say so."""
        now, limit = time.monotonic(), self._limit
        if self._workers():
            self._seen, self._waits = now, False
        elif now - self._seen > limit:
            raise InputError(
                f"the Dask scheduler at {self._scheduler} has had no worker for {limit:g} s: start some, and the same "
                "command goes on"
            )
        elif not self._waits:
            self._waits = True
            self._warn(
                f"the Dask scheduler at {self._scheduler} has no worker: waiting for one, at most {limit:g} s "
                "(--chunk-limit)"
            )

    def _outcome(self, future: Future, task: Task) -> Outcome | None:
        """The outcome of a task; None if it was lost with its worker, which rows cannot kill."""
        from distributed import KilledWorker

        if future.status == "finished":
            try:
                return Outcome(task, **future.result(timeout=_CONNECT))
            except TimeoutError:  # the worker that holds it has just died
                return None
        if future.status != "error":
            self._check_workers()
            return None
        error = future.exception(timeout=_CONNECT)
        if isinstance(error, KilledWorker):
            return None
        return Outcome(task, error=f"on the cluster: {type(error).__name__}: {error}")

    def close(self) -> None:
        """Drop what is not done, and leave the cluster as it was."""
        with suppress(Exception):  # whatever becomes of the connection, there is nothing left to do
            for future in self._tasks:
                future.cancel(force=True)
            self._client.close(timeout=_CONNECT)


def work(start: str, chunk: int, rows: tuple[int, int] | None, skip: dict[int, str], limit: float) -> JsonObject:
    """Do a task, on a worker of the cluster; `start` says what the run is, as JSON."""
    engine = _take(start)
    try:
        engine.time_limit = limit
        engine.submit(Task(chunk, None if rows is None else range(*rows), skip))
        while not (outcomes := engine.wait(1.0)):
            pass  # until its time is over
    except BaseException as error:
        engine.close()
        if isinstance(error, ModelError):
            return {"error": str(error)}
        raise
    _give_back(start, engine)
    (outcome,) = outcomes
    return {"failed": outcome.failed, "error": outcome.error, "died": outcome.died, "late": outcome.late}


_idle: list[tuple[str, LocalEngine]] = []
_lock = threading.Lock()


def _take(start: str) -> LocalEngine:
    """A process for a run: an idle one, or a new one."""
    with _lock:
        for one in _idle:
            if one[0] == start:
                _idle.remove(one)
                return one[1]
    order = json.loads(start)
    return LocalEngine(Path(order["folder"]), Run(**order["run"]), 1, _SLACK, order["headers"])


def _give_back(start: str, engine: LocalEngine) -> None:
    one = (start, engine)

    def end() -> None:
        with _lock:
            if one not in _idle:
                return
            _idle.remove(one)
        engine.close()

    with _lock:
        _idle.append(one)
    timer = threading.Timer(_IDLE, end)
    timer.daemon = True
    timer.start()

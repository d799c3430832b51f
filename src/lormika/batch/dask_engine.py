"""The Dask engine: chunks as futures on a cluster that is there already.

Workers read everything from the run's folder, which they must see under the same path, and write their parts there:
nothing but numbers of chunks travels, and nothing is lost with a worker.
"""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lormika.batch.driver import Outcome, Task
from lormika.errors import InputError

if TYPE_CHECKING:
    from distributed import Future

_CONNECT = 30  # seconds
_IN_FLIGHT = 2  # chunks for each worker: one at work, one at hand


class DaskEngine:
    """At most two chunks for each worker of a cluster."""

    def __init__(self, folder: Path, scheduler: str, time_limit: float) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise InputError("the dask engine needs dask: pip install 'lormika[dask]'") from None
        try:
            self._client = Client(scheduler, timeout=_CONNECT, set_as_default=False)
        except (OSError, ValueError) as error:
            raise InputError(f"there is no Dask scheduler at {scheduler}: {error}") from error
        self._folder, self._limit, self._scheduler = folder.resolve(), time_limit, scheduler
        self._tasks: dict[Future, tuple[Task, float]] = {}
        self._seen = time.monotonic()  # when there were workers

    @property
    def capacity(self) -> int:
        """Two tasks for each worker that is there now."""
        return max(1, _IN_FLIGHT * self._workers())

    def _workers(self) -> int:
        return len(self._client.scheduler_info(n_workers=-1)["workers"])

    def submit(self, task: Task) -> None:
        """Begin a task; if its worker is lost, the cluster gives it to another."""
        rows = None if task.rows is None else (task.rows.start, task.rows.stop)
        future = self._client.submit(
            work, str(self._folder), task.chunk, rows, task.skip, pure=False, retries=2, allow_other_workers=True
        )
        self._tasks[future] = task, time.monotonic()

    def wait(self, seconds: float) -> list[Outcome]:
        """Outcomes since the last call; waits for one at most so long."""
        from distributed import wait

        now = time.monotonic()
        if self._workers():
            self._seen = now
        elif now - self._seen > self._limit:
            raise InputError(f"the Dask scheduler at {self._scheduler} has had no worker for {self._limit:g} s")
        with suppress(TimeoutError):
            wait(list(self._tasks), timeout=seconds, return_when="FIRST_COMPLETED")
        outcomes = []
        for future, (task, began) in list(self._tasks.items()):
            if future.done():
                outcomes.append(_outcome(future, task))
            elif future.status == "pending" and time.monotonic() - began > _IN_FLIGHT * self._limit:
                future.cancel(force=True)
                outcomes.append(
                    Outcome(task, died=f"it took longer than {_IN_FLIGHT * self._limit:g} s on the cluster")
                )
            else:
                continue
            del self._tasks[future]
        return outcomes

    def close(self) -> None:
        """Give up what is not done, and leave the cluster as it was."""
        for future in self._tasks:
            future.cancel(force=True)
        self._client.close(timeout=_CONNECT)


def _outcome(future: Future, task: Task) -> Outcome:
    from distributed import KilledWorker

    if future.status == "finished":
        return Outcome(task, **future.result(timeout=_CONNECT))
    if future.status != "error":
        return Outcome(task, died=f"the cluster has {future.status} it")
    error = future.exception(timeout=_CONNECT)
    if isinstance(error, KilledWorker):
        return Outcome(task, died="it killed the workers of the cluster that it was given to")
    return Outcome(task, error=f"on the cluster: {type(error).__name__}: {error}")


def work(folder: str, chunk: int, rows: tuple[int, int] | None, skip: dict[int, str]) -> dict[str, Any]:
    """Do a task, on a worker."""
    from lormika.batch.chunks import explain_rows, run_chunk

    if rows is not None:
        explain_rows(Path(folder), range(*rows), {})
        return {}
    return {"failed": run_chunk(Path(folder), chunk, skip)}

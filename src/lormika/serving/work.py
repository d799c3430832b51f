"""Work: answers in the making, each in a thread of its own, that can be waited for, looked at and stopped."""

from __future__ import annotations

import asyncio
import re
import secrets
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lormika.errors import InputError, ModelError
from lormika.serving.faults import busy, closing, late, stopped, unknown
from lormika.serving.limits import Limits
from lormika.types import JsonObject, JsonValue

if TYPE_CHECKING:
    from lormika.serving.shared import Ticket

_NAME = re.compile(r"[A-Za-z0-9-]{8,64}")
_KEPT = 100  # jobs whose answers wait to be fetched

current: ContextVar[Job | None] = ContextVar("job", default=None)
"""The job that a thread works on."""


@dataclass(eq=False, slots=True)
class Job:
    """An answer in the making."""

    id: str
    deadline: float  # of the monotonic clock
    seconds: float  # that it may take
    began: float = field(default_factory=time.monotonic)
    doing: str = "waiting"
    calls: int = 0
    rows: int = 0
    stopped: bool = False
    ticket: Ticket | None = None  # its question to the model, if it is waiting for one
    answer: Future[JsonValue] = field(default_factory=Future)

    def check(self) -> None:
        """Raise if nobody wants the answer any more, or the time is up."""
        if self.stopped:
            raise stopped()
        if time.monotonic() >= self.deadline:
            raise late(self.seconds)

    def stop(self) -> None:
        """End it as soon as possible."""
        self.stopped = True
        ticket = self.ticket
        if ticket is not None:
            ticket.give_up()

    def report(self) -> JsonObject:
        """How far it is."""
        return {
            "job": self.id,
            "state": "done" if self.answer.done() else "stopping" if self.stopped else "running",
            "doing": self.doing,
            "seconds": round(time.monotonic() - self.began, 1),
            "calls": self.calls,
            "rows": self.rows,
        }


class Desk:
    """Where work is begun and fetched."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._jobs: dict[str, Job] = {}
        self._running: dict[Job, threading.Thread] = {}
        self._closed = False
        self._lock = threading.Lock()

    @property
    def running(self) -> int:
        """How many answers are in the making."""
        return len(self._running)

    def begin(self, work: Callable[[], JsonValue], name: object = None) -> Job:
        """Begin some work under a name; refuse it if there is too much already."""
        if name is not None and (not isinstance(name, str) or not _NAME.fullmatch(name)):
            raise InputError("job: give 8 to 64 letters, digits and hyphens")
        seconds = self.limits.seconds
        job = Job(name or secrets.token_hex(16), time.monotonic() + seconds, seconds)
        with self._lock:
            if self._closed:
                raise closing()
            if len(self._running) >= self.limits.most:
                raise busy(f"{self.limits.most} answers are in the making, as many as are allowed: try again")
            if job.id in self._jobs:
                raise InputError(f"job: there is one of this name already, {job.id}")
            thread = threading.Thread(target=self._work, args=(job, work), daemon=True, name="lormika-work")
            self._jobs[job.id], self._running[job] = job, thread
            self._forget()
            thread.start()  # within the lock: what is listed as running can be waited for
        return job

    def find(self, name: str) -> Job:
        """The job of this name."""
        job = self._jobs.get(name)
        if job is None:
            raise unknown("there is no such job: it was answered already, or never begun")
        return job

    async def wait(self, job: Job, seconds: float) -> JsonValue:
        """What the work came to; after so many seconds without it, how far the job is."""
        answer = asyncio.wrap_future(job.answer)
        answer.add_done_callback(lambda done: done.cancelled() or done.exception())  # which is told below
        await asyncio.wait([answer], timeout=seconds)
        if not job.answer.done():
            return job
        self._jobs.pop(job.id, None)
        return job.answer.result()

    def close(self) -> list[threading.Thread]:
        """Stop everything: the server ends. The threads that are at work yet."""
        with self._lock:
            self._closed, running = True, dict(self._running)
        for job in running:
            job.stop()
        return list(running.values())

    def _work(self, job: Job, work: Callable[[], JsonValue]) -> None:
        current.set(job)
        result: JsonValue = None
        failure: Exception | None = None
        try:
            job.check()
            job.doing = "working"
            result = work()
        except Exception as error:
            failure = error
        except BaseException as error:  # an interrupt that a model raised must not end the server
            failure = ModelError(f"the work was ended by {type(error).__name__}")
        with self._lock:
            del self._running[job]
        if job.stopped:
            failure = stopped()
        job.answer.set_exception(failure) if failure is not None else job.answer.set_result(result)

    def _forget(self) -> None:
        """Forget the oldest answers that nobody has fetched."""
        done = [name for name, job in self._jobs.items() if job.answer.done()]
        for name in done[: max(0, len(done) - _KEPT)]:
            del self._jobs[name]

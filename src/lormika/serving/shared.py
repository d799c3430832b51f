"""Shared model calls: questions of several requests that arrive together become one call of the model.

One thread asks the model, so a model need not be safe for several. While it is at work, questions gather; if others are
in the making, it also waits a few milliseconds for them. A model that does not come back is left behind in its thread,
and another thread goes on; once several are left behind, questions are refused at once.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from lormika.errors import InputError, ModelError
from lormika.frames import count_rows
from lormika.many import ROWS_PER_CALL
from lormika.models import Answer, Model
from lormika.serving.faults import Fault, closing, late
from lormika.serving.joining import alike, join
from lormika.serving.work import Job, current
from lormika.types import UserTable

_LINGER = 0.003  # seconds to wait for others
_MOST_HANGING = 2  # calls that are left behind
_FOREVER = 1e9


class Ticket:
    """A question that waits for its answer."""

    def __init__(self, frame: UserTable, job: Job | None) -> None:
        self.frame, self.rows, self.job = frame, count_rows(frame), job
        self._done = threading.Event()
        self._answer: Answer | None = None
        self._error: BaseException | None = None

    @property
    def is_wanted(self) -> bool:
        """Whether anybody still waits for the answer."""
        return self.job is None or not self.job.stopped

    def answer(self, answer: Answer) -> None:
        """Give the answer."""
        self._answer = answer
        self._done.set()

    def fail(self, error: BaseException) -> None:
        """Say that there is none."""
        self._error = error
        self._done.set()

    def give_up(self) -> None:
        """Wait no longer."""
        self._done.set()

    def wait(self, seconds: float) -> Answer | None:
        """The answer; None if the time is up."""
        self._done.wait(seconds)
        if self._error is not None:
            raise self._error
        return self._answer


@dataclass(frozen=True, slots=True, eq=False)
class _Batch:
    """Questions that are asked together."""

    tickets: list[Ticket]
    began: float


class SharedCalls:
    """A model's calls, shared by all threads."""

    def __init__(
        self,
        model: Model,
        seconds: float,
        expected: Callable[[], int] = lambda: 0,  # how many may be about to ask
        interrupt: Callable[[], None] | None = None,  # ends the call that is being made
    ) -> None:
        self._model, self._seconds, self._expected, self._interrupt = model, seconds, expected, interrupt
        self._waiting: list[Ticket] = []
        self._patient: list[Ticket] = []  # that give way to all others
        self._changed = threading.Condition()
        self._batch: _Batch | None = None
        self._generation = 0
        self._hanging = 0
        self._closed = False
        self.calls = self.rows = self.questions = 0  # so far
        self._start()

    def ask(self, frame: UserTable, *, patiently: bool = False) -> Answer:
        """Ask about the rows of a table, with a deadline if a job has one."""
        job = current.get()
        ticket = Ticket(frame, job)
        self._submit(ticket, patiently)
        try:
            return self._await(ticket, job)
        finally:
            if job is not None:
                job.ticket, job.doing = None, "finding rules"

    def close(self) -> list[threading.Thread]:
        """Ask no more; whoever waits is told. The thread that asks the model."""
        with self._changed:
            self._closed = True
            self._generation += 1
            asked = [] if self._batch is None else self._batch.tickets
            for ticket in (*self._waiting, *self._patient, *asked):
                ticket.fail(closing())
            self._waiting, self._patient = [], []
            self._changed.notify_all()
        if asked and self._interrupt is not None:
            self._interrupt()
        return [self._thread]

    def _submit(self, ticket: Ticket, patiently: bool) -> None:
        job = ticket.job
        if job is not None:
            job.ticket, job.doing = ticket, "asking the model"
            job.check()
        with self._changed:
            if self._closed:
                raise closing()
            self._leave_behind()
            if self._hanging >= _MOST_HANGING:
                raise Fault(503, "hanging", f"the model has not come back from {self._hanging} earlier questions")
            (self._patient if patiently else self._waiting).append(ticket)
            self._changed.notify_all()

    def _await(self, ticket: Ticket, job: Job | None) -> Answer:
        """Wait for an answer; a call that takes too long is left behind, also if it is not ours."""
        while True:
            left = _FOREVER if job is None else job.deadline - time.monotonic()
            answer = ticket.wait(max(0.0, min(left, self._seconds)))
            if job is not None and job.stopped:
                self._stop_unwanted()
                job.check()
            if answer is not None:
                if job is not None:
                    job.calls, job.rows = job.calls + 1, job.rows + ticket.rows
                return answer
            with self._changed:
                self._leave_behind()
            if job is not None:
                try:
                    job.check()
                except Fault:
                    self._withdraw(ticket)
                    raise

    def _withdraw(self, ticket: Ticket) -> None:
        with self._changed:
            for tickets in (self._waiting, self._patient):
                if ticket in tickets:
                    tickets.remove(ticket)

    def _stop_unwanted(self) -> None:
        """End the call that is being made, if nobody wants it and the model can be ended."""
        with self._changed:
            batch = self._batch
            unwanted = batch is not None and not any(ticket.is_wanted for ticket in batch.tickets)
        if unwanted and self._interrupt is not None:
            self._interrupt()

    def _leave_behind(self) -> None:
        """Let another thread go on if a call takes longer than any may."""
        if self._batch is not None and time.monotonic() - self._batch.began > self._seconds:
            for ticket in self._batch.tickets:
                ticket.fail(late(self._seconds))
            self._batch = None
            self._hanging += 1
            self._start()

    def _start(self) -> None:
        self._generation += 1
        own = self._generation
        self._thread = threading.Thread(target=self._serve, args=(own,), daemon=True, name="lormika-model")
        self._thread.start()

    def _serve(self, own: int) -> None:
        while True:
            with self._changed:
                while own == self._generation and not self._waiting and not self._patient:
                    self._changed.wait()
                if own != self._generation:
                    return
                self._linger()
                batch = self._take()
                self._batch = batch
            if batch.tickets:
                self._answer(batch)
            with self._changed:
                if self._batch is not batch:  # it was left behind, and has come back
                    self._hanging -= 1
                    return
                self._batch = None

    def _linger(self) -> None:
        """Wait a moment, if others are about to ask."""
        until = time.monotonic() + _LINGER
        while 0 < len(self._waiting) < self._expected():
            left = until - time.monotonic()
            if left <= 0 or not self._changed.wait(left):
                return

    def _take(self) -> _Batch:
        """The first question, and those like it; patient ones only if there is no other."""
        self._waiting[:] = [ticket for ticket in self._waiting if ticket.is_wanted]
        queue = self._waiting or self._patient
        taken: list[Ticket] = []
        rows = 0
        for ticket in list(queue):
            if not taken or (rows + ticket.rows <= ROWS_PER_CALL and alike(taken[0].frame, ticket.frame)):
                taken.append(ticket)
                queue.remove(ticket)
                rows += ticket.rows
        return _Batch(taken, time.monotonic())

    def _answer(self, batch: _Batch) -> None:
        tickets = batch.tickets
        try:
            answer = self._call(join([ticket.frame for ticket in tickets]), len(tickets))
        except BaseException as error:
            if len(tickets) == 1 or not isinstance(error, InputError | ModelError):
                for ticket in tickets:
                    ticket.fail(error)
                return
            for ticket in tickets:  # one of them is to blame, and the others are not to suffer
                self._answer(_Batch([ticket], batch.began))
            return
        start = 0
        for ticket in tickets:
            ticket.answer(answer[slice(start, start + ticket.rows)])
            start += ticket.rows

    def _call(self, frame: UserTable, questions: int) -> Answer:
        self.calls, self.rows, self.questions = (
            self.calls + 1,
            self.rows + count_rows(frame),
            self.questions + questions,
        )
        return self._model(frame)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SharedModel(Model):
    """A model whose calls are shared."""

    shared: SharedCalls

    @classmethod
    def around(cls, model: Model, shared: SharedCalls) -> SharedModel:
        """The same model, asked through shared calls."""
        return cls(
            ask=model.ask,
            decide=model.decide,
            classes=model.classes,
            names=model.names,
            scores=model.scores,
            threshold=model.threshold,
            bands=model.bands,
            shared=shared,
        )

    def __call__(self, frame: UserTable) -> Answer:
        """Ask, together with whoever else does."""
        return self.shared.ask(frame)

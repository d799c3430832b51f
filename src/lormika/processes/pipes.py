"""The two pipes of a child, read and written without waiting: by polling, or with threads where pipes have no poll."""

from __future__ import annotations

import contextlib
import os
import select
import threading
from collections.abc import Sequence
from typing import IO, Any, Protocol

from lormika.processes.messages import PIECE

_MOST_AHEAD = 4 * PIECE  # bytes that a thread reads before anybody wants them
_PATIENCE = 3.0  # seconds for threads to end, once the child has


class Pipes(Protocol):
    """What a parent has of its child."""

    def read(self, size: int) -> bytes:
        """At most so many bytes, none at the end; raise `BlockingIOError` if there are none yet."""

    def write(self, data: memoryview) -> int:
        """Write what there is room for; raise `BlockingIOError` if for nothing, `BrokenPipeError` if nobody reads."""

    def close(self) -> None:
        """Close both, once the child has ended."""

    @staticmethod
    def wait(waiting: Sequence[tuple[Any, bool]], seconds: float) -> None:
        """Wait until one of these, of the same kind, has something to read, or room where that is wanted, too."""


class PolledPipes:
    """Pipes of a system that can say which ones are ready."""

    def __init__(self, requests: IO[bytes], answers: IO[bytes]) -> None:
        self._requests, self._answers = requests, answers
        for pipe in (requests, answers):
            os.set_blocking(pipe.fileno(), False)

    def read(self, size: int) -> bytes:
        """What is there."""
        return os.read(self._answers.fileno(), size)

    def write(self, data: memoryview) -> int:
        """As much as there is room for."""
        return os.write(self._requests.fileno(), data)

    def close(self) -> None:
        """Close both."""
        for pipe in (self._requests, self._answers):
            with contextlib.suppress(OSError):
                pipe.close()

    @staticmethod
    def wait(waiting: Sequence[tuple[PolledPipes, bool]], seconds: float) -> None:
        """Wait until there is something to read, or room where that is wanted, too."""
        poll = select.poll()
        for pipes, wants_room in waiting:
            poll.register(pipes._answers, select.POLLIN)
            if wants_room:
                poll.register(pipes._requests, select.POLLOUT)
        poll.poll(seconds * 1000)


class ThreadedPipes:
    """Pipes of any system: one thread reads ahead, another one writes a piece at a time."""

    _changed = threading.Condition()  # of all of them, since one may wait for several

    def __init__(self, requests: IO[bytes], answers: IO[bytes]) -> None:
        self._requests, self._answers = requests, answers
        self._read, self._at_end = bytearray(), False
        self._unwritten: bytes | None = None
        self._is_broken = self._is_closed = False
        self._threads = [threading.Thread(target=run, daemon=True) for run in (self._keep_reading, self._keep_writing)]
        for thread in self._threads:
            thread.start()

    def read(self, size: int) -> bytes:
        """What has been read ahead."""
        with self._changed:
            if not self._read and not self._at_end:
                raise BlockingIOError
            piece = bytes(self._read[:size])
            del self._read[:size]
            self._changed.notify_all()
            return piece

    def write(self, data: memoryview) -> int:
        """Hand a piece to the thread, if the one before is written."""
        with self._changed:
            if self._is_broken:
                raise BrokenPipeError
            if self._unwritten is not None:
                raise BlockingIOError
            self._unwritten = bytes(data)
            self._changed.notify_all()
            return len(data)

    def close(self) -> None:
        """Close both, once the threads have ended: the number of a closed file may soon be that of another."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join(_PATIENCE)
        for pipe in (self._requests, self._answers):
            with contextlib.suppress(OSError):
                pipe.close()

    @staticmethod
    def wait(waiting: Sequence[tuple[ThreadedPipes, bool]], seconds: float) -> None:
        """Wait until there is something to read, or room where that is wanted, too."""
        changed = ThreadedPipes._changed
        with changed:
            changed.wait_for(lambda: any(pipes._is_ready(wants_room) for pipes, wants_room in waiting), seconds)

    def _is_ready(self, wants_room: bool) -> bool:
        return bool(self._read) or self._at_end or (wants_room and (self._unwritten is None or self._is_broken))

    def _keep_reading(self) -> None:
        piece = b"-"
        while piece:
            try:
                piece = os.read(self._answers.fileno(), PIECE)
            except (OSError, ValueError):  # closed
                piece = b""
            with self._changed:
                self._read += piece
                self._at_end = not piece
                self._changed.notify_all()
                self._changed.wait_for(lambda: len(self._read) < _MOST_AHEAD or self._is_closed)

    def _keep_writing(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._unwritten is not None or self._is_closed)
                piece = self._unwritten
            if piece is None or self._is_closed:
                return
            try:
                self._write_all(memoryview(piece))
            except (OSError, ValueError):  # nobody reads it
                self._is_broken = True
            with self._changed:
                self._unwritten = None
                self._changed.notify_all()
            if self._is_broken:
                return

    def _write_all(self, data: memoryview) -> None:
        while data:
            data = data[os.write(self._requests.fileno(), data) :]


HAVE_POLL = os.name != "nt" and hasattr(select, "poll") and hasattr(os, "set_blocking")


def make_pipes(requests: IO[bytes], answers: IO[bytes]) -> Pipes:
    """The kind that this system has."""
    return PolledPipes(requests, answers) if HAVE_POLL else ThreadedPipes(requests, answers)


def wait_for_pipes(waiting: Sequence[tuple[Pipes, bool]], seconds: float) -> None:
    """Wait until one of them has something to read, or room where that is wanted, too; all are of the same kind."""
    if waiting:
        waiting[0][0].wait(waiting, seconds)

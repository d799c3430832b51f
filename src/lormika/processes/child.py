"""A child process, as its parent sees it: whatever it does, the parent waits only as long as it likes, and ends it."""

from __future__ import annotations

import contextlib
import fcntl
import math
import os
import select
import signal
import subprocess
import sys
import time
import weakref
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from lormika.processes.messages import OUT_OF_MEMORY, PIECE, BrokenMessageError, Inbox, Message, pack
from lormika.types import JsonObject

_CRASHES = (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL, signal.SIGFPE)
_GRACE = 3.0  # seconds in which a child that has closed its pipes ends
_LONGEST_POLL = 3600.0  # seconds; the system takes no longer ones
_TAIL = 300  # characters of what a child printed last

_lifelines: set[int] = set()  # our ends


Kind = Literal["late", "broken", "pipes", "memory", "exit", "crash", "kill"]
"""Why a child gives no more answers."""


class LostError(Exception):
    """A child gives no more answers. As a text, that is a sentence; `words` go with any name of its process."""

    def __init__(self, kind: Kind, words: str, hint: str = "", code: int | None = None) -> None:
        super().__init__(words if kind == "late" else f"its process {words}{hint}")
        self.kind, self.words, self.hint, self.code = kind, words, hint, code


class Child:
    """A process in its own group. It never outlives its parent, nor this object; `end` ends it earlier.

    Messages go both ways without blocking: the other side may hang or be dead. With a log, what it prints as errors is
    kept there, and the last of it is part of how it ended.
    """

    def __init__(
        self, command: Sequence[str], *, environment: Mapping[str, str] | None = None, log: Path | None = None
    ) -> None:
        self._process, lifeline = _start(command, environment, log)
        self.pid, self._log = self._process.pid, log
        self.end = weakref.finalize(self, _end, self._process, lifeline, os.getpid())
        self._unsent: deque[memoryview] = deque()
        self._inbox, self._closed = Inbox(), False
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests, self._answers = self._process.stdin, self._process.stdout
        for pipe in (self._requests, self._answers):
            os.set_blocking(pipe.fileno(), False)

    @classmethod
    def of_module(cls, module: str, *arguments: str, environment: Mapping[str, str] | None = None) -> Child:
        """A module run by this interpreter, with the same module search path."""
        paths = {"PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)}
        command = [sys.executable, "-P", "-m", module, *arguments]
        return cls(command, environment={**os.environ, **(environment or {}), **paths})

    def send(self, head: JsonObject, body: bytes = b"") -> None:
        """Send a message: as much as the child reads now, and the rest when it is next looked at."""
        self._unsent.extend(memoryview(part) for part in pack(head, body) if part)
        self._flush()

    def look(self, deadline: float = math.inf) -> Message | None:
        """The next message, if it is there; raise `LostError` if what is there is not a message."""
        self._flush()
        try:
            return self._inbox.read(self._answers.fileno(), deadline)
        except (BlockingIOError, TimeoutError):
            return None
        except EOFError:
            self._closed = True
            return None
        except BrokenMessageError as error:
            raise LostError("broken", f"sent something else than an answer ({error})") from None

    def receive(self, seconds: float) -> Message:
        """Wait for the next message; raise `LostError` if it does not come in time."""
        deadline = time.monotonic() + seconds
        while (message := self.look(deadline)) is None:
            left = deadline - time.monotonic()
            if self._closed:
                raise self.death()
            if left <= 0:
                raise LostError("late", f"no answer within {seconds:g} seconds")
            poll = select.poll()
            self.watch(poll)
            poll.poll(min(left, _LONGEST_POLL) * 1000)
        return message

    def watch(self, poll: select.poll) -> None:
        """Let a poll wake up when there is something to read here, or room to write."""
        poll.register(self._answers, select.POLLIN)
        if self._unsent:
            poll.register(self._requests, select.POLLOUT)

    @property
    def ended(self) -> bool:
        """Whether the process has ended. What it said before may still be in the pipe."""
        return self._process.poll() is not None

    def death(self) -> LostError:
        """How the process ended; one that has closed its pipes gets a few seconds to do so."""
        try:
            code = self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            code = None
        kind, words, guess = _describe(code)
        text = "" if self._log is None else self._log.read_text(encoding="utf-8", errors="replace").rstrip()
        printed = f": {text.splitlines()[-1].strip()[:_TAIL]}" if text else ""
        return LostError(kind, words, guess + printed, code)

    def _flush(self) -> None:
        try:
            while self._unsent:
                part = self._unsent[0]
                self._unsent[0] = part[os.write(self._requests.fileno(), part[:PIECE]) :]
                if not self._unsent[0]:
                    self._unsent.popleft()
        except BlockingIOError:
            pass
        except BrokenPipeError:  # an answer from before may still be there
            self._closed = True


def _describe(code: int | None) -> tuple[Kind, str, str]:
    """Kind, words and a guess for an exit code, or a signal below 0; None: it has not ended."""
    if code is None:
        return "pipes", "closed its pipes", ""
    if code == OUT_OF_MEMORY:
        return "memory", "ran out of memory", ""
    if code >= 0:
        return "exit", f"ended itself with exit code {code}", ""
    name = next((one.name for one in signal.Signals if one == -code), f"signal {-code}")
    if -code in _CRASHES:
        return "crash", f"crashed ({name})", ""
    return "kill", f"was killed ({name})", ", perhaps for want of memory" if -code == signal.SIGKILL else ""


def _start(
    command: Sequence[str], environment: Mapping[str, str] | None, log: Path | None
) -> tuple[subprocess.Popen[bytes], int]:
    """Start a process, and return it with our end of its lifeline.

    Once that end is closed, the kernel kills the group. This is a property of the pipe, not of a process: the child has
    nothing to do but to keep its end open. Before it is set, the child has not got its first message, and ends if none
    comes.
    """
    theirs, ours = os.pipe()
    try:
        with contextlib.nullcontext() if log is None else log.open("wb") as errors:
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, bufsize=0, env=environment,
                pass_fds=(theirs,), start_new_session=True,  # Ctrl-C is for the parent, which then ends this one
            )  # fmt: skip
        fcntl.fcntl(theirs, fcntl.F_SETOWN, -process.pid)
        fcntl.fcntl(theirs, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(theirs, fcntl.F_SETFL, fcntl.fcntl(theirs, fcntl.F_GETFL) | os.O_ASYNC)
    except BaseException:
        os.close(ours)
        raise
    finally:
        os.close(theirs)
    _lifelines.add(ours)
    return process, ours


def _end(process: subprocess.Popen[bytes], lifeline: int, owner: int) -> None:
    """End a process and everything it started, and leave nothing behind."""
    if os.getpid() != owner:  # a fork of ours, which is to leave the child alone
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    _lifelines.discard(lifeline)
    os.close(lifeline)
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()


def _let_go() -> None:
    """In a fork of ours, which would hold the lifelines of children that are not its own."""
    while _lifelines:
        os.close(_lifelines.pop())


os.register_at_fork(after_in_child=_let_go)

"""A child process, as its parent sees it: whatever it does, the parent waits only as long as it likes, and ends it."""

from __future__ import annotations

import contextlib
import math
import os
import signal
import subprocess
import sys
import time
import weakref
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from lormika import system
from lormika.processes.messages import OUT_OF_MEMORY, PIECE, BrokenMessageError, Inbox, Message, pack
from lormika.processes.pipes import Pipes, make_pipes, wait_for_pipes
from lormika.types import JsonObject

_CRASHES = ("SIGSEGV", "SIGBUS", "SIGABRT", "SIGILL", "SIGFPE")
_FIRST_FAULT = 0xC0000000  # of the exit codes with which Windows ends a process
_GRACE = 3.0  # seconds in which a child that has closed its pipes ends
_LONGEST_POLL = 3600.0  # seconds; the system takes no longer ones
_TAIL = 300  # characters of what a child printed last


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
        self._process, tie = _start(command, environment, log)
        self.pid, self._log = self._process.pid, log
        self._unsent: deque[memoryview] = deque()
        self._inbox, self._closed = Inbox(), False
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._pipes = make_pipes(self._process.stdin, self._process.stdout)
        self.end = weakref.finalize(self, _end, self._process, tie, self._pipes, os.getpid())

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
            return self._inbox.read(self._pipes.read, deadline)
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
            wait_for_any([self], left)
        return message

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
                self._unsent[0] = part[self._pipes.write(part[:PIECE]) :]
                if not self._unsent[0]:
                    self._unsent.popleft()
        except BlockingIOError:
            pass
        except BrokenPipeError:  # an answer from before may still be there
            self._closed = True


def wait_for_any(children: Sequence[Child], seconds: float) -> None:
    """Wait until there is something to read from one of them, or room for what it has not read, or time is over."""
    wait_for_pipes([(child._pipes, bool(child._unsent)) for child in children], min(seconds, _LONGEST_POLL))


def _describe(code: int | None) -> tuple[Kind, str, str]:
    """Kind, words and a guess for an exit code, or a signal below 0; None: it has not ended."""
    if code is None:
        return "pipes", "closed its pipes", ""
    if code == OUT_OF_MEMORY:
        return "memory", "ran out of memory", ""
    if code >= _FIRST_FAULT:
        return "crash", f"crashed (0x{code:08X})", ""
    if code >= 0:
        return "exit", f"ended itself with exit code {code}", ""
    name = next((one.name for one in signal.Signals if one == -code), f"signal {-code}")
    if name in _CRASHES:
        return "crash", f"crashed ({name})", ""
    return "kill", f"was killed ({name})", ", perhaps for want of memory" if name == "SIGKILL" else ""


def _start(
    command: Sequence[str], environment: Mapping[str, str] | None, log: Path | None
) -> tuple[subprocess.Popen[bytes], system.Tie]:
    """Start a process that ends with this one."""
    with contextlib.nullcontext() if log is None else log.open("wb") as errors:
        pipe = subprocess.PIPE
        return system.start(command, stdin=pipe, stdout=pipe, stderr=errors, bufsize=0, env=environment)


def _end(process: subprocess.Popen[bytes], tie: system.Tie, pipes: Pipes, owner: int) -> None:
    """End a process and everything it started, and leave nothing behind."""
    if os.getpid() != owner:  # a fork of ours, which is to leave the child alone
        return
    tie.kill()
    process.wait()
    tie.close()
    pipes.close()

"""A process that answers one line of JSON to each it gets, within a time limit."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

_TAIL = 300  # characters of what a process said last


class FailedError(Exception):
    """The process gave no answer; the message says why."""


class Process:
    """Started at once; whoever made it ends it."""

    def __init__(self, command: list[str], log: Path) -> None:
        self._log, self._unread = log, b""
        with log.open("wb") as file:
            try:
                self._child = subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=file, start_new_session=True
                )
            except OSError as error:
                raise FailedError(f"{command[0]} cannot be run: {error.strerror}") from error

    def ask(self, content: dict[str, Any], patience: float) -> dict[str, Any]:
        """Send a line, and wait for the answer."""
        assert self._child.stdin is not None
        try:
            self._child.stdin.write(json.dumps(content).encode() + b"\n")
            self._child.stdin.flush()
        except OSError:
            raise FailedError(self._why_ended()) from None
        return self.receive(patience)

    def receive(self, patience: float) -> dict[str, Any]:
        """The next line."""
        assert self._child.stdout is not None
        pipe, deadline = self._child.stdout.fileno(), time.monotonic() + patience
        while b"\n" not in self._unread:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([pipe], [], [], left)[0]:
                raise FailedError(f"no answer within {patience:g} seconds")
            piece = os.read(pipe, 1 << 20)
            if not piece:
                raise FailedError(self._why_ended())
            self._unread += piece
        line, self._unread = self._unread.split(b"\n", 1)
        try:
            told: dict[str, Any] = json.loads(line)
        except ValueError:
            raise FailedError(f"its answer is not JSON: {line[:_TAIL]!r}") from None
        return told

    def end(self) -> None:
        """Kill it, and what it started."""
        with suppress(ProcessLookupError):
            os.killpg(self._child.pid, signal.SIGKILL)
        self._child.wait()
        for pipe in (self._child.stdin, self._child.stdout):
            if pipe is not None:
                with suppress(OSError):  # lines that nobody read
                    pipe.close()

    def _why_ended(self) -> str:
        code = self._child.wait()
        said = last_line(self._log.read_text(encoding="utf-8", errors="replace"))
        return f"its process ended with code {code}{': ' if said else ''}{said}"


def last_line(text: str) -> str:
    """The last line that says something, cut short."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:_TAIL] if lines else ""

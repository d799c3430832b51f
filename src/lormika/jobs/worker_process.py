"""A process that does tasks, as its parent sees it: never waited for, only looked at."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lormika.jobs.driver import Task
from lormika.jobs.run_file import Run
from lormika.jobs.worker import OUT_OF_MEMORY

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
_PIECE = 1 << 16
_CRASHES = (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL, signal.SIGFPE)


class WorkerProcess:
    """One task at a time. Lines of JSON go both ways, without ever blocking: the other side may hang or be dead."""

    def __init__(self, folder: Path, run: Run, headers: Sequence[str], start_limit: float, *, one_thread: bool) -> None:
        # Modules are found where they are found here.
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)}
        if one_thread:  # processes share the processors already
            environment |= {name: environment.get(name, "1") for name in _THREADS}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "lormika.jobs.worker", str(folder), str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            env=environment,
            start_new_session=True,  # Ctrl-C is for the parent, which then ends this one
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._orders, self._answers = self._process.stdin, self._process.stdout
        for pipe in (self._orders, self._answers):
            os.set_blocking(pipe.fileno(), False)
        # Not as arguments or variables, which others on the machine may see: headers may be secrets.
        self._unsent, self._heard = _line({"run": asdict(run), "headers": list(headers)}), b""
        self._limit, self._deadline = start_limit, time.monotonic() + start_limit
        self.ready = False  # whether it has shown that it can explain
        self.task: Task | None = None

    def begin(self, task: Task, limit: float) -> None:
        """Send a task, which may take so many seconds; one that is not ready takes it up when it is."""
        rows = None if task.rows is None else [task.rows.start, task.rows.stop]
        self.task, self._limit = task, limit
        self._unsent += _line({"chunk": task.chunk, "rows": rows, "skip": task.skip})
        self._set_deadline()
        self._send()

    def watch(self, poll: select.poll) -> None:
        """Let a poll wake up when there is something to read here, or room to write."""
        poll.register(self._answers, select.POLLIN)
        if self._unsent:
            poll.register(self._orders, select.POLLOUT)

    def look(self) -> dict[str, Any] | None:
        """The outcome of the task, if it is there."""
        self._send()
        with suppress(BlockingIOError):
            while piece := os.read(self._answers.fileno(), _PIECE):
                self._heard += piece
        while b"\n" in self._heard:
            line, self._heard = self._heard.split(b"\n", 1)
            answer: dict[str, Any] = json.loads(line)
            if "ready" not in answer:
                return answer
            self.ready = True
            self._set_deadline()
        return None

    @property
    def ended(self) -> bool:
        """Whether the process is over. What it has said before may still be in the pipe."""
        return self._process.poll() is not None

    @property
    def late(self) -> bool:
        """Whether its task, or its start, takes longer than it may."""
        return (self.task is not None or not self.ready) and time.monotonic() > self._deadline

    def last_words(self) -> str:
        """How the process ended."""
        code = self._process.wait()
        if code == OUT_OF_MEMORY:
            return "its process ran out of memory"
        if code >= 0:
            return f"its process ended itself with exit code {code}"
        name = signal.Signals(-code).name
        if -code in _CRASHES:
            return f"its process crashed ({name})"
        return f"its process was killed ({name})" + (", perhaps for want of memory" if name == "SIGKILL" else "")

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._orders, self._answers):
            pipe.close()

    def _set_deadline(self) -> None:
        if self.ready and self.task is not None:
            self._deadline = time.monotonic() + self._limit

    def _send(self) -> None:
        with suppress(BlockingIOError, BrokenPipeError):  # later; or never, which is found out
            while self._unsent:
                self._unsent = self._unsent[os.write(self._orders.fileno(), self._unsent) :]


def _line(content: dict[str, Any]) -> bytes:
    return json.dumps(content).encode() + b"\n"

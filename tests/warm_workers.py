"""Workers of a warm command: forks of the warm process, too, as clean as it was before the command began.

Before it begins, the command forks a process that only waits, and later forks each worker, twice over: as an orphan
the worker becomes a child of the command, which knows how it ends. All else is as with one that is started: its
session, streams, lifeline, arguments, environment and search path. Only its imports are there already.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

_SET_CHILD_SUBREAPER = 36  # of prctl: orphans among its descendants become its children
_MODULE = "lormika.jobs.worker"
_LIFELINE = 3  # the descriptor that a worker leaves alone

End = Callable[[Callable[[], None]], None]
"""Runs a main program, and ends the process."""


def prepare(end: End) -> None:
    """Let workers that this process starts from now on be forks of it as it is now."""
    from lormika.system import posix

    assert ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        ours.close()
        os.setsid()  # Ctrl-C is for the command
        _wait(theirs, end)
        os._exit(0)
    theirs.close()
    real = subprocess.Popen

    def start(command: list[str], **options: Any) -> Any:
        return _Worker(ours, command, **options) if _MODULE in command else real(command, **options)

    posix.subprocess = _Namespace(subprocess, Popen=start)


class _Namespace:
    """A module, of which some names are others."""

    def __init__(self, module: object, **others: object) -> None:
        self._module = module
        vars(self).update(others)

    def __getattr__(self, name: str) -> object:
        return getattr(self._module, name)


def _wait(orders: socket.socket, end: End) -> None:
    """Fork a worker for each order, until the command is gone."""
    while True:
        text, descriptors, _, _ = socket.recv_fds(orders, 1 << 20, 4)
        if not text:
            return
        between = os.fork()
        if between == 0:
            parent = os.getpid()
            if os.fork() == 0:
                os.setsid()
                while os.getppid() == parent:  # until it is a child of the command
                    time.sleep(0.0005)
                orders.send(str(os.getpid()).encode())
                _become(json.loads(text), descriptors, end)
            os._exit(0)
        os.waitpid(between, 0)
        for descriptor in descriptors:
            os.close(descriptor)


def _become(order: dict[str, Any], descriptors: list[int], end: End) -> None:
    """Be the worker."""
    for number, descriptor in enumerate([os.dup(each) for each in descriptors]):
        os.dup2(descriptor, number, inheritable=number < _LIFELINE)
    os.closerange(_LIFELINE + 1, 1 << 10)
    os.environ.clear()
    os.environ.update(order["environment"])
    sys.path[:] = order["environment"]["PYTHONPATH"].split(os.pathsep)
    worker = importlib.import_module(_MODULE)
    sys.argv = [str(worker.__file__), *order["arguments"]]
    end(worker.main)


class _Worker:
    """Such a worker, in the place of a `subprocess.Popen`."""

    def __init__(
        self, orders: socket.socket, command: list[str], *, env: dict[str, str], pass_fds: tuple[int], **_: object
    ) -> None:
        (requests, to_requests), (from_answers, answers) = os.pipe(), os.pipe()
        order = {"arguments": command[command.index(_MODULE) + 1 :], "environment": env}
        theirs = [requests, answers, 2, *pass_fds]
        socket.send_fds(orders, [json.dumps(order).encode()], theirs)
        self.pid, self._code = int(orders.recv(32)), None
        self.stdin, self.stdout = os.fdopen(to_requests, "wb", 0), os.fdopen(from_answers, "rb", 0)
        for descriptor in (requests, answers):
            os.close(descriptor)

    def poll(self) -> int | None:
        if self._code is None:
            done, status = os.waitpid(self.pid, os.WNOHANG)
            self._code = os.waitstatus_to_exitcode(status) if done else None
        return self._code

    def wait(self, seconds: float = float("inf")) -> int:
        end = time.monotonic() + seconds
        while (code := self.poll()) is None:
            if time.monotonic() > end:
                raise subprocess.TimeoutExpired(_MODULE, seconds)
            time.sleep(0.002)
        return code

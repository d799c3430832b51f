"""A model in a process of its own, with limits: whatever happens to it is an error here, and nothing else.

Nothing that comes from that process is ever unpickled. Once it has crashed, or was stopped for taking too long, the
model is over: it is not started again, for it would only fail again; load it again after a look at the cause.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import signal
import subprocess
import sys
import threading
import time
import weakref
from functools import partial
from types import TracebackType
from typing import Any

import numpy as np

from lormika.errors import InputError, ModelError
from lormika.frames.values import Scalar
from lormika.models import wire
from lormika.models.model import METHODS
from lormika.models.model_files import megabytes

_CRASHES = (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL, signal.SIGFPE)
_CHUNK = 1 << 20


class IsolatedModel:
    """A classifier that is loaded and run in a process of its own."""

    def __init__(self, source: str, options: dict[str, Any], *, memory_limit: int, time_limit: float) -> None:
        self._source, self._memory_limit, self._time_limit = source, memory_limit, time_limit
        self._lock = threading.Lock()  # one question at a time
        self._over: str | None = None  # why it answers no longer
        self._process, self._lifeline = _start(memory_limit)
        self.close = weakref.finalize(self, _end, self._process, self._lifeline, os.getpid())
        head, _ = self._exchange(wire.pack({"source": source, "options": options}), f"loading {source}")
        try:
            methods, classes, features = set(head["methods"]), head["classes"], head["features"]
        except (KeyError, TypeError):
            raise self._broken("no description of the model") from None
        self.classes_: tuple[Scalar, ...] | None = None if classes is None else tuple(classes)
        self.feature_names_in_: list[str] | None = features
        self.predict, self.predict_proba, self.decision_function = (
            partial(self._ask, method) if method in methods else None for method in METHODS
        )

    def __call__(self, table: Any) -> np.ndarray:
        """Ask a model that is a function."""
        return self._ask("__call__", table)

    def __enter__(self) -> IsolatedModel:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _ask(self, method: str, table: Any) -> np.ndarray:
        doing = f"the model in {method} on {len(table)} rows"
        message = wire.pack({"method": method}, pickle.dumps(table, protocol=5))
        head, body = self._exchange(message, doing)
        try:
            return wire.read_answer(head, body)
        except wire.BrokenMessageError as error:
            raise self._broken(str(error)) from None

    def _exchange(self, message: bytes, doing: str) -> tuple[dict[str, Any], bytes]:
        """Send a message and wait for the one that comes back."""
        with self._lock:
            if self._over is not None or not self.close.alive:
                raise ModelError(f"{self._source}: {self._over or 'the model was closed'}; load it again")
            line = _Line(self._process, time.monotonic() + self._time_limit)
            try:
                line.send(message)
                head, body = wire.receive(line.read)
            except TimeoutError:
                raise self._stop(
                    f"the isolated process was stopped, since {doing} took more than {self._time_limit:g} s; "
                    "allow more with time_limit (--time-limit)"
                ) from None
            except (EOFError, OSError):
                raise self._stop(self._death(doing)) from None
            except wire.BrokenMessageError as error:
                raise self._broken(str(error)) from None
            except BaseException:  # an interrupt: half a message is no use to the next question
                self._stop("the model was interrupted")
                raise
        if "error" in head:
            raise self._error(head, doing)
        return head, body

    def _error(self, head: dict[str, Any], doing: str) -> Exception:
        kind, text = head["error"], str(head.get("message"))
        if kind == "input":
            return InputError(text)
        if kind == "model":
            return ModelError(text)
        if kind == "memory":
            return ModelError(
                f"{self._source}: {doing} needs more memory than the {megabytes(self._memory_limit)} that its process "
                f"may use; allow more with memory_limit (--memory-limit)"
            )
        failed = doing.replace("the model in", "the model failed in", 1)
        return ModelError(f"{failed}{'' if failed != doing else ' failed'}: {head.get('type')}: {text}")

    def _death(self, doing: str) -> str:
        """Say how the process ended."""
        try:
            code = self._process.wait(1)
        except subprocess.TimeoutExpired:
            return f"the isolated process closed its pipes during {doing}; do not trust this model"
        if code >= 0:
            return f"the isolated process ended itself with exit code {code} during {doing}; see what it printed"
        name = signal.Signals(-code).name
        if -code in _CRASHES:
            return (
                f"the isolated process crashed ({name}) during {doing}: the model is broken or tampered with, its "
                f"library has a fault, or it needs more memory than {megabytes(self._memory_limit)} (memory_limit)"
            )
        return f"the isolated process was killed ({name}) during {doing}, perhaps by the system for want of memory"

    def _broken(self, what: str) -> ModelError:
        return self._stop(f"the isolated process sent something else than an answer ({what}); do not trust this model")

    def _stop(self, why: str) -> ModelError:
        self._over = why
        self.close()
        return ModelError(f"{self._source}: {why}")


def _start(memory_limit: int) -> tuple[subprocess.Popen[bytes], int]:
    """Start the process, and give it with our end of its lifeline."""
    theirs, ours = os.pipe()
    # Modules are found where they are found here.
    paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
    try:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "lormika.models.isolated_child", str(theirs), str(memory_limit)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            env=os.environ | {"PYTHONPATH": paths},
            pass_fds=(theirs,),
            start_new_session=True,
        )
    except BaseException:
        os.close(ours)
        raise
    finally:
        os.close(theirs)
    for pipe in (process.stdin, process.stdout):
        assert pipe is not None
        os.set_blocking(pipe.fileno(), False)
    return process, ours


def _end(process: subprocess.Popen[bytes], lifeline: int, owner: int) -> None:
    """End the process and all that it started, and leave nothing behind."""
    if os.getpid() != owner:  # a fork of ours, which is to leave the model alone
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    os.close(lifeline)
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()


class _Line:
    """Both pipes of a process, until a deadline."""

    def __init__(self, process: subprocess.Popen[bytes], deadline: float) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._to, self._from, self._deadline = process.stdin.fileno(), process.stdout.fileno(), deadline

    def send(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            self._wait(self._to, select.POLLOUT)
            rest = rest[os.write(self._to, rest[:_CHUNK]) :]

    def read(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            self._wait(self._from, select.POLLIN)
            chunk = os.read(self._from, min(size - len(data), _CHUNK))
            if not chunk:
                raise EOFError
            data += chunk
        return bytes(data)

    def _wait(self, descriptor: int, event: int) -> None:
        poll = select.poll()
        poll.register(descriptor, event)
        left = self._deadline - time.monotonic()
        if left <= 0 or not poll.poll(left * 1000):
            raise TimeoutError

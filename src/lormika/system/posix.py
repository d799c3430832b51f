"""Linux, macOS and their relatives."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

from lormika.errors import InputError

try:
    import fcntl
except ImportError:  # a Python that was built without
    fcntl = None  # type: ignore[assignment]
try:
    import resource
except ImportError:
    resource = None  # type: ignore[assignment]

_PAUSE = 0.05  # seconds between two looks at the memory, where the kernel does not limit it
_WATCHER = 'read _; kill -s KILL -- "-$1"'  # reads until the other end of the pipe is closed

_lifelines: set[int] = set()  # our ends


# Files


def lock(file: IO[str], *, alone: bool) -> None:
    """Lock an open file, alone or with others; raise `BlockingIOError` if somebody else holds it."""
    if fcntl is None:
        raise InputError(f"{file.name} cannot be locked: this Python lacks the module fcntl; use another one")
    fcntl.flock(file, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)


def unlink_open(path: Path) -> None:
    """Remove a file that this process has opened."""
    path.unlink(missing_ok=True)


def is_same(file: IO[str], path: Path) -> bool:
    """Whether an open file is still the one with that name."""
    return os.path.samestat(os.fstat(file.fileno()), path.stat())


def sync(path: Path) -> None:
    """Wait until what is in a file, or the names in a folder, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def open_plain(path: Path) -> int:
    """Open a file for reading, unless it is a link; reading never waits, should it be a pipe."""
    return os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)


def open_log(path: Path) -> int:
    """Open a file that only grows, and that only its owner can read if it is new."""
    return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)


# This process


def is_administrator() -> bool:
    """Whether this process may do everything."""
    return os.geteuid() == 0


def is_running(pid: int) -> bool:
    """Whether there is a process with this number."""
    if pid <= 0:  # stands for other things than a process
        return False
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True


def use_utf8(stream: IO[str]) -> None:
    """Nothing to do: the user's locale says how to write, nearly always in UTF-8."""


def is_broken_pipe(error: OSError) -> bool:
    """Whether nobody reads what was written."""
    return isinstance(error, BrokenPipeError)


def reserve(listening: socket.socket) -> None:
    """Let a server take the address of one that has just ended."""
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)


def end_later() -> None:
    """If memory runs out, the kernel is to take this process rather than its parent."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("500", encoding="ascii")


def limit(memory: int, give_up: Callable[[], object], *, more: bool = False, seconds: int | None = None) -> None:
    """Limit the memory of this process, to so many bytes or so many more than it has, and the time of its processor.

    Beyond it, there is a `MemoryError`; or, where the kernel sets no limit, `give_up` is called.
    """
    if resource is None:
        raise InputError("memory cannot be limited: this Python lacks the module resource; use another one")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a crash leaves no file of the user's data
    if seconds is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    if sys.platform == "linux":
        most = memory + (_address_space() if more else 0)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    else:
        _watch_memory(memory + (_peak_memory() if more else 0), give_up)


def _address_space() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    return pages * resource.getpagesize()


def _peak_memory() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _watch_memory(most: int, give_up: Callable[[], object]) -> None:
    """The kernel of macOS knows the limit of the address space, but does not keep it: a thread looks."""

    def look() -> None:
        while _peak_memory() <= most:
            time.sleep(_PAUSE)
        give_up()

    threading.Thread(target=look, daemon=True, name="lormika-memory").start()


# Child processes


class PipeTie:
    """A process group, and a pipe whose other end closes with this process: then the kernel, or a watcher, kills it."""

    def __init__(self, pid: int, ours: int, watcher: subprocess.Popen[bytes] | None) -> None:
        self._pid, self._ours, self._watcher = pid, ours, watcher
        _lifelines.add(ours)

    def kill(self) -> None:
        """End the group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._pid, signal.SIGKILL)

    def close(self) -> None:
        """Let go of the pipe; the watcher first, since the group's number may soon be that of others."""
        if self._watcher is not None:
            self._watcher.kill()
            self._watcher.wait()
        _lifelines.discard(self._ours)
        os.close(self._ours)


def start(command: Sequence[str], **options: Any) -> tuple[subprocess.Popen[bytes], PipeTie]:
    """Start a process as the leader of a group of its own, so that Ctrl-C is for its parent, which then ends it.

    It is tied to this process by a pipe, its lifeline. Before that is set, a child of ours has not got its first
    message, and ends if none comes.
    """
    theirs, ours = os.pipe()
    try:
        process: subprocess.Popen[bytes] = subprocess.Popen(
            command, pass_fds=(theirs,), start_new_session=True, **options
        )
        watcher = None if _kill_when_closed(theirs, process.pid) else _start_watcher(theirs, process.pid)
    except BaseException:
        os.close(ours)
        raise
    finally:
        os.close(theirs)
    return process, PipeTie(process.pid, ours, watcher)


def _kill_when_closed(theirs: int, pid: int) -> bool:
    """Let the kernel kill the group once our end is closed, if it can (Linux).

    This is a property of the pipe, not of a process: the child has nothing to do but to keep its end open.
    """
    if fcntl is None or not hasattr(fcntl, "F_SETSIG"):
        return False
    fcntl.fcntl(theirs, fcntl.F_SETOWN, -pid)
    fcntl.fcntl(theirs, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(theirs, fcntl.F_SETFL, fcntl.fcntl(theirs, fcntl.F_GETFL) | os.O_ASYNC)
    return True


def _start_watcher(theirs: int, pid: int) -> subprocess.Popen[bytes]:
    """A process that does the same, where the kernel does not."""
    nothing = subprocess.DEVNULL
    command = ["/bin/sh", "-c", _WATCHER, "sh", str(pid)]
    return subprocess.Popen(command, stdin=theirs, stdout=nothing, stderr=nothing, start_new_session=True)


def _let_go() -> None:
    """In a fork of ours, which would hold the lifelines of children that are not its own."""
    while _lifelines:
        os.close(_lifelines.pop())


if hasattr(os, "register_at_fork"):  # not every Python has forks
    os.register_at_fork(after_in_child=_let_go)

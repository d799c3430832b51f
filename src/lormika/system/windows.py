"""Windows: the same with what it has, job objects above all, which hold a process with all that it starts."""

from __future__ import annotations

import ctypes
import errno
import importlib
import io
import os
import socket
import stat
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

# Names of the system, for values that it defines.
_ERROR_ACCESS_DENIED, _ERROR_LOCK_VIOLATION, _STILL_ACTIVE = 5, 33, 259
_LOCKFILE_FAIL_IMMEDIATELY, _LOCKFILE_EXCLUSIVE_LOCK = 1, 2
_PROCESS_QUERY_LIMITED_INFORMATION = 0x1000
_JOB_OBJECT_EXTENDED_LIMIT_INFORMATION = 9
_LIMIT_PROCESS_TIME, _LIMIT_PROCESS_MEMORY, _LIMIT_KILL_ON_JOB_CLOSE = 0x2, 0x100, 0x2000
_CREATE_NEW_PROCESS_GROUP = 0x200
_SO_EXCLUSIVEADDRUSE = ~socket.SO_REUSEADDR
_TICKS = 10_000_000  # of the system's clock, in a second


class _Overlapped(ctypes.Structure):
    _fields_ = (
        ("internal", ctypes.c_size_t), ("internal_high", ctypes.c_size_t),
        ("offset", ctypes.c_uint32), ("offset_high", ctypes.c_uint32), ("event", ctypes.c_void_p),
    )  # fmt: skip


class _JobLimits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION."""

    _fields_ = (
        ("process_time", ctypes.c_int64), ("job_time", ctypes.c_int64), ("flags", ctypes.c_uint32),
        ("least_working_set", ctypes.c_size_t), ("most_working_set", ctypes.c_size_t),
        ("active_processes", ctypes.c_uint32), ("affinity", ctypes.c_size_t), ("priority", ctypes.c_uint32),
        ("scheduling", ctypes.c_uint32), ("transfers", ctypes.c_uint64 * 6), ("process_memory", ctypes.c_size_t),
        ("job_memory", ctypes.c_size_t), ("peak_process_memory", ctypes.c_size_t),
        ("peak_job_memory", ctypes.c_size_t),
    )  # fmt: skip


class _MemoryCounters(ctypes.Structure):
    """PROCESS_MEMORY_COUNTERS."""

    _fields_ = (
        ("size", ctypes.c_uint32), ("faults", ctypes.c_uint32), ("peak_working_set", ctypes.c_size_t),
        ("working_set", ctypes.c_size_t), ("quotas", ctypes.c_size_t * 4), ("committed", ctypes.c_size_t),
        ("peak_committed", ctypes.c_size_t),
    )  # fmt: skip


_SIGNATURES: dict[str, tuple[type[Any], tuple[type[Any], ...]]] = {
    "AssignProcessToJobObject": (ctypes.c_int, (ctypes.c_void_p, ctypes.c_void_p)),
    "CloseHandle": (ctypes.c_int, (ctypes.c_void_p,)),
    "CreateJobObjectW": (ctypes.c_void_p, (ctypes.c_void_p, ctypes.c_wchar_p)),
    "GetCurrentProcess": (ctypes.c_void_p, ()),
    "GetExitCodeProcess": (ctypes.c_int, (ctypes.c_void_p, ctypes.c_void_p)),
    "K32GetProcessMemoryInfo": (ctypes.c_int, (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32)),
    "LockFileEx": (
        ctypes.c_int, (ctypes.c_void_p, *[ctypes.c_uint32] * 4, ctypes.c_void_p),
    ),
    "OpenProcess": (ctypes.c_void_p, (ctypes.c_uint32, ctypes.c_int, ctypes.c_uint32)),
    "SetInformationJobObject": (ctypes.c_int, (ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_uint32)),
    "TerminateJobObject": (ctypes.c_int, (ctypes.c_void_p, ctypes.c_uint32)),
}  # fmt: skip


class _System:
    """Functions of kernel32: what they take and give, and errors as Python knows them."""

    def __init__(self) -> None:
        self._library = vars(ctypes)["WinDLL"]("kernel32", use_last_error=True)  # which is only there on Windows

    def call(self, name: str, *arguments: object) -> Any:
        """Call a function; raise `OSError` if it returns 0."""
        function = getattr(self._library, name)
        function.restype, function.argtypes = _SIGNATURES[name]
        result = function(*arguments)
        if not result:
            code = vars(ctypes)["get_last_error"]()
            raise vars(ctypes)["WinError"](code)
        return result


# Files


def lock(file: IO[str], *, alone: bool) -> None:
    """Lock an open file, alone or with others; raise `BlockingIOError` if somebody else holds it."""
    handle = importlib.import_module("msvcrt").get_osfhandle(file.fileno())
    flags = _LOCKFILE_FAIL_IMMEDIATELY | (_LOCKFILE_EXCLUSIVE_LOCK if alone else 0)
    try:
        _System().call("LockFileEx", handle, flags, 0, 1, 0, ctypes.byref(_Overlapped()))
    except OSError as error:
        if getattr(error, "winerror", None) == _ERROR_LOCK_VIOLATION:
            raise BlockingIOError(errno.EAGAIN, "somebody else holds it") from None
        raise


def unlink_open(path: Path) -> None:
    """Leave it: Windows removes no file that a process has opened, and an empty one does no harm."""


def is_same(file: IO[str], path: Path) -> bool:
    """Whether an open file is still the one with that name: always, since nobody can remove it."""
    return True


def sync(path: Path) -> None:
    """Wait until what is in a file is on the disk; the names in a folder are the system's own care."""
    if path.is_dir():
        return
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def open_plain(path: Path) -> int:
    """Open a file for reading, unless it is a link."""
    if not stat.S_ISREG(os.lstat(path).st_mode) or os.path.islink(path):
        raise OSError(errno.ELOOP, "it is a link, or no file", str(path))
    return os.open(path, os.O_RDONLY | _binary())


def open_log(path: Path) -> int:
    """Open a file that only grows; who can read it is what the folder says."""
    return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _binary(), 0o600)


def _binary() -> int:
    """As it is: without it, ends of lines would be changed."""
    return int(getattr(os, "O_BINARY", 0))


# This process


def is_administrator() -> bool:
    """No: it does not matter to a browser here."""
    return False


def is_running(pid: int) -> bool:
    """Whether there is a process with this number."""
    if not 0 < pid < 1 << 32:
        return False
    system = _System()
    try:
        handle = system.call("OpenProcess", _PROCESS_QUERY_LIMITED_INFORMATION, 0, pid)
    except OSError as error:
        return getattr(error, "winerror", None) == _ERROR_ACCESS_DENIED
    code = ctypes.c_uint32()
    try:
        system.call("GetExitCodeProcess", handle, ctypes.byref(code))
    finally:
        system.call("CloseHandle", handle)
    return code.value == _STILL_ACTIVE


def use_utf8(stream: IO[str]) -> None:
    """Write UTF-8 into files and pipes, too: the code pages of old lack most signs of our texts."""
    if isinstance(stream, io.TextIOWrapper) and not stream.isatty():
        stream.reconfigure(encoding="utf-8")


def is_broken_pipe(error: OSError) -> bool:
    """Whether nobody reads what was written, for which Windows has two words."""
    return isinstance(error, BrokenPipeError) or error.errno == errno.EINVAL


def reserve(listening: socket.socket) -> None:
    """Keep an address for this server; here, SO_REUSEADDR would let others take it as well."""
    listening.setsockopt(socket.SOL_SOCKET, _SO_EXCLUSIVEADDRUSE, 1)


def end_later() -> None:
    """Nothing to do: Windows ends no process for want of memory."""


def limit(memory: int, give_up: Callable[[], object], *, more: bool = False, seconds: int | None = None) -> None:
    """Limit the memory of this process, to so many bytes or so many more than it has, and the time of its processor.

    Beyond it, there is a `MemoryError`, so that `give_up` is never called.
    """
    flags = _LIMIT_PROCESS_MEMORY | (_LIMIT_PROCESS_TIME if seconds is not None else 0)
    most = memory + (_committed() if more else 0)
    system = _System()
    job = _make_job(system, _JobLimits(process_time=(seconds or 0) * _TICKS, flags=flags, process_memory=most))
    system.call("AssignProcessToJobObject", job, system.call("GetCurrentProcess"))


def _committed() -> int:
    system, counters = _System(), _MemoryCounters()
    counters.size = ctypes.sizeof(counters)
    system.call("K32GetProcessMemoryInfo", system.call("GetCurrentProcess"), ctypes.byref(counters), counters.size)
    return int(counters.committed)


# Child processes


class JobTie:
    """A job with the process and all that it starts; the system ends them when its last handle is closed."""

    def __init__(self, system: _System, job: int) -> None:
        self._system, self._job = system, job

    def kill(self) -> None:
        """End the job."""
        self._system.call("TerminateJobObject", self._job, 1)

    def close(self) -> None:
        """Close the handle."""
        self._system.call("CloseHandle", self._job)


def start(command: Sequence[str], **options: Any) -> tuple[subprocess.Popen[bytes], JobTie]:
    """Start a process in a job of its own, and in a group of its own, so that Ctrl-C is for its parent."""
    system = _System()
    tie = JobTie(system, _make_job(system, _JobLimits(flags=_LIMIT_KILL_ON_JOB_CLOSE)))
    try:
        process: subprocess.Popen[bytes] = subprocess.Popen(command, creationflags=_CREATE_NEW_PROCESS_GROUP, **options)
        system.call("AssignProcessToJobObject", tie._job, int(vars(process)["_handle"]))
    except BaseException:
        tie.close()
        raise
    return process, tie


def _make_job(system: _System, limits: _JobLimits) -> int:
    job: int = system.call("CreateJobObjectW", None, None)
    system.call(
        "SetInformationJobObject", job, _JOB_OBJECT_EXTENDED_LIMIT_INFORMATION, ctypes.byref(limits),
        ctypes.sizeof(limits),
    )  # fmt: skip
    return job

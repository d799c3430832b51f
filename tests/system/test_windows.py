"""What Windows is asked for, by a stand-in of its kernel32: the calls and what comes of their answers."""

from __future__ import annotations

import ctypes
import io
import os
import socket
import sys
from types import SimpleNamespace

import pytest

from lacking import on_posix
from lormika.processes import leave_for_memory
from lormika.processes.child import _describe
from lormika.system import windows

pytestmark = on_posix  # on Windows itself, the real thing is tried


class Kernel:
    """Answers each call as told, 1 if not, and keeps what it was asked."""

    def __init__(self, answers):
        self.calls, self._answers, self.limits, self.error = [], answers, None, 0

    def __getattr__(self, name):
        def call(*arguments):
            self.calls.append((name, arguments))
            if name == "SetInformationJobObject":
                kept = windows._JobLimits.from_buffer_copy(arguments[2]._obj)
                self.limits = kept
            answer = self._answers.get(name, 1)
            if callable(answer):
                return answer(*arguments)
            self.error = 0 if answer > 0 else -answer
            return max(answer, 0)

        return call


@pytest.fixture
def kernel(monkeypatch):
    def make(**answers):
        kernel = Kernel(answers)

        def error(code):
            made = OSError(22, "no")
            made.winerror = code
            return made

        monkeypatch.setattr(ctypes, "WinDLL", lambda name, use_last_error: kernel, raising=False)
        monkeypatch.setattr(ctypes, "get_last_error", lambda: kernel.error, raising=False)
        monkeypatch.setattr(ctypes, "WinError", error, raising=False)
        monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(get_osfhandle=lambda descriptor: descriptor + 1000))
        return kernel

    return make


def names(kernel):
    return [name for name, _ in kernel.calls]


def test_structures_are_as_large_as_in_its_headers():
    """Sizes and places, as a compiler for 64-bit Windows has them."""
    if ctypes.sizeof(ctypes.c_void_p) != 8:
        pytest.skip("of 64 bits")
    limits, counters = windows._JobLimits, windows._MemoryCounters
    assert (ctypes.sizeof(limits), limits.flags.offset, limits.process_memory.offset) == (144, 16, 112)
    assert (ctypes.sizeof(counters), counters.committed.offset) == (72, 56)
    assert ctypes.sizeof(windows._Overlapped) == 32


@pytest.mark.parametrize(("alone", "flags"), [(True, 3), (False, 1)])
def test_locks(kernel, tmp_path, alone, flags):
    asked = kernel()
    with (tmp_path / "lock").open("a") as file:
        windows.lock(file, alone=alone)
        assert asked.calls[0][1][:2] == (file.fileno() + 1000, flags)
        kernel(LockFileEx=-33)
        with pytest.raises(BlockingIOError):
            windows.lock(file, alone=alone)
        kernel(LockFileEx=-5)
        with pytest.raises(OSError, match="no") as error:
            windows.lock(file, alone=alone)
    assert not isinstance(error.value, BlockingIOError)


def exits_with(code):
    def tell(handle, place):
        place._obj.value = code
        return 1

    return tell


@pytest.mark.parametrize(
    ("answers", "runs"),
    [
        ({"GetExitCodeProcess": exits_with(259)}, True),
        ({"GetExitCodeProcess": exits_with(0)}, False),
        ({"OpenProcess": -5}, True),  # of somebody else
        ({"OpenProcess": -87}, False),  # none
    ],
)
def test_which_processes_run(kernel, answers, runs):
    asked = kernel(**answers)
    assert windows.is_running(4242) is runs
    assert ("CloseHandle" in names(asked)) == ("OpenProcess" not in answers)
    assert not windows.is_running(0)
    assert not windows.is_running(1 << 32)


def test_a_child_belongs_to_a_job_that_ends_with_this_process(kernel, monkeypatch):
    asked = kernel(CreateJobObjectW=77)
    made = SimpleNamespace(pid=5, _handle=55)
    monkeypatch.setattr(windows, "subprocess", SimpleNamespace(Popen=lambda command, **options: made))
    process, tie = windows.start(["python"], bufsize=0)
    assert process is made
    assert asked.limits.flags == 0x2000
    assert asked.calls[-1] == ("AssignProcessToJobObject", (77, 55))
    tie.kill()
    tie.close()
    assert asked.calls[-2:] == [("TerminateJobObject", (77, 1)), ("CloseHandle", (77,))]


def test_a_child_that_cannot_be_started_leaves_no_job(kernel):
    asked = kernel()
    with pytest.raises((OSError, ValueError)):
        windows.start(["/no/such/program"])
    assert names(asked)[-1] == "CloseHandle"


@pytest.mark.parametrize(("seconds", "flags", "ticks"), [(None, 0x100, 0), (10, 0x102, 100_000_000)])
def test_limits(kernel, seconds, flags, ticks):
    def tell(handle, place, size):
        place._obj.committed = 1000
        return 1

    asked = kernel(K32GetProcessMemoryInfo=tell)
    windows.limit(500, leave_for_memory, more=True, seconds=seconds)
    assert (asked.limits.flags, asked.limits.process_memory, asked.limits.process_time) == (flags, 1500, ticks)
    assert names(asked)[-1] == "AssignProcessToJobObject"
    windows.limit(500, leave_for_memory)
    assert asked.limits.process_memory == 500


def test_only_plain_files_are_opened(tmp_path):
    (tmp_path / "file").write_bytes(b"a\r\nb")
    (tmp_path / "link").symlink_to("file")
    descriptor = windows.open_plain(tmp_path / "file")
    try:
        assert os.read(descriptor, 9) == b"a\r\nb"
    finally:
        os.close(descriptor)
    for name in ("link", "."):
        with pytest.raises(OSError, match="no file"):
            windows.open_plain(tmp_path / name)
    with pytest.raises(FileNotFoundError):
        windows.open_plain(tmp_path / "none")


def test_logs_and_folders(tmp_path):
    for line in (b"a\n", b"b\n"):
        descriptor = windows.open_log(tmp_path / "log")
        try:
            os.write(descriptor, line)
        finally:
            os.close(descriptor)
    assert (tmp_path / "log").read_bytes() == b"a\nb\n"
    windows.sync(tmp_path)
    windows.sync(tmp_path / "log")
    windows.unlink_open(tmp_path / "log")
    assert (tmp_path / "log").exists()


def test_results_in_a_pipe_are_utf8():
    stream = io.TextIOWrapper(io.BytesIO(), encoding="cp1252")
    windows.use_utf8(stream)
    stream.write("income ≥ 51 ⇒ accepted")
    stream.flush()
    assert stream.buffer.getvalue().decode() == "income ≥ 51 ⇒ accepted"


def test_words_for_its_ends():
    assert windows.is_broken_pipe(BrokenPipeError())
    assert windows.is_broken_pipe(OSError(22, "Invalid argument"))
    assert not windows.is_broken_pipe(OSError(28, "No space left on device"))
    assert _describe(0xC0000005) == ("crash", "crashed (0xC0000005)", "")
    assert not windows.is_administrator()


def test_nobody_else_gets_the_address():
    asked = []
    windows.reserve(SimpleNamespace(setsockopt=lambda *options: asked.append(options)))
    assert asked == [(socket.SOL_SOCKET, ~socket.SO_REUSEADDR, 1)]


def test_the_two_have_the_same_functions():
    from lormika import system
    from lormika.system import posix

    shared = [name for name in system.__all__ if name != "Tie"]
    assert [name for name in shared if not callable(getattr(posix, name))] == []
    assert [name for name in shared if not callable(getattr(windows, name))] == []

"""What is done where the kernel of Linux is not there to do it, on any POSIX system."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time

import pytest

from lacking import on_posix
from lormika import processes, system
from lormika.errors import InputError
from lormika.processes import Child, LostError

if os.name != "nt":
    from lormika.system import posix

pytestmark = on_posix
LONG = 600.0  # seconds: they end a test that would hang for ever


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that is dead, and waits to be asked about, does not."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout.strip()
    return bool(state) and not state.startswith("Z")


def await_end(pid: int) -> bool:
    deadline = time.monotonic() + LONG
    while is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not is_alive(pid)


def test_which_processes_run():
    assert system.is_running(os.getpid())
    assert system.is_running(1)  # whoever owns it
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    for pid in (gone.pid, 0, -1, 9_999_999_999):
        assert not system.is_running(pid)


PARENT = """
import subprocess, sys, time
from lormika.system import posix
posix._kill_when_closed = lambda theirs, pid: False
process, tie = posix.start(["/bin/sh", "-c", "sleep 600 & echo $! && wait"], stdout=subprocess.PIPE)
print(process.pid, int(process.stdout.readline()), flush=True)
time.sleep(600)
"""


def test_a_watcher_ends_the_children_of_a_killed_parent():
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as parent:
        try:
            child, its_own = map(int, parent.stdout.readline().split())
            assert is_alive(child)
            assert is_alive(its_own)
        finally:
            parent.kill()
    try:
        assert await_end(child)
        assert await_end(its_own)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)


def test_a_watcher_leaves_nothing_behind(monkeypatch):
    monkeypatch.setattr(posix, "_kill_when_closed", lambda theirs, pid: False)
    process, tie = system.start(["sleep", "600"])
    watcher = tie._watcher.pid
    try:
        assert is_alive(watcher)
    finally:
        tie.kill()
        process.wait()
        tie.close()
    assert not is_alive(process.pid)
    assert not is_alive(watcher)
    assert not posix._lifelines & {tie._ours}


HUNGRY = """
import sys, time
from lormika.processes import leave_for_memory
from lormika.system import posix
posix.sys = type("Other", (), {"platform": "freebsd"})
posix.limit(64 << 20, leave_for_memory, more=True)
kept = []
for _ in range(600):
    kept.append(b"x" * (4 << 20))
    time.sleep(0.02)
"""


def test_memory_is_watched_where_the_kernel_sets_no_limit():
    child = Child([sys.executable, "-c", HUNGRY])
    try:
        with pytest.raises(LostError, match="ran out of memory"):
            child.receive(LONG)
    finally:
        child.end()


def test_a_python_without_locks_and_limits_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(posix, "fcntl", None)
    monkeypatch.setattr(posix, "resource", None)
    with (tmp_path / "lock").open("a") as file, pytest.raises(InputError, match=r"lock cannot be locked: .* fcntl"):
        system.lock(file, alone=True)
    with pytest.raises(InputError, match="memory cannot be limited"):
        system.limit(1, processes.leave_for_memory)

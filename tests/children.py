"""Processes that a test has started: to wait for them, and to end all of them."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path


def descendants(pid: int) -> list[int]:
    """Processes that a process has started, and those that they have."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            own = [int(child) for child in task.read_text().split()]
        except OSError:
            continue
        found += [*own, *(other for child in own for other in descendants(child))]
    return found


def alive(pids: list[int]) -> list[int]:
    """Those that are there and no zombies."""
    found = []
    for pid in pids:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if state != "Z":
            found.append(pid)
    return found


def await_true(what, process: subprocess.Popen | None = None) -> bool:
    """Wait until something is so; in vain, if a process that must see to it has ended.

    Ten minutes are no measure of anything: they end a test that would hang for ever.
    """
    end = time.monotonic() + 600
    while time.monotonic() < end:
        over = process is not None and process.poll() is not None
        if what():
            return True
        if over:
            return False
        time.sleep(0.02)
    return False


def end(process: subprocess.Popen) -> None:
    """End a process and all that it has started."""
    pids = [process.pid, *descendants(process.pid)]
    for pid in pids if process.poll() is None else ():
        kill(pid)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)

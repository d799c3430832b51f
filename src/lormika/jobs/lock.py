"""Locks between processes that share a folder; a lock ends with its process, however it ends."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from lormika import system
from lormika.errors import InputError

_PAUSE = 0.05  # seconds


@contextmanager
def held(path: Path, *, alone: bool, patience: float, busy: str) -> Iterator[None]:
    """Hold a lock, exclusively or shared; `busy` is the message when patience runs out."""
    deadline = time.monotonic() + patience
    while (file := _take(path, alone)) is None:
        if time.monotonic() > deadline:
            raise InputError(busy)
        time.sleep(_PAUSE)
    with file:
        yield


def remove(path: Path) -> None:
    """Remove a lock that nobody holds."""
    with suppress(InputError), held(path, alone=True, patience=0, busy="somebody holds it"):
        system.unlink_open(path)


def _take(path: Path, alone: bool) -> IO[str] | None:
    """The open file, once it is locked; None if somebody else holds it."""
    try:
        file = path.open("a")
    except OSError as error:
        raise InputError(f"cannot write into {path.parent}: {error.strerror}") from error
    try:
        system.lock(file, alone=alone)
        if system.is_same(file, path):  # else it was removed before we had it
            return file
    except (BlockingIOError, FileNotFoundError):
        pass
    except OSError as error:
        file.close()
        raise InputError(f"{path} cannot be locked, which this file system may not know: {error.strerror}") from error
    file.close()
    return None

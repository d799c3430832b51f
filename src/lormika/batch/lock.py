"""Locks between processes that share a folder; a lock ends with its process, however that ends."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lormika.errors import InputError

_PAUSE = 0.05  # seconds


@contextmanager
def held(path: Path, *, alone: bool, patience: float, busy: str) -> Iterator[None]:
    """Hold a lock, alone or with others who do not want it alone; `busy` is said when patience ends."""
    try:
        file = path.open("a")
    except OSError as error:
        raise InputError(f"cannot write into {path.parent}: {error.strerror}") from error
    with file:
        deadline = time.monotonic() + patience
        while not _take(file.fileno(), path, alone):
            if time.monotonic() > deadline:
                raise InputError(busy)
            time.sleep(_PAUSE)
        yield


def _take(descriptor: int, path: Path, alone: bool) -> bool:
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise InputError(f"{path} cannot be locked, which this file system may not know: {error.strerror}") from error
    return True

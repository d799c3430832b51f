"""Files that are there as a whole or not at all."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def whole_file(path: Path, *, sync: bool = False) -> Iterator[Path]:
    """Write beside, then rename: an existing file is replaced as a whole or stays as it is.

    The name beside keeps the suffix, by which libraries choose a format, and says whose it is. With `sync` the bytes
    are on the disk before the name is.
    """
    beside = path.with_name(f".{socket.gethostname()}-{os.getpid()}-{path.name}")
    try:
        yield beside
        if sync:
            _sync(beside)
        beside.replace(path)
        if sync:
            _sync(path.parent)
    except OSError as error:
        if error.errno is not None and (error.filename is None or Path(error.filename) == beside):  # say the known name
            raise OSError(error.errno, f"cannot be written: {error.strerror}", str(path)) from error
        raise
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

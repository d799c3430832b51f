"""Files that are there as a whole or not at all."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path


def beside(path: Path) -> Path:
    """Where a file is written before it gets its name: this keeps its suffix, and says whose it is.

    >>> Unfinished.of(beside(Path("why.html"))).name
    'why.html'
    """
    return path.with_name(f".{socket.gethostname()}-{os.getpid()}-{path.name}")


@dataclass(frozen=True, slots=True)
class Unfinished:
    """What a name beside says."""

    host: str
    pid: int
    name: str  # that it was to get

    @classmethod
    def of(cls, path: Path) -> Unfinished | None:
        """From a path; None: it is no name beside.

        >>> Unfinished.of(Path(".node-7-4242-run.json"))
        Unfinished(host='node-7', pid=4242, name='run.json')
        >>> Unfinished.of(Path(".pre-commit-config.yaml"))
        """
        found = re.fullmatch(r"\.(.+)-(\d{1,10})-(.+)", path.name)
        return None if found is None else cls(found[1], int(found[2]), found[3])

    @property
    def abandoned(self) -> bool:
        """Whether its process is known to be gone; of another machine, nothing is."""
        return self.host == socket.gethostname() and not Path(f"/proc/{self.pid}").exists()


@contextmanager
def whole_file(path: Path, *, sync: bool = False) -> Iterator[Path]:
    """Write beside, then rename: an existing file is replaced as a whole or stays as it is.

    The name beside keeps the suffix, by which libraries choose a format. With `sync` the bytes are on the disk before
    the name is.
    """
    new = beside(path)
    try:
        yield new
        if sync:
            _sync(new)
        new.replace(path)
        if sync:
            _sync(path.parent)
    except OSError as error:
        if error.errno is not None and (error.filename is None or Path(error.filename) == new):  # say the known name
            raise OSError(error.errno, f"cannot be written: {error.strerror}", str(path)) from error
        raise
    finally:
        with suppress(OSError):
            new.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

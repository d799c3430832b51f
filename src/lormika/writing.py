"""Files that are written completely or not at all."""

from __future__ import annotations

import os
import re
import secrets
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from lormika import system


def beside(path: Path) -> Path:
    """Temporary path for a file until it is complete: it keeps the suffix and says which process is writing.

    Nobody can guess it, and so put a link to another file there.

    >>> Unfinished.of(beside(Path("why.html"))).name
    'why.html'
    """
    return path.with_name(f".{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(8)}-{path.name}")


@dataclass(frozen=True, slots=True)
class Unfinished:
    """What a temporary name says."""

    host: str
    pid: int
    name: str  # that it was to get

    @classmethod
    def of(cls, path: Path) -> Unfinished | None:
        """From a path; None if it is not a temporary name.

        >>> Unfinished.of(Path(".node-7-4242-0123456789abcdef-run.json"))
        Unfinished(host='node-7', pid=4242, name='run.json')
        >>> Unfinished.of(Path(".pre-commit-config.yaml"))
        """
        match = re.fullmatch(r"\.(.+)-(\d{1,10})-[0-9a-f]{16}-(.+)", path.name)
        return None if match is None else cls(match[1], int(match[2]), match[3])

    @property
    def abandoned(self) -> bool:
        """Whether its process is known to be gone; for another machine, nothing is known."""
        return self.host == socket.gethostname() and not system.is_running(self.pid)


@contextmanager
def whole_file(path: Path, *, sync: bool = False) -> Iterator[Path]:
    """Write to a temporary file, then rename it: an existing file is replaced completely or stays as it is.

    The temporary name keeps the suffix, by which libraries choose a format. With `sync`, the bytes are on disk before
    the file is renamed.
    """
    new = beside(path)
    try:
        with naming(new, path):
            os.close(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
            yield new
            if sync:
                system.sync(new)
            new.replace(path)
            if sync:
                system.sync(path.parent)
    finally:
        with suppress(OSError):
            new.unlink(missing_ok=True)


@contextmanager
def naming(new: Path, known: object) -> Iterator[None]:
    """Name the file as users know it if a temporary file, or one that no library names, cannot be written."""
    try:
        yield
    except OSError as error:
        if error.filename is not None and Path(error.filename) != new:
            raise
        raise OSError(error.errno, f"cannot be written: {_reason(error)}", str(known)) from error


def _reason(error: OSError) -> str:
    """The reason in the system's words, if it gives any; libraries use other ones.

    >>> _reason(OSError(27, "Error writing bytes to file. Detail: [errno 27] File too large"))
    'File too large'
    >>> _reason(OSError("18000 requested and 448 written"))
    'the disk is full, or files must not be so large'
    """
    if error.errno is not None:
        return os.strerror(error.errno)
    return "the disk is full, or files must not be so large" if _SHORT.fullmatch(str(error)) else str(error)


_SHORT = re.compile(r"\d+ requested and \d+ written")  # numpy's words, which has nothing of the system's

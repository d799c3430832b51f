"""Files of a folder that anybody may have written: opened only if they are plain files, and read as what they claim."""

from __future__ import annotations

import hashlib
import mmap
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

import numpy as np

from lormika import system

_KINDS = "biufU"  # of arrays: none that holds objects


class DamagedError(ValueError):
    """A folder does not hold what was saved."""


@contextmanager
def opened(path: Path) -> Iterator[BufferedReader]:
    """A plain file; a link would lead out of the folder, and reading a pipe would never end."""
    try:
        descriptor = system.open_plain(path)
    except FileNotFoundError:
        raise DamagedError(f"{path.name} is missing") from None
    except OSError as error:
        raise DamagedError(f"{path.name} cannot be opened: {error.strerror}") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise DamagedError(f"{path.name} is not a plain file")
    with os.fdopen(descriptor, "rb") as file:
        yield file


def read_bytes(path: Path, most: int) -> bytes:
    """The content of a file of at most so many bytes."""
    with opened(path) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise DamagedError(f"{path.name} is larger than {most:,} bytes")
    return content


def sha256(file: BufferedReader) -> str:
    """SHA-256 of a file, from its start."""
    file.seek(0)
    return hashlib.file_digest(file, "sha256").hexdigest()


def map_array(path: Path, digest: str | None) -> np.ndarray:
    """The array of a file, mapped into memory; the same open file is hashed and mapped. None: it is not hashed."""
    with opened(path) as file:
        if digest is not None and sha256(file) != digest:
            raise DamagedError(f"{path.name} has changed since it was saved")
        file.seek(0)
        shape, fortran, dtype = _read_header(path.name, file)
        length = os.fstat(file.fileno()).st_size - file.tell()
        if dtype.kind not in _KINDS or length != dtype.itemsize * int(np.prod(shape, dtype=np.float64)):
            raise DamagedError(f"{path.name} is not an array of the length that it claims")
        if length == 0:
            return np.empty(shape, dtype)
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        flat: np.ndarray = np.frombuffer(mapped, dtype=dtype, offset=file.tell())
        return flat.reshape(shape, order="F" if fortran else "C")


def _read_header(name: str, file: BufferedReader) -> tuple[tuple[int, ...], bool, np.dtype]:
    try:
        if np.lib.format.read_magic(file) != (1, 0):
            raise DamagedError(f"{name} is an array of another version")
        return np.lib.format.read_array_header_1_0(file)
    except (ValueError, OSError, SyntaxError, TypeError) as error:
        raise DamagedError(f"{name} is not an array: {error}") from None

"""Model files: found, measured and read, with advice on what is wrong."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import BinaryIO

from lormika.errors import InputError

UNDERSTOOD = (
    ".skops, .onnx, .pkl, .pickle and .joblib files, python:module:name, and http(s)://host/v2/models/NAME are "
    "understood"
)


def sha256(path: str | Path) -> str:
    """SHA-256 of a file, to tell whether it is the intended one.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     sha256(file.name)[:16]
    'e3b0c44298fc1c14'
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise unreadable(path, error) from None


def check(path: Path) -> None:
    """Refuse anything but a file that is not empty."""
    try:
        if path.is_dir():
            raise InputError(f"{path} is a directory, not a model file; {UNDERSTOOD}")
        size = path.stat().st_size
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file; {UNDERSTOOD}") from None
    except OSError as error:
        raise unreadable(path, error) from None
    if not path.is_file():
        raise InputError(f"{path} is not a regular file; {UNDERSTOOD}")
    if size == 0:
        raise InputError(f"{path} is empty")


def read(path: Path, max_size: int) -> bytes:
    """All bytes of a file that is not larger than allowed."""
    try:
        with path.open("rb") as file:
            data = file.read(max_size + 1)
    except OSError as error:
        raise unreadable(path, error) from None
    if len(data) > max_size:
        raise too_large(path, max_size)
    return data


def open_file(path: Path, max_size: int) -> BinaryIO:
    """Open a file that is not larger than allowed."""
    try:
        if path.stat().st_size > max_size:
            raise too_large(path, max_size)
        return path.open("rb")
    except OSError as error:
        raise unreadable(path, error) from None


def too_large(path: Path, max_size: int) -> InputError:
    """Say that a file is larger than allowed, or would be once unpacked."""
    return InputError(
        f"{path} holds more than {megabytes(max_size)} once unpacked: if it comes from someone you trust, allow more "
        "with max_size (--max-size)"
    )


def unreadable(path: Path, error: OSError) -> InputError:
    """Say that a file cannot be read."""
    return InputError(f"{path} cannot be read: {error.strerror or error}")


def looks_like_pickle(data: bytes) -> bool:
    """Whether these are the first bytes of a pickle of a protocol in use.

    >>> import pickle
    >>> looks_like_pickle(pickle.dumps(1)), looks_like_pickle(b"PK")
    (True, False)
    """
    return len(data) > 1 and data[0] == 0x80 and 2 <= data[1] <= 5


def megabytes(size: int) -> str:
    """Write a number of bytes as people do.

    >>> megabytes(500_000_000), megabytes(4 << 30), megabytes(12_000)
    ('500 MB', '4,295 MB', '0.012 MB')
    """
    return f"{size / 1e6:,.0f} MB" if size >= 1e6 else f"{size / 1e6:.3g} MB"

"""What identifies a model besides its name: the bytes that it is loaded from."""

from __future__ import annotations

import errno
import hashlib
import os
import sys
from importlib.util import find_spec
from pathlib import Path


def source_digest(source: str) -> str | None:
    """SHA-256 of a model's file, or of its module's; None if nothing can be hashed, such as a server.

    >>> source_digest("http://127.0.0.1:8080/v2/models/loans")
    """
    if source.startswith("python:"):
        return _module_digest(source.split(":")[1])
    return None if "://" in source else _file_digest(Path(source))


def _file_digest(path: Path) -> str:
    if path.exists() and not path.is_file():  # reading a pipe would never end
        raise OSError(errno.EINVAL, "is not a plain file", str(path))
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _module_digest(name: str) -> str | None:
    here = os.getcwd()
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)  # where the model will be looked for, too
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):
        return None
    return _file_digest(Path(spec.origin)) if spec is not None and spec.origin and Path(spec.origin).is_file() else None

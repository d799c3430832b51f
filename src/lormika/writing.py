"""Files that are there as a whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Write beside, then rename: an existing file is replaced as a whole or stays as it is.

    The name beside keeps the suffix, by which libraries choose a format.
    """
    beside = path.with_name(f".{os.getpid()}-{path.name}")
    try:
        yield beside
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)

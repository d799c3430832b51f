"""The record: what was asked and when, as lines of JSON, if the user wants one."""

from __future__ import annotations

import json
import threading
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path

from lormika import system
from lormika.errors import InputError
from lormika.serving.faults import Fault
from lormika.types import JsonObject


class Record:
    """A file that grows by one line for each question; None: there is no record."""

    def __init__(self, path: Path | None) -> None:
        self._lock = threading.Lock()
        self._file: FileIO | None = None if path is None else _open(path)

    @property
    def is_kept(self) -> bool:
        """Whether there is one."""
        return self._file is not None

    def add(self, entry: JsonObject) -> None:
        """One more line."""
        if self._file is None:
            return
        time = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        line = json.dumps({"time": time} | entry, ensure_ascii=True, allow_nan=False)
        try:
            with self._lock:
                self._file.write(line.encode() + b"\n")
        except OSError as error:  # no answer without its line
            raise Fault(500, "record", f"the record cannot be written: {error.strerror}") from error

    def close(self) -> None:
        """No more lines."""
        if self._file is not None:
            self._file.close()


def _open(path: Path) -> FileIO:
    """A file that only its owner can read, since it holds values of cases."""
    try:
        descriptor = system.open_log(path)
    except OSError as error:
        raise InputError(f"--log {path}: cannot be written: {error.strerror}") from error
    return FileIO(descriptor, "a")  # each line is written at once, and whole

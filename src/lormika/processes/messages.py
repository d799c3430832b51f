"""Messages between a process and its child, put together from what arrives; and the child's side of the line."""

from __future__ import annotations

import io
import json
import math
import os
import struct
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import NoReturn

from lormika.types import JsonObject

OUT_OF_MEMORY = 77  # as an exit code
PIECE = 1 << 20  # bytes that are read or written at a time
_LENGTHS = struct.Struct(">QQ")
_LARGEST = 1 << 31  # bytes; a length beyond it is not one of ours

Message = tuple[JsonObject, memoryview]
"""A JSON object, and bytes that go with it."""


class BrokenMessageError(Exception):
    """What came is not a message."""


def pack(head: JsonObject, body: bytes = b"") -> list[bytes]:
    """Encode a message: as separate parts, so that a large body is not copied."""
    text = json.dumps(head).encode()
    return [_LENGTHS.pack(len(text), len(body)) + text, body]


class Inbox:
    """Reads one message after the other, and never a byte beyond the current one."""

    def __init__(self, largest: int = _LARGEST) -> None:
        self._largest, self._data = largest, bytearray()

    def read(self, read: Callable[[int], bytes], deadline: float = math.inf) -> Message:
        """The next message, from what gives at most so many bytes; what has come is kept if an error stops the reading.

        Raises `EOFError`, `BlockingIOError`, if the source does not block, `TimeoutError` or `BrokenMessageError`.
        """
        while missing := self._missing():
            piece = read(min(missing, PIECE))
            if not piece:
                raise EOFError
            self._data += piece
            if time.monotonic() > deadline:
                raise TimeoutError
        return self._take()

    def _missing(self) -> int:
        """Bytes until the message is whole; until its lengths are there, those of the lengths."""
        if len(self._data) < _LENGTHS.size:
            return _LENGTHS.size - len(self._data)
        size: int = sum(_LENGTHS.unpack_from(self._data))
        if size > self._largest:
            raise BrokenMessageError(f"a message of {size} bytes")
        return _LENGTHS.size + size - len(self._data)

    def _take(self) -> Message:
        data, self._data = self._data, bytearray()
        end = _LENGTHS.size + _LENGTHS.unpack_from(data)[0]
        try:
            head = json.loads(data[_LENGTHS.size : end])
        except (ValueError, RecursionError):
            raise BrokenMessageError("its head is not JSON") from None
        if not isinstance(head, dict):
            raise BrokenMessageError("its head is no object")
        return head, memoryview(data)[end:].toreadonly()


class Line:
    """The child's line to its parent. All other code of the process reads nothing, and prints to standard error."""

    def __init__(self) -> None:
        self._requests, self._answers = os.dup(0), os.fdopen(os.dup(1), "wb")
        with open(os.devnull, encoding="utf-8") as nothing:
            os.dup2(nothing.fileno(), 0)
        os.dup2(2, 1)
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(line_buffering=True)  # what it printed last may say why it ended
        self._inbox = Inbox(sys.maxsize)

    def receive(self) -> Message | None:
        """The next message from the parent; None if there are no more."""
        try:
            return self._inbox.read(partial(os.read, self._requests))
        except EOFError:
            return None

    def send(self, head: JsonObject, body: bytes = b"") -> None:
        """Send a message to the parent; if there is none, nobody waits for what this process does, and it ends."""
        try:
            self._answers.writelines(pack(head, body))
            self._answers.flush()
        except OSError:
            os._exit(1)


def leave_for_memory() -> NoReturn:
    """End this process as if it had been killed, but so that the parent can say why."""
    os._exit(OUT_OF_MEMORY)

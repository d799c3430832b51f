"""Messages between a model's own process and ours. What comes from there only ever becomes plain data.

A message is a JSON object and bytes, each with its length before it.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from lormika.errors import ModelError
from lormika.frames.values import plain

_LENGTHS = struct.Struct(">QQ")
_LARGEST_ANSWER = 1 << 31  # bytes; a length beyond it is not one of ours
_KINDS = "biufUS"  # types of arrays whose bytes are their values


class BrokenMessageError(Exception):
    """What came is not a message."""


def pack(head: dict[str, Any], body: bytes = b"") -> bytes:
    """Write a message."""
    text = json.dumps(head).encode()
    return _LENGTHS.pack(len(text), len(body)) + text + body


def receive(read: Callable[[int], bytes], largest: int = _LARGEST_ANSWER) -> tuple[dict[str, Any], bytes]:
    """Read a message; `read` gives exactly as many bytes as it is asked for."""
    head_size, body_size = _LENGTHS.unpack(read(_LENGTHS.size))
    if head_size + body_size > largest:
        raise BrokenMessageError(f"a message of {head_size + body_size} bytes")
    try:
        head = json.loads(read(head_size))
    except ValueError:
        raise BrokenMessageError("its head is not JSON") from None
    if not isinstance(head, dict):
        raise BrokenMessageError("its head is no object")
    return head, read(body_size)


def pack_answer(answer: Any) -> bytes:
    """Write what a model answered."""
    try:
        array = np.asarray(answer)
    except ValueError:
        raise ModelError("the model gave lists of different lengths; expected one label per row") from None
    if array.dtype.kind in _KINDS:
        return pack({"dtype": array.dtype.str, "shape": array.shape}, np.ascontiguousarray(array).tobytes())
    values = [plain(value) for value in array.ravel().tolist()]
    for row, value in enumerate(values):
        if not isinstance(value, str | int | float | None):
            raise ModelError(f"the model gave {value!r} in row {row} of its input; expected a string or a number")
    return pack({"values": values, "shape": array.shape})


def read_answer(head: dict[str, Any], body: bytes) -> np.ndarray:
    """Read what a model answered; raises `BrokenMessageError` if that is no array."""
    try:
        shape = tuple(int(size) for size in head["shape"])
        if "values" in head:
            values = np.empty(len(head["values"]), dtype=object)
            values[:] = head["values"]
            return values.reshape(shape)
        dtype = np.dtype(str(head["dtype"]))
        if dtype.kind not in _KINDS:
            raise BrokenMessageError(f"an array of {dtype}")
        return np.frombuffer(body, dtype).reshape(shape)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise BrokenMessageError(str(error)) from None

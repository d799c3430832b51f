"""A model's answer as a message from its own process to ours, where it only ever becomes plain data."""

from __future__ import annotations

import numpy as np

from lormika.errors import ModelError
from lormika.frames.values import plain
from lormika.processes import BrokenMessageError
from lormika.types import JsonObject

_KINDS = "biufUS"  # types of arrays whose bytes are their values


def write_answer(answer: object) -> tuple[JsonObject, bytes]:
    """Head and body of a message with an answer."""
    try:
        array = np.asarray(answer)
    except ValueError:
        raise ModelError("the model gave lists of different lengths; expected one label per row") from None
    if array.dtype.kind in _KINDS:
        return {"dtype": array.dtype.str, "shape": array.shape}, np.ascontiguousarray(array).tobytes()
    values = [plain(value) for value in array.ravel().tolist()]
    for row, value in enumerate(values):
        if not isinstance(value, str | int | float | None):
            raise ModelError(f"the model gave {value!r} in row {row} of its input; expected a string or a number")
    return {"values": values, "shape": array.shape}, b""


def read_answer(head: JsonObject, body: bytes | memoryview) -> np.ndarray:
    """The answer that a message holds; raise `BrokenMessageError` if it is not an array."""
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

"""Faults: what a request is answered if it cannot be answered."""

from __future__ import annotations

from collections.abc import Mapping

from lormika.errors import InputError, ModelError
from lormika.types import JsonObject


class Fault(Exception):  # noqa: N818 - it is an answer, and not always anybody's error
    """An answer other than the one that was asked for."""

    def __init__(self, status: int, kind: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.kind, self.headers = status, kind, dict(headers or {})

    def body(self) -> JsonObject:
        """As JSON."""
        return {"error": {"kind": self.kind, "message": str(self)}}


def unknown(what: str) -> Fault:
    """Something that is not there."""
    return Fault(404, "unknown", what)


def large(what: str) -> Fault:
    """Something that is too large."""
    return Fault(413, "large", what)


def busy(what: str) -> Fault:
    """As much as is allowed goes on already."""
    return Fault(429, "busy", what, {"Retry-After": "1"})


def late(seconds: float) -> Fault:
    """An answer that was not there in time."""
    return Fault(
        504, "late", f"there was no answer within {seconds:g} s: the model is slow; allow more with --answer-limit"
    )


def stopped() -> Fault:
    """Work that was stopped because somebody asked for it."""
    return Fault(409, "stopped", "this was stopped")


def closing() -> Fault:
    """Whatever is asked while the server ends."""
    return Fault(503, "closing", "the server ends")


def as_fault(error: BaseException) -> Fault | None:
    """The fault that an error stands for; None: it is a fault of the program itself."""
    match error:
        case Fault():
            return error
        case ModelError():
            return Fault(502, "model", str(error))
        case InputError():
            return Fault(400, "input", str(error))
        case MemoryError():
            return large("there is not enough memory for this")
        case _:
            return None

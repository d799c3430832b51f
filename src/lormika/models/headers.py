"""Headers for a server. Values may be secrets: only their location is passed on, and the sender reads them.

`Authorization: env:TOKEN` is the value of an environment variable, `Authorization: file:token.txt` the content of a
file, and anything else the value itself.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from lormika.errors import InputError


def settle_headers(texts: Sequence[str]) -> tuple[str, ...]:
    """Headers as another process understands them, wherever it works: files by their full path."""
    return tuple(f"{name}: {_settle(value)}" for name, value in map(_split, texts))


def read_headers(texts: Sequence[str]) -> dict[str, str]:
    """Names and values; no message ever holds a value."""
    return {name: read_secret(f"--header {name}", value) for name, value in map(_split, texts)}


def _split(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        raise InputError("--header: give a name and a value, for instance 'Authorization: env:TOKEN'")
    return name.strip(), value.strip()


def _settle(value: str) -> str:
    kind, colon, place = value.partition(":")
    return f"file:{Path(place).resolve()}" if colon and kind == "file" else value


def read_secret(option: str, value: str) -> str:
    """What stands in a variable of the environment, or in a file, if the value says so; no message holds it."""
    kind, colon, place = value.partition(":")
    if colon and kind == "env":
        if place not in os.environ:
            raise InputError(f"{option}: the environment has no variable {place}: set it, also for workers")
        return os.environ[place].strip()
    if colon and kind == "file":
        try:
            return Path(place).read_text(encoding="utf-8").strip()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "it is no text"
            raise InputError(f"{option}: {place} cannot be read: {reason}") from None
    return value

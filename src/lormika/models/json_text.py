"""Untrusted JSON: measured before it is parsed, since a little text can become very many objects."""

from __future__ import annotations

import json
import math
import re

from lormika.types import JsonValue

_DEEPEST = 64  # lists and objects inside each other
_VALUE = 100  # bytes that an object of Python takes, with its place in a list or a dictionary
_SIGNS = (b"[", b"{", b",", b":")  # one of them stands before each value but the first
_BRACKETS = re.compile(rb'"(?:[^"\\]++|\\.)*+"?+|[\[{]|[\]}]', re.DOTALL)  # or a whole text, whose brackets are none


class TooLargeError(Exception):
    """What would be parsed takes more memory than allowed."""


class TooDeepError(Exception):
    """What would be parsed is nested too deeply."""


def parse(content: bytes | bytearray, most: float = math.inf) -> JsonValue:
    """Parse JSON that takes at most about this many bytes of memory; raise `ValueError` if it is not JSON.

    >>> parse(b'{"a": [1, 2]}', 1000)
    {'a': [1, 2]}
    """
    if memory(content) > most:
        raise TooLargeError
    if not _is_flat(content):
        raise TooDeepError
    return json.loads(content.decode("utf-8-sig"))


def memory(content: bytes | bytearray) -> int:
    """Upper estimate of the bytes that the text and its values take; signs inside texts count as well.

    >>> memory(b"[1, 2]"), memory("[é]".encode())
    (206, 116)
    """
    text = len(content) * (1 if content.isascii() else 4)
    return text + _VALUE * sum(map(content.count, _SIGNS))


def _is_flat(content: bytes | bytearray) -> bool:
    depth = 0
    for match in _BRACKETS.finditer(content):
        sign = content[match.start()]
        if sign in b"[{":
            depth += 1
            if depth > _DEEPEST:
                return False
        elif sign in b"]}":
            depth -= 1
    return True

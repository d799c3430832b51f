"""Errors, with messages that name the culprit."""

from __future__ import annotations

_LONGEST = 60  # characters of a value


class InputError(ValueError):
    """A table, instance or option cannot be used; the message says what to do."""


class ModelError(RuntimeError):
    """The model failed, or its answer cannot be a classification."""


def describe(error: OSError) -> str:
    """What the system says, with the file's name first.

    >>> describe(OSError(27, "cannot be written: File too large", "why.html"))
    'why.html: cannot be written: File too large'
    """
    return str(error) if error.filename is None else f"{error.filename}: {error.strerror}"


def quote(value: object) -> str:
    """A value as messages show it: as Python writes it, but shortened if it is long.

    >>> quote("cook"), quote(40.0), quote(10**5000), len(quote("no" * 50))
    ("'cook'", '40.0', 'a number of more than 300 digits', 60)
    """
    if isinstance(value, int) and abs(value) >= 10**300:  # Python refuses to write the longest
        return "a number of more than 300 digits"
    try:
        text = repr(value)
    except ValueError:  # such a number is inside
        return f"a {type(value).__name__} with a number of more than 300 digits"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"

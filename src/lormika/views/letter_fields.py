"""What only the sender of a letter knows: the fields, and the time."""

from __future__ import annotations

import datetime
from collections.abc import Mapping

from lormika.errors import InputError, quote

FIELDS = {
    "sender": (240, 5),
    "recipient": (240, 5),
    "reference": (60, 1),
    "subject": (120, 1),
    "greeting": (80, 1),
    "decision": (300, 2),
    "notice": (750, 3),
    "contact": (240, 3),
    "signature": (120, 2),
}
"""Fields of the built-in templates: as many characters and lines as one page has room for."""

NEEDED = ("sender", "recipient", "contact")
"""Fields without which no letter is complete: a built-in template shows where they are to stand."""

_MOST_CHARACTERS = 10_000  # of a field of a template of the user's own
_UNSEEN = "\n\t\u00a0\u00ad\u200c\u200d\u200e\u200f"  # blanks, hyphens, joiners and directions: part of spelling
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip

Time = str | datetime.date | None
"""When a letter is written: a date or a time, or the same as ISO 8601."""


def read_fields(fields: Mapping[str, str] | None, is_own: bool) -> dict[str, str | None]:
    """All fields, those that are not given as None; a template of the user's own may have others, too."""
    given = {} if fields is None else fields
    if not isinstance(given, Mapping):
        raise InputError(f"fields={quote(fields)}: give names and texts, such as {{'recipient': 'Ms Doe'}}")
    found: dict[str, str | None] = dict.fromkeys(FIELDS)
    for name, text in given.items():
        _check_name(name, is_own)
        characters, lines = (_MOST_CHARACTERS, None) if is_own else FIELDS[name]
        found[name] = _read_text(name, text, characters, lines)
    return found


def _check_name(name: object, is_own: bool) -> None:
    if is_own and isinstance(name, str) and name.isidentifier() and not hasattr(dict, name):
        return
    if is_own:
        raise InputError(f"fields: {quote(name)} cannot be the name of a field; take a word, such as 'account'")
    if not isinstance(name, str) or name not in FIELDS:
        raise InputError(f"fields: this template has no field {quote(name)}; it has {', '.join(FIELDS)}")


def _read_text(name: str, text: object, characters: int, lines: int | None) -> str | None:
    """A text without what nobody can see; None if it is blank."""
    if not isinstance(text, str):
        raise InputError(f"field {name!r}: give a text, not {quote(text)}")
    text = text.replace("\r\n", "\n").strip()
    odd = next((c for c in text if not c.isprintable() and c not in _UNSEEN), None)
    if odd is not None:
        raise InputError(f"field {name!r}: it holds the character {odd!r}, which cannot be printed: leave it out")
    if len(text) > characters:
        raise InputError(f"field {name!r}: {len(text):,} characters; there is room for {characters:,}")
    if lines is not None and text.count("\n") >= lines:
        raise InputError(f"field {name!r}: {text.count(chr(10)) + 1} lines; there is room for {lines}")
    return text or None


def read_time(time: Time) -> str | None:
    """A time as ISO 8601, as it was given.

    >>> read_time("2026-03-01"), read_time(datetime.date(2026, 3, 1)), read_time(None)
    ('2026-03-01', '2026-03-01', None)
    """
    if time is None:
        return None
    if isinstance(time, datetime.date):  # a datetime is one, too
        return time.isoformat()
    try:
        datetime.datetime.fromisoformat(time)
    except (TypeError, ValueError):
        raise InputError(
            f"time={quote(time)}: give a date, 2026-03-01, or a date and a time, 2026-03-01T14:30:00+01:00"
        ) from None
    return time


def written_date(time: str | None) -> str | None:
    """The day of a time, as letters have it.

    >>> written_date("2026-03-01T14:30:00+01:00"), written_date(None)
    ('1 March 2026', None)
    """
    if time is None:
        return None
    day = datetime.datetime.fromisoformat(time)
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"

"""Flags: options as they are typed, in messages that name them as Python does."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

RENAMED: Mapping[str, str] = {
    "time_limit": "search_time_limit",  # the other limit is that of the model's calls
    "target": "toward",  # the other target is the column with the truth
}
"""Options that are called something else here."""


def as_typed(message: str, words: Sequence[str]) -> str:
    """A message that begins with an option and its value, with the flag that is among the words of the command.

    >>> as_typed("n_generated=-1: give a whole number", ["explain", "--n-generated", "-1"])
    '--n-generated -1: give a whole number'
    >>> as_typed("target='none': there is no such class", ["--target", "decision", "--toward=none"])
    "--toward 'none': there is no such class"
    """
    found = re.match(r"(\w+)=", message)
    if found is None:
        return message
    typed = {word.partition("=")[0] for word in words}
    names = (RENAMED.get(found[1], found[1]), found[1])
    flag = next((flag for flag in (f"--{name.replace('_', '-')}" for name in names) if flag in typed), None)
    return message if flag is None else f"{flag} {message[found.end() :]}"

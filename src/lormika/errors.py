"""Errors, with messages that name the culprit."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_LONGEST = 60  # characters of a value
_MOST_NAMES = 8


class InputError(ValueError):
    """A table, instance or option cannot be used; the message says what to do.

    >>> from lormika import Constraints
    >>> Constraints(ranges={"income": (5, 3)})
    Traceback (most recent call last):
        ...
    lormika.errors.InputError: constraints: ranges of 'income': 5 is above 3
    """


class ModelError(RuntimeError):
    """The model failed, or its answer cannot be a classification.

    >>> from lormika import Explainer, datasets
    >>> X, _ = datasets.make_loans(50)
    >>> Explainer(lambda frame: ["accepted"] * 49, X)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    lormika.errors.ModelError: the model gave an answer of shape (49,) for 50 rows; expected one label, ...
    """


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


def listing(names: Iterable[object], most: int = _MOST_NAMES) -> str:
    """Quote the first of some names.

    >>> listing("abc", most=2)
    "'a', 'b' and 1 more"
    """
    names = list(names)
    return ", ".join(map(repr, names[:most])) + (f" and {len(names) - most} more" if len(names) > most else "")


def did_you_mean(name: str, names: Iterable[str], most: int = _MOST_NAMES) -> str:
    """The end of a message about a name that is not there.

    >>> did_you_mean("agee", ["age", "income"]), did_you_mean("x", ["age", "income"])
    ("; did you mean 'age'?", "; there are 'age', 'income'")
    """
    names = list(names)
    close = difflib.get_close_matches(name, names, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; there are {listing(names, most)}"

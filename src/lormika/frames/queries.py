"""Names and values as SQL and pandas' query language write them: exactly, whatever they contain."""

from __future__ import annotations

import math
from functools import lru_cache

from lormika.errors import InputError
from lormika.frames.values import Scalar, plain

_INSTEAD = "select the rows with rule.holds(frame) instead"


def sql_name(name: str) -> str:
    """A column's name in standard SQL.

    >>> print(sql_name('the "net" income'))
    "the ""net"" income"
    """
    return '"' + _sql_characters(name).replace('"', '""') + '"'


def sql_value(value: Scalar) -> str:
    """A value in standard SQL.

    >>> print(sql_value("O'Hara"), sql_value(True), sql_value(3), sql_value(0.1))
    'O''Hara' TRUE 3 0.1e0
    """
    match plain(value):
        case str(text):
            return "'" + _sql_characters(text).replace("'", "''") + "'"
        case bool(truth):
            return "TRUE" if truth else "FALSE"
        case float(number):
            # Without an exponent it is a decimal, which a database may round to single precision like the column's.
            digits = repr(_finite(number))
            return digits if "e" in digits else f"{digits}e0"
        case whole:
            return repr(whole)


def query_name(name: str) -> str:
    """A column's name in the language of `pandas.DataFrame.query`.

    >>> query_name("net income")
    '`net income`'
    """
    quoted = "`" + name.replace("`", "``") + "`"
    # Twice, because an older pandas overlooks a lone quote in a name, and pairs it with the next one.
    if not _finds(name, f"{quoted} in ['here'] and {quoted} in ['here']"):
        raise InputError(f"a pandas query cannot name the column {name!r}; {_INSTEAD}, or rename the column")
    return quoted


def query_value(value: Scalar) -> str:
    r"""A value in the language of `pandas.DataFrame.query`.

    >>> print(query_value("O'Hara"), query_value(True), query_value(0.1))
    'O\x27Hara' True 0.1
    """
    match plain(value):
        case str(text):
            return "'" + "".join(map(_query_character, text)) + "'"
        case float(number):
            return repr(_finite(number))
        case other:
            return repr(other)


def _sql_characters(text: str) -> str:
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise InputError(f"SQL has no way to write the characters of {text!r}; {_INSTEAD}")
    return text


def _query_character(character: str) -> str:
    # pandas looks for line ends, quotes and backticks on its own before Python reads the text.
    if character.isprintable() and character not in "\\'\"`":
        return character
    return f"\\x{ord(character):02x}" if ord(character) < 256 else f"\\U{ord(character):08x}"


def _finite(number: float) -> float:
    if not math.isfinite(number):
        raise InputError(f"a query cannot compare with {number}; {_INSTEAD}")
    return number


@lru_cache(maxsize=1024)
def _finds(name: str, query: str) -> bool:
    """Try it: which names work differs between versions, and some always stand for something else, such as `inf`."""
    import pandas as pd

    frame = pd.DataFrame([["here"]], columns=pd.Index([name], dtype="object"))
    try:  # with a variable of the same name about: the column must come first
        return len(frame.query(query, engine="python", local_dict={name: None})) == 1
    except Exception:  # whatever tokenizer, parser and evaluation stumble over
        return False

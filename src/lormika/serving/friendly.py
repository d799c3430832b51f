"""Conditions as people write them, put into the language of conditions: `job = out of work`, `savings is unknown`.

Only what cannot be read as it stands is rewritten, and only where columns and their categories leave no doubt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from lormika.frames.values import Scalar

Categories = Callable[[str], Mapping[str, Scalar]]
"""Gives the categories of a column by how people may write them, in small letters; none: it has no categories."""

_WHOLE = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`]*`"""  # texts in quotes, names in backticks
_JOINTS = re.compile(rf"({_WHOLE}|\[[^\]]*\])|(\band\b|\bor\b|(?<!\bis )\bnot\b(?!\s+in\b)|[()&|~])", re.IGNORECASE)
_CLAUSE = re.compile(
    r"(?P<column>`[^`]*`|[^\W\d]\w*)\s*(?P<sign>==|!=|<>|<=|>=|≤|≥|≠|=|<|>|\bis\s+not\b|\bis\b|\bnot\s+in\b|\bin\b)\s*"
    r"(?P<value>.+)",
    re.IGNORECASE | re.DOTALL,
)
_SIGNS = {"=": "==", "<>": "!=", "≠": "!=", "≤": "<=", "≥": ">=", "is": "==", "is not": "!="}
_MISSING = ("missing", "none", "null", "nothing", "empty", "unknown", "not known")
_PLAIN = re.compile(r"[^\W\d]\w*", re.ASCII)


def rewrite(condition: str, columns: Mapping[str, str], categories: Categories) -> str:
    """A condition in its proper language; `columns` are names by how people may write them, in small letters.

    >>> jobs = {"job": {"out of work": "unemployed", "unemployed": "unemployed"}}
    >>> columns = {"job": "job", "net income": "net income"}
    >>> print(rewrite("Job = Out of work and net income ≥ 5", columns, lambda name: jobs.get(name, {})))
    job == "unemployed" and `net income` >= 5
    >>> print(rewrite("net income is not missing", columns, lambda name: {}))
    `net income` != None
    """
    named = _name_columns(condition, columns)
    pieces, start = [], 0
    for joint in _JOINTS.finditer(named):
        if joint[2] is not None:
            pieces += [_clause(named[start : joint.start()], columns, categories), joint[2]]
            start = joint.end()
    return "".join([*pieces, _clause(named[start:], columns, categories)])


def _name_columns(condition: str, columns: Mapping[str, str]) -> str:
    """Names of several words get their backticks; the longest of them first."""
    several = sorted((name for name in columns if not _PLAIN.fullmatch(name)), key=len, reverse=True)
    if not several:
        return condition
    names = "|".join(map(re.escape, several))
    search = re.compile(rf"({_WHOLE})|(?<!\w)({names})(?!\w)", re.IGNORECASE)
    return search.sub(lambda found: found[1] or quote_name(columns[found[2].casefold()]), condition)


def _clause(text: str, columns: Mapping[str, str], categories: Categories) -> str:
    """One comparison; what is none stays as it is."""
    found = _CLAUSE.fullmatch(text.strip())
    name = None if found is None else columns.get(found["column"].strip("`").casefold())
    if found is None or name is None:
        return text
    sign = " ".join(found["sign"].casefold().split())
    value = _value(found["value"].strip(), name, columns, categories)
    if value == "None" and sign not in ("=", "==", "!=", "<>", "≠", "is", "is not"):
        return text
    before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{before}{quote_name(name)} {_SIGNS.get(sign, sign)} {value}{after}"


def _value(text: str, name: str, columns: Mapping[str, str], categories: Categories) -> str:
    if text.startswith("[") and text.endswith("]"):
        parts = (_value(part.strip(), name, columns, categories) for part in text[1:-1].split(","))
        return f"[{', '.join(parts)}]"
    bare = (text[1:-1] if re.fullmatch(_WHOLE, text) and text[0] != "`" else text).casefold()
    known = categories(name)
    if bare in known:
        return quote_value(known[bare])
    if bare in _MISSING and bare == text.casefold():
        return "None"
    if bare in ("true", "false"):
        return bare.capitalize()
    return quote_name(columns[bare]) if bare in columns else text


def quote_name(name: str) -> str:
    """A column as a condition names it."""
    return name if _PLAIN.fullmatch(name) else f"`{name}`"


def quote_value(value: Scalar) -> str:
    """A value as a condition writes it."""
    if not isinstance(value, str):
        return repr(value)
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\r", "\\r").replace("\n", "\\n")
    return f'"{escaped}"'

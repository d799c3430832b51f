"""Conditions on rows, such as `age >= 30 and purpose in ["car", "repairs"]`.

A condition is parsed by Python's parser and evaluated here: the user's code is never run. It may contain

- names of columns, in backticks if they are not plain names: `` `hours per week` > 40 ``;
- numbers, texts in quotes, `True`, `False`;
- comparisons (`==`, `!=`, `<`, `<=`, `>`, `>=`, also chained: `18 <= age < 30`), `in` and `not in` a list;
- `and`, `or`, `not` (or `&`, `|`, `~`), parentheses;
- `+`, `-`, `*`, `/`, `//`, `%` of numbers, computed as float64; a division by zero gives a missing value;
- where a row is changed, its values before that: `age >= now.age`.

A comparison with a missing value is false, even with `!=` and `not in`. `x == None` asks for missing values,
`x != None` for the others; so do `x is missing` and `x is not missing`, as rules say it.
"""

from __future__ import annotations

import ast
import math
import re
import warnings
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np

from lormika.errors import InputError
from lormika.frames.evaluator import Evaluator, Rows, Source, Values
from lormika.frames.values import is_missing
from lormika.types import UserValue

if TYPE_CHECKING:
    import pandas as pd


def matching(frame: pd.DataFrame, condition: str) -> np.ndarray:
    """Whether the condition holds, for each row of a frame.

    >>> import pandas as pd
    >>> matching(pd.DataFrame({"age": [20, 30, None]}), "age is missing or age < 25").tolist()
    [True, False, True]
    """
    columns = {str(key): partial(_read, frame[key]) for key in frame.columns}
    return RowTest.of(condition).matching(Rows(len(frame), columns))


@dataclass(frozen=True, slots=True, eq=False)
class RowTest:
    """A condition that has been parsed."""

    source: Source
    tree: ast.expr
    names: frozenset[str]  # of the columns that it speaks of, as they are after a change

    @classmethod
    def of(cls, condition: str) -> RowTest:
        """Parse a condition."""
        return _parse(condition)

    def matching(self, rows: Rows) -> np.ndarray:
        """Whether the condition holds, for each row."""
        evaluator = Evaluator(rows, self.source)
        try:
            return evaluator.truth(evaluator.value(self.tree), self.tree)
        except (RecursionError, MemoryError, ValueError, OverflowError) as error:
            if isinstance(error, InputError):
                raise
            raise self.source.error(0, f"cannot be evaluated: {error or 'it is nested too deeply'}") from None

    @property
    def numbers(self) -> frozenset[float]:
        """Numbers that the condition names.

        >>> sorted(RowTest.of("20 <= age < 30 or income > -1").numbers)
        [-30.0, -20.0, -1.0, 1.0, 20.0, 30.0]
        """
        constants = [node.value for node in ast.walk(self.tree) if isinstance(node, ast.Constant)]
        numbers = [float(value) for value in constants if isinstance(value, int | float) and abs(value) < math.inf]
        negated = any(isinstance(node, ast.USub) for node in ast.walk(self.tree))
        return frozenset(numbers + ([-number for number in numbers] if negated else []))


@lru_cache(maxsize=256)  # a case is asked about several times
def _parse(condition: str) -> RowTest:
    source = Source.of(condition)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of Python's own about doubtful code, such as "\\d"
            tree = ast.parse(source.text, mode="eval").body
    except SyntaxError as error:
        raise source.error(*_what_to_do(source.original, error)) from None
    except (RecursionError, MemoryError, ValueError, OverflowError) as error:
        raise source.error(0, f"cannot be evaluated: {error or 'it is nested too deeply'}") from None
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            node.comparators = [_meant(*each) for each in zip(node.ops, node.comparators, strict=True)]
    before = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in before)
    return RowTest(source, tree, frozenset(source.name(node) for node in nodes))


def _meant(op: ast.cmpop, compared: ast.expr) -> ast.expr:
    """What is compared with: after `is`, `missing` can be no column."""
    is_missing_word = isinstance(op, ast.Is | ast.IsNot) and isinstance(compared, ast.Name) and compared.id == "missing"
    return ast.copy_location(ast.Constant(None), compared) if is_missing_word else compared


def _what_to_do(condition: str, error: SyntaxError) -> tuple[int, str]:
    """Where a condition cannot be read, and what was probably meant."""
    at = max(0, min(error.offset or 1, len(condition)) - 1)
    single = re.search(r"(?<![=!<>])=(?!=)", condition)
    if single is not None:
        return single.start(), "write == to compare"
    if re.search(r"(\b(and|or|not|in)|[=<>!+\-*/]+)\s*$", condition):
        return len(condition) - 1, "something is missing at the end"
    bare = re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`", lambda quoted: "0" * len(quoted[0]), condition)
    two = re.search(rf"{_NAME}(?:\s+{_NAME})+", bare)
    if two is not None:
        return two.start(), f"a column whose name has blanks is written in backticks: `{two[0]}`"
    zero = re.search(r"(?<![\w.])0+[0-9]", bare)
    if zero is not None:
        return zero.start(), "write numbers without leading zeros, and without commas between thousands"
    return at, next((text for sign, text in _FAULTS.items() if sign in error.msg), _UNREADABLE)


_NAME = r"\b(?!(?:and|or|not|in|is)\b)[^\W\d]\w*"
_FAULTS = {  # what Python's parser says, in words for people who do not program
    "never closed": "a bracket that is opened here is never closed",
    "unmatched": "a bracket is closed here that was not opened",
    "does not match": "a bracket is closed here that was not opened",
    "unterminated": "a quote that is opened here is never closed",
}
_UNREADABLE = "cannot be read from here on; write for instance: age >= 30 and purpose == 'car'"


def _read(column: pd.Series) -> Values | None:
    """Read a column as numbers, booleans or texts; None if it is none of these."""
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iufb":
        values = column.to_numpy()
        missing = np.isnan(values) if column.dtype.kind == "f" else np.zeros(len(values), dtype=bool)
        kind = "truth" if column.dtype.kind == "b" else "number"
        return Values("empty" if missing.all() else kind, values, missing)
    objects = column.astype(object).to_numpy()
    missing = np.array([is_missing(value) for value in objects], dtype=bool)
    kinds = {_kind(value) for value in objects[~missing]}
    if len(kinds) > 1 or "other" in kinds:
        return None
    kind = kinds.pop() if kinds else "empty"
    filler: UserValue = {"truth": False, "number": 0, "text": "", "empty": None}[kind]
    values = np.where(missing, filler, objects)
    return Values(kind, values.astype(bool) if kind == "truth" else values, missing)


def _kind(value: object) -> str:
    if isinstance(value, bool | np.bool_):
        return "truth"
    if isinstance(value, int | float | np.integer | np.floating):
        return "number"
    return "text" if isinstance(value, str) else "other"

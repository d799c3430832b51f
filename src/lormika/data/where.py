"""Conditions on rows, such as `age >= 30 and purpose in ["car", "repairs"]`.

A condition is parsed by Python's parser and evaluated here: the user's code is never run. It may contain

- names of columns, in backticks if they are not plain names: `` `hours per week` > 40 ``;
- numbers, texts in quotes, `True`, `False`;
- comparisons (`==`, `!=`, `<`, `<=`, `>`, `>=`, also chained: `18 <= age < 30`), `in` and `not in` a list;
- `and`, `or`, `not` (or `&`, `|`, `~`), parentheses;
- `+`, `-`, `*`, `/`, `//`, `%` of numbers, computed as float64; a division by zero gives a missing value.

A comparison with a missing value is false, even with `!=` and `not in`. `x == None` asks for missing values,
`x != None` for the others.
"""

from __future__ import annotations

import ast
import difflib
import operator
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lormika.errors import InputError
from lormika.frames.readers import listing
from lormika.frames.values import is_missing

if TYPE_CHECKING:
    import pandas as pd

    from lormika.types import UserColumn, UserValue

_TICKS = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`([^`]*)`""")
_COMPARE: dict[type[ast.cmpop], Callable[[UserColumn, UserColumn], np.ndarray]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_ARITHMETIC: dict[type[ast.operator], np.ufunc] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
    ast.FloorDiv: np.floor_divide,
    ast.Mod: np.mod,
}
_LONGEST = 200  # characters of a condition in a message
_WORDS = {
    "number": "a number",
    "text": "a text",
    "truth": "true or false",
    "nothing": "None",
    "empty": "an empty column",
}


def matching(frame: pd.DataFrame, condition: str) -> np.ndarray:
    """Whether the condition holds, for each row.

    >>> import pandas as pd
    >>> matching(pd.DataFrame({"age": [20, 30, None]}), "not age == None and age < 25").tolist()
    [True, False, False]
    """
    evaluator = _Evaluator.of(frame, condition)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of Python's own about doubtful code, such as "\\d"
            tree = ast.parse(evaluator.text, mode="eval").body
        result = evaluator.value(tree)
    except SyntaxError as error:
        raise evaluator.error(*_what_to_do(evaluator.original, error)) from None
    except (RecursionError, MemoryError, ValueError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        raise evaluator.error(0, f"cannot be evaluated: {error or 'it is nested too deeply'}") from None
    return evaluator.truth(result, tree)


def _what_to_do(condition: str, error: SyntaxError) -> tuple[int, str]:
    """Where a condition cannot be read, and what was probably meant."""
    at = max(0, min(error.offset or 1, len(condition)) - 1)
    single = re.search(r"(?<![=!<>])=(?!=)", condition)
    if single is not None:
        return single.start(), "write == to compare"
    if re.search(r"(\b(and|or|not|in)|[=<>!+\-*/]+)\s*$", condition):
        return len(condition) - 1, "something is missing at the end"
    return at, f"cannot be read: {error.msg}"


@dataclass(frozen=True, slots=True, eq=False)
class _Value:
    """One value per row, or a single one; where it is missing, `values` means nothing."""

    kind: str  # number, text, truth; nothing: None; empty: a column of missing values only
    values: UserColumn | UserValue
    missing: np.ndarray | bool  # a mask for values of rows


@dataclass(frozen=True, slots=True, eq=False)
class _Evaluator:
    frame: pd.DataFrame
    original: str
    text: str  # with underscores for names in backticks
    ticked: dict[int, str]  # position: name

    @classmethod
    def of(cls, frame: pd.DataFrame, condition: str) -> _Evaluator:
        flat = re.sub(r"[\r\n]", " ", condition)
        if not flat.strip():
            raise InputError("the condition is empty; give one such as: age >= 30")
        flat = flat.lstrip()
        ticked = {match.start(): match[1] for match in _TICKS.finditer(flat) if match[1] is not None}
        # As long as what it replaces, so that positions stay.
        text = _TICKS.sub(lambda m: m[0] if m[1] is None else "_" * len(m[0]), flat)
        return cls(frame, flat, text, ticked)

    def error(self, position: int, problem: str) -> InputError:
        hint = "; write and, or, not instead of &, |, ~" if re.search(r"[&|~]", self.original) else ""
        text = self.original if len(self.original) <= _LONGEST else f"{self.original[:_LONGEST]}…"
        return InputError(f"condition {text!r}, character {position + 1}: {problem}{hint}")

    def fail(self, node: ast.expr, problem: str) -> InputError:
        return self.error(self.position(node), problem)

    def position(self, node: ast.expr) -> int:
        return len(self.text.encode()[: node.col_offset].decode(errors="ignore"))  # the parser counts bytes

    def value(self, node: ast.expr) -> _Value:
        match node:
            case ast.Constant():
                return self.constant(node)
            case ast.Name():
                return self.column(node)
            case ast.BoolOp():
                join = np.logical_and if isinstance(node.op, ast.And) else np.logical_or
                masks = [self.truth(self.value(part), part) for part in node.values]
                return _Value("truth", join.reduce(masks), False)
            case ast.BinOp(op=ast.BitAnd() | ast.BitOr()):
                left, right = (self.truth(self.value(part), part) for part in (node.left, node.right))
                return _Value("truth", left & right if isinstance(node.op, ast.BitAnd) else left | right, False)
            case ast.UnaryOp(op=ast.Not() | ast.Invert()):
                return _Value("truth", ~self.truth(self.value(node.operand), node.operand), False)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd()):
                operand = self.number(node.operand)
                return operand if isinstance(node.op, ast.UAdd) else _Value("number", -operand.values, operand.missing)
            case ast.BinOp() if type(node.op) in _ARITHMETIC:
                return self.arithmetic(node)
            case ast.Compare():
                return self.comparison(node)
        raise self.fail(node, f"{_name_of(node)} cannot be used; only comparisons of columns and values can")

    def constant(self, node: ast.Constant) -> _Value:
        value = node.value
        if value is None:
            return _Value("nothing", None, True)
        if isinstance(value, bool):
            return _Value("truth", value, False)
        if isinstance(value, int | float):
            return _Value("number", value, False)
        if isinstance(value, str):
            return _Value("text", value, False)
        raise self.fail(node, f"{value!r} is no number and no text")

    def column(self, node: ast.Name) -> _Value:
        name = self.ticked.get(self.position(node), node.id)
        keys = {str(key): key for key in self.frame.columns}
        if name not in keys:
            close = difflib.get_close_matches(name, keys, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"there are {listing(keys)}"
            raise self.fail(node, f"there is no column {name!r} (texts are written in quotes); {hint}")
        value = _read(self.frame[keys[name]])
        if value is None:
            raise self.fail(node, f"column {name!r} is neither of numbers, nor of texts, nor of truths")
        return value

    def truth(self, value: _Value, node: ast.expr) -> np.ndarray:
        if value.kind == "empty":
            return np.zeros(len(self.frame), dtype=bool)
        if value.kind != "truth":
            raise self.fail(node, f"a condition is needed here, not {_WORDS[value.kind]}; compare it with something")
        return np.broadcast_to(np.asarray(value.values, dtype=bool) & ~np.asarray(value.missing), len(self.frame))

    def number(self, node: ast.expr) -> _Value:
        value = self.value(node)
        if value.kind == "empty":
            return _Value("number", np.zeros(len(self.frame)), value.missing)
        if value.kind != "number":
            hint = "; put comparisons beside & and | in parentheses" if value.kind == "truth" else ""
            raise self.fail(node, f"a number is needed here, not {_WORDS[value.kind]}{hint}")
        return value

    def arithmetic(self, node: ast.BinOp) -> _Value:
        left, right = self.number(node.left), self.number(node.right)
        with np.errstate(all="ignore"):
            a, b = np.asarray(left.values, dtype=float), np.asarray(right.values, dtype=float)
            result = _ARITHMETIC[type(node.op)](a, b)
        missing = np.asarray(left.missing) | np.asarray(right.missing) | np.isnan(result)
        if isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mod):
            missing = missing | (b == 0)
        return _Value("number", result, missing)

    def comparison(self, node: ast.Compare) -> _Value:
        holds = np.ones(len(self.frame), dtype=bool)
        left_node, left = node.left, self.value(node.left)
        for op, right_node in zip(node.ops, node.comparators, strict=True):
            if isinstance(op, ast.In | ast.NotIn):
                holds &= self.membership(left, left_node, isinstance(op, ast.In), right_node)
                if right_node is not node.comparators[-1]:
                    raise self.fail(right_node, "nothing can be chained after a list")
                break
            right = self.value(right_node)
            holds &= self.compared(left, op, right, right_node)
            left_node, left = right_node, right
        return _Value("truth", holds, False)

    def compared(self, left: _Value, op: ast.cmpop, right: _Value, node: ast.expr) -> np.ndarray:
        if "nothing" in (left.kind, right.kind):
            if not isinstance(op, ast.Eq | ast.NotEq | ast.Is | ast.IsNot):
                raise self.fail(node, "None can only be compared with == and !=")
            both = np.broadcast_to(np.asarray(left.missing) & np.asarray(right.missing), len(self.frame))
            return both if isinstance(op, ast.Eq | ast.Is) else ~both
        if type(op) not in _COMPARE:
            raise self.fail(node, "'is' is for None only; use == or !=")
        if "empty" in (left.kind, right.kind):  # a column without any value fits everything, and matches nothing
            return np.zeros(len(self.frame), dtype=bool)
        if left.kind != right.kind:
            raise self.fail(node, f"{_WORDS[left.kind]} is compared with {_WORDS[right.kind]}")
        if left.kind == "truth" and not isinstance(op, ast.Eq | ast.NotEq):
            raise self.fail(node, "true and false can only be compared with == and !=")
        present = ~(np.asarray(left.missing) | np.asarray(right.missing))
        result = np.asarray(_COMPARE[type(op)](left.values, right.values), dtype=bool)
        return np.broadcast_to(result & present, len(self.frame))

    def membership(self, left: _Value, left_node: ast.expr, wanted: bool, node: ast.expr) -> np.ndarray:
        if not isinstance(node, ast.List | ast.Tuple | ast.Set):
            raise self.fail(node, '\'in\' needs a list such as [1, 2] or ["a", "b"]')
        holds = np.zeros(len(self.frame), dtype=bool)
        for element in node.elts:
            value = self.value(element)
            holds |= self.compared(left, ast.Eq(), value, element)
        if not wanted:
            holds = ~holds & ~np.asarray(left.missing)
        return holds


def _read(column: pd.Series) -> _Value | None:
    """Read a column as numbers, booleans or texts; None if it is none of these."""
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iufb":
        values = column.to_numpy()
        missing = np.isnan(values) if column.dtype.kind == "f" else np.zeros(len(values), dtype=bool)
        kind = "truth" if column.dtype.kind == "b" else "number"
        return _Value("empty" if missing.all() else kind, values, missing)
    objects = column.astype(object).to_numpy()
    missing = np.array([is_missing(value) for value in objects], dtype=bool)
    kinds = {_kind(value) for value in objects[~missing]}
    if len(kinds) > 1 or "other" in kinds:
        return None
    kind = kinds.pop() if kinds else "empty"
    filler: UserValue = {"truth": False, "number": 0, "text": "", "empty": None}[kind]
    values = np.where(missing, filler, objects)
    return _Value(kind, values.astype(bool) if kind == "truth" else values, missing)


def _kind(value: object) -> str:
    if isinstance(value, bool | np.bool_):
        return "truth"
    if isinstance(value, int | float | np.integer | np.floating):
        return "number"
    return "text" if isinstance(value, str) else "other"


def _name_of(node: ast.expr) -> str:
    names = {
        ast.Call: "a function call",
        ast.Attribute: "a dot",
        ast.Subscript: "an index",
        ast.Lambda: "a function",
        ast.List: "a list",
        ast.Tuple: "a list",
        ast.IfExp: "if … else",
        ast.JoinedStr: "a formatted text",
        ast.NamedExpr: "an assignment",
    }
    if isinstance(node, ast.BinOp):
        return "this operator"
    return names.get(type(node), "this")

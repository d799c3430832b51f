"""Evaluator: the value of a parsed condition, one for each row."""

from __future__ import annotations

import ast
import difflib
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce

import numpy as np

from lormika.errors import InputError, listing
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
_MOST_CHARACTERS = 10_000
_LONGEST = 200  # characters of a condition in a message
_WORDS = {
    "number": "a number",
    "text": "a text",
    "truth": "true or false",
    "nothing": "None",
    "empty": "an empty column",
}


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """One value per row, or a single one; where it is missing, `values` means nothing."""

    kind: str  # number, text, truth; nothing: None; empty: a column of missing values only
    values: UserColumn | UserValue
    missing: np.ndarray | bool  # a mask for values of rows


Column = Callable[[], Values | None]
"""Reads a column; None if it has neither numbers, nor texts, nor truths."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """What a condition is tested on: columns by name, and the values that the rows had before they were changed."""

    count: int
    columns: Mapping[str, Column]
    now: Mapping[str, Column] | None = None  # None: they were not changed


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """The text of a condition, and where things stand in it."""

    original: str
    text: str  # with underscores for names in backticks
    ticked: dict[int, str]  # position: name

    @classmethod
    def of(cls, condition: str) -> Source:
        """Read a condition of one line or several."""
        flat = re.sub(r"[\r\n]", " ", condition)
        if not flat.strip():
            raise InputError("the condition is empty; give one such as: age >= 30")
        flat = flat.lstrip()
        if len(flat) > _MOST_CHARACTERS:
            raise InputError(
                f"the condition cannot be evaluated: it has {len(flat):,} characters; give at most {_MOST_CHARACTERS:,}"
            )
        ticked = {match.start(): match[1] for match in _TICKS.finditer(flat) if match[1] is not None}
        # As long as what it replaces, so that positions stay.
        text = _TICKS.sub(lambda m: m[0] if m[1] is None else "_" * len(m[0]), flat)
        source = cls(flat, text, ticked)
        for position, name in ticked.items():
            beside = flat[max(position - 1, 0) : position] + flat[position + len(name) + 2 :][:1]
            if re.search(r"[\w`]", beside):
                raise source.error(position, f"put a space, or a sign, beside `{name}`")
        return source

    def error(self, position: int, problem: str) -> InputError:
        """An error that says where it is."""
        hint = "; write and, or, not instead of &, |, ~" if re.search(r"[&|~]", self.original) else ""
        text = self.original if len(self.original) <= _LONGEST else f"{self.original[:_LONGEST]}…"
        return InputError(f"condition {text!r}, character {position + 1}: {problem}{hint}")

    def fail(self, node: ast.expr, problem: str) -> InputError:
        """An error at a part of the condition."""
        return self.error(self._position(node.col_offset), problem)

    def _position(self, offset: int) -> int:
        return len(self.text.encode()[:offset].decode(errors="ignore"))  # the parser counts bytes

    def name(self, node: ast.Name | ast.Attribute) -> str:
        """The column that a part of the condition names."""
        if isinstance(node, ast.Name):
            return self.ticked.get(self._position(node.col_offset), node.id)
        assert node.end_col_offset is not None
        return self.ticked.get(self._position(node.end_col_offset - len(node.attr.encode())), node.attr)


@dataclass(frozen=True, slots=True, eq=False)
class Evaluator:
    """Evaluates one condition on some rows."""

    rows: Rows
    source: Source

    def _fail(self, node: ast.expr, problem: str) -> InputError:
        return self.source.fail(node, problem)

    def value(self, node: ast.expr) -> Values:
        """The value of a part of the condition."""
        match node:
            case ast.Constant():
                return self._constant(node)
            case ast.Name() | ast.Attribute():
                return self._column(node)
            case ast.BoolOp():
                join = np.logical_and if isinstance(node.op, ast.And) else np.logical_or
                masks = (self.truth(self.value(part), part) for part in node.values)
                return Values("truth", reduce(join, masks), False)
            case ast.BinOp(op=ast.BitAnd() | ast.BitOr()):
                left, right = (self.truth(self.value(part), part) for part in (node.left, node.right))
                return Values("truth", left & right if isinstance(node.op, ast.BitAnd) else left | right, False)
            case ast.UnaryOp(op=ast.Not() | ast.Invert()):
                return Values("truth", ~self.truth(self.value(node.operand), node.operand), False)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd()):
                operand = self._number(node.operand)
                return operand if isinstance(node.op, ast.UAdd) else _negated(operand)
            case ast.BinOp() if type(node.op) in _ARITHMETIC:
                return self._arithmetic(node)
            case ast.Compare():
                return self._comparison(node)
        raise self._fail(node, f"{_name_of(node)} cannot be used; only comparisons of columns and values can")

    def _constant(self, node: ast.Constant) -> Values:
        value = node.value
        if value is None:
            return Values("nothing", None, True)
        if isinstance(value, bool):
            return Values("truth", value, False)
        if isinstance(value, int | float):
            return Values("number", value, False)
        if isinstance(value, str):
            return Values("text", value, False)
        raise self._fail(node, f"{value!r} is no number and no text")

    def _column(self, node: ast.Name | ast.Attribute) -> Values:
        columns, name = self.rows.columns, self.source.name(node)
        if isinstance(node, ast.Attribute):
            if not isinstance(node.value, ast.Name) or node.value.id != "now":
                raise self._fail(node, "a dot cannot be used, except in now.column: the value before a change")
            if self.rows.now is None:
                raise self._fail(node, "there is no value before a change here: now is for constraints")
            columns = self.rows.now
        if name not in columns:
            raise self._fail(node, f"there is no column {name!r} {self._hint(name, columns)}")
        values = columns[name]()
        if values is None:
            raise self._fail(node, f"column {name!r} is neither of numbers, nor of texts, nor of truths")
        return values

    def _hint(self, name: str, columns: Mapping[str, Column]) -> str:
        """What may be meant by a name that is no column."""
        whole = [one for one in columns if name in one and not one.isidentifier() and one in self.source.original]
        if whole:
            return f"(did you mean `{max(whole, key=len)}`? Such names are written in backticks)"
        close = difflib.get_close_matches(name, columns, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are {listing(columns)}"
        return f"(texts are written in quotes); {hint}"

    def truth(self, value: Values, node: ast.expr) -> np.ndarray:
        """Which rows a value is true of; where it is missing, it is not."""
        if value.kind == "empty":
            return np.zeros(self.rows.count, dtype=bool)
        if value.kind != "truth":
            raise self._fail(node, f"a condition is needed here, not {_WORDS[value.kind]}; compare it with something")
        return np.broadcast_to(np.asarray(value.values, dtype=bool) & ~np.asarray(value.missing), self.rows.count)

    def _number(self, node: ast.expr) -> Values:
        value = self.value(node)
        if value.kind == "empty":
            return Values("number", np.zeros(self.rows.count), value.missing)
        if value.kind != "number":
            hint = "; put comparisons beside & and | in parentheses" if value.kind == "truth" else ""
            raise self._fail(node, f"a number is needed here, not {_WORDS[value.kind]}{hint}")
        return value

    def _arithmetic(self, node: ast.BinOp) -> Values:
        left, right = self._number(node.left), self._number(node.right)
        with np.errstate(all="ignore"):
            a, b = np.asarray(left.values, dtype=float), np.asarray(right.values, dtype=float)
            result = _ARITHMETIC[type(node.op)](a, b)
        missing = np.asarray(left.missing) | np.asarray(right.missing) | np.isnan(result)
        if isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mod):
            missing = missing | (b == 0)
        return Values("number", result, missing)

    def _comparison(self, node: ast.Compare) -> Values:
        holds = np.ones(self.rows.count, dtype=bool)
        left_node, left = node.left, self.value(node.left)
        for op, right_node in zip(node.ops, node.comparators, strict=True):
            if isinstance(op, ast.In | ast.NotIn):
                holds &= self._membership(left, left_node, isinstance(op, ast.In), right_node)
                if right_node is not node.comparators[-1]:
                    raise self._fail(right_node, "nothing can be chained after a list")
                break
            right = self.value(right_node)
            holds &= self._compared(left, op, right, right_node)
            left_node, left = right_node, right
        return Values("truth", holds, False)

    def _compared(self, left: Values, op: ast.cmpop, right: Values, node: ast.expr) -> np.ndarray:
        if "nothing" in (left.kind, right.kind):
            if not isinstance(op, ast.Eq | ast.NotEq | ast.Is | ast.IsNot):
                raise self._fail(node, "None can only be compared with == and !=")
            both = np.broadcast_to(np.asarray(left.missing) & np.asarray(right.missing), self.rows.count)
            return both if isinstance(op, ast.Eq | ast.Is) else ~both
        if type(op) not in _COMPARE:
            raise self._fail(node, "'is' is for missing values only, as in 'age is missing'; use == or !=")
        if "empty" in (left.kind, right.kind):  # a column without any value fits everything, and matches nothing
            return np.zeros(self.rows.count, dtype=bool)
        if left.kind != right.kind:
            raise self._fail(node, f"{_WORDS[left.kind]} is compared with {_WORDS[right.kind]}")
        if left.kind == "truth" and not isinstance(op, ast.Eq | ast.NotEq):
            raise self._fail(node, "true and false can only be compared with == and !=")
        present = ~(np.asarray(left.missing) | np.asarray(right.missing))
        result = np.asarray(_COMPARE[type(op)](left.values, right.values), dtype=bool)
        return np.broadcast_to(result & present, self.rows.count)

    def _membership(self, left: Values, left_node: ast.expr, wanted: bool, node: ast.expr) -> np.ndarray:
        if not isinstance(node, ast.List | ast.Tuple | ast.Set):
            raise self._fail(node, '\'in\' needs a list such as [1, 2] or ["a", "b"]')
        holds = np.zeros(self.rows.count, dtype=bool)
        for element in node.elts:
            value = self.value(element)
            holds |= self._compared(left, ast.Eq(), value, element)
        if not wanted:
            holds = ~holds & ~np.asarray(left.missing)
        return holds


def _negated(operand: Values) -> Values:
    """A number with the other sign; small types have no place for all of them."""
    values = operand.values
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu":
        values = values.astype(np.float64 if values.dtype == np.uint64 else np.int64)
    return Values("number", -values, operand.missing)


def _name_of(node: ast.expr) -> str:
    names = {
        ast.Call: "a function call",
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

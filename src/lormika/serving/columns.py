"""Columns of any library's table, read once, as conditions and lists need them: never value by value."""

from __future__ import annotations

from functools import partial

import narwhals.stable.v2 as nw
import numpy as np

from lormika import frames
from lormika.errors import InputError
from lormika.frames.evaluator import Column, Values
from lormika.frames.values import Scalar, is_missing, is_too_large, plain
from lormika.types import UserTable, UserValue


class Columns:
    """The columns of a table by name, each read when it is first needed, and then kept."""

    def __init__(self, table: UserTable, names: tuple[str, ...] | None = None) -> None:
        self._table, self._array_names = table, names
        self.count = frames.count_rows(table)
        if isinstance(table, np.ndarray):
            width = table.shape[1] if table.ndim == 2 else 0
            self.names = names if names is not None and len(names) == width else tuple(f"x{i}" for i in range(width))
        else:
            self.names = tuple(map(str, nw.from_native(table, eager_only=True).columns))
        self._read: dict[str, Values | None] = {}

    def select(self, names: tuple[str, ...]) -> UserTable:
        """A table of some columns, of the same library."""
        lacking = [name for name in names if name not in self.names]
        if lacking:
            raise InputError(f"the table lacks {frames.listing(lacking)}; it has {frames.listing(self.names)}")
        if isinstance(self._table, np.ndarray):
            return self._table[:, [self.names.index(name) for name in names]]
        frame = nw.from_native(self._table, eager_only=True)
        keys = dict(zip(self.names, frame.columns, strict=True))
        return frame.select([keys[name] for name in names]).to_native()

    def check(self, option: str, name: str | None) -> None:
        """Refuse a column that is not there."""
        if name is not None and name not in self.names:
            raise InputError(f"{option}: there is no column {name!r}{frames.did_you_mean(name, self.names)}")

    def readers(self) -> dict[str, Column]:
        """What reads each column for a condition."""
        return {name: partial(self.values, name) for name in self.names}

    def values(self, name: str) -> Values | None:
        """The values of a column; None if they are of several kinds."""
        if name not in self._read:
            self._read[name] = _values(name, self.select((name,)))
        return self._read[name]

    def coded(self, name: str) -> tuple[list[Scalar], np.ndarray]:
        """Different values of a column, and which of them each row has; missing: -1."""
        table = self.select((name,))
        return frames.read(table, [name] if isinstance(table, np.ndarray) else None)[name].coded()

    def value(self, name: str, row: int) -> Scalar | None:
        """One value of a column, as it is shown."""
        values = self.values(name)
        if values is None:  # of several types, such as 1 and "a"
            return _scalar(self.select((name,)), row)
        if np.asarray(values.missing)[row]:
            return None
        value: UserValue = values.values[row]
        plain: Scalar = value.item() if isinstance(value, np.generic) else value
        return int(plain) if isinstance(plain, float) and plain.is_integer() and abs(plain) < 2**53 else plain


def _values(name: str, table: UserTable) -> Values | None:
    if isinstance(table, np.ndarray):
        return _of_reader(frames.read(table, [name]), name)
    try:
        return _of_reader(frames.read(table), name)
    except InputError:  # dates, say, which are written so that their order is that of their texts
        series = nw.from_native(table, eager_only=True).get_column(name)
    missing = np.asarray(series.is_null().to_numpy()).astype(bool)
    try:
        texts = series.cast(nw.String).to_numpy().astype(object)
    except Exception:  # lists, say, which not every library can write
        texts = np.array([str(value) for value in series.to_list()], dtype=object)
    return Values("text", np.where(missing, "", texts), missing)


def _scalar(table: UserTable, row: int) -> Scalar | None:
    """One value, whatever it is; what is no number or text is shown as Python writes it."""
    cell = frames.take(table, range(row, row + 1))
    value = cell[0, 0] if isinstance(cell, np.ndarray) else nw.from_native(cell, eager_only=True).rows()[0][0]
    value = plain(value)
    if is_missing(value):
        return None
    return value if isinstance(value, str | int | float | bool) and not is_too_large(value) else str(value)


def _of_reader(reader: frames.TableReader, name: str) -> Values | None:
    column = reader[name]
    if column.number_type is not None:
        numbers = column.numbers()
        missing = np.isnan(numbers)
        return Values("empty" if missing.all() else "number", numbers, missing)
    distinct, codes = column.coded()
    missing = codes < 0
    kinds = {"truth" if type(one) is bool else "text" if isinstance(one, str) else "number" for one in distinct}
    if len(kinds) > 1:
        return None
    kind = kinds.pop() if kinds else "empty"
    filler: UserValue = {"truth": False, "number": 0.0, "text": "", "empty": None}[kind]
    types = {"truth": np.bool_, "number": np.float64}
    lookup: np.ndarray = np.empty(len(distinct) + 1, dtype=types.get(kind, np.object_))
    lookup[:-1] = distinct
    lookup[-1] = filler
    return Values(kind, lookup[codes], missing)


def ranks(values: Values) -> np.ndarray:
    """Numbers that are in the order of the values; missing ones first."""
    if values.kind in ("number", "truth"):
        order = np.asarray(values.values, dtype=np.float64)
    else:
        _, inverse = np.unique(np.asarray(values.values).astype(str), return_inverse=True)
        order = inverse.astype(np.float64)
    return np.where(values.missing, -np.inf, order)

"""Columns of numpy arrays, and of plain lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from lormika.errors import InputError
from lormika.frames.restorer import Categories, Coded, Lookup, Restorer
from lormika.frames.values import Scalar
from lormika.types import UserColumn, UserValue


@dataclass(frozen=True, slots=True)
class ArrayNumber:
    """Numbers of an array; whole ones stay whole."""

    dtype: np.dtype

    def __call__(self, values: np.ndarray) -> np.ndarray:
        """Cast to the array's type."""
        return (np.rint(values) if self.dtype.kind in "iu" else values).astype(self.dtype)

    @property
    def holds_missing(self) -> bool:
        """Only floats have a NaN."""
        return self.dtype.kind == "f"


def array_column(dtype: np.dtype, categories: Categories) -> Restorer:
    """Restorer of a column of a homogeneous array."""
    if categories is None:
        return ArrayNumber(dtype)
    if dtype.kind == "f":
        return Lookup(np.array([*categories, np.nan], dtype=dtype), len(categories), holds_missing=True)
    return Lookup(np.array(categories, dtype=dtype), len(categories), holds_missing=False)


@dataclass(frozen=True, slots=True)
class ObjectNumber:
    """Numbers of an object array: Python integers where they are whole in the background."""

    integer: bool
    holds_missing: bool = True

    def __call__(self, values: np.ndarray) -> np.ndarray:
        """Python numbers, missing ones as NaN."""
        whole = [int(v) if self.integer and v == v else v for v in values.tolist()]
        return np.array(whole, dtype=object)


def object_column(categories: Categories, integer: bool) -> Restorer:
    """Restorer of a column of an object array."""
    if categories is None:
        return ObjectNumber(integer)
    lookup = np.empty(len(categories) + 1, dtype=object)
    lookup[:-1] = categories
    lookup[-1] = None
    return Lookup(lookup, len(categories), holds_missing=True)


@dataclass(frozen=True, slots=True)
class ArrayAssembler:
    """Columns to a 2-D array."""

    dtype: np.dtype

    def __call__(self, columns: Sequence[np.ndarray]) -> np.ndarray:
        """Stack them side by side."""
        dtype = np.result_type(*columns) if self.dtype.kind == "U" else self.dtype  # new texts may be longer
        table = np.empty((len(columns[0]), len(columns)), dtype=dtype)
        for position, column in enumerate(columns):
            table[:, position] = column
        return table

    def of_floats(self, rows: np.ndarray) -> np.ndarray:
        """All columns at once, if they are as they are encoded."""
        return rows


def no_table(columns: Sequence[UserColumn]) -> NoReturn:
    """Refuse: a mapping of columns is only read."""
    raise InputError("a dict of columns cannot be given to a model: make a frame of it")


def coded(column: np.ndarray) -> Coded:
    """Different values, and the position of each row's among them."""
    if column.dtype.kind == "O" or isinstance(column, np.ma.MaskedArray) or column.ndim != 1:
        raise TypeError("its values cannot be sorted, or are hidden")
    values, codes = np.unique(column, return_inverse=True)
    return values.tolist(), codes


def widen(native: np.ndarray, size: int, more: Sequence[Scalar]) -> np.ndarray:
    """Categories after the first so many, and before what stands for a missing value."""
    return np.concatenate([native[:size], _alike(native, more), native[size:]])


def as_stored(native: np.ndarray, value: Scalar) -> UserValue:
    """What the array's type makes of a value."""
    return _alike(native, [value]).tolist()[0]


def has_list(native: np.ndarray) -> bool:
    """Whether the type lists its categories: never."""
    return False


def _alike(like: np.ndarray, values: Sequence[Scalar]) -> np.ndarray:
    """An array of the same type; texts may be longer than all so far."""
    return np.array(list(values), dtype=str if like.dtype.kind == "U" else like.dtype)


def is_ordered(native: np.ndarray) -> bool:
    """Whether the type says that its categories have an order: never."""
    return False

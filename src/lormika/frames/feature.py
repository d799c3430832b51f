"""A feature: one column, its values as numbers (categories by their position in a list), and back."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from lormika import frames
from lormika.errors import InputError, quote
from lormika.frames import restore
from lormika.frames.restorer import Lookup, Restorer
from lormika.frames.values import Scalar, format_number, is_too_large, value_order

_EXACT = 2**53  # integers from here on may not be exact as float64
_LARGEST = sys.float_info.max
_INTEGERS = frozenset({int, np.int64})
_NUMBERS = _INTEGERS | {float, np.float64}
_SCALARS = _NUMBERS | {str, bool}


@dataclass(frozen=True, slots=True, eq=False)
class Feature:
    """One column: numeric, or categorical with a list of categories in value order."""

    name: str
    categories: tuple[Scalar, ...] | None
    number_type: np.dtype | None  # how the background stores the numbers of a numeric feature
    restorer: Restorer
    positions: Mapping[Scalar, int]  # of the categories

    @property
    def is_numeric(self) -> bool:
        """Whether the feature is a number rather than a category."""
        return self.categories is None

    @property
    def integer(self) -> bool:
        """Whether the column stores only whole numbers."""
        return self.number_type is not None and self.number_type.kind in "iu"

    @property
    def lists_categories(self) -> bool:
        """Whether the column's type lists its categories, so that a model may rely on their positions."""
        return isinstance(self.restorer, Lookup) and restore.has_list(self.restorer)

    @property
    def is_ordered(self) -> bool:
        """Whether the order of the categories means something: numbers, truths, and types that say so."""
        if all(isinstance(category, int | float) for category in self.categories or ()):
            return True
        return isinstance(self.restorer, Lookup) and restore.is_ordered(self.restorer)

    @property
    def ranks(self) -> np.ndarray:
        """Places of the categories in their order: numbers by their size, whichever the background lacks."""
        categories = self.categories or ()
        if all(isinstance(category, int | float) for category in categories):
            return np.array(categories, dtype=np.float64)
        return np.arange(len(categories), dtype=np.float64)

    def widened(self, more: Sequence[Scalar]) -> Feature:
        """The same feature with more categories, as `encode` gives them, after those of the background."""
        assert self.categories is not None
        assert isinstance(self.restorer, Lookup)
        first = len(self.categories)
        places = {value: first + place for place, value in enumerate(more)}
        try:
            restorer = restore.widen(self.restorer, more)
        except Exception as error:  # positions of a small type may all be taken
            raise InputError(
                f"column {self.name!r}: its type has no place for the category {quote(more[0])}"
            ) from error
        positions = {**self.positions, **places}
        return replace(self, categories=(*self.categories, *more), positions=positions, restorer=restorer)

    def encode_usual(self, value: object) -> float | None:
        """Encode a category, or a number of the usual types, quickly; None: `encode` must tell what the value is."""
        if type(value) not in _SCALARS:
            return None
        number = cast(float, value)  # or a category
        if self.categories is not None:
            return self.positions.get(number)
        if self.number_type == np.float64:
            return float(number) if type(value) in _NUMBERS and abs(number) <= _LARGEST else None
        is_usual = self.number_type == np.int64 and type(value) in _INTEGERS and -_EXACT < number < _EXACT
        return float(number) if is_usual else None

    def encode(self, column: frames.ColumnReader) -> tuple[np.ndarray, dict[int, Scalar]]:
        """Encode a column, refusing what its type cannot hold; and by row, categories that the background lacks."""
        unseen: dict[int, Scalar] = {}
        encoded = self._encode_numbers(column) if self.is_numeric else self._encode_categories(column, unseen)
        if not self.restorer.holds_missing and np.isnan(encoded).any():
            row = int(np.isnan(encoded).argmax())
            raise InputError(
                f"column {self.name!r}, row {row}: a missing value, but the type of this column in the background "
                "cannot hold one: give a value, or a background in which its type can"
            )
        return encoded, unseen

    def fit(self, numbers: np.ndarray) -> np.ndarray:
        """Numbers as the background's type stores them: whole, or rounded to fewer digits."""
        with np.errstate(over="ignore"):  # to infinity
            fitted: np.ndarray = np.rint(numbers) if self.integer else numbers.astype(self.number_type)
        return fitted.astype(np.float64, copy=False)

    def _encode_numbers(self, column: frames.ColumnReader) -> np.ndarray:
        numbers = column.numbers(may_lack=self.restorer.holds_missing)
        fitted = self.fit(numbers)  # so that a rule is about the number the model sees
        beyond = f"beyond {self.number_type}, the type of this column in the background"
        self._refuse(np.isinf(numbers), numbers, "infinite; give a finite number or a missing value")
        if self.integer:
            limits = np.iinfo(self.number_type)
            inexact = "too large to be exact; name the column in categorical (--categorical), or leave it out"
            self._refuse(np.abs(numbers) >= _EXACT, numbers, inexact)
            self._refuse((numbers < limits.min) | (numbers > limits.max), numbers, beyond)
            not_whole = (numbers != fitted) & ~np.isnan(numbers)
            self._refuse(not_whole, numbers, f"not whole, but {self.name} takes whole numbers")
        self._refuse(np.isinf(fitted), numbers, beyond)
        return fitted

    def _refuse(self, bad: np.ndarray, numbers: np.ndarray, reason: str) -> None:
        if bad.any():
            row = int(bad.argmax())
            raise InputError(f"column {self.name!r}, row {row}: {format_number(numbers[row])} is {reason}")

    def _encode_categories(self, column: frames.ColumnReader, unseen: dict[int, Scalar]) -> np.ndarray:
        values, codes = column.coded()
        places = np.full(len(values) + 1, np.nan)  # the last one is what stands for a missing value
        for code, value in enumerate(values):
            place = self.positions.get(value)
            if place is None and (rows := np.flatnonzero(codes == code)).size:
                stored = self._as_stored(int(rows[0]), value)
                place = self.positions.get(stored, len(self.positions))
                if place == len(self.positions):
                    unseen |= dict.fromkeys(rows.tolist(), stored)
            places[code] = np.nan if place is None else place
        encoded: np.ndarray = places[codes]
        return encoded

    def _as_stored(self, row: int, value: Scalar) -> Scalar:
        """A category that does not occur in the background, as the column's type stores it."""
        assert isinstance(self.restorer, Lookup)
        stored = restore.as_stored(self.restorer, value)
        if stored is None or stored in (math.inf, -math.inf):
            others = frames.listing(self.categories or ()) or "no value at all"
            raise InputError(
                f"column {self.name!r}, row {row}: {quote(value)} is no value that this column can have; in the "
                f"background it has {others}: give a value of the same type"
            )
        return stored

    def decode(self, value: float) -> Scalar | None:
        """One encoded value as a plain Python scalar; missing: None."""
        if math.isnan(value):
            return None
        if self.categories is not None:
            return self.categories[int(value)]
        return int(value) if self.integer else float(value)

    def decode_many(self, values: np.ndarray) -> list[Scalar]:
        """Encoded values, none of which is missing, as plain Python scalars."""
        if self.categories is not None:
            return [self.categories[int(value)] for value in values.tolist()]
        numbers: list[Scalar] = (values.astype(np.int64) if self.integer else values).tolist()
        return numbers


def read_feature(column: frames.ColumnReader, is_categorical: bool) -> Feature:
    """Feature of a column of the background."""
    if not is_categorical:
        return Feature(column.name, None, column.number_type, column.restorer(None), {})
    categories = column.declared
    if categories is None:
        categories = tuple(sorted(dict.fromkeys(column.coded()[0]), key=value_order))
    for value in categories:
        if not isinstance(value, str | int | float | bool) or value in (math.inf, -math.inf) or is_too_large(value):
            raise InputError(f"column {column.name!r} has the category {quote(value)}; make its categories strings")
    positions = {value: position for position, value in enumerate(categories)}
    return Feature(column.name, categories, None, column.restorer(categories), positions)

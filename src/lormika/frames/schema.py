"""Schema: the user's table <-> one encoded table of float64 values.

Numbers stand for themselves, categories for their position in the feature's list, NaN for a missing value. The schema
remembers how the user's library stores each column, so that a model always sees a frame like the one it was trained on.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lormika import frames
from lormika.errors import InputError, quote
from lormika.frames import restore
from lormika.frames.instances import Instances, Unseen
from lormika.frames.restorer import Assembler, Lookup, Restorer
from lormika.frames.values import Scalar, format_number, is_list, is_too_large, value_order
from lormika.types import UserRow, UserTable

_EXACT = 2**53  # integers from here on may not be exact as float64
_MANY, _NEARLY_ALL = 100, 0.9  # different categories, and their share of the rows, that make an identifier


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
        """Whether the column stores whole numbers only."""
        return self.number_type is not None and self.number_type.kind in "iu"

    @property
    def lists_categories(self) -> bool:
        """Whether the column's type lists its categories, so that a model may go by their positions."""
        return isinstance(self.restorer, Lookup) and restore.has_list(self.restorer)

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

    def encode(self, column: frames.ColumnReader) -> tuple[np.ndarray, dict[int, Scalar]]:
        """Encode a column, refusing what its type cannot hold; and by row, categories that the background lacks."""
        unseen: dict[int, Scalar] = {}
        encoded = self._encode_numbers(column) if self.is_numeric else self._encode_categories(column, unseen)
        if not self.restorer.holds_missing and np.isnan(encoded).any():
            row = int(np.isnan(encoded).argmax())
            raise InputError(
                f"column {self.name!r}, row {row}: a missing value, but the type of this column in the background "
                "cannot hold one"
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
            inexact = "too large to be exact; give the column as strings, or drop it"
            self._refuse(np.abs(numbers) >= _EXACT, numbers, inexact)
            self._refuse((numbers < limits.min) | (numbers > limits.max), numbers, beyond)
            not_whole = (numbers != fitted) & ~np.isnan(numbers)
            self._refuse(not_whole, numbers, f"not whole, but this column has the type {self.number_type}")
        self._refuse(np.isinf(fitted), numbers, beyond)
        return fitted

    def _refuse(self, bad: np.ndarray, numbers: np.ndarray, reason: str) -> None:
        if bad.any():
            row = int(bad.argmax())
            raise InputError(f"column {self.name!r}, row {row}: {format_number(numbers[row])} is {reason}")

    def _encode_categories(self, column: frames.ColumnReader, unseen: dict[int, Scalar]) -> np.ndarray:
        codes = np.empty(len(values := column.objects()))
        for row, value in enumerate(values):
            code = np.nan if value is None else self.positions.get(value)
            if code is None and value is not None:
                stored = self._as_stored(row, value)
                code = self.positions.get(stored, len(self.positions))
                if code == len(self.positions):
                    unseen[row] = stored
            codes[row] = code
        return codes

    def _as_stored(self, row: int, value: Scalar) -> Scalar:
        """A category that the background lacks, as the column's type stores it."""
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
        if np.isnan(value):
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


@dataclass(frozen=True, slots=True, eq=False)
class Schema:
    """All features of the background, in its order."""

    features: tuple[Feature, ...]
    assembler: Assembler
    places: Mapping[str, int]  # position of each feature, by name

    def __len__(self) -> int:
        return len(self.features)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the features."""
        return tuple(self.places)

    def index(self, name: str) -> int:
        """Position of a feature."""
        return self.places[name]

    def encode(self, table: UserTable) -> np.ndarray:
        """Encode a table (rows x features) all of whose categories the background has."""
        instances = self.read(table)
        for row, unseen in enumerate(instances.unseen):
            for f, value in unseen.items():
                others = frames.listing(self.features[f].categories or ()) or "no value at all"
                raise InputError(
                    f"column {self.names[f]!r}, row {row}: unseen category {quote(value)}; the background has {others}"
                )
        return instances.rows

    def read(self, table: UserTable) -> Instances:
        """Encode a table with the columns of the background, in any order; categories may be unseen."""
        reader = frames.read(table, self.names if isinstance(table, np.ndarray) else None)
        self._check_columns(reader.columns)
        encoded = np.empty((reader.n_rows, len(self)), order="F")
        unseen: list[dict[int, Scalar]] = [{} for _ in range(reader.n_rows)]
        for f, feature in enumerate(self.features):
            encoded[:, f], new = feature.encode(reader[feature.name])
            for row, value in new.items():
                unseen[row][f] = value
        return Instances(encoded, unseen)

    def read_instance(self, x: UserRow) -> Instances:
        """Encode one instance: a one-row frame, a Series, a dict, or a 1-D array in the order of the features."""
        return self.read(self._one_row(x))

    def widened(self, more: Mapping[int, Sequence[Scalar]]) -> Schema:
        """The same schema with more categories of some features, by their positions."""
        features = tuple(f.widened(more[i]) if i in more else f for i, f in enumerate(self.features))
        return replace(self, features=features)

    def with_unseen(self, unseen: Unseen) -> Schema:
        """The schema of one instance: with the categories that it alone has."""
        return self.widened({f: [value] for f, value in unseen.items()}) if unseen else self

    def _one_row(self, x: UserRow) -> UserTable:
        if isinstance(x, Mapping):
            return {name: [value] for name, value in x.items()}
        if isinstance(x, np.ndarray) and x.ndim == 2 and len(x) == 1:
            x = x[0]
        if hasattr(x, "index") and hasattr(x, "items") and getattr(x, "ndim", 0) == 1:  # pandas Series
            names = [str(name) for name in x.index]
            if len(set(names)) < len(names):
                raise InputError("x names a column twice: give each column once")
            return {name: [value] for name, value in zip(names, x.tolist(), strict=True)}
        if isinstance(x, list | tuple) or (isinstance(x, np.ndarray) and x.ndim == 1):
            if len(x) != len(self):
                raise InputError(f"x has {len(x)} values; the background has {len(self)} columns")
            return {name: [value] for name, value in zip(self.names, x, strict=True)}
        if isinstance(x, np.ndarray):
            raise InputError(f"x has the shape {x.shape}: explain takes one row; explain_many takes many")
        return frames.one_row(x)

    def _check_columns(self, names: Iterable[str]) -> None:
        present = set(names)
        absent = [name for name in self.names if name not in present]
        if absent:
            raise InputError(f"column {absent[0]!r} is missing; the background has it")
        unknown = sorted(present.difference(self.names))
        if unknown:
            raise InputError(f"unknown column {unknown[0]!r}: the background does not have it; drop it")

    def restore(self, encoded: np.ndarray) -> UserTable:
        """A table of the user's library from encoded rows."""
        columns = [feature.restorer(encoded[:, i]) for i, feature in enumerate(self.features)]
        return self.assembler(columns)

    def decode(self, row: np.ndarray) -> dict[str, Scalar | None]:
        """One encoded row as plain Python scalars."""
        return {f.name: f.decode(value) for f, value in zip(self.features, row.tolist(), strict=True)}


def read_schema(reader: frames.TableReader, categorical: Sequence[str | int] | None) -> Schema:
    """Schema of a table; string, category, boolean and object columns are categorical, and those named."""
    if not reader.columns:
        raise InputError("the table has no columns")
    if reader.n_rows == 0:
        raise InputError("the table has no rows")
    names = _categorical_names(reader, categorical)
    features = tuple(_read_feature(column, column.name in names) for column in reader.columns.values())
    return Schema(features, reader.assembler, {feature.name: place for place, feature in enumerate(features)})


def is_identifier(different: int, rows: int) -> bool:
    """Whether categories tell single rows apart, as names and numbers of customers do: nearly all of many differ.

    >>> is_identifier(200, 200), is_identifier(150, 200), is_identifier(10, 10)
    (True, False, False)
    """
    return different >= _MANY and different > _NEARLY_ALL * rows


def encoded_columns(schema: Schema, reader: frames.TableReader) -> Iterator[np.ndarray]:
    """Encoded columns one after the other: a large table is never held whole."""
    return (feature.encode(reader[feature.name])[0] for feature in schema.features)


def _categorical_names(reader: frames.TableReader, categorical: Sequence[str | int] | None) -> set[str]:
    chosen = {name for name, column in reader.columns.items() if column.number_type is None}
    if categorical is None:
        return chosen
    if not is_list(categorical):
        raise InputError(f"categorical={quote(categorical)}: give a list of column names")
    names = list(reader.columns)
    for entry in categorical:
        name = quote(entry) if is_too_large(entry) else str(entry)
        is_position = isinstance(entry, int | np.integer) and not isinstance(entry, bool)
        if name not in reader.columns and is_position and 0 <= int(entry) < len(names):
            name = names[int(entry)]
        if name not in reader.columns:
            raise InputError(f"categorical names {quote(entry)}, which is not a column of the table")
        chosen.add(name)
    return chosen


def _read_feature(column: frames.ColumnReader, is_categorical: bool) -> Feature:
    if not is_categorical:
        return Feature(column.name, None, column.number_type, column.restorer(None), {})
    categories = column.declared
    if categories is None:
        categories = tuple(sorted({value for value in column.objects() if value is not None}, key=value_order))
    for value in categories:
        if not isinstance(value, str | int | float | bool) or value in (math.inf, -math.inf) or is_too_large(value):
            raise InputError(f"column {column.name!r} has the category {quote(value)}; make its categories strings")
    positions = {value: position for position, value in enumerate(categories)}
    return Feature(column.name, categories, None, column.restorer(categories), positions)

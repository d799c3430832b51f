"""Schema: the user's table <-> one encoded table of float64 values.

Numbers stand for themselves, categories for their position in the feature's list, NaN for a missing value. The schema
remembers how the user's library stores each column, so that a model always sees a frame like the one it was trained on.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lormika import frames
from lormika.errors import InputError, quote
from lormika.frames.feature import Feature, read_feature
from lormika.frames.instances import Instances, Unseen
from lormika.frames.of_numpy import ArrayNumber
from lormika.frames.restorer import Assembler
from lormika.frames.values import Scalar, is_list, is_too_large
from lormika.types import UserRow, UserTable

_AS_ENCODED = ArrayNumber(np.dtype(np.float64))
MANY_CATEGORIES, _NEARLY_ALL = 100, 0.9  # different categories, and their share of the rows, that make an identifier


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
        row = self._one_row(x)
        usual = self._encode_usual(row)
        return self.read(row) if usual is None else Instances(usual, [{}])

    def _encode_usual(self, row: UserTable) -> np.ndarray | None:
        """Encode a row of usual values, which is nearly every one; None: it must be read with care."""
        if len(row) != len(self) or not row.keys() >= self.places.keys():
            return None
        values = [feature.encode_usual(row[feature.name][0]) for feature in self.features]
        return None if None in values else np.array([values], dtype=np.float64)

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
        unknown = sorted(present.difference(self.names))
        if absent:
            close = difflib.get_close_matches(absent[0], unknown, n=1)
            hint = f": is it {close[0]!r}, which the background does not have?" if close else ""
            raise InputError(f"column {absent[0]!r} is missing; the background has it{hint}")
        if unknown:
            raise InputError(f"unknown column {unknown[0]!r}: the background does not have it; drop it")

    def restore(self, encoded: np.ndarray) -> UserTable:
        """A table of the user's library from encoded rows; it may share their memory."""
        whole = getattr(self.assembler, "of_floats", None)
        if whole is not None and all(feature.restorer == _AS_ENCODED for feature in self.features):
            return whole(encoded)
        columns = np.ascontiguousarray(encoded.T)  # each is read several times
        return self.assembler([feature.restorer(own) for feature, own in zip(self.features, columns, strict=True)])

    def decode(self, row: np.ndarray) -> dict[str, Scalar | None]:
        """One encoded row as plain Python scalars."""
        return {f.name: f.decode(value) for f, value in zip(self.features, row.tolist(), strict=True)}


def read_schema(reader: frames.TableReader, categorical: Sequence[str | int] | None) -> Schema:
    """Schema of a table; string, category, boolean and object columns are categorical, and so are those named."""
    if not reader.columns:
        raise InputError("the table has no columns")
    if reader.n_rows == 0:
        raise InputError("the table has no rows")
    chosen = _categorical_names(reader, categorical)
    features = tuple(read_feature(column, column.name in chosen) for column in reader.columns.values())
    return Schema(features, reader.assembler, {feature.name: place for place, feature in enumerate(features)})


def is_identifier(different: int, rows: int) -> bool:
    """Whether categories identify single rows, as customer names and numbers do: nearly all of many differ.

    >>> is_identifier(200, 200), is_identifier(150, 200), is_identifier(10, 10)
    (True, False, False)
    """
    return different >= MANY_CATEGORIES and different > _NEARLY_ALL * rows


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

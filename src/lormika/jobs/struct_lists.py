"""Columns of lists of structs, as arrays of what all these structs hold, one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lormika.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """Texts, as codes into the different ones."""

    codes: np.ndarray  # -1: null
    texts: list[str]

    def among(self, *texts: str) -> np.ndarray:
        """Which of them are one of these."""
        return np.isin(self.codes, [code for code, text in enumerate(self.texts) if text in texts])

    def __getitem__(self, place: int) -> str:
        return self.texts[int(self.codes[place])]


@dataclass(frozen=True, slots=True, eq=False)
class StructLists:
    """The structs of all lists."""

    n_lists: int
    owner: np.ndarray  # the list that each struct is in
    place: np.ndarray  # of each struct in its list, from 0
    structs: pa.StructArray

    @classmethod
    def of(cls, column: pa.ChunkedArray) -> StructLists:
        """Of a column; one without a list in some row is refused.

        >>> import pyarrow as pa
        >>> lists = StructLists.of(pa.chunked_array([[[{"a": "x"}, {"a": None}], []], [[{"a": "x"}]]]))
        >>> lists.owner.tolist(), lists.place.tolist(), lists.texts("a").codes.tolist()
        ([0, 0, 2], [0, 1, 0], [0, -1, 0])
        """
        import pyarrow.compute as pc

        if column.null_count:
            raise InputError("it holds a rule that cannot be read: a list of conditions, or of changes, is missing")
        lists = column.combine_chunks()
        lengths = pc.list_value_length(lists).to_numpy()
        owner = np.repeat(np.arange(len(lists)), lengths)
        place = np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return cls(len(lists), owner, place, lists.flatten())

    @property
    def longest(self) -> int:
        """How many structs the longest list has."""
        return int(self.place.max(initial=-1)) + 1

    def texts(self, *path: str) -> Texts:
        """A field of text, or of a struct in the structs."""
        encoded = self._field(path).dictionary_encode()
        return Texts(encoded.indices.fill_null(-1).to_numpy(), encoded.dictionary.to_pylist())

    def numbers(self, *path: str) -> np.ndarray:
        """A field of numbers; NaN: null."""
        numbers: np.ndarray = self._field(path).to_numpy(zero_copy_only=False)
        return numbers

    def flags(self, *path: str) -> np.ndarray:
        """A field of flags; null counts as False."""
        flags: np.ndarray = self._field(path).fill_null(False).to_numpy(zero_copy_only=False)
        return flags

    def _field(self, path: tuple[str, ...]) -> pa.Array:
        import pyarrow.compute as pc

        return pc.struct_field(self.structs, list(path))

    def group(self, *columns: np.ndarray) -> Groups:
        """Lists whose structs are the same, one after the other, in these whole numbers."""
        structs = _group(*columns)
        sequences = np.full((self.n_lists, self.longest), -1)
        sequences[self.owner, self.place] = structs.codes
        lists = _group(np.zeros(self.n_lists, dtype=np.int64), *sequences.T)
        members = [[code for code in sequences[row].tolist() if code >= 0] for row in lists.firsts.tolist()]
        return Groups(lists.codes, members, structs.firsts)


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Which lists are alike."""

    codes: np.ndarray  # of the group of each list
    members: list[list[int]]  # of each group, the groups of the structs in its lists
    examples: np.ndarray  # of each group of structs, one of them


@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    codes: np.ndarray
    firsts: np.ndarray  # where each code occurs first


def _group(*columns: np.ndarray) -> _Group:
    """Rows of whole numbers, none of them less than -1, that are the same."""
    import pandas as pd

    codes = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:  # codes are fewer than rows, so that no product is too large
        codes = pd.factorize(codes * (int(column.max(initial=0)) + 2) + column + 1)[0]
    return _Group(codes, np.unique(codes, return_index=True)[1])

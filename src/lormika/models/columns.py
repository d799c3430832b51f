"""What a ColumnTransformer makes of encoded rows, without a frame and without encoding cell by cell.

Most of its time goes into texts: each column is taken out of the frame, checked, and looked up value by value, in call
after call. Encoded rows hold positions of categories instead, and encoders treat one cell at a time. So what becomes of
a category is asked once and kept in a table; numbers go through their own transformers as one matrix.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lormika.frames.schema import Schema
from lormika.types import UserModel

if TYPE_CHECKING:
    from sklearn.compose import ColumnTransformer

_MOST_OUTPUTS = 2000  # columns: of many more, nearly all zero, a sparse table is quicker
_ONE_TO_ONE = frozenset(
    {"SimpleImputer", "OrdinalEncoder", "StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler"}
)


class CannotReadError(Exception):
    """These columns must be read from a frame."""


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """A column of categories: the outputs of each, if they are known; the last is for a missing value."""

    feature: int
    outputs: slice
    table: np.ndarray  # categories x outputs
    known: np.ndarray

    def places(self, rows: np.ndarray) -> np.ndarray:
        """Positions in the table."""
        places: np.ndarray = np.fmin(rows[:, self.feature], len(self.known) - 1).astype(np.intp)
        return places


@dataclass(frozen=True, slots=True, eq=False)
class _Numbers:
    """Columns of numbers that go through a transformer together, or through none."""

    features: list[int]
    outputs: slice
    transformer: UserModel | None

    def transform(self, rows: np.ndarray) -> np.ndarray:
        """Their outputs."""
        numbers = rows[:, self.features]
        if self.transformer is None:
            return numbers
        names = getattr(self.transformer, "feature_names_in_", None)
        if names is None:
            return dense(self.transformer.transform(numbers))
        import pandas as pd

        return dense(self.transformer.transform(pd.DataFrame(numbers, columns=names)))


class Columns:
    """The outputs of one fitted ColumnTransformer, for rows of one schema.

    >>> import pandas as pd
    >>> from sklearn.compose import make_column_transformer
    >>> from sklearn.preprocessing import OneHotEncoder
    >>> from lormika import frames
    >>> from lormika.frames.schema import read_schema
    >>> table = pd.DataFrame({"job": ["cook", "none", "cook"], "age": [20.0, 30.0, 40.0]})
    >>> encoder = make_column_transformer((OneHotEncoder(), ["job"]), remainder="passthrough").fit(table)
    >>> schema = read_schema(frames.read(table), None)
    >>> Columns(encoder, schema).transform(schema.encode(table)).tolist()
    [[1.0, 0.0, 20.0], [0.0, 1.0, 30.0], [1.0, 0.0, 40.0]]
    """

    def __init__(self, transformer: ColumnTransformer, schema: Schema) -> None:
        self._transformer, self._schema, self._lock = transformer, schema, threading.Lock()
        self._width = max((outputs.stop for outputs in transformer.output_indices_.values()), default=0)
        if not 0 < self._width <= _MOST_OUTPUTS or transformer.transformer_weights is not None:
            raise CannotReadError
        self._cells: list[_Cells] = []
        self._numbers: list[_Numbers] = []
        for part, features, outputs in _parts(transformer, schema):
            self._add(part, features, outputs)

    def _add(self, part: UserModel, features: list[int], outputs: slice) -> None:
        is_number = [self._schema.features[f].is_numeric for f in features]
        if all(is_number):
            self._numbers.append(_Numbers(features, outputs, None if _passes(part) else _checked(part)))
            return
        widths = _widths(part, len(features))
        if sum(widths) != outputs.stop - outputs.start or (any(is_number) and not _passes(part)):
            raise CannotReadError
        start = outputs.start
        for feature, width, numeric in zip(features, widths, is_number, strict=True):
            own = slice(start, start + width)
            if numeric:
                self._numbers.append(_Numbers([feature], own, None))
            else:
                places = len(self._schema.features[feature].categories or ()) + 1
                self._cells.append(_Cells(feature, own, np.empty((places, width)), np.zeros(places, dtype=bool)))
            start += width

    def transform(self, rows: np.ndarray) -> np.ndarray:
        """What the transformer gives for encoded rows, as an array."""
        places = [cells.places(rows) for cells in self._cells]
        if any(not cells.known[own].all() for cells, own in zip(self._cells, places, strict=True)):
            self._learn(rows[0], [np.unique(own) for own in places])
        outputs = np.empty((len(rows), self._width))
        for cells, own in zip(self._cells, places, strict=True):
            outputs[:, cells.outputs] = cells.table[own]
        for numbers in self._numbers:
            outputs[:, numbers.outputs] = numbers.transform(rows)
        return outputs

    def _learn(self, row: np.ndarray, places: Sequence[np.ndarray]) -> None:
        """Ask the transformer about categories that are not known, one of every column in each of some rows."""
        with self._lock:
            new = [own[~cells.known[own]] for cells, own in zip(self._cells, places, strict=True)]
            rows = np.repeat(row[None], max(map(len, new)), axis=0)
            for cells, own in zip(self._cells, new, strict=True):
                is_missing = own == len(cells.known) - 1
                rows[: len(own), cells.feature] = np.where(is_missing, np.nan, own)
            outputs = dense(self._transformer.transform(self._schema.restore(rows)))
            for cells, own in zip(self._cells, new, strict=True):
                cells.table[own] = outputs[: len(own), cells.outputs]
                cells.known[own] = True  # last, since others read without waiting


def dense(outputs: object) -> np.ndarray:
    """Outputs of a transformer as an array."""
    array = outputs.toarray() if hasattr(outputs, "toarray") else outputs
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "fiub":  # a frame, which later steps may rely on
        raise CannotReadError
    return array


def _parts(transformer: ColumnTransformer, schema: Schema) -> Iterator[tuple[UserModel, list[int], slice]]:
    """Transformers, the features that each gets, and where its outputs are."""
    names = getattr(transformer, "feature_names_in_", None)
    places = range(len(schema)) if names is None else [schema.places.get(str(name), -1) for name in names]
    for name, part, _ in transformer.transformers_:
        inputs = [places[column] for column in transformer._transformer_to_input_indices[name]]
        outputs = transformer.output_indices_[name]
        if isinstance(part, str) and part == "drop":
            continue
        if min(inputs, default=0) < 0:
            raise CannotReadError
        if inputs:
            yield part, inputs, outputs


def _passes(part: UserModel) -> bool:
    """Whether columns are passed through as they are."""
    if isinstance(part, str):
        return part == "passthrough"
    return _kind(part) == "FunctionTransformer" and part.func is None


def _checked(part: UserModel) -> UserModel:
    """A transformer of numbers, if it is scikit-learn's own: others may look for more than numbers."""
    steps = [step for _, step in part.steps] if _kind(part) == "Pipeline" else [part]
    if not all(_passes(step) or _kind(step) not in ("", "FunctionTransformer") for step in steps):
        raise CannotReadError
    return part


def _widths(part: UserModel, count: int) -> list[int]:
    """How many outputs each column has, of a transformer that treats one cell at a time."""
    kind = _kind(part)
    if kind == "OneHotEncoder":
        return [int(width) for width in part._n_features_outs]
    if _passes(part) or kind in _ONE_TO_ONE:
        return [1] * count
    if kind != "Pipeline":
        raise CannotReadError
    widths = [_widths(step, count) for _, step in part.steps]
    encoded = [each for each in widths if each != [1] * count]
    if len(encoded) > 1:
        raise CannotReadError
    return encoded[0] if encoded else [1] * count


def _kind(part: UserModel) -> str:
    """Name of the class, if it is scikit-learn's and nothing was put into the object."""
    kind = type(part)
    is_own = kind.__module__.startswith("sklearn.") and "transform" not in vars(part)
    return kind.__name__ if is_own else ""

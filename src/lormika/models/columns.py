"""What a ColumnTransformer makes of encoded rows, without a frame and without encoding cell by cell.

Most of its time goes into texts: each column is taken out of the frame, checked, and looked up value by value, in call
after call. Encoded rows hold positions of categories instead, and encoders treat one cell at a time. So what becomes of
a category is asked once and kept in a table; numbers go through their own transformers as one matrix.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from lormika import _core
from lormika.frames.feature import Feature
from lormika.frames.of_numpy import ArrayNumber
from lormika.frames.schema import Schema
from lormika.models.number_columns import NumberColumns, arithmetic
from lormika.types import UserModel

if TYPE_CHECKING:
    from sklearn.compose import ColumnTransformer

_MOST_OUTPUTS, _MOST_IF_SPARSE = 2000, 256  # columns: of more, nearly all zero, a sparse table is quicker
_NUMBERS = (np.dtype(np.float64), np.dtype(np.int64))  # which transformers of numbers take as they are
# Classes of scikit-learn that treat one cell at a time, with one output for each column.
_CELLWISE = frozenset(
    {"SimpleImputer", "OrdinalEncoder", "StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler"}
)
_OF_NUMBERS = frozenset(
    {"SimpleImputer", "StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler"}
    | {"PowerTransformer", "QuantileTransformer", "PolynomialFeatures"}
)


class CannotReadError(Exception):
    """These columns must be read from a frame."""


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """A column of categories, and where its outputs are; after all others, there is a place for a missing value."""

    feature: int
    places: int
    outputs: slice

    @property
    def width(self) -> int:
        return int(self.outputs.stop - self.outputs.start)


class _Tables:
    """What becomes of the categories of some columns, as far as it is known: a table of each, one after the other."""

    def __init__(self, columns: Sequence[_Cells]) -> None:
        self.columns = columns
        facts = [(own.feature, own.places, own.outputs.start, own.width) for own in columns]
        self._facts = np.array(facts, dtype=np.int64).reshape(len(facts), 4)
        self._places = np.cumsum([0, *self._facts[:, 1]])
        self._cells = np.cumsum([0, *(self._facts[:, 1] * self._facts[:, 3])])
        self._outputs, self._known = np.zeros(self._cells[-1]), np.zeros(self._places[-1], dtype=bool)

    def fill_in(self, rows: np.ndarray, outputs: np.ndarray) -> list[np.ndarray]:
        """Fill in the outputs of encoded rows; and the places of each column that occur in them, but are not known."""
        unknown = ~self._known  # first, since another thread may learn meanwhile
        new = _core.fill_in(rows, self._facts, self._outputs, outputs) & unknown
        if not new.any():
            return []
        return [np.flatnonzero(new[start:end]) for start, end in pairwise(self._places.tolist())]

    def learn(self, number: int, places: np.ndarray, outputs: np.ndarray) -> None:
        """What becomes of some places of a column (places x outputs)."""
        own, (start, end) = self.columns[number], self._cells[number : number + 2]
        self._outputs[start:end].reshape(own.places, own.width)[places] = outputs
        self._known[self._places[number] + places] = True  # last, since others read without waiting


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
        most = _MOST_IF_SPARSE if transformer.sparse_output_ else _MOST_OUTPUTS
        if not 0 < self._width <= most or transformer.transformer_weights is not None:
            raise CannotReadError
        self._fitted = _fitted(transformer)
        self._numbers: list[NumberColumns] = []
        cells: list[_Cells] = []
        for part, features, outputs in _parts(transformer, schema):
            self._add(part, features, outputs, cells)
        self._tables = _Tables(cells)

    def are_of(self, transformer: ColumnTransformer) -> bool:
        """Whether it is the same transformer, and nothing in it was fitted anew or replaced.

        What is written into an array or a list of an encoder is not noticed.
        """
        now = _fitted(transformer)
        return len(now) == len(self._fitted) and all(map(operator.is_, now, self._fitted))

    def _add(self, part: UserModel, features: list[int], outputs: slice, cells: list[_Cells]) -> None:
        is_number = [_is_number(self._schema.features[f]) for f in features]
        if all(is_number):
            if not _passes(part) and not _is_of_numbers(part, [self._schema.features[f] for f in features]):
                raise CannotReadError
            self._numbers.append(_number_columns(part, features, outputs))
            return
        widths = _widths(part, len(features))
        if sum(widths) != outputs.stop - outputs.start or (any(is_number) and not _passes(part)):
            raise CannotReadError
        start = outputs.start
        for feature, width, numeric in zip(features, widths, is_number, strict=True):
            own = slice(start, start + width)
            if numeric:
                self._numbers.append(NumberColumns([feature], own, None))
            else:
                cells.append(_Cells(feature, len(self._schema.features[feature].categories or ()) + 1, own))
            start += width

    def transform(self, rows: np.ndarray) -> np.ndarray:
        """What the transformer gives for encoded rows, as an array."""
        rows, outputs = np.ascontiguousarray(rows), np.empty((len(rows), self._width))
        if new := self._tables.fill_in(rows, outputs):
            self._learn(rows[0], new)
            self._tables.fill_in(rows, outputs)
        for numbers in self._numbers:
            outputs[:, numbers.outputs] = dense(numbers.transform(self._schema, rows))
        return outputs

    def _learn(self, row: np.ndarray, places: Sequence[np.ndarray]) -> None:
        """Ask the transformer about places that are not known, one of every column in each of some rows."""
        rows = np.repeat(row[None], max(map(len, places)), axis=0)
        for cells, own in zip(self._tables.columns, places, strict=True):
            rows[: len(own), cells.feature] = np.where(own == cells.places - 1, np.nan, own)
        with self._lock:
            outputs = dense(self._transformer.transform(self._schema.restore(rows)))
            for number, (cells, own) in enumerate(zip(self._tables.columns, places, strict=True)):
                self._tables.learn(number, own, outputs[: len(own), cells.outputs])


def dense(outputs: object) -> np.ndarray:
    """Outputs of a transformer as an array."""
    array = outputs.toarray() if hasattr(outputs, "toarray") else outputs
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "fiub":  # a frame, which later steps may rely on
        raise CannotReadError
    return array


def _fitted(transformer: ColumnTransformer) -> list[object]:
    """Everything that outputs depend on: the transformers, what they were told and have learnt, and their methods."""
    parts = [part for _, part, _ in transformer.transformers_]
    found: list[object] = [*vars(transformer).values(), *parts]
    for step in (step for part in parts for step in _steps(part)):
        if not isinstance(step, str):
            found += [type(step).transform, *vars(step).values()]
    return found


def _steps(part: UserModel) -> Iterator[UserModel]:
    """A transformer, or those of a pipeline, in their order; of pipelines inside it, too."""
    if _kind(part) != "Pipeline":
        yield part
        return
    for _, step in part.steps:
        yield from _steps(step)


def _is_number(feature: Feature) -> bool:
    """Whether a column has numbers, and a type that all transformers of numbers take as they are."""
    if feature.is_numeric and not (isinstance(feature.restorer, ArrayNumber) and feature.number_type in _NUMBERS):
        raise CannotReadError
    return feature.is_numeric


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


def _number_columns(part: UserModel, features: list[int], outputs: slice) -> NumberColumns:
    if _passes(part):
        return NumberColumns(features, outputs, None)
    steps = [arithmetic(_kind(step), step) for step in _steps(part) if not _passes(step)]
    known = [step for step in steps if step is not None]
    return NumberColumns(features, outputs, part, known if len(known) == len(steps) else None)


def _passes(part: UserModel) -> bool:
    """Whether columns are passed through as they are."""
    if part is None or isinstance(part, str):
        return part != "drop"
    return _kind(part) == "FunctionTransformer" and part.func is None and not part.validate


def _is_of_numbers(part: UserModel, features: Sequence[Feature]) -> bool:
    """Whether a transformer is known, and makes the same of whole numbers whether or not they come as floats."""
    has_floats = all(feature.number_type == np.float64 for feature in features)
    return all(
        _passes(step) or (_kind(step) in _OF_NUMBERS and (has_floats or not _fills_integers(step)))
        for step in _steps(part)
    )


def _fills_integers(step: UserModel) -> bool:
    """Whether an imputer may fill gaps among integers, where what it fills in loses its decimals."""
    return _kind(step) == "SimpleImputer" and step.missing_values == step.missing_values  # NaN, the usual, differs


def _widths(part: UserModel, count: int) -> list[int]:
    """How many outputs each column has, of a transformer that treats one cell at a time."""
    steps = list(_steps(part))
    encoders = [step for step in steps if _kind(step) == "OneHotEncoder"]
    if len(encoders) > 1 or not all(_passes(step) or _is_cellwise(step) for step in steps if step not in encoders):
        raise CannotReadError
    return [int(width) for width in encoders[0]._n_features_outs] if encoders else [1] * count


def _is_cellwise(step: UserModel) -> bool:
    """Whether a transformer makes one output of each cell; some imputers add others, which say what was missing."""
    return _kind(step) in _CELLWISE and not getattr(step, "add_indicator", False)


def _kind(part: UserModel) -> str:
    """Name of the class, if it is scikit-learn's and nothing was put into the object."""
    kind = type(part)
    is_own = kind.__module__.startswith("sklearn.") and "transform" not in vars(part)
    return kind.__name__ if is_own else ""

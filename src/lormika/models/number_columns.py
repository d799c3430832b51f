"""Columns of numbers that a transformer of scikit-learn gets together: mostly, its arithmetic will do.

Among numbers that are all there, an imputer changes nothing, and a scaler subtracts and divides; most of what they take
is looking at names and for gaps, in call after call. Where there are gaps, and for all others, they are asked
themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from lormika.frames.of_pandas import PandasAssembler
from lormika.frames.schema import Schema
from lormika.types import UserModel, UserTable

Arithmetic: TypeAlias = Callable[[np.ndarray], np.ndarray]
"""What a transformer makes of finite numbers."""


@dataclass(frozen=True, slots=True, eq=False)
class NumberColumns:
    """Columns that go through a transformer together, or through none."""

    features: list[int]
    outputs: slice
    transformer: UserModel | None
    steps: Sequence[Arithmetic] | None = None  #: of the transformer, if all of them are known

    def transform(self, schema: Schema, rows: np.ndarray) -> object:
        """Their outputs."""
        numbers = rows[:, self.features]
        if self.transformer is None:
            return numbers
        if self.steps is None or not np.isfinite(numbers).all():
            return self.transformer.transform(self._table(schema, numbers))
        for step in self.steps:
            numbers = step(numbers)
        return numbers

    def _table(self, schema: Schema, numbers: np.ndarray) -> UserTable:
        """These columns as one array, or as one frame if names may be asked for."""
        if not isinstance(schema.assembler, PandasAssembler):
            return numbers
        import pandas as pd

        return pd.DataFrame(numbers, columns=[schema.features[f].name for f in self.features])


def arithmetic(kind: str, step: UserModel) -> Arithmetic | None:
    """What a fitted transformer of this kind makes of numbers that are all there; None: it must be asked itself."""
    if kind == "SimpleImputer":
        return _as_they_are if _fills_gaps_alone(step) else None
    if kind == "StandardScaler":
        mean, scale = step.mean_ if step.with_mean else None, step.scale_ if step.with_std else None
        return lambda numbers: _standardise(numbers, mean, scale)
    return None


def _as_they_are(numbers: np.ndarray) -> np.ndarray:
    return numbers


def _standardise(numbers: np.ndarray, mean: np.ndarray | None, scale: np.ndarray | None) -> np.ndarray:
    centred = numbers if mean is None else numbers - mean
    return centred if scale is None else centred / scale


def _fills_gaps_alone(imputer: UserModel) -> bool:
    """Whether an imputer leaves numbers alone that are there, and columns where they are."""
    fills_nan = isinstance(imputer.missing_values, float) and np.isnan(imputer.missing_values)
    statistics = np.asarray(imputer.statistics_)
    has_all = statistics.dtype.kind in "fiu" and bool(np.isfinite(statistics).all())
    return fills_nan and has_all and not imputer.add_indicator

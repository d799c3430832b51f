"""Background: the training table in compact form, ready to be scanned for neighbours.

Every feature is stored as codes into its distinct values, and all codes together in one small integer matrix. No
one-hot columns, no z-scored copy: the distance to an instance is a sum of per-value shares.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from lormika import _core
from lormika.frames.instances import Unseen
from lormika.frames.schema import Schema

_OFTEN = 4  # a number with more than one distinct value in so many rows is read row by row


@dataclass(frozen=True, slots=True, eq=False)
class Background:
    """Rows known to the explainer."""

    schema: Schema
    codes: np.ndarray  # features x rows: position among the distinct values of the feature
    distinct: tuple[np.ndarray, ...]  # sorted encoded values of each feature; a missing value (NaN) comes last
    points: np.ndarray  # all distinct values, one feature after the other, with the mean for a missing number
    offsets: np.ndarray  # where each feature begins in points
    means: np.ndarray
    scales: np.ndarray  # standard deviations; 0 for a constant or a categorical feature
    numeric: np.ndarray = field(init=False)  # which features are numbers
    counts: np.ndarray = field(init=False)  # of each feature: how many distinct values there are besides a missing one
    columns: np.ndarray = field(init=False)  # the points of some numbers again, row by row
    column: np.ndarray = field(init=False)  # of each feature: which of these columns; -1: there is none
    _whole: tuple[bool, ...] = field(init=False)

    def __post_init__(self) -> None:
        counts = np.array([len(values) - int(np.isnan(values[-1])) for values in self.distinct], dtype=np.int64)
        whole = tuple(bool((v[:n] == np.rint(v[:n])).all()) for v, n in zip(self.distinct, counts, strict=True))
        object.__setattr__(self, "numeric", np.array([feature.is_numeric for feature in self.schema.features]))
        object.__setattr__(self, "counts", counts)
        object.__setattr__(self, "_whole", whole)
        # Numbers that often differ are kept row by row, too: to look them up by their codes would take longer.
        often = np.flatnonzero(self.numeric & (_OFTEN * np.diff(self.offsets) > len(self)))
        columns, column = np.empty((len(often), len(self))), np.full(len(counts), -1, dtype=np.int64)
        for place, f in enumerate(often.tolist()):
            column[f] = place
            np.take(self.points[self.offsets[f] : self.offsets[f + 1]], self.codes[f], out=columns[place])
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "column", column)

    @classmethod
    def of(cls, schema: Schema, columns: Iterable[np.ndarray]) -> Background:
        """Compress encoded columns."""
        codes, distinct, means, scales = [], [], [], []
        for feature, column in zip(schema.features, columns, strict=True):
            values, inverse, counts = np.unique(column, return_inverse=True, return_counts=True)
            codes.append(inverse.astype(np.min_scalar_type(len(values) - 1)))
            distinct.append(values)
            mean, scale = _moments(values, counts)
            means.append(mean)
            scales.append(scale if feature.is_numeric else 0.0)
        offsets = np.cumsum([0, *map(len, distinct)], dtype=np.int64)
        points = np.concatenate([np.where(np.isnan(v), mean, v) for v, mean in zip(distinct, means, strict=True)])
        narrow = np.result_type(*codes)
        background = cls(
            schema,
            np.stack(codes).astype(narrow, copy=False),
            tuple(distinct),
            points,
            offsets,
            np.array(means),
            np.array(scales),
        )
        for array in (background.codes, points, offsets, *distinct):
            array.setflags(write=False)
        return background

    def __len__(self) -> int:
        return int(self.codes.shape[1])

    def with_unseen(self, unseen: Unseen) -> Background:
        """The same rows, next to an instance with categories that none of them has."""
        return replace(self, schema=self.schema.with_unseen(unseen)) if unseen else self

    def squared_distances(self, instances: np.ndarray) -> np.ndarray:
        """Squared distance of each encoded instance to every row (instances x rows), in one pass over the rows.

        Numeric features count as z-scores, categorical ones as one-hot columns: 2 where they differ. A missing number
        counts as the mean, a missing category as a category of its own.
        """
        values = self.codes, self.points, self.offsets, self.scales, self.numeric, self.columns, self.column
        return _core.scan(*values, self._as_points(instances))

    def _as_points(self, instances: np.ndarray) -> np.ndarray:
        """Numbers as they are, and categories as the core compares them: by their codes; -1: no row has it."""
        points = np.where(np.isnan(instances), self.means, instances)
        categories = np.flatnonzero(~self.numeric)
        feature, value = np.tile(categories, len(instances)), instances[:, categories].ravel()
        places = self.places(feature, value)
        exists = places < np.where(np.isnan(value), np.diff(self.offsets)[feature], self.counts[feature])
        exists[exists] &= np.isnan(value[exists]) | (self.values_at(feature[exists], places[exists]) == value[exists])
        points[:, categories] = np.where(exists, places, -1).reshape(len(instances), len(categories))
        return np.ascontiguousarray(points)

    def rows(self, numbers: np.ndarray) -> np.ndarray:
        """Encoded rows (rows x features) at these row numbers."""
        codes = self.codes.take(numbers, axis=1).astype(np.int64)
        encoded = self.points.take(self.offsets[:-1, None] + codes)
        encoded[codes == self.counts[:, None]] = np.nan
        rows: np.ndarray = encoded.T
        return rows

    def observed(self, feature: int) -> np.ndarray:
        """Sorted values of a feature that are not missing."""
        return self.distinct[feature][: self.counts[feature]]

    def places(self, features: np.ndarray, values: np.ndarray) -> np.ndarray:
        """How many observed values of each feature are less than a value; all, if that is missing."""
        begin = self.offsets[:-1]
        return _core.places(self.points, begin, begin + self.counts, features, values)

    def values_at(self, features: np.ndarray, places: np.ndarray) -> np.ndarray:
        """Observed values at positions among them."""
        values: np.ndarray = self.points[self.offsets[features] + places]
        return values

    def has(self, instance: np.ndarray) -> np.ndarray:
        """Which values of an encoded instance, missing ones aside, are observed."""
        features = np.arange(len(instance))
        places = self.places(features, instance)
        has = places < self.counts
        has[has] = self.values_at(features[has], places[has]) == instance[has]
        return has

    def is_whole(self, feature: int) -> bool:
        """Whether all observed numbers are whole."""
        return self._whole[feature]

    def quantiles(self, feature: int, count: int) -> np.ndarray:
        """Observed values at evenly spaced shares of the rows, from the least to the greatest."""
        observed = self.observed(feature)
        if len(observed) == 0:
            return observed
        rows = np.cumsum(np.bincount(self.codes[feature], minlength=len(observed))[: len(observed)])
        return observed[np.searchsorted(rows, np.linspace(1, rows[-1], count))]

    def mix(self, real: np.ndarray, parents: np.ndarray, closest: np.ndarray, step: np.ndarray) -> np.ndarray:
        """Mix rows (all tables: features x rows); see `neighbourhood.generate`."""
        return _core.mix(real, self.numeric, self.means, parents, closest, step)

    def snap(self, numbers: np.ndarray) -> np.ndarray:
        """Move numbers (features x rows), in place, to the nearest observed value; missing ones stay.

        Returns their codes; those of categories mean nothing.
        """
        begin = self.offsets[:-1]
        return _core.snap(self.points, begin, begin + self.counts, self.numeric, numbers)

    def sort(self, codes: np.ndarray) -> np.ndarray:
        """Sorted values of all numbers from their codes (numbers x rows); missing ones come last."""
        begin = self.offsets[:-1][self.numeric]
        return _core.order(self.points, begin, begin + self.counts[self.numeric], codes)


def _moments(values: np.ndarray, counts: np.ndarray) -> tuple[float, float]:
    """Mean and standard deviation, from distinct values so that the order of the rows does not matter."""
    present = ~np.isnan(values)
    if not present.any():
        return 0.0, 0.0
    values, counts = values[present], counts[present]
    unit = float(np.abs(values).max()) or 1.0  # squares of huge numbers would overflow, those of tiny ones vanish
    shares = counts / counts.sum()
    mean = float((values / unit * shares).sum())
    spread = math.sqrt(float(((values / unit - mean) ** 2 * shares).sum())) if len(values) > 1 else 0.0
    return mean * unit, spread * unit

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
from lormika.frames.values import nearest


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
    _observed: tuple[np.ndarray, ...] = field(init=False)  # the distinct values, without a missing one
    _whole: tuple[bool, ...] = field(init=False)

    def __post_init__(self) -> None:
        observed = tuple(values[:-1] if np.isnan(values[-1]) else values for values in self.distinct)
        object.__setattr__(self, "numeric", np.array([feature.is_numeric for feature in self.schema.features]))
        object.__setattr__(self, "_observed", observed)
        object.__setattr__(self, "_whole", tuple(bool((values == np.rint(values)).all()) for values in observed))

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
        return _core.scan(self.codes, self.points, self.offsets, self.scales, self.numeric, self._as_points(instances))

    def _as_points(self, instances: np.ndarray) -> np.ndarray:
        points = np.where(np.isnan(instances), self.means, instances)
        for f in np.flatnonzero(~self.numeric):  # the core compares codes: positions among the distinct values
            points[:, f] = [_position(self.distinct[f], value) for value in instances[:, f]]
        return np.ascontiguousarray(points)

    def rows(self, numbers: np.ndarray) -> np.ndarray:
        """Encoded rows (rows x features) at these row numbers."""
        encoded = np.empty((len(numbers), len(self.schema)), order="F")
        for f, values in enumerate(self.distinct):
            encoded[:, f] = values[self.codes[f, numbers]]
        return encoded

    def observed(self, feature: int) -> np.ndarray:
        """Sorted values of a feature that are not missing."""
        return self._observed[feature]

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

    def snap(self, feature: int, numbers: np.ndarray) -> np.ndarray:
        """Move numbers to the nearest observed value, to the lower of two equally near; missing ones stay."""
        return nearest(self.observed(feature), numbers)


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


def _position(values: np.ndarray, value: float) -> float:
    """Position of a category among the distinct ones; -1 if it is none of them."""
    if np.isnan(value):
        return len(values) - 1 if np.isnan(values[-1]) else -1
    position = int(np.searchsorted(values, value))
    return position if position < len(values) and values[position] == value else -1

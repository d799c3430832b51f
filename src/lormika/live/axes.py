"""The axis of a number, the same for its slider and everywhere on the board.

Half of it goes by the values and half by how many rows have them: the rows are not crowded at one end, and their
distribution can still be seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from lormika.explanation import Explanation

_POINTS = 41


def axis_points(quantiles: Sequence[float]) -> tuple[float, ...]:
    """Values at evenly spaced places of an axis, from its least value to its greatest; none: there is no axis.

    >>> [round(value) for value in axis_points([0, 0, 10, 20, 100])[::10]]
    [0, 12, 29, 65, 100]
    """
    values = np.unique(np.asarray(quantiles, dtype=np.float64))
    if len(values) < 2 or not np.isfinite(values[-1] - values[0]):
        return tuple(quantiles)
    by_value, by_rows = (values - values[0]) / (values[-1] - values[0]), np.linspace(0, 1, len(values))
    points = np.interp(np.linspace(0, 1, _POINTS), (by_value + by_rows) / 2, values)
    return tuple(points.tolist())


def on_shown_axes(explanation: Explanation) -> Explanation:
    """An explanation whose board has these axes."""
    features = tuple(replace(one, quantiles=axis_points(one.quantiles)) for one in explanation.features)
    return replace(explanation, features=features)

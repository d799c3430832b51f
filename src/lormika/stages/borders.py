"""Borders: a second look at where the prediction turns, between the last value that does not turn it and the first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lormika.stages.background import Background
from lormika.stages.edits import Edits
from lormika.stages.responses import Responses
from lormika.stages.spread import Values
from lormika.stages.targets import Source

_MOST = 16  # values at each border
_PART = 4  # of the edits that may be asked about: so many go to borders


def border_values(background: Background, edits: Edits, singles: Responses, most: int) -> Values:
    """Values of the background that lie between the two, on either side of the instance's own, for each other label."""
    turned = singles.turned & background.numeric[edits.feature]
    gaps = [_gaps(edits, singles.labels, turned, step) for step in (-1, 1)]
    feature, low, high = map(np.concatenate, zip(*gaps, strict=True))
    first, last = background.places(feature, np.nextafter(low, np.inf)), background.places(feature, high)
    is_open = np.flatnonzero(last > first)
    feature, first, count = feature[is_open], first[is_open], (last - first)[is_open]
    size = np.minimum(count, min(_MOST, most // (_PART * max(1, len(count)))))
    feature, first, count, of = (np.repeat(each, size) for each in (feature, first, count, size))
    number = np.arange(len(of)) - np.repeat(np.cumsum(size) - size, size)
    return Values(feature, background.values_at(feature, first + (2 * number + 1) * count // np.maximum(1, 2 * of)))


def _gaps(edits: Edits, labels: np.ndarray, turned: np.ndarray, step: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Below (-1) or above (1) the instance's value: features, and the two values between which a label begins."""
    own = edits.instance[edits.feature]
    away = edits.value < own if step < 0 else edits.value > own
    turning = np.flatnonzero(turned & away)[::step]  # the nearest comes first
    _, at = np.unique(edits.feature[turning] * (int(labels.max(initial=0)) + 1) + labels[turning], return_index=True)
    nearest = turning[at]
    feature = edits.feature[nearest]
    before = nearest - step
    is_there = (before >= 0) & (before < len(edits))
    before = np.where(is_there, before, nearest)
    is_there &= (edits.feature[before] == feature) & away[before]
    inner = np.where(is_there, edits.value[before], edits.instance[feature])
    outer = edits.value[nearest]
    return feature, np.minimum(inner, outer), np.maximum(inner, outer)


def add_fine(edits: Edits, values: Values) -> tuple[Edits, np.ndarray]:
    """The edits, and fine ones to these values, which none of them has; and in which order they are now."""
    feature, value = np.append(edits.feature, values.feature), np.append(edits.value, values.value)
    source = np.append(edits.source, np.full(len(values.value), Source.FINE))
    order = np.lexsort((value, feature))
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(order))
    more = replace(
        edits,
        feature=feature[order],
        value=value[order],
        source=source[order],
        levels=place[edits.levels],
        far=place[edits.far],
    )
    return more, order

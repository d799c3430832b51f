"""Effects: how much the prediction depends on each feature here, by changing it alone."""

from __future__ import annotations

import numpy as np

from lormika.stages.edits import Edits
from lormika.stages.responses import Responses
from lormika.stages.targets import Source

MATTERS = 0.05  # least change of the log-odds, by any value of a feature, for its conditions to mean anything
_TAIL = 1 / 64  # of the rows of the background, at least, are taken to have the value that changes most


def effects(edits: Edits, singles: Responses, largest: np.ndarray) -> np.ndarray:
    """Of each feature: mean absolute change of the log-odds (or value) over values of the background; 0, if none.

    These values do not show the tails of a number: it has at least a small share of the largest change by any value.
    """
    n_features, change = len(edits.instance), np.abs(singles.shift)
    counted = (edits.source & Source.BACKGROUND) > 0
    # Where none of these was asked about, for want of room, others stand for them.
    lacking = np.bincount(edits.feature[counted], minlength=n_features)[edits.feature] == 0
    counted |= lacking
    rows = np.bincount(edits.feature[counted], minlength=n_features)
    total = np.bincount(edits.feature[counted], change[counted], minlength=n_features)
    return np.maximum(np.where(rows > 0, total / np.maximum(rows, 1), 0.0), _TAIL * largest)


def largest_changes(edits: Edits, singles: Responses) -> np.ndarray:
    """The largest change of the log-odds (or value) by any value of each feature, fine ones aside."""
    largest, coarse = np.zeros(len(edits.instance)), edits.is_coarse
    features = edits.feature[coarse]
    if len(features):
        is_first = np.ones(len(features), dtype=bool)  # ascending, each feature in one piece
        is_first[1:] = features[1:] != features[:-1]
        starts = np.flatnonzero(is_first)
        largest[features[starts]] = np.maximum.reduceat(np.abs(singles.shift[coarse]), starts)
    return largest


def telling(edits: Edits, singles: Responses) -> np.ndarray:
    """Which single edits to show: of fine ones, those at a border, with another label than a value beside them.

    The instance's own value is one of these, too.
    """
    labels, own = singles.labels, edits.instance[edits.feature]
    above, below = edits.value > own, edits.value < own
    is_first = np.ones(len(edits), dtype=bool)  # of its feature, on its side of the instance
    is_first[1:] = (edits.feature[1:] != edits.feature[:-1]) | (above[1:] != above[:-1])
    differs, turned = labels[1:] != labels[:-1], singles.turned
    is_telling: np.ndarray = edits.is_coarse | (turned & above & is_first)
    is_telling[1:] |= differs & ~is_first[1:]
    is_telling[:-1] |= np.where(is_first[1:], turned[:-1] & below[:-1], differs)
    is_telling[-1:] |= turned[-1:] & below[-1:]
    return is_telling

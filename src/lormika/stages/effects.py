"""Effects: how much the prediction depends on each feature here, by changing it alone."""

from __future__ import annotations

import numpy as np

from lormika.stages.edits import Edits
from lormika.stages.responses import Responses
from lormika.stages.targets import Source

MATTERS = 0.05  # least change of the log-odds, by any value of a feature, for its conditions to mean anything


def effects(edits: Edits, singles: Responses, n_features: int) -> np.ndarray:
    """Mean absolute change of the log-odds (or value) over values of the background; 0 if there is none."""
    change = np.abs(singles.shift)
    counted = (edits.source & Source.BACKGROUND) > 0
    # Where none of these was asked about, for want of room, others stand for them.
    lacking = np.bincount(edits.feature[counted], minlength=n_features)[edits.feature] == 0
    counted |= lacking
    rows = np.bincount(edits.feature[counted], minlength=n_features)
    total = np.bincount(edits.feature[counted], change[counted], minlength=n_features)
    return np.where(rows > 0, total / np.maximum(rows, 1), 0.0)


def largest_changes(edits: Edits, singles: Responses, n_features: int) -> np.ndarray:
    """The largest change of the log-odds (or value) by any value of each feature."""
    largest = np.zeros(n_features)
    starts = np.flatnonzero(np.diff(edits.feature, prepend=-1))  # ascending, each feature in one piece
    if len(starts):
        largest[edits.feature[starts]] = np.maximum.reduceat(np.abs(singles.shift), starts)
    return largest

"""Terms: what each edit adds to the sums by which rules are judged; the same for every test of a case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lormika import _core
from lormika.stages.edits import Edits
from lormika.stages.responses import Responses
from lormika.stages.spread import Spread
from lormika.stages.targets import Source
from lormika.stages.trials import Trials


class Sums(NamedTuple):
    """Totals over several edits."""

    rows: float
    change: float  # of the log-odds
    lower: float  # edits that made the model less certain
    higher: float
    turned: float
    certainty: float
    shift: float  # of the value of a regressor


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """What is known of the edits of a case, whatever items its rules have."""

    trials: Trials
    singles: np.ndarray  # fields x single edits: the terms of `Sums`
    pairs: np.ndarray  # fields x rows that were asked about
    counted: np.ndarray  # single edits that count when rules are judged
    of_background: np.ndarray  # single edits to values of the background
    frequency: np.ndarray  # of the values of single edits, in averages over the background
    row_of: np.ndarray  # of each feature: its place among those that vary; -1: it does not
    pair_rows: np.ndarray  # places of two features x sets of features that pairs change, the earlier feature first
    pair_at: Mapping[tuple[int, int], int]  # numbers of these sets
    pair_set: np.ndarray  # of each pair of targets: its set; -1: one of the features does not vary
    fresh: np.ndarray  # pairs of targets x levels: not the same as the level before

    @classmethod
    def of(cls, spread: Spread, trials: Trials, counted: np.ndarray, varying: np.ndarray) -> Terms:
        """Collect what the tests share; `varying` are the features that vary among similar rows."""
        edits, pairs = trials.edits, trials.pairs
        row_of = np.full(len(edits.instance), -1)
        row_of[varying] = np.arange(len(varying))
        first, second = row_of[edits.target_feature[pairs.targets]].T
        inside = (first >= 0) & (second >= 0)
        is_set = np.zeros((len(varying), len(varying)), dtype=bool)
        is_set[first[inside], second[inside]] = True
        number = np.cumsum(is_set).reshape(is_set.shape) - 1  # of each set
        pair_set = np.full(len(first), -1)
        pair_set[inside] = number[first[inside], second[inside]]
        sets = np.array(is_set.nonzero())
        return cls(
            trials,
            _fields(trials.singles),
            _fields(pairs.responses),
            counted,
            _stand_for_background(edits, counted),
            spread.frequencies(edits.feature, edits.value),
            row_of,
            sets,
            {pair: number for number, pair in enumerate(zip(*sets.tolist(), strict=True))},
            pair_set,
            pairs.fresh(),
        )

    def sum_singles(self, places: np.ndarray, *, weighted: bool = False) -> np.ndarray:
        """Sums over single edits of each feature that varies (features x fields)."""
        groups = self.row_of[self.trials.edits.feature[places]]
        weights = self.frequency[places] if weighted else np.ones(len(places))
        return _core.sum_groups(self.singles, places, groups, weights, int(self.row_of.max(initial=-1)) + 1)

    def sum_pairs(self, which: np.ndarray, level: np.ndarray) -> np.ndarray:
        """Sums over pairs, at some level, of each set of features that they change (sets x fields)."""
        asked = self.trials.pairs.asked[which, level]
        return _core.sum_groups(self.pairs, asked, self.pair_set[which], np.ones(len(asked)), self.pair_rows.shape[1])


def _fields(responses: Responses) -> np.ndarray:
    """The terms of `Sums`, in their order."""
    change = responses.change
    signs = change < 0, change > 0
    return np.array([np.ones(len(change)), change, *signs, responses.turned, responses.certainty, responses.shift])


def _stand_for_background(edits: Edits, counted: np.ndarray) -> np.ndarray:
    """Which single edits are to values of the background; all that count, where for want of room there is none."""
    of_background = (edits.source & Source.BACKGROUND) > 0
    has_some = np.bincount(edits.feature[of_background & counted], minlength=len(edits.instance)) > 0
    stands: np.ndarray = np.where(has_some[edits.feature], of_background, counted)
    return stands

"""Spread: how the values of each feature are distributed in the background, counted once for all instances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lormika import _core
from lormika.frames.schema import is_identifier
from lormika.stages.background import Background
from lormika.stages.codes import may_be_codes

_PARTS = 8  # octiles
_FREQUENT = 0.005  # share of the background that makes a category worth asking about,
_INSIDE = (1 / 8, 3 / 8, 5 / 8, 7 / 8)  # shares of the rows inside an interval
_FEW = 24  # numbers that are all asked about; of more, those with these shares of the rows below:
_SHARES = (0, 1 / 64, 1 / 32, 1 / 16, 3 / 16, 5 / 16, 7 / 16, 9 / 16, 11 / 16, 13 / 16, 15 / 16, 31 / 32, 63 / 64, 1)
_ALWAYS, _MOST = 8, 24  # besides the most frequent ones; and no more than so many
_FINE, _FINE_SOME, _FINE_IN_ALL = 100, 64, 2048  # numbers that are all fine values; of more, so many; of all features
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """Some values of features, one after the other."""

    feature: np.ndarray
    value: np.ndarray

    def but(self, instance: np.ndarray) -> Values:
        """Without those that an instance has already."""
        others = self.value != instance[self.feature]
        return Values(self.feature[others], self.value[others])

    def rows(self, instance: np.ndarray) -> np.ndarray:
        """Encoded rows: the instance with each of them."""
        rows = np.repeat(instance[None], len(self.value), axis=0)
        rows[np.arange(len(rows)), self.feature] = self.value
        return rows

    @classmethod
    def of(cls, each: list[np.ndarray]) -> Values:
        """Those of every feature."""
        return cls(np.repeat(np.arange(len(each)), list(map(len, each))), np.concatenate(each))


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Values of the background to ask about, whatever the instance's neighbourhood holds."""

    background: Background
    before: np.ndarray  # rows with less than each of the background's points, and the end, one feature after the other
    frequent: Values  # categories, by feature, the most frequent first
    others: Values  # of each number: all, if few; else some from end to end
    fine: Values  # of each number: all, or many; they show where the prediction turns
    fineness: np.ndarray  # of each fine value: those of 0 come first, then those half-way between them, and so on
    identifiers: frozenset[int]  # categories that nearly all differ: part of no rule, and not asked about
    codes: frozenset[int]  # numbers that may stand for categories

    @classmethod
    def of(cls, background: Background) -> Spread:
        """Count the values of all features."""
        below, frequent, others, fine = [], [], [], []
        room = max(1, _FINE_IN_ALL // max(1, int(background.numeric.sum())))
        identifiers, codes = set(), set()
        for f, feature in enumerate(background.schema.features):
            observed = background.observed(f)
            every = np.bincount(background.codes[f], minlength=len(background.distinct[f]))
            counts = every[: len(observed)]
            below.append(np.cumsum(every))
            if feature.is_numeric:
                if may_be_codes(observed, counts):
                    codes.add(f)
                frequent.append(np.empty(0))
                others.append(_others(observed, below[-1][: len(observed)]))
                fine.append(_fine(observed, below[-1][: len(observed)], room))
                continue
            others.append(np.empty(0))
            fine.append(np.empty(0))
            frequent.append(np.empty(0))
            if is_identifier(len(observed), int(counts.sum())):
                identifiers.add(f)
            else:
                order = np.argsort(-counts, kind="stable")
                enough = max(_ALWAYS, int((counts >= _FREQUENT * len(background)).sum()))
                frequent[-1] = observed[order[: min(enough, _MOST)]]
        return cls(
            background,
            np.concatenate([np.append(0, rows) for rows in below]),
            Values.of(frequent),
            Values.of(others),
            Values.of(fine),
            np.concatenate([_fineness(len(values)) for values in fine]),
            frozenset(identifiers),
            frozenset(codes),
        )

    def below_of(self, feature: int) -> np.ndarray:
        """Rows with at most each observed value of a feature."""
        first = self.background.offsets[feature] + feature + 1
        return self.before[first : first + self.background.counts[feature]]

    def values(self, instance: np.ndarray) -> Values:
        """Octiles of each number among the rows whose value differs from the instance's, and frequent categories."""
        numbers, background = np.flatnonzero(self.background.numeric), self.background
        own = instance[numbers]
        places = background.places(numbers, own)
        before = self._rows_before(numbers, places)
        is_observed = places < background.counts[numbers]
        is_observed[is_observed] = background.values_at(numbers[is_observed], places[is_observed]) == own[is_observed]
        own_rows = np.where(is_observed, self._rows_before(numbers, places + is_observed) - before, 0)
        others = self._rows_before(numbers, background.counts[numbers]) - own_rows
        ranks = np.ceil(np.arange(1, _PARTS) / _PARTS * others[:, None]).astype(np.int64)  # from 1
        ranks += np.where(ranks > before[:, None], own_rows[:, None], 0)  # skip the rows with the instance's value
        some = others > 0
        octiles = self._at(np.repeat(numbers[some], _PARTS - 1), ranks[some].ravel())
        frequent = self.frequent.but(instance)
        feature = np.concatenate([octiles.feature, frequent.feature])
        order = np.argsort(feature, kind="stable")
        return Values(feature[order], np.concatenate([octiles.value, frequent.value])[order])

    def inside(self, features: np.ndarray, lows: np.ndarray, highs: np.ndarray) -> Values:
        """A few numbers that represent the background's rows inside each of some ranges."""
        low, high = self.background.places(features, lows), self.background.places(features, highs)
        before = self._rows_before(features, low)
        rows = self._rows_before(features, high) - before
        some = rows > 0
        ranks = before[some, None] + np.ceil(np.array(_INSIDE) * rows[some, None]).astype(np.int64)
        return self._at(np.repeat(features[some], len(_INSIDE)), ranks.ravel())

    def _at(self, features: np.ndarray, ranks: np.ndarray) -> Values:
        """Values of the rows with these ranks, counted from 1 in the order of a feature's values."""
        counts = self.background.counts
        begin = self.background.offsets[:-1] + np.arange(1, len(counts) + 1)  # after the 0 of each feature
        places = _core.places(self.before, begin, begin + counts, features, ranks)
        return Values(features, self.background.values_at(features, places))

    def _rows_before(self, features: np.ndarray, places: np.ndarray) -> np.ndarray:
        """Rows with less than the values at these places, each at most the number of observed ones."""
        rows: np.ndarray = self.before[self.background.offsets[features] + features + places]
        return rows

    def shares(self, features: np.ndarray, lows: np.ndarray, highs: np.ndarray) -> np.ndarray:
        """Shares of the background with a value from `lows` to below `highs`; of a category, its encoded value."""
        rows: np.ndarray = self.rows_below(features, highs) - self.rows_below(features, lows)
        return rows / len(self.background)

    def rows_below(self, features: np.ndarray, values: np.ndarray) -> np.ndarray:
        """How many rows of the background have less than a value; all with a value, if it is missing."""
        return self._rows_before(features, self.background.places(features, values))

    def missing(self, features: np.ndarray) -> np.ndarray:
        """Shares of the background without a value."""
        present: np.ndarray = self._rows_before(features, self.background.counts[features])
        return 1 - present / len(self.background)

    def frequencies(self, features: np.ndarray, values: np.ndarray) -> np.ndarray:
        """The weight of each value in averages over the background: a category's share; all numbers alike."""
        is_category = ~self.background.numeric[features]
        frequencies = np.ones(len(values))
        frequencies[is_category] = self.shares(features[is_category], values[is_category], values[is_category] + 0.5)
        return frequencies


def _others(observed: np.ndarray, below: np.ndarray) -> np.ndarray:
    """All observed numbers, if there are few; otherwise some from the least to the greatest."""
    if len(observed) <= _FEW:
        return observed
    ranks = np.ceil(np.array(_SHARES) * below[-1]).astype(np.intp).clip(1)
    return np.unique(observed[np.searchsorted(below, ranks)])


def _fine(observed: np.ndarray, below: np.ndarray, room: int) -> np.ndarray:
    """All observed numbers, if there is room; otherwise so many that neither many rows nor a wide gap lie between."""
    if len(observed) <= min(_FINE, room):
        return observed
    size = max(1, min(_FINE_SOME, room // 2))  # all of them are to fit beside the others
    ranks, whole = below / below[-1], observed[-1] / 2 - observed[0] / 2  # halves: the whole may overflow
    far = (observed / 2 - observed[0] / 2) / whole if whole > 0 else ranks  # or be too small to be halved
    along = (ranks + far) / 2
    return observed[np.unique(np.searchsorted(along, np.arange(1, size + 1) / size - _ROUNDING))]


def _fineness(size: int) -> np.ndarray:
    """Of so many values in order, how often the whole is halved until each is reached.

    >>> _fineness(7).tolist()
    [2, 1, 2, 0, 2, 1, 2]
    """
    numbers = np.arange(1, size + 1)
    halvings: np.ndarray = size.bit_length() - 1 - np.log2(numbers & -numbers).astype(np.int64)
    return halvings

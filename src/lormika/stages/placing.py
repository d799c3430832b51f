"""Placing: the item that holds after each single edit."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from lormika import _core
from lormika.stages.edits import Edits
from lormika.stages.items import Items
from lormika.stages.targets import Source


class Placing:
    """Single edits by the items they lead into."""

    def __init__(self, items: Items, in_item: np.ndarray, counted: np.ndarray) -> None:
        self.items = items
        self.in_item = in_item  # after each single edit; -1: none
        self.counted = counted  # edits that count when rules are judged

    @classmethod
    def of(cls, items: Items, edits: Edits) -> Placing:
        """Edits among the items that they were made for."""
        return cls(items, _items_of_singles(items, edits), (edits.source & Source.COUNTED) > 0)

    def among(self, items: Items, in_item: np.ndarray) -> Placing:
        """The same edits among other items."""
        return Placing(items, in_item, self.counted)

    def inside(self, item: int) -> np.ndarray:
        """Single edits that lead into an item."""
        by_item, ends = self._by_item
        return by_item[ends[item] : ends[item + 1]]

    @cached_property
    def _by_item(self) -> tuple[np.ndarray, list[int]]:
        """The edits, sorted by item, and where each item begins."""
        order = np.argsort(self.in_item, kind="stable")
        return order, np.searchsorted(self.in_item[order], np.arange(len(self.items) + 1)).tolist()


def _items_of_singles(items: Items, edits: Edits) -> np.ndarray:
    """Item that holds after each single edit; -1: none (a constant feature, or a category no similar row has)."""
    within = np.full(len(edits), -1)
    within[edits.levels] = edits.target_item[:, None]
    ranges = np.flatnonzero(~np.isnan(items.lows))
    features = items.feature_of[ranges]
    ends = np.searchsorted(features, np.arange(len(edits.instance) + 1))
    numbers = np.flatnonzero(ends[1:][edits.feature] > ends[:-1][edits.feature])  # edits of numbers that vary
    feature, value = edits.feature[numbers], edits.value[numbers]
    # The first range that ends beyond the value: it may begin beyond it, too.
    place = _core.places(items.highs[ranges], ends[:-1], ends[1:], feature, np.nextafter(value, np.inf))
    exists = ends[:-1][feature] + place < ends[1:][feature]
    numbers, value, place = numbers[exists], value[exists], (ends[:-1][feature] + place)[exists]
    inside = items.lows[ranges[place]] <= value
    within[numbers[inside]] = ranges[place][inside]
    return within

"""Finding cases: by name, row or condition, in the order of a list, a page at a time."""

from __future__ import annotations

import re
from collections import OrderedDict
from functools import partial
from threading import Lock
from typing import NamedTuple

import numpy as np

from lormika.checks import check_choice, check_integer
from lormika.errors import InputError
from lormika.frames.evaluator import Column, Rows
from lormika.frames.where import RowTest
from lormika.live.wording import certainty_text
from lormika.parts import Parts
from lormika.serving.faults import large
from lormika.serving.forecasts import Forecasts, Snapshot
from lormika.serving.rowtable import RowTable, of_classes, of_numbers
from lormika.types import JsonObject

LISTS = {
    "all": "all rows",
    "uncertain": "least certain",
    "newest": "newest",
    "otherwise": "predicted otherwise than labelled",
}
_LONGEST = 2000  # characters of a condition: each of its steps looks at all rows
_NUMBER = re.compile(r"-?[0-9]{1,30}")
_KEPT = 8  # results whose further pages are quick


class _Found(NamedTuple):
    """Row numbers in order, and how they were found."""

    how: str
    rows: np.ndarray
    ready: bool


class Finder:
    """Finds rows of a table."""

    def __init__(self, parts: Parts, rows: RowTable, forecasts: Forecasts) -> None:
        self._parts, self._rows, self._forecasts = parts, rows, forecasts
        self._kept: OrderedDict[tuple[str, str], _Found] = OrderedDict()
        self._lock = Lock()
        self._newest: np.ndarray | None = None
        self._uncertain: np.ndarray | None = None  # once all rows are predicted
        self._truth: np.ndarray | None = None

    @property
    def lists(self) -> dict[str, str]:
        """The lists that there are for this table and model, with their names."""
        has_truth = self._rows.roles.target is not None
        return {name: text for name, text in LISTS.items() if name != "otherwise" or has_truth}

    def find(self, text: str, order: str, offset: int, limit: int, most: int) -> JsonObject:
        """A page of cases."""
        check_choice("list", order, list(self.lists))
        check_integer("offset", offset, 0)
        check_integer("limit", limit, 1, most)
        found = self._find(text.strip(), order)
        snapshot = self._forecasts.snapshot()
        page = found.rows[offset : offset + limit].tolist()
        return {
            "how": found.how,
            "total": len(found.rows),
            "offset": offset,
            "ready": found.ready,
            "cases": [self._case(row, snapshot) for row in page],
        }

    def _case(self, row: int, snapshot: Snapshot) -> JsonObject:
        place, certainty = int(snapshot.labels[row]), float(snapshot.certainty[row])
        label = None if place < 0 else self._parts.model.names[place]
        known = not np.isnan(certainty)
        true = int(self._true()[row])
        return {
            "row": row,
            "id": self._rows.name(row),
            "label": self._rows.label(row),
            "prediction": label,
            "text": None if label is None else str(self._parts.labels.outcome(label)),
            "certainty": certainty if known else None,
            "certainty_text": certainty_text(self._forecasts.unit, certainty) if known else None,
            "otherwise": place >= 0 and true >= 0 and place != true,
        }

    def _find(self, text: str, order: str) -> _Found:
        key = (text, order)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        found = self._search(text, order)
        if found.ready:
            with self._lock:
                self._kept[key] = found
                while len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
        return found

    def _search(self, text: str, order: str) -> _Found:
        snapshot = self._forecasts.snapshot()
        how, chosen, asks_model = self._choose(text, snapshot)
        rows = self._ordered(order, snapshot)
        if chosen is not None:
            rows = rows[chosen[rows]]
        ready = snapshot.is_ready or not (asks_model or order in ("uncertain", "otherwise"))
        return _Found(how, rows, ready)

    def _choose(self, text: str, snapshot: Snapshot) -> tuple[str, np.ndarray | None, bool]:
        """How a text is meant, which rows it chooses (None: all), and whether predictions decide that."""
        if not text:
            return "all", None, False
        named = self._rows.named(text)
        if len(named):
            return "id", self._mask(named), False
        if text.isdecimal() and len(text) < 16 and int(text) < len(self._rows):
            return "row", self._mask(np.array([int(text)])), False
        if _NUMBER.fullmatch(text):
            kind = "case" if self._rows.roles.id is not None else "row"
            raise InputError(f"there is no {kind} {text}: the data have the rows 0 to {len(self._rows) - 1:,}")
        if len(text) > _LONGEST:
            raise large(f"the condition has more than {_LONGEST:,} characters")
        test = RowTest.of(text)
        columns = self._rows.readers()
        virtual: dict[str, Column] = {
            "prediction": partial(of_classes, snapshot.labels, self._parts.model.names),
            "certainty": partial(of_numbers, snapshot.certainty),
        }
        asks_model = any(name in virtual and name not in columns for name in test.names)
        return "condition", test.matching(Rows(len(self._rows), virtual | columns)), asks_model

    def _mask(self, rows: np.ndarray) -> np.ndarray:
        mask = np.zeros(len(self._rows), dtype=bool)
        mask[rows] = True
        return mask

    def _ordered(self, order: str, snapshot: Snapshot) -> np.ndarray:
        if order == "newest":
            if self._newest is None:
                self._newest = self._rows.newest()
            return self._newest
        if order == "uncertain":
            return self._least_certain(snapshot)
        if order == "otherwise":
            true = self._true()
            other = np.flatnonzero((snapshot.labels >= 0) & (true >= 0) & (snapshot.labels != true))
            return other[np.argsort(-np.nan_to_num(snapshot.certainty[other]), kind="stable")]
        return np.arange(len(self._rows))

    def _least_certain(self, snapshot: Snapshot) -> np.ndarray:
        if self._uncertain is not None:
            return self._uncertain
        known = np.flatnonzero(~np.isnan(snapshot.certainty))
        rows = known[np.argsort(snapshot.certainty[known], kind="stable")]
        if snapshot.is_ready:
            self._uncertain = rows
        return rows

    def _true(self) -> np.ndarray:
        if self._truth is None:
            self._truth = self._rows.true_classes(self._parts.model)
        return self._truth

"""Finding cases: by name, row or condition, in the order of a list, a page at a time."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import NamedTuple

import numpy as np

from lormika.checks import check_choice, check_integer
from lormika.live.wording import certainty_text
from lormika.parts import Parts
from lormika.serving.choosing import Chooser
from lormika.serving.forecasts import Forecasts, Snapshot
from lormika.serving.rowtable import RowTable
from lormika.types import JsonObject

LISTS = {
    "all": "all rows",
    "uncertain": "least certain",
    "newest": "newest",
    "otherwise": "predicted otherwise than labelled",
}
_KEPT = 8  # results whose further pages are quick


class _Found(NamedTuple):
    """Row numbers in order, and how they were found."""

    how: str
    rows: np.ndarray
    ready: bool
    read_as: str | None


class Finder:
    """Finds rows of a table."""

    def __init__(self, parts: Parts, rows: RowTable, forecasts: Forecasts) -> None:
        self._parts, self._rows, self._forecasts = parts, rows, forecasts
        self._chooser = Chooser(parts, rows)
        self._kept: OrderedDict[tuple[str, str, str], _Found] = OrderedDict()
        self._lock = Lock()
        self._newest: np.ndarray | None = None
        self._uncertain: np.ndarray | None = None  # once all rows are predicted
        self._truth: np.ndarray | None = None

    @property
    def lists(self) -> dict[str, str]:
        """The lists that there are for this table and model, with their names."""
        has_truth = self._rows.roles.target is not None
        return {name: text for name, text in LISTS.items() if name != "otherwise" or has_truth}

    def find(
        self,
        text: str,
        order: str,
        offset: int,
        limit: int,
        most: int,
        *,
        prediction: str = "",
        around: int | None = None,
    ) -> JsonObject:
        """A page of cases; `around` a row: the page on which it is, if it is on any."""
        check_choice("list", order, list(self.lists))
        check_integer("offset", offset, 0)
        check_integer("limit", limit, 1, most)
        found = self._find(text.strip(), order, prediction)
        snapshot = self._forecasts.snapshot()
        if around is not None:
            place = np.flatnonzero(found.rows == around)
            offset = int(place[0]) // limit * limit if len(place) else offset
        page = found.rows[offset : offset + limit].tolist()
        return {
            "how": found.how,
            "read_as": found.read_as,
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

    def _find(self, text: str, order: str, prediction: str) -> _Found:
        key = (text, order, prediction)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        found = self._search(text, order, prediction)
        if found.ready:
            with self._lock:
                self._kept[key] = found
                while len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
        return found

    def _search(self, text: str, order: str, prediction: str) -> _Found:
        snapshot = self._forecasts.snapshot()
        predicted = self._chooser.place_of(prediction) if prediction else None
        chosen = self._chooser.choose(text, snapshot)
        rows = self._ordered(order, snapshot)
        if chosen.mask is not None:
            rows = rows[chosen.mask[rows]]
        if predicted is not None and chosen.how in ("all", "condition"):  # who names a case wants that one
            rows = rows[snapshot.labels[rows] == predicted]
        else:
            predicted = None
        asks_model = chosen.asks_model or predicted is not None or order in ("uncertain", "otherwise")
        return _Found(chosen.how, rows, snapshot.is_ready or not asks_model, chosen.read_as)

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

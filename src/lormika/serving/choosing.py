"""Choosing cases: how a text is meant, as a name, a row or a condition, and which rows it stands for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np

from lormika.errors import InputError, quote
from lormika.frames import did_you_mean
from lormika.frames.evaluator import Column, Rows
from lormika.frames.values import Scalar, format_value
from lormika.frames.where import RowTest
from lormika.parts import Parts
from lormika.serving.faults import large
from lormika.serving.forecasts import Snapshot
from lormika.serving.friendly import rewrite
from lormika.serving.rowtable import RowTable, of_classes, of_numbers

_LONGEST = 2000  # characters of a condition: each of its steps looks at all rows
_NUMBER = re.compile(r"-?[0-9]{1,30}")
_CALLED = re.compile(r"(?:(?P<kind>case|row)\b\s*#?|#)\s*(?P<name>\S.*)", re.IGNORECASE | re.DOTALL)  # case 17, #17
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:[, \u00a0\u202f][0-9]{3})+")
_MOST_CATEGORIES = 10_000  # of a column that is no feature

T = TypeVar("T")


class Chosen(NamedTuple):
    """Rows that a text stands for."""

    how: str  # all, id, row, condition
    mask: np.ndarray | None  # None: all rows
    asks_model: bool  # predictions decide it
    read_as: str | None = None  # the condition that was understood, if another one was written


class Chooser:
    """Reads texts that choose rows of a table."""

    def __init__(self, parts: Parts, rows: RowTable) -> None:
        self._parts, self._rows = parts, rows
        self._labels = parts.labels

    def choose(self, text: str, snapshot: Snapshot) -> Chosen:
        """The rows that a text stands for."""
        if not text:
            return Chosen("all", None, False)
        named = self._named(text)
        if named is not None:
            return named
        if len(text) > _LONGEST:
            raise large(f"the condition has more than {_LONGEST:,} characters")
        try:
            return self._test(text, snapshot)
        except InputError:
            meant = rewrite(text, self._columns(), self._categories)
            if meant == text:
                raise
        try:
            return self._test(meant, snapshot)._replace(read_as=meant)
        except InputError as error:
            raise InputError(f"condition {text!r}: {_problem(error, meant)}") from None

    def _named(self, text: str) -> Chosen | None:
        """The case that is called so, as `A-017`, `1091`, `1,091`, `case 1091` or `#1091`; None: it is no name."""
        called = _CALLED.fullmatch(text)
        number = text if called is None else called["name"]
        is_row = called is not None and (called["kind"] or "").casefold() == "row"  # which a name may look like
        for name in (text,) if is_row else (text, number):
            rows = self._rows.named(name)
            if len(rows):
                return Chosen("id", self._mask(rows), False)
        if _THOUSANDS.fullmatch(number):
            number = re.sub(r"[^0-9]", "", number)
        if not _NUMBER.fullmatch(number):
            return None
        if number.isdecimal() and len(number) < 16 and int(number) < len(self._rows):
            return Chosen("row", self._mask(np.array([int(number)])), False)
        kind = "case" if self._rows.roles.id is not None else "row"
        raise InputError(f"there is no {kind} {number}: the data have the rows 0 to {len(self._rows) - 1:,}")

    def place_of(self, prediction: str) -> int:
        """The position of a class, by its name or by what people call it."""
        for place, name in enumerate(self._parts.model.names):
            if prediction in (str(name), str(self._labels.outcome(name))):
                return place
        names = [str(name) for name in self._parts.model.names]
        raise InputError(f"prediction: there is no class {quote(prediction)}{did_you_mean(prediction, names)}")

    def _test(self, condition: str, snapshot: Snapshot) -> Chosen:
        test, columns = RowTest.of(condition), self._rows.readers()
        virtual: dict[str, Column] = {
            "prediction": partial(of_classes, snapshot.labels, self._parts.model.names),
            "certainty": partial(of_numbers, snapshot.certainty),
        }
        asks_model = any(name in virtual and name not in columns for name in test.names)
        return Chosen("condition", test.matching(Rows(len(self._rows), virtual | columns)), asks_model)

    def _mask(self, rows: np.ndarray) -> np.ndarray:
        mask = np.zeros(len(self._rows), dtype=bool)
        mask[rows] = True
        return mask

    def _columns(self) -> dict[str, str]:
        """Columns by their names and labels in small letters; not those that two of them share."""
        names = {"prediction": "prediction", "certainty": "certainty"} | {name: name for name in self._rows.readers()}
        pairs = [(name, name) for name in names]
        pairs += [(self._labels.name(name), name) for name in self._parts.schema.names]
        return _by_spelling(pairs)

    def _categories(self, column: str) -> Mapping[str, Scalar]:
        """Categories of a column by their values and texts in small letters; not those that two of them share."""
        schema, columns = self._parts.schema, self._rows.readers()
        if column == "prediction" and column not in columns:
            pairs = [(str(name), name) for name in self._parts.model.names]
            return _by_spelling(pairs + [(str(self._labels.outcome(name)), name) for _, name in pairs])
        if column in schema.places:
            known = schema.features[schema.index(column)].categories or ()
            pairs = [(format_value(value), value) for value in known]
            return _by_spelling(pairs + [(self._labels.write(column, value), value) for value in known])
        values = columns[column]() if column in columns else None
        if values is None or values.kind != "text":
            return {}
        distinct = set(np.asarray(values.values)[~np.asarray(values.missing)].tolist())
        return _by_spelling([(one, one) for one in distinct]) if len(distinct) <= _MOST_CATEGORIES else {}


def _problem(error: InputError, condition: str) -> str:
    """What is wrong with a condition, without the condition itself.

    >>> _problem(InputError("condition 'x >', character 3: something is missing at the end"), "x >")
    'something is missing at the end'
    """
    return re.sub(r"\A, character \d+: ", "", str(error).removeprefix(f"condition {condition!r}"))


def _by_spelling(pairs: list[tuple[str, T]]) -> dict[str, T]:
    """What each spelling means, whatever the case of its letters; one that has two meanings has none.

    >>> _by_spelling([("Job", 1), ("job", 1), ("A", 2), ("a", 3)])
    {'job': 1}
    """
    found: dict[str, set[T]] = {}
    for spelling, meaning in pairs:
        found.setdefault(spelling.casefold(), set()).add(meaning)
    return {spelling: next(iter(meanings)) for spelling, meanings in found.items() if len(meanings) == 1}

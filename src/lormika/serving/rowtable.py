"""RowTable: the cases that can be asked about, with their names, labels and times."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lormika import frames
from lormika.data.alike import typed_alike
from lormika.frames.evaluator import Column, Values
from lormika.frames.schema import Schema
from lormika.frames.values import Scalar
from lormika.models import Model
from lormika.serving.columns import Columns, ranks
from lormika.serving.faults import unknown
from lormika.types import UserTable


@dataclass(frozen=True, slots=True)
class Roles:
    """Columns that mean something beside the features."""

    id: str | None = None  # names a row
    target: str | None = None  # the truth
    time: str | None = None  # says which rows are newest


class RowTable:
    """Rows of the user's table, of any library."""

    def __init__(self, table: UserTable, schema: Schema, roles: Roles, *, decimal_comma: bool = False) -> None:
        self.columns, self.schema, self.roles = Columns(table, schema.names), schema, roles
        for option, name in (("--id", roles.id), ("--target", roles.target), ("--time", roles.time)):
            self.columns.check(option, name)
        features = self.columns.select(schema.names)
        if hasattr(features, "iloc"):  # cells of other rows may have turned theirs into texts
            features = typed_alike(features, schema, decimal_comma=decimal_comma)
        self.features: UserTable = features

    def __len__(self) -> int:
        return self.columns.count

    @property
    def others(self) -> tuple[str, ...]:
        """Columns that the model does not get."""
        return tuple(name for name in self.columns.names if name not in self.schema.places)

    def check(self, row: object) -> int:
        """A row number; one that is not there is refused."""
        if type(row) is not int or not 0 <= row < len(self):
            raise unknown(f"there is no row {row!r}: {len(self):,} rows are numbered from 0")
        return row

    def instance(self, row: int) -> dict[str, Scalar | None]:
        """The values of a row."""
        table = frames.take(self.features, range(row, row + 1))
        instances = self.schema.read(table)
        return self.schema.with_unseen(instances.unseen[0]).decode(instances.rows[0])

    def other_values(self, row: int) -> dict[str, Scalar | None]:
        """The values of the columns that the model does not get."""
        return {name: self.columns.value(name, row) for name in self.others}

    def name(self, row: int) -> Scalar | None:
        """What people call a row."""
        return None if self.roles.id is None else self.columns.value(self.roles.id, row)

    def label(self, row: int) -> Scalar | None:
        """The truth about a row."""
        return None if self.roles.target is None else self.columns.value(self.roles.target, row)

    def named(self, text: str) -> np.ndarray:
        """Rows of this name."""
        values = None if self.roles.id is None else self.columns.values(self.roles.id)
        if values is None or values.kind not in ("number", "text"):
            return np.zeros(0, dtype=np.intp)
        wanted: float | str = text
        if values.kind == "number":
            try:
                wanted = float(text)
            except ValueError:
                return np.zeros(0, dtype=np.intp)
        return np.flatnonzero((np.asarray(values.values) == wanted) & ~np.asarray(values.missing))

    def newest(self) -> np.ndarray:
        """Row numbers, the newest first; without a column that says when, the last rows are the newest."""
        values = None if self.roles.time is None else self.columns.values(self.roles.time)
        if values is None:
            return np.arange(len(self))[::-1]
        return len(self) - 1 - np.argsort(-ranks(values)[::-1], kind="stable")

    def true_classes(self, model: Model) -> np.ndarray:
        """Positions of the labels among the model's classes; -1: none of them, or not known."""
        if self.roles.target is None:
            return np.full(len(self), -1)
        distinct, codes = self.columns.coded(self.roles.target)
        places = {str(one): place for classes in (model.names, model.classes) for place, one in enumerate(classes)}
        places |= {str(float(one)): place for place, one in enumerate(model.classes) if type(one) is int}
        found: np.ndarray = np.array([*(places.get(str(one), -1) for one in distinct), -1], dtype=np.intp)[codes]
        return found

    def readers(self) -> dict[str, Column]:
        """What reads each column for a condition."""
        return self.columns.readers()


def of_numbers(numbers: np.ndarray) -> Values:
    """Numbers for a condition."""
    missing = np.isnan(numbers)
    return Values("empty" if missing.all() else "number", numbers, missing)


def of_classes(positions: np.ndarray, names: tuple[Scalar, ...]) -> Values | None:
    """Classes for a condition; negative positions are missing."""
    missing = positions < 0
    kind = "text" if all(isinstance(name, str) for name in names) else "number"
    if kind == "number" and any(isinstance(name, str) for name in names):
        return None
    lookup = np.array([*names, "" if kind == "text" else 0], dtype=object if kind == "text" else np.float64)
    return Values("empty" if missing.all() else kind, lookup[positions], missing)

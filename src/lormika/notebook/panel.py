"""Panel: rows of a table, values changed in them, and the answers: all of the widget that needs no notebook."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lormika import frames
from lormika.errors import InputError, quote
from lormika.frames.instances import Instances
from lormika.frames.values import Scalar, plain
from lormika.live.answering import board_json, prediction_json, texts_of
from lormika.live.describing import describe_features
from lormika.stages.joining import joined
from lormika.types import JsonObject, Keywords, UserTable, UserValue

if TYPE_CHECKING:
    from lormika.explainer import Explainer
    from lormika.explanation import Explanation

Values = dict[str, Scalar | None]


@dataclass(frozen=True, slots=True, eq=False)
class Changed:
    """A row with other values."""

    row: int
    before: Values  # the row's own
    values: Values
    instances: Instances  # the same, encoded

    @property
    def changes(self) -> Values:
        """The values that are not the row's own."""
        return {name: value for name, value in self.values.items() if _differ(value, self.before[name])}


class Panel:
    """An explainer, the rows that can be asked about, and what is searched for."""

    def __init__(self, explainer: Explainer, table: UserTable, options: Keywords) -> None:
        self._explainer, self._table, self._options = explainer, table, options
        self._parts, self._schema = explainer._parts, explainer.schema
        self._before: tuple[int, JsonObject] | None = None  # a row, and what the model says of it
        self.count = frames.count_rows(table)
        if not self.count:
            raise InputError("X has no rows: give at least one")
        self._own(0)  # refuse a table of other columns

    def features(self) -> list[JsonObject]:
        """What controls must know of the features."""
        return describe_features(self._parts)

    def check_row(self, row: object) -> int:
        """A row number; one that is not there is refused."""
        number = plain(row)
        if type(number) is not int or not 0 <= number < self.count:
            raise InputError(f"row={quote(row)}: X has {self.count:,} rows, numbered from 0")
        return number

    def read(self, row: int, changes: Mapping[str, UserValue]) -> Changed:
        """A row with these values in place of its own."""
        before = self._own(row)
        for name in changes:
            if name not in before:
                close = frames.did_you_mean(name, self._schema.names)
                raise InputError(f"changes: there is no feature {quote(name)}{close}")
        values = before | {name: self._settle(name, value) for name, value in changes.items()}
        try:
            instances = self._schema.read_instance(values)
        except InputError as error:
            raise InputError(str(error).replace(", row 0:", ":", 1)) from None
        return Changed(row, before, self._decode(instances), instances)

    def predict(self, case: Changed) -> JsonObject:
        """What the model says, of the row with and without the changes."""
        labels, changes = self._parts.labels, case.changes
        if self._before is None or self._before[0] != case.row:
            self._before = (case.row, self._ask(self.read(case.row, {})))
        before = self._before[1]
        now = self._ask(case) if changes else before
        return now | {
            "row": case.row,
            "values": case.values,
            "texts": texts_of(labels, case.values),
            "own": case.before,
            "own_texts": texts_of(labels, case.before),
            "changed": list(changes),
            "before": {name: before[name] for name in ("text", "certainty_text")},
        }

    def explain(self, case: Changed) -> tuple[JsonObject, Explanation]:
        """The board of a row with its changes, and the explanation that it shows."""
        explanation = self._explainer.explain(case.values, **self._options)
        return board_json(explanation), explanation

    def _own(self, row: int) -> Values:
        return self._decode(self._schema.read(frames.take(self._table, range(row, row + 1))))

    def _decode(self, instances: Instances) -> Values:
        return self._schema.with_unseen(instances.unseen[0]).decode(instances.rows[0])

    def _settle(self, name: str, value: UserValue) -> UserValue:
        """A value as the column has it: a category may also be given by its text."""
        categories = self._schema.features[self._schema.index(name)].categories
        if categories is None or not isinstance(value, str) or value in categories:
            return value
        return next((one for one in categories if self._parts.labels.write(name, one) == value), value)

    def _ask(self, case: Changed) -> JsonObject:
        schema, rows = joined(self._schema, [case.instances.rows], case.instances.unseen)
        return prediction_json(self._parts, self._parts.model(schema.restore(rows[0])))


def _differ(one: Scalar | None, other: Scalar | None) -> bool:
    return one != other or isinstance(one, bool) != isinstance(other, bool)

"""Permission: which changes of one instance its constraints permit.

Constraints of one feature (fixed, up, down, ranges, changes) become the values that it may take. Constraints of whole
rows (where, linked, one_of, a function) are tested on changed rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lormika.constraints import Constraints
from lormika.errors import InputError
from lormika.frames.evaluator import Column, Rows
from lormika.frames.schema import Schema
from lormika.frames.values import nearest
from lormika.frames.where import RowTest
from lormika.stages.binding import OneOf, condition_columns, number_limits, permitted_categories
from lormika.types import UserTable

_MOST_WHOLE = 10_000  # whole numbers of a range that are tested one by one


@dataclass(frozen=True, eq=False)  # no slots: some of what it knows is found out when it is needed
class Permission:
    """What may change in one instance."""

    schema: Schema
    instance: np.ndarray  # encoded
    low: np.ndarray  # of each number, the least value that it may change to
    high: np.ndarray
    categories: Mapping[int, np.ndarray]  # of some features, a mask of those that it may change to
    linked: tuple[tuple[int, ...], ...]
    one_of: tuple[OneOf, ...]
    tests: tuple[RowTest, ...]
    functions: tuple[Callable[[UserTable], object], ...]
    tested: frozenset[int]  # features that the tests speak of; all, if there is a function
    now: Mapping[str, Column]  # what tests call so: the instance's own values

    @classmethod
    def of(cls, schema: Schema, instance: np.ndarray, constraints: Sequence[Constraints]) -> Permission:
        """What all constraints permit; they must have been checked."""
        low, high = np.full(len(schema), -math.inf), np.full(len(schema), math.inf)
        categories: dict[int, np.ndarray] = {}
        for one in constraints:
            for name in one.features:
                f = schema.index(name)
                feature, value = schema.features[f], float(instance[f])
                if feature.is_numeric:
                    own_low, own_high = number_limits(one, name, value)
                    low[f], high[f] = max(low[f], own_low), min(high[f], own_high)
                else:
                    mask = permitted_categories(one, feature, value)
                    categories[f] = mask & categories.get(f, np.ones(len(mask), dtype=bool))
        tests = tuple(RowTest.of(condition) for one in constraints for condition in one.where)
        functions = tuple(one.permits for one in constraints if one.permits is not None)
        one_of = tuple(OneOf.of(schema, group) for one in constraints for group in one.one_of)
        named = {schema.index(name) for test in tests for name in test.names}
        named |= {f for group in one_of for f in group.features}
        return cls(
            schema,
            instance,
            low,
            high,
            categories,
            tuple(tuple(map(schema.index, group)) for one in constraints for group in one.linked),
            one_of,
            tests,
            functions,
            frozenset(range(len(schema)) if functions else named),
            condition_columns(schema, instance[None], schema.names) if tests else {},
        )

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        """Which changed rows are permitted."""
        changed = self._changed(rows)
        permitted: np.ndarray = ~(changed & ~self._values(rows)).any(axis=1)
        for group in self.linked:
            together = changed[:, list(group)]
            permitted &= together.all(axis=1) | ~together.any(axis=1)
        for one in self.one_of:
            permitted &= ~changed[:, one.features].any(axis=1) | one.holds(rows)
        if self.tests or self.functions:
            places = np.flatnonzero(permitted)
            permitted[places] = self._tested(rows[places])
        return permitted

    def _changed(self, rows: np.ndarray) -> np.ndarray:
        changed: np.ndarray = ~((rows == self.instance) | (np.isnan(rows) & np.isnan(self.instance)))
        return changed

    def _values(self, rows: np.ndarray) -> np.ndarray:
        """Which values a feature may change to (rows x features)."""
        with np.errstate(invalid="ignore"):
            values: np.ndarray = (self.low <= rows) & (rows <= self.high)
        for f, mask in self.categories.items():
            codes = rows[:, f]
            present = ~np.isnan(codes)
            values[present, f] = mask[codes[present].astype(np.intp)]
        return values

    def values(self, features: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Which values each of these features may change to, whatever else changes."""
        permitted: np.ndarray = np.logical_and(self.low[features] <= values, values <= self.high[features])
        for f, mask in self.categories.items():
            own = features == f
            permitted[own] = mask[values[own].astype(np.intp)]
        return permitted

    def _tested(self, rows: np.ndarray) -> np.ndarray:
        permitted = np.ones(len(rows), dtype=bool)
        if len(rows) == 0:
            return permitted
        for test in self.tests:
            columns = condition_columns(self.schema, rows, test.names)
            permitted &= test.matching(Rows(len(rows), columns, self.now))
        for function in self.functions:
            permitted &= _ask(function, self.schema.restore(rows), len(rows))
        return permitted

    def approach(self, rows: np.ndarray, observed: Callable[[int], np.ndarray]) -> np.ndarray:
        """Changed rows as far as they may be reached.

        A number beyond its limits goes to the last observed value within; other features, and groups of them, that may
        not change so have the instance's values.
        """
        rows = np.where(self._values(rows), rows, self._clipped(rows, observed))
        for group in self.linked:
            apart = np.flatnonzero(~self._changed(rows)[:, list(group)].all(axis=1))
            for f in group:
                rows[apart, f] = self.instance[f]
        for one in self.one_of:
            broken = np.flatnonzero(~one.holds(rows))
            for f in one.features:
                rows[broken, f] = self.instance[f]
        return rows

    def _clipped(self, rows: np.ndarray, observed: Callable[[int], np.ndarray]) -> np.ndarray:
        """The instance's values; of numbers with limits, the nearest to the rows' that are observed within them."""
        clipped = np.repeat(self.instance[None], len(rows), axis=0)
        for f in np.flatnonzero((self.low > -math.inf) | (self.high < math.inf)).tolist():
            values = observed(f)
            inside = values[(self.low[f] <= values) & (values <= self.high[f])]
            if len(inside):
                clipped[:, f] = nearest(inside, rows[:, f])
        return clipped

    @cached_property
    def bound(self) -> np.ndarray:
        """Features of which only a whole row tells whether they may change so, as a mask."""
        bound = np.zeros(len(self.schema), dtype=bool)
        bound[[*self.tested, *(f for group in self.units for f in group)]] = True
        return bound

    @cached_property
    def permits_now(self) -> bool:
        """Whether rows in which no such feature changes are permitted: they are as the instance is."""
        return bool(self._tested(self.instance[None])[0])

    @property
    def units(self) -> list[tuple[int, ...]]:
        """Groups of features that cannot change one by one."""
        return [*self.linked, *(one.features for one in self.one_of)]

    # Ranges

    def ends(self, f: int, observed: np.ndarray) -> list[float]:
        """The last observed values that a number may change to, in directions in which something limits it."""
        low, high = np.searchsorted(observed, self.low[f]), np.searchsorted(observed, self.high[f], "right")
        if low >= high:
            return []
        ends = [low] * bool(low > 0) + [high - 1] * bool(high < len(observed))
        return [float(observed[end]) for end in dict.fromkeys(ends)]

    def is_limited(self, f: int) -> bool:
        """Whether something limits the values that a feature may change to."""
        return bool(f in self.tested or f in self.categories or self.low[f] > -math.inf or self.high[f] < math.inf)

    def extent(self, f: int, row: np.ndarray, end: float, observed: np.ndarray) -> float:
        """How far a number of a permitted row may move towards an end: every value on the way is permitted."""
        start = float(row[f])
        end = min(max(end, float(self.low[f])), float(self.high[f]))
        if f not in self.tested or end == start:
            return end
        values = self._between(f, row, start, end, observed)
        rows = np.repeat(row[None], len(values), axis=0)
        rows[:, f] = values
        permitted = self(rows)
        reached = values if permitted.all() else values[: int(permitted.argmin())]
        return float(reached[-1]) if len(reached) else start

    def _between(self, f: int, row: np.ndarray, start: float, end: float, observed: np.ndarray) -> np.ndarray:
        """Values from after the start to the end, in their order, at which a test may change its mind."""
        upwards = end > start
        low, high = (start, end) if upwards else (end, start)
        low, high = max(low, float(observed[0])), min(high, float(observed[-1]))  # beyond it, nothing is known
        values = [observed, *(np.array(sorted(test.numbers)) for test in self.tests)]
        values += [row[[*self.tested]], self.instance[[*self.tested]]]
        if self.schema.features[f].integer and high - low <= _MOST_WHOLE:
            values.append(np.arange(math.ceil(low), math.floor(high) + 1, dtype=float))
        every = np.unique(np.concatenate(values))
        every = np.unique(np.concatenate([every, np.nextafter(every, -math.inf), np.nextafter(every, math.inf)]))
        if self.schema.features[f].integer:
            every = every[every == np.rint(every)]
        every = every[(low <= every) & (every <= high) & (every != start)]
        ordered: np.ndarray = every if upwards else every[::-1]
        return ordered


def _ask(function: Callable[[UserTable], object], frame: UserTable, n_rows: int) -> np.ndarray:
    try:
        answer = np.asarray(function(frame))
    except Exception as error:
        raise InputError(f"constraints: permits failed on {n_rows} rows: {type(error).__name__}: {error}") from error
    if answer.shape != (n_rows,) or answer.dtype.kind != "b":
        raise InputError(
            f"constraints: permits gave an answer of shape {answer.shape} and type {answer.dtype} for {n_rows} rows; "
            "return True or False for each row"
        )
    return answer

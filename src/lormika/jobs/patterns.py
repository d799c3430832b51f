"""What rules, and changes of instances, have in common.

Ranges of numbers are cut separately around every instance, so exactly the same rule hardly ever occurs twice. A pattern
is a rule without the numbers at the ends of its ranges, or a change without the size of its steps; the numbers are kept
alongside.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from lormika.errors import InputError
from lormika.frames.values import Scalar
from lormika.jobs.struct_lists import Groups, StructLists, Texts
from lormika.types import JsonObject
from lormika.views.rule_structs import READERS

if TYPE_CHECKING:
    import pyarrow as pa

Member = JsonObject
"""A condition of a pattern, or a step of a change; values in it are those of the user's data."""

_CONDITIONS = ("interval", "equals", "missing")
_WAYS = ("to", "given", "up", "down")


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """A pattern for each of many rules, or changes."""

    codes: np.ndarray  # of the pattern of each
    members: list[list[Member]]  # of each pattern
    names: list[str]  # of each pattern: a text that tells it from all others, also those of other parts
    numbers: np.ndarray  # of each (rows) what its pattern leaves out (columns); NaN: nothing
    whole: np.ndarray  # of each, whether the first, second … range is of whole numbers; NaN: no such range

    @classmethod
    def of(cls, groups: Groups, kinds: list[Member], numbers: np.ndarray, whole: np.ndarray) -> Patterns:
        """Of lists, where each kind of member is known."""
        members = [[kinds[code] for code in codes] for codes in groups.members]
        return cls(groups.codes, members, list(map(_name, members)), numbers, whole)

    def take(self, which: np.ndarray) -> Patterns:
        """Of some rules, or changes."""
        return replace(self, codes=self.codes[which], numbers=self.numbers[which], whole=self.whole[which])


def _name(members: list[Member]) -> str:
    """As in JSON, which tells values of all types apart. Of equally frequent patterns, the lesser name comes first."""
    plain = [list(member.values()) if "way" in member else member for member in members]
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"))


def rule_patterns(conditions: pa.ChunkedArray) -> Patterns:
    """Patterns of rules: the conditions, with 0 at the ends of ranges that are not open.

    `numbers` has a column for the lower end of the first range, one for its upper end, and so on.

    >>> import pyarrow as pa
    >>> from lormika.jobs.part_tables import RULES, arrow_schema
    >>> one = {"type": "interval", "feature": "age", "integer": True}
    >>> kind = arrow_schema(RULES).field("condition_list").type
    >>> patterns = rule_patterns(pa.chunked_array([[[one | {"low": 25.5}], [one | {"low": 31.0}]]], kind))
    >>> patterns.members, patterns.codes.tolist(), patterns.numbers.tolist()
    ([[{'type': 'interval', 'feature': 'age', 'low': 0, 'high': None}]], [0, 0], [[25.5, nan], [31.0, nan]])
    """
    lists = StructLists.of(conditions)
    types, features, values = lists.texts("type"), lists.texts("feature"), _Values.of(lists, "value")
    low, high, single = lists.numbers("low"), lists.numbers("high"), lists.flags("single")
    is_range, is_equal = types.among("interval"), types.among("equals")
    _check(types.among(*_CONDITIONS) & (features.codes >= 0) & (values.readable | ~is_equal), "a condition")
    groups = lists.group(
        types.codes, features.codes, ~np.isnan(low), ~np.isnan(high), single, *values.codes_where(is_equal)
    )

    def read(place: int) -> Member:
        condition: Member = {"type": types[place], "feature": features[place]}
        if is_range[place]:
            condition |= {name: None if np.isnan(ends[place]) else 0 for name, ends in (("low", low), ("high", high))}
            return condition | ({"single": True} if single[place] else {})
        return condition | ({"value": values.read(place)} if is_equal[place] else {})

    kinds = [read(place) for place in groups.examples.tolist()]
    numbers, whole = _ends(lists, is_range, np.stack([low, high]), lists.flags("integer"))
    return Patterns.of(groups, kinds, numbers, whole)


def _ends(
    lists: StructLists, is_range: np.ndarray, ends: np.ndarray, integer: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Numbers at the ends of the first, second … range of each rule, and whether these are of whole numbers."""
    before = np.cumsum(is_range) - is_range  # ranges, in all lists so far
    place = (before - before[np.arange(len(before)) - lists.place])[is_range]
    owner, n_ranges = lists.owner[is_range], int(place.max(initial=-1)) + 1
    numbers, whole = np.full((lists.n_lists, 2 * n_ranges), np.nan), np.full((lists.n_lists, n_ranges), np.nan)
    numbers[owner, 2 * place], numbers[owner, 2 * place + 1] = ends[:, is_range]
    whole[owner, place] = integer[is_range]
    return numbers, whole


def change_patterns(edits: pa.ChunkedArray, rules: Patterns) -> Patterns:
    """Patterns of changes: the feature and `up`, `down`, `to` with a value, or `given` if it was missing.

    `rules` are those that the changes make true: they tell numbers from categories that are written as such. `numbers`
    has a column for the first feature before, one for it after, and so on.

    >>> import pyarrow as pa
    >>> from lormika.jobs.part_tables import RULES, arrow_schema
    >>> from lormika.views.rule_structs import value_struct
    >>> types = arrow_schema(RULES)
    >>> conditions = [{"type": "interval", "feature": "age", "low": 30.5, "integer": True}]
    >>> conditions.append({"type": "equals", "feature": "grade", "value": value_struct(3)})
    >>> rules = rule_patterns(pa.chunked_array([[conditions]], types.field("condition_list").type))
    >>> edits = [{"feature": "age", "before": value_struct(20), "after": value_struct(31)}]
    >>> edits.append({"feature": "grade", "before": value_struct(1), "after": value_struct(3)})
    >>> patterns = change_patterns(pa.chunked_array([[edits]], types.field("edit_list").type), rules)
    >>> patterns.names, patterns.numbers.tolist()
    (['[["age","up"],["grade","to",3]]'], [[20.0, 31.0, nan, nan]])
    """
    lists = StructLists.of(edits)
    features, before, after = lists.texts("feature"), _Values.of(lists, "before"), _Values.of(lists, "after")
    _check((features.codes >= 0) & (before.readable | before.missing) & (after.readable | after.missing), "a change")
    categorical = _wants_category(rules, lists.owner, features)
    is_to = categorical | after.missing | after.types.among("string", "boolean")
    numeric = ~is_to & ~before.missing
    _check(~numeric | ~np.isnan(before.numbers + after.numbers), "a change")
    ways = np.select([is_to, before.missing, after.numbers > before.numbers], [0, 1, 2], default=3)
    groups = lists.group(features.codes, ways, *after.codes_where(is_to))

    def read(place: int) -> Member:
        step: Member = {"feature": features[place], "way": _WAYS[ways[place]]}
        return step | ({"value": after.read(place)} if is_to[place] else {})

    steps = [read(place) for place in groups.examples.tolist()]
    numbers = np.full((lists.n_lists, 2 * lists.longest), np.nan)
    owner, column = lists.owner[numeric], 2 * lists.place[numeric]
    numbers[owner, column], numbers[owner, column + 1] = before.numbers[numeric], after.numbers[numeric]
    return Patterns.of(groups, steps, numbers, whole=np.empty((lists.n_lists, 0)))


def _wants_category(rules: Patterns, owner: np.ndarray, features: Texts) -> np.ndarray:
    """Which changes are of a feature of which their rule wants a category."""
    codes = {name: code for code, name in enumerate(features.texts)}
    pairs = [
        pattern * len(codes) + codes[condition["feature"]]
        for pattern, conditions in enumerate(rules.members)
        for condition in conditions
        if condition["type"] == "equals" and condition["feature"] in codes
    ]
    return np.isin(rules.codes[owner] * len(codes) + features.codes, np.array(pairs, dtype=np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class _Values:
    """Values of features in structs."""

    types: Texts
    texts: Texts
    numbers: np.ndarray  # NaN: the value is none

    @classmethod
    def of(cls, lists: StructLists, name: str) -> _Values:
        return cls(lists.texts(name, "type"), lists.texts(name, "text"), lists.numbers(name, "number"))

    @property
    def missing(self) -> np.ndarray:
        return (self.types.codes < 0) & (self.texts.codes < 0)

    @property
    def readable(self) -> np.ndarray:
        return self.types.among(*READERS) & (self.texts.codes >= 0)

    def codes_where(self, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What tells a value from others; the same for all that are not chosen."""
        return np.where(chosen, self.types.codes, -1), np.where(chosen, self.texts.codes, -1)

    def read(self, place: int) -> Scalar | None:
        """A value as it was in the user's data."""
        if self.types.codes[place] < 0:
            return None
        try:
            return READERS[self.types[place]](self.texts[place])
        except ValueError as error:
            raise InputError(f"it holds a rule that cannot be read: {error}") from error


def _check(sound: np.ndarray, what: str) -> None:
    if not sound.all():
        raise InputError(f"it holds a rule that cannot be read: {what} lacks something, or is of an unknown type")

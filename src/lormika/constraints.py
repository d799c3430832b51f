"""Constraints: what may change, and how far, in changes that are suggested."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from decimal import Decimal
from pathlib import Path
from typing import TypeGuard

from lormika.errors import InputError, quote
from lormika.frames import listing
from lormika.frames.values import Scalar, is_list, is_too_large, plain
from lormika.frames.where import RowTest
from lormika.object_file import read_object
from lormika.types import JsonObject, Keywords, UserColumn, UserTable, UserValue

Transitions = Mapping[str, Mapping[Scalar, Sequence[Scalar]]]
"""By feature and category: other categories."""

Limits = tuple[float | None, float | None] | str
"""A range: both ends (None: no end), or relative to the present value, such as "±20%", "+5" or "-10%"."""

_RELATIVE = re.compile(r"\s*(±|\+-|\+/-|\+|-)\s*(\d+(?:\.\d*)?|\.\d+)\s*(%?)\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraints:
    """What may change, and how far: every suggested change keeps to it, and so does every value in its ranges.

    Constraints bind hypothetical rules, which say what would make the prediction more certain or turn it. Rules about
    the instance as it is are not affected.

    Parameters
    ----------
    fixed
        Features that never change.
    up, down
        Features that may only rise, or only fall: numbers, and categories with an order.
    ranges
        Limits of numbers: `{"income": (0, 80)}`, with None for no limit; or relative to the present value, `"±20%"`,
        `"+5"`. A value outside may stay as it is.
    changes, forbidden
        Categories that each category may change to, `{"job": {"none": ["clerk", "cook"]}}`, with no other change of the
        feature; or that it may not change to.
    orders
        Categories from the lowest to the highest, for `up` and `down` of text: `{"education": ["school", "college"]}`.
    where
        Conditions that a changed row must meet, as in `lormika explain --where`; `now.age` is the value before the
        change: `"age >= now.age"`, `"savings <= income"`.
    linked
        Groups of features that only change together.
    one_of
        Groups of features of which one is 1 and all others are 0, as one-hot columns are, and so it stays.
    cost
        What a change of a feature costs, 1 unless given: of changes alike, cheaper ones come first.
    permits
        A function from a frame of changed rows to True or False for each row.

    Examples
    --------
    >>> Constraints(fixed=["age"], ranges={"income": "±20%"}).to_dict()
    {'fixed': ['age'], 'ranges': {'income': '±20%'}}
    """

    fixed: Sequence[str] = ()
    up: Sequence[str] = ()
    down: Sequence[str] = ()
    ranges: Mapping[str, Limits] = field(default_factory=dict)
    changes: Transitions = field(default_factory=dict)
    forbidden: Transitions = field(default_factory=dict)
    orders: Mapping[str, Sequence[Scalar]] = field(default_factory=dict)
    where: Sequence[str] = ()
    linked: Sequence[Sequence[str]] = ()
    one_of: Sequence[Sequence[str]] = ()
    cost: Mapping[str, float] = field(default_factory=dict)
    permits: Callable[[UserTable], object] | None = None

    def __post_init__(self) -> None:
        for name in ("fixed", "up", "down", "where"):
            object.__setattr__(self, name, _texts(name, getattr(self, name)))
        for name in ("changes", "forbidden"):
            object.__setattr__(self, name, _transitions(name, getattr(self, name)))
        for name in ("linked", "one_of"):
            object.__setattr__(self, name, _groups(name, getattr(self, name)))
        object.__setattr__(
            self, "orders", {f: _values(f"orders of {f!r}", v) for f, v in _items("orders", self.orders)}
        )
        object.__setattr__(self, "ranges", {f: _limits(f, limits) for f, limits in _items("ranges", self.ranges)})
        object.__setattr__(self, "cost", {f: _cost(f, cost) for f, cost in _items("cost", self.cost)})
        for condition in self.where:
            RowTest.of(condition)
        if self.permits is not None and not callable(self.permits):
            raise InputError(
                f"constraints: permits={quote(self.permits)}: give a function from a frame to True or False"
            )
        self._refuse_contradictions()

    def _refuse_contradictions(self) -> None:
        elsewhere: dict[str, Iterable[str]] = {
            "up": self.up, "down": self.down, "ranges": self.ranges, "changes": self.changes,
            "linked": [name for group in self.linked for name in group],
        }  # fmt: skip
        for place, names in elsewhere.items():
            for name in names:
                if name in self.fixed:
                    raise InputError(f"constraints: {name!r} is fixed, and in {place}, too; give it in one of them")
        for name in (name for group in self.linked for name in group):
            if any(name in group for group in self.one_of):
                raise InputError(f"constraints: {name!r} is in linked and one_of; of the latter, only two change")
        for name in self.up:
            if name in self.down:
                raise InputError(f"constraints: {name!r} is in up and down; a feature that may do neither is fixed")

    @classmethod
    def of(cls, source: object) -> Constraints:
        """Constraints from a mapping, or from a TOML or JSON file."""
        if isinstance(source, Constraints):
            return source
        if isinstance(source, str | Path):
            return cls.of(read_object(Path(source), '{"fixed": ["age"]}'))
        if not isinstance(source, Mapping):
            raise InputError(f"constraints={quote(source)}: give Constraints(…), a dict, or the name of a file")
        names = [one.name for one in fields(cls)]
        for name in source:
            if name not in names:
                raise InputError(f"constraints: there is no {quote(name)}; there are {', '.join(names)}")
        keywords: Keywords = dict(source)
        return cls(**keywords)

    @classmethod
    def all_of(cls, source: object) -> tuple[Constraints, ...]:
        """Constraints, a mapping, or a list of these, all of which hold; or None. No file is opened for them."""
        every = () if source is None else source if isinstance(source, list | tuple) else (source,)
        for one in every:
            if isinstance(one, str | Path):
                raise InputError(f"constraints={quote(one)}: read a file with Constraints.of({quote(str(one))})")
        return tuple(map(cls.of, every))

    def to_dict(self) -> JsonObject:
        """Everything that was given, as plain data; of a function, its name."""
        content: JsonObject = {}
        for one in fields(self):
            value = getattr(self, one.name)
            if value is None or (is_list(value) and not value):
                continue
            content[one.name] = _plain(value) if one.name != "permits" else getattr(value, "__qualname__", repr(value))
        return content

    @property
    def features(self) -> tuple[str, ...]:
        """All features that are named, other than in conditions."""
        groups = (*self.linked, *self.one_of, self.fixed, self.up, self.down, self.ranges, self.changes, self.forbidden)
        return tuple(dict.fromkeys(name for group in (*groups, self.orders, self.cost) for name in group))


@dataclass(frozen=True, slots=True)
class RelativeLimits:
    """How far a number may move from its present value: so far down, so far up; in shares of it, or as they are."""

    down: Decimal  # as they are written: 20 % of 16.76 are 3.352, and no digit more
    up: Decimal
    is_share: bool

    @classmethod
    def of(cls, text: str) -> RelativeLimits | None:
        """Read a text; None if it says no such thing."""
        match = _RELATIVE.fullmatch(text)
        if match is None:
            return None
        sign, size, is_share = match[1], Decimal(match[2]) / (100 if match[3] else 1), bool(match[3])
        zero = Decimal(0)
        return cls(zero if sign == "+" else size, zero if sign == "-" else size, is_share)

    def around(self, value: float) -> tuple[float, float]:
        """Both ends.

        >>> RelativeLimits.of("±20%").around(16.76), RelativeLimits.of("+5").around(30)
        ((13.408, 20.112), (30.0, 35.0))
        """
        exact = Decimal(repr(float(value)))
        unit = abs(exact) if self.is_share else Decimal(1)
        return float(exact - self.down * unit), float(exact + self.up * unit)


def _texts(name: str, values: UserColumn) -> tuple[str, ...]:
    if isinstance(values, str):
        raise InputError(f"constraints: {name}={quote(values)}: give a list, such as [{quote(values)}]")
    if not is_list(values) or isinstance(values, Mapping):
        raise InputError(f"constraints: {name}={quote(values)}: give a list of texts")
    texts = tuple(values)
    for text in texts:
        if not isinstance(text, str):
            raise InputError(f"constraints: {name} has {quote(text)}, which is no text")
    return texts


def _items(name: str, mapping: object) -> list[tuple[str, object]]:
    if not isinstance(mapping, Mapping) or not all(isinstance(key, str) for key in mapping):
        raise InputError(f"constraints: {name}={quote(mapping)}: give a dict by feature")
    return list(mapping.items())


def _values(place: str, values: UserColumn) -> tuple[Scalar, ...]:
    if isinstance(values, str) or not is_list(values) or isinstance(values, Mapping):
        raise InputError(f"constraints: {place}: give a list of categories, not {quote(values)}")
    categories = tuple(plain(value) for value in values)
    for value in categories:
        if not _is_scalar(value):
            raise InputError(f"constraints: {place}: {quote(value)} is no category")
    if len(set(categories)) < len(categories):
        raise InputError(f"constraints: {place}: a category is there twice")
    return categories


def _is_scalar(value: object) -> TypeGuard[Scalar]:
    return isinstance(value, str | int | float | bool) and not is_too_large(value)


def _transitions(name: str, mapping: object) -> Transitions:
    checked: dict[str, dict[Scalar, tuple[Scalar, ...]]] = {}
    for feature, moves in _items(name, mapping):
        if not isinstance(moves, Mapping):
            raise InputError(f"constraints: {name} of {feature!r}: give a dict, {{category: [other categories]}}")
        for key in moves:
            if not _is_scalar(plain(key)):
                raise InputError(f"constraints: {name} of {feature!r}: {quote(key)} is no category")
        checked[feature] = {
            plain(key): _values(f"{name} of {feature!r} from {quote(key)}", to) for key, to in moves.items()
        }
    return checked


def _groups(place: str, groups: UserColumn) -> tuple[tuple[str, ...], ...]:
    if isinstance(groups, str) or not is_list(groups):
        raise InputError(f"constraints: {place}={quote(groups)}: give a list of lists of features")
    checked = tuple(_texts(place, group) for group in groups)
    names = [name for group in checked for name in group]
    for group in checked:
        if len(group) < 2:
            raise InputError(f"constraints: {place}: {listing(group)} stands alone; a group has at least two features")
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"constraints: {place}: {name!r} is there twice; put what belongs together in one group")
    return checked


def _limits(feature: str, limits: UserValue) -> Limits:
    if isinstance(limits, str):
        if RelativeLimits.of(limits) is None:
            raise InputError(
                f"constraints: ranges of {feature!r}: {quote(limits)}: write ±20%, +20%, -20%, ±5, +5 or -5"
            )
        return limits
    ends = tuple(map(plain, limits)) if is_list(limits) and not isinstance(limits, Mapping) else ()
    if len(ends) != 2 or not all(end is None or _is_number(end) for end in ends):
        raise InputError(
            f"constraints: ranges of {feature!r}: give (low, high), with None for no limit, not {quote(limits)}"
        )
    low, high = (None if end is None or math.isinf(end) else float(end) for end in ends)
    if low is not None and high is not None and low > high:
        raise InputError(f"constraints: ranges of {feature!r}: {low:g} is above {high:g}")
    return low, high


def _is_number(value: object) -> TypeGuard[float]:
    if not isinstance(value, int | float) or isinstance(value, bool) or is_too_large(value):
        return False
    return not math.isnan(value)


def _cost(feature: str, cost: object) -> float:
    cost = plain(cost)
    if not _is_number(cost) or not 0 < cost < math.inf:
        raise InputError(f"constraints: cost of {feature!r}: give a number above 0, not {quote(cost)}")
    return float(cost)


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}  # as JSON has it
    return [_plain(inner) for inner in value] if isinstance(value, tuple | list) else value

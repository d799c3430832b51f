"""Binding: constraints beside the features of a table, checked, and as the values that a feature may change to."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from lormika.constraints import Constraints, RelativeLimits, Transitions
from lormika.errors import InputError, quote
from lormika.frames import did_you_mean, listing
from lormika.frames.evaluator import Column, Rows, Values
from lormika.frames.feature import Feature
from lormika.frames.schema import Schema
from lormika.frames.values import Scalar
from lormika.frames.where import RowTest


def check_constraints(schema: Schema, constraints: Constraints) -> None:
    """Refuse what names something that is not there, or cannot be."""
    for name in constraints.features:
        if name not in schema.places:
            raise InputError(f"constraints: there is no feature {name!r}{did_you_mean(name, schema.names)}")
    for name in (*constraints.up, *constraints.down):
        feature = schema.features[schema.index(name)]
        if not feature.is_numeric and not feature.is_ordered and name not in constraints.orders:
            raise InputError(
                f"constraints: the categories of {name!r} have no order, so that it can neither rise nor fall: give "
                "their order in orders, or the permitted changes in changes"
            )
    for place, mapping in (("changes", constraints.changes), ("forbidden", constraints.forbidden)):
        _check_transitions(schema, place, mapping)
    for name, categories in constraints.orders.items():
        feature = schema.features[schema.index(name)]
        for value in categories:
            _code(feature, value, "orders")
    for name in constraints.ranges:
        if not schema.features[schema.index(name)].is_numeric:
            raise InputError(f"constraints: ranges: {name!r} is no number; give the permitted changes in changes")
    for name in (name for group in constraints.one_of for name in group):
        feature = schema.features[schema.index(name)]
        others = [value for value in feature.categories or () if value not in (0, 1)]
        if others:
            raise InputError(f"constraints: one_of: {name!r} has {quote(others[0])}; such features are 0 or 1")
    _check_conditions(schema, constraints)


def _check_conditions(schema: Schema, constraints: Constraints) -> None:
    """Evaluate each condition once, so that its errors are found before anything is explained."""
    row = np.array([[math.nan if f.is_numeric else 0.0 for f in schema.features]])
    columns = condition_columns(schema, row, schema.names)  # also those that no condition should name
    for condition in constraints.where:
        try:
            RowTest.of(condition).matching(Rows(1, columns, columns))
        except InputError as error:
            raise InputError(f"constraints: where: {error}") from error


def _check_transitions(schema: Schema, place: str, mapping: Transitions) -> None:
    for name, moves in mapping.items():
        feature = schema.features[schema.index(name)]
        if feature.is_numeric:
            raise InputError(f"constraints: {place}: {name!r} is a number; give its limits in ranges")
        for value, others in moves.items():
            for category in (value, *others):
                _code(feature, category, place)


def _code(feature: Feature, value: Scalar, place: str) -> int:
    """Position of a category; in files, its text may stand for a number or a truth."""
    if value in feature.positions:
        return feature.positions[value]
    named = [code for category, code in feature.positions.items() if str(category) == str(value)]
    if len(named) != 1:
        raise InputError(
            f"constraints: {place}: {feature.name!r} has no category {quote(value)}; it has "
            f"{listing(feature.categories or ())}"
        )
    return named[0]


def number_limits(constraints: Constraints, name: str, value: float) -> tuple[float, float]:
    """The values that a number may change to."""
    low, high = -math.inf, math.inf
    if name in constraints.fixed:
        return math.inf, -math.inf
    limits = constraints.ranges.get(name)
    is_relative = isinstance(limits, str) or name in constraints.up or name in constraints.down
    if math.isnan(value) and is_relative:  # there is nothing to start from
        return math.inf, -math.inf
    if isinstance(limits, str):
        relative = RelativeLimits.of(limits)
        assert relative is not None
        low, high = relative.around(value)
    elif limits is not None:
        low, high = (-math.inf if limits[0] is None else limits[0]), (math.inf if limits[1] is None else limits[1])
    if name in constraints.up:
        low = max(low, value)
    if name in constraints.down:
        high = min(high, value)
    return low, high


def permitted_categories(constraints: Constraints, feature: Feature, value: float) -> np.ndarray:
    """The categories that a feature may change to, as a mask."""
    name = feature.name
    codes = np.arange(len(feature.positions))
    mask = np.ones(len(codes), dtype=bool)
    if name in constraints.fixed:
        return ~mask
    own = None if math.isnan(value) else int(value)
    if name in constraints.changes:
        moves = {_code(feature, key, "changes"): to for key, to in constraints.changes[name].items()}
        mask &= np.isin(codes, [_code(feature, other, "changes") for other in moves.get(own, ())])  # type: ignore
    if name in constraints.forbidden:
        moves = {_code(feature, key, "forbidden"): to for key, to in constraints.forbidden[name].items()}
        mask &= ~np.isin(codes, [_code(feature, other, "forbidden") for other in moves.get(own, ())])  # type: ignore
    for names, sign in ((constraints.up, 1), (constraints.down, -1)):
        if name in names:
            mask &= _beyond(constraints, feature, own, sign)
    return mask


def _beyond(constraints: Constraints, feature: Feature, own: int | None, sign: int) -> np.ndarray:
    """The categories above (or below) one, in their order; those without a place in it are neither."""
    ranks = np.full(len(feature.positions), math.nan)
    order = constraints.orders.get(feature.name)
    if order is None:
        ranks[:] = feature.ranks
    else:
        ranks[[_code(feature, value, "orders") for value in order]] = np.arange(len(order))
    rank = math.nan if own is None else ranks[own]
    above: np.ndarray = sign * (ranks - rank) >= 0
    return above


@dataclass(frozen=True, slots=True, eq=False)
class OneOf:
    """Features of which one is 1 and all others are 0, with the codes that say so."""

    features: tuple[int, ...]
    hot: np.ndarray  # a feature that is 1; NaN, if it never is
    cold: np.ndarray

    @classmethod
    def of(cls, schema: Schema, names: Sequence[str]) -> OneOf:
        """From the names of features, which must have been checked."""
        places = tuple(map(schema.index, names))
        codes = [_truth_codes(schema.features[f]) for f in places]
        return cls(places, np.array([hot for hot, _ in codes]), np.array([cold for _, cold in codes]))

    def holds(self, rows: np.ndarray) -> np.ndarray:
        """In which rows exactly one is 1, and all others are 0."""
        own = rows[:, self.features]
        hot, cold = own == self.hot, own == self.cold
        held: np.ndarray = (hot.sum(axis=1) == 1) & (hot | cold).all(axis=1)
        return held

    def switches(self, row: np.ndarray) -> np.ndarray:
        """Copies of a row, each with another feature that is 1."""
        rows = np.repeat(row[None], len(self.features), axis=0)
        rows[:, self.features] = np.where(np.eye(len(self.features), dtype=bool), self.hot, self.cold)
        switched: np.ndarray = rows[self.holds(rows) & (rows != row).any(axis=1)]
        return switched


def _truth_codes(feature: Feature) -> tuple[float, float]:
    if feature.is_numeric:
        return 1.0, 0.0
    return feature.positions.get(True, math.nan), feature.positions.get(False, math.nan)


def condition_columns(schema: Schema, rows: np.ndarray, names: Iterable[str]) -> dict[str, Column]:
    """Encoded rows as the columns of a condition, those that it names."""
    places = [schema.index(name) for name in names]
    return {schema.names[f]: partial(_column, schema.features[f], rows[:, f]) for f in places}


def _column(feature: Feature, values: np.ndarray) -> Values | None:
    missing = np.isnan(values)
    if feature.categories is None:
        return Values("number", values, missing)
    kinds = {_kind(category) for category in feature.categories}
    if len(kinds) > 1:
        return None
    kind = kinds.pop() if kinds else "empty"
    categories = np.empty(len(feature.categories) + 1, dtype=object)
    categories[:-1] = feature.categories
    categories[-1] = {"text": "", "truth": False}.get(kind, 0)
    chosen = categories[np.where(missing, len(categories) - 1, values).astype(np.intp)]
    return Values(kind, chosen.astype(bool) if kind == "truth" else chosen, missing)


def _kind(category: Scalar) -> str:
    if isinstance(category, bool):
        return "truth"
    return "text" if isinstance(category, str) else "number"

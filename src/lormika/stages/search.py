"""The k best class-association rules of a table, found exactly by branch-and-bound search (OPUS)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lormika import _core, frames
from lormika.errors import InputError, quote
from lormika.frames.schema import Schema, encoded_columns, is_identifier, read_schema
from lormika.frames.values import Scalar, is_list, is_missing, is_too_large, plain, value_order
from lormika.options import MOST_BINS, MOST_CONDITIONS, Correction, Filter, Objective, SearchOptions, check_integer
from lormika.rule import Category, Check, Counts, Rerun, Rule
from lormika.stages.items import Items, check_cuts, itemise, name_single

MANY_CLASSES = 50  # more are hardly meant as classes


@dataclass(frozen=True, slots=True)
class Candidate:
    """A rule as the search finds it: numbers of items and of a class."""

    items: tuple[int, ...]
    consequent: int
    antecedent: int  # rows that match
    both: int  # rows that match and have the class
    score: float
    p_value: float


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """Rows with items and classes, among which rules are searched for."""

    items: Items
    labels: np.ndarray
    classes: Sequence[Scalar]
    consequents: Sequence[int]  # classes that rules may lead to
    n_real: int | None = None  # the first so many rows are real ones, and counted apart
    prediction: int | None = None  # class of the instance
    _masks: dict[int, np.ndarray] = field(init=False, default_factory=dict)  # rows that each item holds for, once asked

    def category(self, candidate: Candidate) -> Category:
        """What a rule says about the instance."""
        current = self.items.own.issuperset(candidate.items)
        return Category.of(current=current, supporting=candidate.consequent == self.prediction)

    def find(
        self, options: SearchOptions, lists: np.ndarray, k: int, weights: np.ndarray | None = None
    ) -> list[Candidate]:
        """Exactly the first k candidates of each list; `lists` says which one a rule belongs to (see `make_lists`).

        A rule's score counts times the least weight of its features; with a weight of 0, it does not count at all.
        """
        found, _ = _core.search(
            self.items.codes,
            self.items.sizes,
            self.labels.astype(np.int32, copy=False),
            lists,
            self.items.instance,
            objective=list(Objective).index(Objective(options.objective)),
            filter=list(Filter).index(Filter(options.filter)),
            k=min(k, 2**31 - 1),
            max_conditions=options.max_conditions,
            min_count=min(options.min_count, 2**31 - 1),
            m=float(options.m),
            critical=_critical_values(self.items.sizes.tolist(), len(self.consequents), options),
            weights=np.ones(len(self.items.sizes)) if weights is None else weights,
        )
        return [Candidate(tuple(chosen), c, rows, both, score, p) for chosen, c, rows, both, score, p in found]

    def matching(self, candidate: Candidate) -> np.ndarray:
        """Rows that match the conditions."""
        first, *others = (self._mask(item) for item in candidate.items)
        for other in others:
            first = first & other
        return first

    def _mask(self, item: int) -> np.ndarray:
        if item not in self._masks:
            row, number = self.items.places[item]
            self._masks[item] = self.items.codes[row] == number
        return self._masks[item]

    def make_rule(self, candidate: Candidate, check: Check | None = None, rerun: Rerun | None = None) -> Rule:
        """The candidate in the user's words."""
        n_class = int(np.count_nonzero(self.labels == candidate.consequent))
        return Rule(
            tuple(self.items.conditions[i] for i in candidate.items),
            self.classes[candidate.consequent],
            Counts(len(self.labels), candidate.antecedent, n_class, candidate.both),
            candidate.score,
            candidate.p_value,
            None if self.prediction is None else self.category(candidate),
            None if self.n_real is None else self.count_real(self.matching(candidate), candidate.consequent),
            rerun,
            check,
        )

    def count_real(self, matching: np.ndarray, c: int) -> Counts:
        """Counts of a rule on the real rows alone."""
        matching, hits = matching[: self.n_real], self.labels[: self.n_real] == c
        antecedent, consequent, both = map(np.count_nonzero, (matching, hits, matching & hits))
        return Counts(len(hits), int(antecedent), int(consequent), int(both))


def make_lists(space: Space, options: SearchOptions) -> np.ndarray:
    """List of a rule of each class: hypothetical rules in the first row, current ones in the second; -1: none.

    With a prediction, `per="category"` has a list for each of the four kinds, in their order; else there is one.
    """
    lists = np.full((2, len(space.classes)), -1, dtype=np.int32)
    for c in space.consequents:
        for current in (False, True):
            kind = Category.of(current=current, supporting=c == space.prediction)
            one = space.prediction is None or options.per == "overall"
            lists[int(current), c] = 0 if one else tuple(Category).index(kind)
    return lists


def _critical_values(sizes: Sequence[int], n_classes: int, options: SearchOptions) -> np.ndarray:
    """Critical p-value of a rule of each length."""
    sets = [1] + [0] * MOST_CONDITIONS  # possible condition sets of each length: elementary symmetric polynomials
    for size in sizes:
        for length in range(MOST_CONDITIONS, 0, -1):
            sets[length] += sets[length - 1] * size
    tried = [n_classes * number for number in sets]
    critical = np.zeros(MOST_CONDITIONS + 1)
    for length in range(1, options.max_conditions + 1):
        if tried[length] == 0:
            break
        critical[length] = (
            options.alpha
            / {
                Correction.NONE: 1,
                Correction.BONFERRONI: sum(tried[1 : options.max_conditions + 1]),
                Correction.LAYERED: options.max_conditions * tried[length],
            }[Correction(options.correction)]
        )
    return critical


def mine_rules(
    X: Any,
    y: Any,
    *,
    k: int = 10,
    objective: str = "leverage",
    max_conditions: int = 4,
    min_count: int = 1,
    m: float = 0.0,
    filter: str = "none",
    alpha: float = 0.05,
    correction: str = "none",
    bins: int = 3,
    cuts: Mapping[str, Sequence[float]] | None = None,
    categorical: Sequence[str | int] | None = None,
    classes: Sequence[Scalar] | None = None,
    feature_names: Sequence[str] | None = None,
) -> list[Rule]:
    """Find the k best rules of any table that lead to a class.

    Parameters
    ----------
    X
        Table: pandas, polars or pyarrow frame, mapping of columns, or 2-D array (with `feature_names`). Categories
        that nearly all differ, such as names of customers, are left out with a warning.
    y
        Class of each row.
    k, objective
        How many rules, best by which measure: support, coverage, confidence, lift or leverage. By support and coverage
        alone the best rules ignore the class; use at least `filter="productive"` with them.
    max_conditions, min_count, m
        Most conditions of a rule (up to 6), fewest rows it must match, and the m-estimate of confidence and lift.
    filter, alpha, correction
        `none`, `nonredundant`, `productive` or `significant`; significance level, and its correction for the number of
        rules tried: `none`, `bonferroni` or `layered`.
    bins, cuts
        Ranges of each numeric column, or cut points by column.
    categorical
        Numeric columns that are categories.
    classes
        Only rules that lead to these classes.

    Examples
    --------
    >>> table = {"sky": ["sun", "sun", "rain", "rain"], "wind": [1, 9, 2, 8]}
    >>> for rule in mine_rules(table, ["out", "out", "in", "in"], k=2, bins=2):
    ...     print(rule, rule.leverage)
    sky = rain ⇒ in 0.25
    sky = sun ⇒ out 0.25
    """
    options = SearchOptions(
        k=k, objective=objective, max_conditions=max_conditions, min_count=min_count, m=m,
        filter=filter, alpha=alpha, correction=correction,
    )  # fmt: skip
    check_integer("bins", bins, 2, MOST_BINS)
    reader = frames.read(X, feature_names)
    schema = read_schema(reader, categorical)
    names, labels = _read_classes(y, reader.n_rows)
    encoded = np.stack(list(encoded_columns(schema, reader)), axis=1)
    points, identifiers = check_cuts(schema, cuts), _identifiers(schema, encoded)
    _warn_of_classes(names, classes)
    if identifiers:
        told = frames.listing(schema.names[f] for f in identifiers)
        warnings.warn(f"left out, because nearly all values differ: {told}", stacklevel=2)
    items = itemise(schema, encoded, None, bins=bins, cuts=points, without=identifiers)
    space = Space(items, labels, names, _consequents(classes, names))
    found = space.find(options, make_lists(space, options), options.k)
    observed = {f.name: np.unique(column) for f, column in zip(schema.features, encoded.T, strict=True) if f.is_numeric}
    return [name_single(space.make_rule(candidate), observed, {}) for candidate in found]


def _identifiers(schema: Schema, encoded: np.ndarray) -> list[int]:
    """Positions of the categories that tell single rows apart: their conditions would hold for a row each."""
    found = []
    for f, feature in enumerate(schema.features):
        present = encoded[~np.isnan(encoded[:, f]), f]
        if not feature.is_numeric and is_identifier(len(np.unique(present)), len(present)):
            found.append(f)
    return found


def _warn_of_classes(names: Sequence[Scalar], classes: Sequence[Scalar] | None) -> None:
    """Say so if rules can hardly tell the classes apart."""
    if len(names) == 1:
        warnings.warn(f"y holds one class only, {quote(names[0])}: rules tell nothing from it", stacklevel=3)
    elif len(names) > MANY_CLASSES and classes is None:
        are_numbers = all(isinstance(name, int | float) and not isinstance(name, bool) for name in names)
        what, advice = (
            ("different numbers, and each is a class of its own", "cut them into a few ranges, as pandas.cut does")
            if are_numbers
            else ("classes, and most have few rows", "join the rare ones, or name those you want in classes")
        )
        warnings.warn(f"y holds {len(names):,} {what}: {advice}", stacklevel=3)


def _consequents(classes: Sequence[Scalar] | None, names: Sequence[Scalar]) -> list[int]:
    if classes is None:
        return list(range(len(names)))
    if not is_list(classes):
        raise InputError(f"classes={quote(classes)}: give a list of classes of y")
    wanted = [plain(value) for value in classes]
    unknown = [value for value in wanted if not isinstance(value, str | int | float | bool) or value not in names]
    if unknown:
        raise InputError(f"classes names {quote(unknown[0])}, which y does not hold")
    return sorted({names.index(value) for value in wanted})


def _read_classes(y: Any, n_rows: int) -> tuple[list[Scalar], np.ndarray]:
    if isinstance(y, Mapping) or not is_list(y):
        raise InputError(f"y is a {type(y).__name__}: give the class of each row, as a list, array or series")
    values = [plain(value) for value in (y.to_pylist() if hasattr(y, "to_pylist") else y)]
    if len(values) != n_rows:
        raise InputError(f"y has {len(values)} values; X has {n_rows} rows")
    for row, value in enumerate(values):
        if is_missing(value) or not isinstance(value, str | int | float | bool) or value in (math.inf, -math.inf):
            raise InputError(f"y, row {row}: {quote(value)} is not a class; give strings, numbers or booleans")
        if is_too_large(value):
            raise InputError(f"y, row {row}: {quote(value)} is too large for a class; make it a string")
    names: list[Scalar] = sorted(set(values), key=value_order)
    place = {name: position for position, name in enumerate(names)}
    return names, np.array([place[value] for value in values], dtype=np.int32)

"""mine_rules: the search alone, for any table with classes."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Unpack

import numpy as np

from lormika import frames
from lormika.checks import check_integer
from lormika.errors import InputError, quote
from lormika.frames.schema import MANY_CATEGORIES, Schema, encoded_columns, is_identifier, read_schema
from lormika.frames.values import Scalar, is_list, is_missing, is_too_large, plain, value_order
from lormika.options import MINING, MOST_BINS, NEED_INSTANCE, MiningKeywords
from lormika.rules import Rules
from lormika.session import is_interactive
from lormika.stages.cuts import check_cuts
from lormika.stages.items import Items, itemise
from lormika.stages.naming import name_single
from lormika.stages.search import Space, make_lists
from lormika.types import UserColumn, UserTable

MANY_CLASSES = 50  # more are hardly intended as classes


def mine_rules(
    X: UserTable,
    y: UserColumn,
    *,
    bins: int = 3,
    cuts: Mapping[str, Sequence[float]] | None = None,
    categorical: Sequence[str | int] | None = None,
    classes: Sequence[Scalar] | None = None,
    feature_names: Sequence[str] | None = None,
    **options: Unpack[MiningKeywords],
) -> Rules:
    """Find the k best rules that lead to a class, in any table.

    The result is a list of rules. If the search was stopped by its `time_limit`, it holds the rules so far, and a
    warning says what may be missing; so do its attributes `complete` and `open_bound`. The same happens if you press
    Ctrl-C in a notebook or at Python's prompt; in a script, that raises KeyboardInterrupt as usual.

    Parameters
    ----------
    X
        Table: a pandas, polars or pyarrow frame, a mapping of columns, or a 2-D array (with `feature_names`). Columns
        whose categories nearly all differ, such as customer names, are left out with a warning.
    y
        Class of each row.
    bins, cuts
        Number of ranges for each numeric column, or cut points by column.
    categorical
        Numeric columns to treat as categories.
    classes
        Find only rules that lead to these classes.
    feature_names
        Column names for an array.
    **options
        What to look for, such as `k=20`, `objective="lift"` or `filter="significant"`: see `SearchOptions`. By default,
        the 10 best rules by leverage, with up to four conditions and no filter.

    Examples
    --------
    >>> table = {"sky": ["sun", "sun", "rain", "rain"], "wind": [1, 9, 2, 8]}
    >>> for rule in mine_rules(table, ["out", "out", "in", "in"], k=2, bins=2):
    ...     print(rule, rule.leverage)
    sky = rain ⇒ in 0.25
    sky = sun ⇒ out 0.25
    """
    for name in options:
        if name in NEED_INSTANCE:
            raise InputError(f"{name} needs an instance, which rules of a table do not have: leave it out")
    chosen = MINING.but(options)
    check_integer("bins", bins, 2, MOST_BINS)
    reader = frames.read(X, feature_names)
    schema = read_schema(reader, categorical)
    names, labels = _read_classes(y, reader.n_rows)
    encoded = np.stack(list(encoded_columns(schema, reader))).T  # column by column, as they are read
    points, identifiers = check_cuts(schema, cuts), _identifiers(schema, encoded)
    _warn_of_classes(getattr(y, "name", None), names, classes)
    if identifiers:
        columns = frames.listing(schema.names[f] for f in identifiers)
        warnings.warn(f"left out, because nearly all values differ: {columns}", stacklevel=2)
    items = itemise(schema, encoded, None, bins=bins, cuts=points, without=identifiers)
    space = Space(items, labels, names, _consequents(classes, names), keeps=is_interactive())
    candidates = space.find(chosen, make_lists(space, chosen.per), chosen.k)
    if space.incomplete:
        warnings.warn(str(space.incomplete), stacklevel=2)
    observed = _observed(schema, items)
    rules = (name_single(space.make_rule(candidate), observed, {}) for candidate in candidates)
    return Rules(rules, space.incomplete, str(chosen.objective))


def _identifiers(schema: Schema, encoded: np.ndarray) -> list[int]:
    """Positions of categorical features that identify single rows: each condition would hold for one row."""
    identifiers = []
    for f, feature in enumerate(schema.features):
        if len(feature.categories or ()) < MANY_CATEGORIES:  # a number has none
            continue
        present = encoded[~np.isnan(encoded[:, f]), f]
        if is_identifier(int(np.count_nonzero(np.bincount(present.astype(np.intp)))), len(present)):
            identifiers.append(f)
    return identifiers


def _observed(schema: Schema, items: Items) -> dict[str, np.ndarray]:
    """The different numbers of each feature that has ranges, in order."""
    numeric = [schema.features[f] for f in items.features if schema.features[f].is_numeric]
    firsts = np.ones(items.ordered.shape, dtype=bool)  # where a number occurs first
    firsts[:, 1:] = items.ordered[:, 1:] != items.ordered[:, :-1]
    return {f.name: row[first] for f, row, first in zip(numeric, items.ordered, firsts, strict=True)}


def _warn_of_classes(target: object, names: Sequence[Scalar], classes: Sequence[Scalar] | None) -> None:
    """Warn if rules can hardly tell the classes apart."""
    if len(names) == 1:
        what = repr(target) if isinstance(target, str) and target else "y"
        warnings.warn(f"{what} holds one class only, {quote(names[0])}: rules tell nothing from it", stacklevel=3)
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
    values = [plain(value) for value in classes]
    unknown = [value for value in values if not isinstance(value, str | int | float | bool) or value not in names]
    if unknown:
        raise InputError(f"classes names {quote(unknown[0])}, which y does not hold")
    return sorted({names.index(value) for value in values})


def _read_classes(y: UserColumn, n_rows: int) -> tuple[list[Scalar], np.ndarray]:
    if isinstance(y, Mapping) or not is_list(y):
        raise InputError(f"y is a {type(y).__name__}: give the class of each row, as a list, array or series")
    distinct, codes = frames.read_distinct(partial(frames.coded, y))
    if distinct is not None and codes is not None and len(codes) == n_rows and _are_classes(distinct, codes):
        names: list[Scalar] = sorted(distinct, key=value_order)
        places = np.array([names.index(value) for value in distinct], dtype=np.int32)
        return names, places[codes]
    return _read_each_class(y, n_rows)


def _are_classes(distinct: Sequence[Scalar], codes: np.ndarray) -> bool:
    occur = np.bincount(codes[codes >= 0], minlength=len(distinct)) > 0
    return bool(occur.all() and codes.min(initial=0) >= 0 and not {math.inf, -math.inf}.intersection(distinct))


def _read_each_class(y: UserColumn, n_rows: int) -> tuple[list[Scalar], np.ndarray]:
    """Value by value, which also finds what is wrong with one."""
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

"""The k best class-association rules of a table, found exactly by branch-and-bound search (OPUS)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from lormika import _core, frames
from lormika.errors import InputError
from lormika.items import Items, check_cuts, itemise
from lormika.options import MOST_BINS, MOST_CONDITIONS, Correction, Filter, Objective, SearchOptions, check_integer
from lormika.rule import Category, Counts, Rule
from lormika.schema import encoded_columns, read_schema
from lormika.values import Scalar, is_missing, plain, value_order

# Which of the four lists a rule goes to, by whether it holds now and whether it leads to the prediction.
_CATEGORIES = tuple(Category)


def k_optimal_rules(
    items: Items,
    labels: np.ndarray,
    classes: Sequence[Scalar],
    options: SearchOptions,
    *,
    prediction: int | None = None,
    consequents: Sequence[int] | None = None,
    n_real: int | None = None,
) -> list[Rule]:
    """Exactly the first k rules, in the total order of rules, of all that pass the filter.

    With a prediction (the instance's class), rules get their category, and `per="category"` finds k of each. The first
    `n_real` rows are real ones, and counted apart.
    """
    rows_of_class = np.bincount(labels, minlength=len(classes))
    wanted = np.flatnonzero(rows_of_class) if consequents is None else np.asarray(consequents)
    found, _ = _core.search(
        items.codes,
        items.sizes,
        labels.astype(np.int32, copy=False),
        _lists(len(classes), wanted, options, prediction),
        items.instance,
        objective=list(Objective).index(Objective(options.objective)),
        filter=list(Filter).index(Filter(options.filter)),
        k=min(options.k, 2**31 - 1),
        max_conditions=options.max_conditions,
        min_count=min(options.min_count, 2**31 - 1),
        m=float(options.m),
        critical=_critical_values(items.sizes.tolist(), len(wanted), options),
    )
    rules = []
    for chosen, c, antecedent, both, score, p_value in found:
        places = [items.places[i] for i in chosen]
        current = all(items.instance[feature] == value for feature, value in places)
        rules.append(
            Rule(
                tuple(items.conditions[i] for i in chosen),
                classes[c],
                Counts(len(labels), antecedent, int(rows_of_class[c]), both),
                score,
                p_value,
                None if prediction is None else _category(current, c == prediction),
                None if n_real is None else _count_real(items.codes[:, :n_real], labels[:n_real], places, c),
            )
        )
    return rules


def _category(current: bool, supporting: bool) -> Category:
    return _CATEGORIES[2 * (not current) + (not supporting)]


def _lists(n_classes: int, wanted: np.ndarray, options: SearchOptions, prediction: int | None) -> np.ndarray:
    """List of a rule of each class: hypothetical rules in the first row, current ones in the second."""
    lists = np.full((2, n_classes), -1, dtype=np.int32)
    for c in wanted:
        for current in (False, True):
            if prediction is None or options.per == "overall":
                lists[int(current), c] = 0
            else:
                lists[int(current), c] = _CATEGORIES.index(_category(current, c == prediction))
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


def _count_real(codes: np.ndarray, labels: np.ndarray, places: Sequence[tuple[int, int]], c: int) -> Counts:
    """Counts of a rule on the real rows alone."""
    hits = labels == c
    matching = np.ones(len(labels), dtype=bool)
    for feature, value in places:
        matching &= codes[feature] == value
    antecedent, consequent, both = map(np.count_nonzero, (matching, hits, matching & hits))
    return Counts(len(labels), int(antecedent), int(consequent), int(both))


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
        Table: pandas, polars or pyarrow frame, mapping of columns, or 2-D array (with `feature_names`).
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
    items = itemise(schema, encoded, None, bins=bins, cuts=check_cuts(schema, cuts))
    return k_optimal_rules(items, labels, names, options, consequents=_consequents(classes, names))


def _consequents(classes: Sequence[Scalar] | None, names: Sequence[Scalar]) -> list[int] | None:
    if classes is None:
        return None
    if isinstance(classes, str) or not isinstance(classes, Iterable):
        raise InputError(f"classes={classes!r}: give a list of classes of y")
    unknown = [value for value in classes if value not in names]
    if unknown:
        raise InputError(f"classes names {unknown[0]!r}, which y does not hold")
    return sorted({names.index(value) for value in classes})


def _read_classes(y: Any, n_rows: int) -> tuple[list[Scalar], np.ndarray]:
    if isinstance(y, str | Mapping) or not isinstance(y, Iterable):
        raise InputError(f"y is a {type(y).__name__}: give the class of each row, as a list, array or series")
    values = [plain(value) for value in (y.to_pylist() if hasattr(y, "to_pylist") else y)]
    if len(values) != n_rows:
        raise InputError(f"y has {len(values)} values; X has {n_rows} rows")
    for row, value in enumerate(values):
        if is_missing(value) or not isinstance(value, str | int | float | bool) or value in (math.inf, -math.inf):
            raise InputError(f"y, row {row}: {value!r} is not a class; give strings, numbers or booleans")
    names: list[Scalar] = sorted(set(values), key=value_order)
    place = {name: position for position, name in enumerate(names)}
    return names, np.array([place[value] for value in values], dtype=np.int32)

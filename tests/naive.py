"""Slow, obviously right twins of every kernel: no pruning, no bitsets, exact fractions.

Nothing here imports lormika; the tests compare the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise, product
from math import comb, isnan, prod

OBJECTIVES = ["support", "coverage", "confidence", "lift", "leverage"]
FILTERS = ["none", "nonredundant", "productive", "significant"]
CORRECTIONS = ["none", "bonferroni", "layered"]

TOLERANCE = Fraction(1, 10**9)
"""A p-value passes up to this relative excess over the critical value, so that rounding never decides."""


@dataclass(frozen=True)
class NaiveRule:
    conditions: tuple[tuple[int, int], ...]  # (feature, value), by feature
    consequent: int
    antecedent: int
    both: int
    score: float


def score(objective: str, n: int, n_p: int, n_q: int, a: int, m: float) -> float:
    match objective:
        case "support":
            return a / n
        case "coverage":
            return n_p / n
        case "confidence":
            return (n * a + m * n_q) / (n * (n_p + m))
        case "lift":
            return (n * a + m * n_q) / (n_q * (n_p + m))
        case "leverage":
            return (n * a - n_p * n_q) / (n * n)
    raise ValueError(objective)


def fisher(all_rows: int, hits: int, inside: int, hits_inside: int) -> Fraction:
    """P[X >= hits_inside] for hypergeometric X, exactly."""
    ways = sum(comb(hits, x) * comb(all_rows - hits, inside - x) for x in range(hits_inside, min(inside, hits) + 1))
    return Fraction(ways, comb(all_rows, inside))


def critical_value(correction: str, alpha: float, length: int, max_conditions: int, sizes: Sequence[int], classes: int):
    """Critical p-value of a rule of this length; `sizes` are the numbers of items of the features."""

    def sets(length: int) -> int:
        return classes * sum(prod(chosen) for chosen in combinations(sizes, length))

    if correction == "none":
        return Fraction(alpha)
    if correction == "bonferroni":
        return Fraction(alpha) / sum(sets(length) for length in range(1, max_conditions + 1))
    return Fraction(alpha) / (max_conditions * sets(length))


def k_optimal_rules(
    rows: Sequence[Sequence[int]],
    labels: Sequence[int],
    *,
    k: int,
    objective: str,
    max_conditions: int,
    min_count: int,
    m: float,
    filter: str,
    alpha: float,
    correction: str,
    consequents: Sequence[int] | None = None,
    weights: Sequence[float] | None = None,
) -> list[NaiveRule]:
    """The k first of all rules that pass, over rows of one value per feature; constant features have no items.

    A rule's score counts times the least weight of its features; one with a feature of weight 0 does not count at all.
    """
    n = len(rows)
    features = range(len(rows[0]))
    values = {f: sorted({row[f] for row in rows}) for f in features}
    usable = [f for f in features if len(values[f]) > 1]
    if consequents is None:
        consequents = sorted(set(labels))

    all_rows = frozenset(range(n))
    having = {(f, v): {i for i in all_rows if rows[i][f] == v} for f in usable for v in values[f]}
    of_class = {label: {i for i in all_rows if labels[i] == label} for label in consequents}

    @cache
    def matching(conditions) -> frozenset[int]:
        return all_rows.intersection(*(having[condition] for condition in conditions))

    @cache
    def count(conditions, consequent) -> tuple[int, int]:
        return len(matching(conditions)), len(matching(conditions) & of_class[consequent])

    def passes(conditions, consequent, n_p, a) -> bool:
        if filter == "none":
            return True
        length = len(conditions)
        immediate = [count(g, consequent) for g in combinations(conditions, length - 1)]
        if any(n_g == n_p for n_g, _ in immediate):
            return False
        if filter == "nonredundant":
            return True
        proper = [count(g, consequent) for size in range(length) for g in combinations(conditions, size)]
        if any(Fraction(a, n_p) <= Fraction(a_g, n_g) for n_g, a_g in proper):
            return False
        if filter == "productive":
            return True
        limit = critical_value(
            correction, alpha, length, max_conditions, [len(values[f]) for f in usable], len(consequents)
        )
        tests = [*immediate, count((), consequent)]
        return all(fisher(n_g, a_g, n_p, a) <= limit * (1 + TOLERANCE) for n_g, a_g in tests)

    found = []
    for length in range(1, max_conditions + 1):
        for chosen in combinations(usable, length):
            for picked in product(*(values[f] for f in chosen)):
                conditions = tuple(zip(chosen, picked, strict=True))
                for consequent in consequents:
                    n_p, a = count(conditions, consequent)
                    if n_p >= min_count and a >= 1 and passes(conditions, consequent, n_p, a):
                        value = score(objective, n, n_p, len(of_class[consequent]), a, m)
                        found.append(NaiveRule(conditions, consequent, n_p, a, value))

    def weight(rule: NaiveRule) -> float:
        return 1.0 if weights is None else min(weights[f] for f, _ in rule.conditions)

    found = [rule for rule in found if weight(rule) > 0]
    found.sort(
        key=lambda r: (-r.score * weight(r), -r.antecedent, -r.both, len(r.conditions), r.conditions, r.consequent)
    )
    return found[:k]


def squared_distance(x: Sequence[float | None], y: Sequence[float | None], means, scales, categorical) -> float:
    """Sum of squared z-score differences and 2 for every category that differs; a missing number counts as the mean."""
    total = 0.0
    for a, b, mean, scale, is_category in zip(x, y, means, scales, categorical, strict=True):
        if is_category:
            total += 0.0 if a == b else 2.0
        elif scale > 0:
            a, b = mean if a is None else a, mean if b is None else b
            total += ((b - a) / scale) * ((b - a) / scale)
    return total


def select(squared: Sequence[float], labels: Sequence[int], L: int, M: int) -> tuple[list[int], float]:
    """Algorithm 2 of the paper, line by line, on squared distances; thinning keeps the nearest."""
    groups: dict[int, list[tuple[float, int]]] = {}
    for row, (distance, label) in enumerate(zip(squared, labels, strict=True)):
        groups.setdefault(label, []).append((distance, row))
    least_similar_of_top = []
    for group in groups.values():
        group.sort()
        least_similar_of_top.append(group[:L][-1][0])
    cut = max(least_similar_of_top)
    selected = []
    for group in groups.values():
        inside = [row for distance, row in group if distance <= cut]
        selected.extend(inside[:M])
    return sorted(selected), cut


def parents(shares: Sequence[float], rows: Sequence[int]) -> list[int]:
    """One row after the other, each at its share of the rows that are left."""
    left = list(rows)
    return [left.pop(int(share * len(left))) for share in shares]


def mix(
    parents: Sequence[Sequence[float | None]], squared: Sequence[float], step: float, means, categorical
) -> list[float | None]:
    """One row of Algorithm 3: crossover of two parents, mutation of three.

    Categories, and missing values, are those of the parent most similar to the instance.
    """
    closest = parents[squared.index(min(squared))]
    row: list[float | None] = []
    for f, is_category in enumerate(categorical):
        if is_category or closest[f] is None:
            row.append(closest[f])
            continue
        numbers = [means[f] if parent[f] is None else parent[f] for parent in parents]
        x, y, origin = numbers[0], numbers[1], numbers[2] if len(numbers) == 3 else numbers[0]
        row.append(x + (y - origin) * step)
    return row


def snap(value: float, observed: Sequence[float]) -> float:
    """Nearest observed value, the lower of two equally near."""
    return min(observed, key=lambda seen: (abs(seen - value), seen))


def equal_frequency_cuts(values: Sequence[float], bins: int) -> list[float]:
    """Between neighbouring values, each cut nearest to an equal share of what remains.

    Once upwards and once downwards; the ranges with the smaller sum of squared sizes count.
    """

    def upwards(values: Sequence[float]) -> list[tuple[float, float]]:
        gaps: list[tuple[float, float]] = []
        rest = sorted(values)
        for left in range(bins, 1, -1):
            ordered = sorted(set(rest))
            places = [((low, high), sum(v <= low for v in rest)) for low, high in pairwise(ordered)]
            if not places:
                break
            gap, size = min(places, key=lambda place: (abs(place[1] * left - len(rest)), place[1]))
            gaps.append(gap)
            rest = rest[size:]
        return gaps

    def unevenness(gaps: Sequence[tuple[float, float]]) -> int:
        edges = [float("-inf"), *(high for _, high in gaps), float("inf")]
        return sum(sum(low <= v < high for v in values) ** 2 for low, high in pairwise(edges))

    downwards = [(-high, -low) for low, high in reversed(upwards([-v for v in values]))]
    return [round_between(*gap) for gap in min(upwards(values), downwards, key=unevenness)]


def round_between(low: float, high: float) -> float:
    """Half-way, rounded as coarsely as its distance to both allows: first to the power of ten below the gap."""
    middle = (low + high) / 2
    digits = next(d for d in range(-20, 20) if 10.0**-d <= high - low)
    return next(round(middle, d) for d in range(digits, 20) if low < round(middle, d) < high)


def distinct_rows(rows: Sequence[Sequence[bytes]]) -> tuple[list[int], list[int]]:
    """Positions of the rows that differ, in order; and which of them each row is a copy of."""
    first, copies = [], []
    for position, row in enumerate(rows):
        earlier = next((number for number, place in enumerate(first) if rows[place] == row), None)
        if earlier is None:
            earlier = len(first)
            first.append(position)
        copies.append(earlier)
    return first, copies


def count_bits(bitsets: Sequence[Sequence[int]], begin: Sequence[int]) -> list[list[int]]:
    """Bits that each bitset, a sequence of words, shares with the first one, in words begin[c] to begin[c + 1]."""
    base = bitsets[0]
    return [
        [
            sum(bin(x & y).count("1") for x, y in zip(base[low:high], other[low:high], strict=True))
            for low, high in pairwise(begin)
        ]
        for other in bitsets
    ]


def passes_screen(counts: Sequence[int], least_rows: int, least_both: Sequence[int], most_other: Sequence[int]) -> bool:
    """Enough rows in all and, for some class, enough rows of it and few enough others."""
    rows = sum(counts)
    each = zip(counts, least_both, most_other, strict=True)
    return rows >= least_rows and any(both >= least and rows - both <= most for both, least, most in each)


def leaf_of(tree: Sequence[Sequence], row: Sequence[float]) -> int:
    """The leaf that a row reaches; of each node: left and right, feature, threshold, and whether missing goes left."""
    node = 0
    while tree[node][0] >= 0:
        left, right, feature, threshold, missing_left = tree[node]
        goes_left = missing_left if isnan(row[feature]) else row[feature] <= threshold
        node = left if goes_left else right
    return node


def fill_in(rows, columns, tables, outputs) -> list[list[bool]]:
    """Put the outputs of each category in their place; which places of each column occur, the last for missing ones.

    Of each column: its feature, and its first output. A table has the outputs of every place.
    """
    occurs = [[False] * len(table) for table in tables]
    for row, line in zip(rows, outputs, strict=True):
        for (feature, first), table, own in zip(columns, tables, occurs, strict=True):
            value = row[feature]
            place = len(table) - 1 if isnan(value) or value >= len(table) else int(value)
            own[place] = True
            line[first : first + len(table[place])] = table[place]
    return occurs


def without_zeros(table: Sequence[Sequence[float]]) -> tuple[list[float], list[int], list[int]]:
    """Values that are not zero, row by row, their columns, and where each row begins, and the last ends."""
    kept = [[(value, column) for column, value in enumerate(row) if value != 0] for row in table]
    starts = [sum(map(len, kept[:row])) for row in range(len(kept) + 1)]
    return [value for row in kept for value, _ in row], [column for row in kept for _, column in row], starts

"""The best rules of a frame by one engine: run by miners.py, for rivals in an environment without lormika.

usage: rival_miners.py ENGINE TABLE.csv CONDITIONS K REPEAT
The last column of the table is the class, 0 or 1; the others are categories. Timed is everything from the frame on.
prints JSON: least CPU seconds of the repetitions, and leverage and items of the k best rules that lead to class 1.
"""

from __future__ import annotations

import heapq
import json
import sys
import time
import warnings
from collections.abc import Iterable

import pandas as pd

MIN_COUNT = 10
MIN_SHARE = 0.05  # of the rows, for the engine in Python that would not end with fewer

Rules = list[tuple[float, list[str]]]


def lormika(X: pd.DataFrame, y: pd.Series, conditions: int, k: int) -> Rules:
    from lormika import mine_rules

    rules = mine_rules(X, y, k=k, max_conditions=conditions, min_count=MIN_COUNT, classes=[1])
    return [(rule.leverage, [f"{c.feature}={c.value}" for c in rule.conditions]) for rule in rules]


def pyfim(X: pd.DataFrame, y: pd.Series, conditions: int, k: int) -> Rules:
    """All rules with enough rows by Eclat in C, then the k best."""
    import fim

    rules = fim.eclat(
        _transactions(X, y), target="r", supp=-MIN_COUNT, conf=0, zmin=2, zmax=conditions + 1, report="ab",
        appear={None: "body", HEAD: "head"},
    )  # fmt: skip
    return _best(((body, both, rows) for _, body, both, rows in rules), y, k)


def efficient_apriori(X: pd.DataFrame, y: pd.Series, conditions: int, k: int) -> Rules:
    """All frequent sets by Apriori in Python, counted with and without the class, then the k best."""
    from efficient_apriori import itemsets_from_transactions

    sets, _ = itemsets_from_transactions(_transactions(X, y), min_support=MIN_SHARE, max_length=conditions + 1)
    counts = {frozenset(items): count for of_length in sets.values() for items, count in of_length.items()}
    heads = ((items - {HEAD}, count) for items, count in counts.items() if HEAD in items and len(items) > 1)
    return _best(((body, both, counts[body]) for body, both in heads), y, k)


def pysubgroup(X: pd.DataFrame, y: pd.Series, conditions: int, k: int) -> Rules:
    """Depth-first search by weighted relative accuracy, which is leverage."""
    import pysubgroup as ps

    frame = X.assign(**{HEAD: y})
    task = ps.SubgroupDiscoveryTask(
        frame, ps.BinaryTarget(HEAD, 1), ps.create_nominal_selectors(frame, ignore=[HEAD]), ps.WRAccQF(),
        result_set_size=k, depth=conditions, constraints=[ps.MinSupportConstraint(MIN_COUNT)],
    )  # fmt: skip
    found = ps.DFS(ps.BitSetRepresentation).execute(task).to_descriptions()
    return [(q, [f"{each.attribute_name}={each.attribute_value}" for each in group.selectors]) for q, group in found]


HEAD = "the class"


def _transactions(X: pd.DataFrame, y: pd.Series) -> list[tuple[str, ...]]:
    """Items of each row, read by columns: the quickest way to lists of texts."""
    rows = zip(*([f"{name}={value}" for value in X[name].tolist()] for name in X), strict=True)
    return [(*row, HEAD) if label else row for row, label in zip(rows, y.tolist(), strict=True)]


def _best(rules: Iterable[tuple[Iterable[str], int, int]], y: pd.Series, k: int) -> Rules:
    n, positive = len(y), int(y.sum())
    scored = ((n * both - rows * positive, sorted(body)) for body, both, rows in rules)
    return [(score / n**2, body) for score, body in heapq.nlargest(k, scored)]


def main(engine: str, path: str, conditions: int, k: int, repeat: int) -> None:
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    X, y = table.iloc[:, :-1], table.iloc[:, -1].astype(int)
    times = []
    for _ in range(repeat):
        start = time.process_time()
        rules = globals()[engine.replace("-", "_")](X, y, conditions, k)
        times.append(time.process_time() - start)
    print(json.dumps({"seconds": min(times), "rules": [[score, sorted(items)] for score, items in rules]}))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:]))

"""Other engines on a standard task: run by rivals.py in an environment of their own, where lormika is not installed.

usage: rival_engines.py ENGINE TASK.npz CONDITIONS K REPEAT
prints JSON: least CPU seconds of the repetitions, and leverage and items of the k best rules.
"""

from __future__ import annotations

import heapq
import json
import sys
import time
from typing import Any

import numpy as np


def pysubgroup(table: np.ndarray, labels: np.ndarray, min_count: int, conditions: int, k: int) -> tuple[float, Any]:
    """Depth-first search by weighted relative accuracy, which is leverage."""
    import pandas as pd
    import pysubgroup as ps

    frame = pd.DataFrame(table, columns=[f"x{f}" for f in range(table.shape[1])])
    selectors = [ps.EqualitySelector(name, value) for name in frame for value in range(3)]
    frame["class"] = labels
    task = ps.SubgroupDiscoveryTask(
        frame,
        ps.BinaryTarget("class", 1),
        selectors,
        ps.WRAccQF(),
        result_set_size=k,
        depth=conditions,
        constraints=[ps.MinSupportConstraint(min_count)],
    )
    start = time.process_time()
    result = ps.DFS(ps.BitSetRepresentation).execute(task)
    seconds = time.process_time() - start
    return seconds, [
        (
            float(quality),
            sorted(3 * int(each.attribute_name[1:]) + int(each.attribute_value) for each in group.selectors),
        )
        for quality, group in result.to_descriptions()
    ]


def pyfim(table: np.ndarray, labels: np.ndarray, min_count: int, conditions: int, k: int) -> tuple[float, Any]:
    """All rules with enough rows by Eclat, then the k with the greatest leverage.

    Asking it for rules with the class as the only head is its fastest way: it then counts both sides itself.
    """
    import fim

    rows, positive, head = len(labels), int(labels.sum()), -1
    items = (table + 3 * np.arange(table.shape[1])).tolist()
    transactions = [[*row, head] if label else row for row, label in zip(items, labels.tolist(), strict=True)]
    start = time.process_time()
    rules = fim.eclat(
        transactions, target="r", supp=-min_count, conf=0, zmin=2, zmax=conditions + 1, report="ab",
        appear={None: "body", head: "head"},
    )  # fmt: skip
    scored = ((rows * both - body_rows * positive, body) for _, body, both, body_rows in rules)
    best = heapq.nlargest(k, scored)
    seconds = time.process_time() - start
    return seconds, [(score / rows**2, sorted(body)) for score, body in best]


if __name__ == "__main__":
    engine, path, conditions, k, repeat = sys.argv[1:]
    task = np.load(path)
    run = {"pysubgroup": pysubgroup, "pyfim": pyfim}[engine]
    least, rules = min(
        run(task["table"], task["labels"], int(task["min_count"]), int(conditions), int(k)) for _ in range(int(repeat))
    )
    print(json.dumps({"seconds": least, "rules": rules}))

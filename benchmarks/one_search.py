"""One search by the core of whichever lormika is installed: run by previous.py in two environments.

usage: one_search.py TASK.npz OBJECTIVE FILTER CONDITIONS K
prints JSON: CPU seconds of the core's search, condition sets that were looked at, and a hash of the rules.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from math import comb

import numpy as np

from lormika import _core


def search(task: dict[str, np.ndarray], objective: str, filter: str, conditions: int, k: int) -> tuple:
    features = len(task["codes"])
    critical = np.zeros(7)  # α = 0.05, layered
    for length in range(1, conditions + 1):
        critical[length] = 0.05 / (conditions * comb(features, length) * 3**length)
    lists = np.array([[-1, 0], [-1, 0]], dtype=np.int32)  # rules that lead to class 1
    sizes, nowhere = np.full(features, 3, dtype=np.int32), np.full(features, -1, dtype=np.int32)
    # Later releases take the lists that each item may be in, one bit for each list.
    allowed = {"allowed": np.full(3 * features, 1, dtype=np.uint8)} if "allowed" in _core.search.__doc__ else {}
    return _core.search(
        task["codes"], sizes, task["labels"], lists, nowhere,
        objective=_core.Objective[objective.upper()], filter=_core.Filter[filter.upper()], k=k,
        max_conditions=conditions, min_count=int(task["min_count"]), m=0.0, critical=critical,
        weights=np.ones(features), **allowed,
    )  # fmt: skip


if __name__ == "__main__":
    path, objective, filter, conditions, k = sys.argv[1:]
    task = dict(np.load(path))
    start = time.process_time()
    rules, nodes, *_ = search(task, objective, filter, int(conditions), int(k))
    seconds = time.process_time() - start
    print(json.dumps({"seconds": seconds, "nodes": nodes, "rules": hashlib.sha256(repr(rules).encode()).hexdigest()}))

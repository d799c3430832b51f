"""How long `import lormika` takes in a fresh process, and what it must not pull in."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys

from report import Report, Requirement, Table

LIMIT = 0.3
HEAVY = ("pandas", "sklearn", "matplotlib", "jinja2")
PROCESSES = 15

_IMPORT = """
import json, sys, time
start = time.perf_counter()
import {name}
print(json.dumps([time.perf_counter() - start, [name for name in {heavy} if name in sys.modules]]))
"""


def run() -> Report:
    seconds: dict[str, list[float]] = {"lormika": [], "numpy": []}
    loaded: set[str] = set()
    for _ in range(PROCESSES):  # interleaved, so that a busy moment hits both
        for name, times in seconds.items():
            elapsed, heavy = _import(name)
            times.append(elapsed)
            loaded |= set(heavy) if name == "lormika" else set()
    rows = [[f"`import {name}`", f"{statistics.median(s):.3f}", f"{min(s):.3f}"] for name, s in seconds.items()]
    median = statistics.median(seconds["lormika"])
    return Report(
        [Table(f"Seconds in {PROCESSES} fresh processes", ["", "median", "least"], rows)],
        [
            Requirement(f"`import lormika` below {LIMIT} s (median)", f"{median:.3f} s", median < LIMIT),
            Requirement(f"without {', '.join(HEAVY)}", ", ".join(sorted(loaded)) or "none loaded", not loaded),
        ],
    )


def _import(name: str) -> tuple[float, list[str]]:
    code = _IMPORT.format(name=name, heavy=HEAVY)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return tuple(json.loads(done.stdout))

"""Run the benchmarks: `python benchmarks/run.py [names] [--write]`; without names, all but the longest.

Prints Markdown; `--write` also puts it into docs/benchmarks.md. The real data sets are read from the folder that the
environment variable LORMIKA_DATA names; rival engines are installed under LORMIKA_BENCH_ENV (or a temporary folder).
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import time

from report import Report, machine, write

PARTS = {
    "limits": "limits",
    "explainers": "explainers",
    "miners": "miners",
    "curves": "curves",
    "search": "search",
    "rivals": "rivals",
    "explain": "explain",
    "covertype": "covertype",
    "import": "importing",
    "many": "many",
}
LONG = ("many",)  # half an hour, and only if named
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="name", help=f"which ones: {', '.join(PARTS)}")
    parser.add_argument("--write", action="store_true", help="keep the tables in docs/benchmarks.md")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.names if name not in PARTS]
    if unknown:
        parser.error(f"no benchmark is called {unknown[0]}; there are {', '.join(PARTS)}")
    names = arguments.names or [name for name in PARTS if name not in LONG]
    os.environ.update(dict.fromkeys(THREADS, "1"))  # one core, said before numpy is loaded
    command = " ".join(["python benchmarks/run.py", *arguments.names, *(["--write"] if arguments.write else [])])
    print(machine(command), end="\n\n")
    reports = {name: _run(name) for name in names}
    if arguments.write:
        for name, report in reports.items():
            if not report.tables:
                continue  # what was skipped must not wipe out earlier figures
            write(name, f"{machine(command)}\n\n{report.to_markdown()}")
    requirements = [each for report in reports.values() for each in report.requirements]
    failed = [each for each in requirements if not each.holds]
    print(f"{len(requirements) - len(failed)} of {len(requirements)} requirements hold.")
    for each in failed:
        print(f"- {each.text}: {each.figure}")
    return 1 if failed else 0


def _run(name: str) -> Report:
    start = time.monotonic()
    report: Report = importlib.import_module(PARTS[name]).run()
    print(f"## {name}\n\n{report.to_markdown()}\n", flush=True)
    print(f"{name}: {time.monotonic() - start:.0f} s", file=sys.stderr)
    return report


if __name__ == "__main__":
    sys.exit(main())

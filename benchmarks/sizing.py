"""What many rows need: `python benchmarks/sizing.py [--write]`; some ten minutes, and one core.

Each case is a process of its own that does what a worker of `lormika batch` does with chunks: read rows, explain them,
write parts. Prints rows per hour of a core, and what 100 million rows need on 100 workers; `--write` also puts that
into docs/sizing.md.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

PAGE = Path(__file__).parent.parent / "docs" / "sizing.md"
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
ROWS, WORKERS = 100_000_000, 100
BACKGROUND = 5_000  # rows
MODELS = ("random forest", "boosted trees", "linear model")
WIDTHS = {"narrow": (9, 400), "wide": (200, 40)}  # columns, and rows of a chunk
CHUNKS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--case", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--write", action="store_true", help="keep the tables in docs/sizing.md")
    arguments = parser.parse_args()
    if arguments.case:
        with tempfile.TemporaryDirectory() as folder:
            print(json.dumps(measure(*arguments.case, Path(folder))))
        return
    os.environ.update(dict.fromkeys(THREADS, "1"))
    text = tables([run(model, width) for width in WIDTHS for model in MODELS])
    print(text)
    if arguments.write:
        from report import write

        write("sizing", text, PAGE)


def run(model: str, width: str) -> dict[str, Any]:
    """A case in a process of its own, whose memory is then nobody else's."""
    command = [sys.executable, __file__, "--case", model, width]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    return {"model": model, "width": width} | json.loads(done.stdout.splitlines()[-1])


def measure(model: str, width: str, folder: Path) -> dict[str, float]:
    """CPU seconds and bytes of a row, and memory of a worker."""
    from memory import resident_bytes

    from lormika import Explainer
    from lormika.jobs import prepared
    from lormika.jobs.chunks import OpenRun, run_chunk
    from lormika.jobs.folder import Folder
    from lormika.jobs.run import ChunkSize, Request, prepare

    columns, chunk_rows = WIDTHS[width]
    X, y, rows = table(columns, chunk_rows * (CHUNKS + 1))
    fitted = classifier(model, X).fit(X, y)
    request = Request({"source": "python:sizing:none", "sha256": None}, {})
    start = prepare(folder, Explainer(fitted, X), X, rows, request, ChunkSize(chunk_rows))
    opened = OpenRun(Folder(folder), start, prepared.load(folder / start.background, fitted), fitted)
    resident_bytes()  # gives back what the training took
    Path("/proc/self/clear_refs").write_text("5")  # the most memory is that from now on
    run_chunk(opened, 0, {})  # what is slow only once
    began = time.process_time()
    failed = sum(run_chunk(opened, chunk, {}) for chunk in range(1, CHUNKS + 1))
    seconds = time.process_time() - began
    assert not failed
    return {
        "seconds": seconds / (CHUNKS * chunk_rows),
        "results": sum(path.stat().st_size for path in folder.glob("*/part-*.parquet")) / len(rows),
        "input": (folder / start.input).stat().st_size / len(rows),
        "background": sum(path.stat().st_size for path in (folder / start.background).iterdir()),
        "memory": peak(),
        "chunk": 20 / (seconds / (CHUNKS * chunk_rows)),
    }


def table(columns: int, rows: int) -> tuple[pd.DataFrame, Any, pd.DataFrame]:
    """A background with its classes, and rows to explain: loans, or normal numbers of which ten matter."""
    import numpy as np
    import pandas as pd

    from lormika import datasets

    if columns < 20:
        X, y = datasets.make_loans(BACKGROUND + rows)
    else:
        rng = np.random.default_rng(0)
        X = pd.DataFrame(rng.normal(size=(BACKGROUND + rows, columns)), columns=[f"x{i}" for i in range(columns)])
        y = (X.to_numpy()[:, :10] @ rng.normal(size=10) + rng.normal(size=len(X)) > 0).astype(int)
    return X[:BACKGROUND], y[:BACKGROUND], X[BACKGROUND:].reset_index(drop=True)


def classifier(name: str, X: pd.DataFrame) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.pipeline import make_pipeline

    import models

    if name == "random forest":
        return models.random_forest(X)
    if name == "linear model":
        return models.logistic_regression(X)
    columns = models.columns(X, "passthrough").set_params(sparse_threshold=0)
    return make_pipeline(columns, HistGradientBoostingClassifier(max_iter=100, random_state=0))


def peak() -> int:
    """The most memory that this process had, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def tables(cases: list[dict[str, Any]]) -> str:
    """Both tables, as Markdown."""
    from report import machine

    each = [["model", "columns", "rows per core-hour", "CPU ms a row", "rows in 20 s"]]
    needs = [["model", "columns", f"hours on {WORKERS} workers", "results", "copy of the rows", "memory of a worker"]]
    for case in cases:
        name, seconds = [case["model"], str(WIDTHS[case["width"]][0])], case["seconds"]
        each.append([*name, f"{round(3600 / seconds, -2):,.0f}", f"{1000 * seconds:.1f}", f"{case['chunk']:,.0f}"])
        hours = ROWS * seconds / WORKERS / 3600
        disk = [f"{ROWS * case[name] / 1e9:,.0f} GB" for name in ("results", "input")]
        needs.append([*name, f"{hours:,.0f}", *disk, f"{case['memory'] / 1e6:,.0f} MB"])
    return "\n\n".join(
        [
            machine("python benchmarks/sizing.py --write"),
            f"**One core**, a background of {BACKGROUND:,} rows\n\n{markdown(each)}",
            f"**{ROWS / 1e6:.0f} million rows**\n\n{markdown(needs)}",
        ]
    )


def markdown(rows: list[list[str]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in [rows[0], ["---"] * len(rows[0]), *rows[1:]])


if __name__ == "__main__":
    main()

"""Many rows: one explanation after the other, in order, with threads and a progress bar."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np

from lormika.errors import InputError
from lormika.explanation import Explanation
from lormika.options import SearchOptions, check_integer


def explain_rows(
    explain: Callable[[np.ndarray, SearchOptions], Explanation],
    rows: np.ndarray,
    options: SearchOptions,
    *,
    n_jobs: int,
    progress: bool,
) -> Iterator[Explanation]:
    """Explain encoded rows; every explanation depends on its own row alone. -1 threads: as many as processors."""
    check_integer("n_jobs", n_jobs, -1)
    if n_jobs == 0:
        raise InputError("n_jobs=0: give a number of threads, or -1 for all processors")
    n_threads = n_jobs if n_jobs > 0 else os.cpu_count() or 1
    if n_threads == 1:
        results: Iterator[Explanation] = (explain(row, options) for row in rows)
    else:
        results = _in_threads(lambda row: explain(row, options), rows, n_threads)
    return _with_progress(results, len(rows)) if progress else results


def _in_threads(
    explain: Callable[[np.ndarray], Explanation], rows: np.ndarray, n_threads: int
) -> Iterator[Explanation]:
    """In order, and never far ahead of who takes them; the kernels and most models release the interpreter."""
    with ThreadPoolExecutor(n_threads) as pool:
        waiting: deque[Future[Explanation]] = deque()
        try:
            for row in rows:
                waiting.append(pool.submit(explain, row))
                if len(waiting) > 2 * n_threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:  # whoever stops early does not wait for what has not begun
            for future in waiting:
                future.cancel()


def _with_progress(results: Iterator[Explanation], total: int) -> Iterator[Explanation]:
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    return iter(track(results, "explaining", total, console=console, transient=True, disable=not console.is_terminal))

"""Many rows: one explanation after the other, in order, with threads and a progress bar."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

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
    """Explain encoded rows; every explanation depends on its own row alone."""
    check_integer("n_jobs", n_jobs, 1)
    from joblib import Parallel, delayed

    if n_jobs == 1:
        results = (explain(row, options) for row in rows)
    else:
        # Threads: the kernels release the interpreter, and so do most models.
        run = Parallel(n_jobs=n_jobs, require="sharedmem", return_as="generator")
        results = run(delayed(explain)(row, options) for row in rows)
    return _with_progress(results, len(rows)) if progress else results


def _with_progress(results: Iterator[Explanation], total: int) -> Iterator[Explanation]:
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    return iter(track(results, "explaining", total, console=console, transient=True, disable=not console.is_terminal))

"""Many rows: some at a time, in order, with threads and a progress bar; a row that fails does not stop the rest."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any, Literal

import numpy as np

from lormika import frames
from lormika.errors import InputError, ModelError
from lormika.explanation import Explanation, Failure
from lormika.options import SearchOptions, check_choice, check_integer
from lormika.progress import follow
from lormika.schema import Schema
from lormika.stages.asking import Spread

OnError = Literal["record", "raise"]
Explain = Callable[[np.ndarray, SearchOptions, Spread], list[Explanation]]
"""From encoded instances to their explanations."""

ROWS_PER_CALL = 50_000  # more would no longer fit into the processor's cache, and be slower
_BLOCK = 16


def explain_rows(
    explain: Explain,
    schema: Schema,
    table: Any,
    options: SearchOptions,
    *,
    n_jobs: int,
    chunk_size: int | None,
    sample_rows: int,
    on_error: OnError,
    progress: bool,
) -> Iterator[Explanation | Failure]:
    """Explain the rows of a table; every explanation depends on its own row alone, and has so many sample rows."""
    check_integer("n_jobs", n_jobs, -1)
    if chunk_size is not None:
        check_integer("chunk_size", chunk_size, 1)
    check_choice("on_error", on_error, ["record", "raise"])
    if n_jobs == 0:
        raise InputError("n_jobs=0: give a number of threads, or -1 for all processors")
    encoded, failures = _encode(schema, table, on_error)
    size = chunk_size or even_size(len(encoded), max(1, ROWS_PER_CALL // sample_rows))
    results = _explain(explain, encoded, failures, options, n_jobs, size, on_error)
    return follow(results, "explaining", len(encoded)) if progress else results


def even_size(rows: int, about: int) -> int:
    """Rows of a chunk, about so many: a call of the model for a few that are left would cost as much as for all.

    >>> even_size(100, 49), even_size(1000, 49), even_size(10, 49), even_size(0, 49)
    (50, 50, 10, 1)
    """
    chunks = max(1, round(rows / about))
    return max(1, -(-rows // chunks))


def blocks(instances: np.ndarray) -> list[np.ndarray]:
    """Instances in blocks that one thread works on."""
    return [instances[start : start + _BLOCK] for start in range(0, len(instances), _BLOCK)]


def _explain(
    explain: Explain,
    encoded: np.ndarray,
    failures: dict[int, str],
    options: SearchOptions,
    n_jobs: int,
    chunk_size: int,
    on_error: OnError,
) -> Iterator[Explanation | Failure]:
    n_threads = n_jobs if n_jobs > 0 else os.cpu_count() or 1
    with nullcontext() if n_threads == 1 else ThreadPoolExecutor(n_threads) as pool:
        spread: Spread = map if pool is None else pool.map
        for start in range(0, len(encoded), chunk_size):
            chunk = range(start, min(start + chunk_size, len(encoded)))
            sound = np.array([row for row in chunk if row not in failures], dtype=np.intp)
            told = _attempt(explain, encoded, sound, options, spread, on_error)
            for row in chunk:
                yield Failure(row, failures[row]) if row in failures else next(told)


def _attempt(
    explain: Explain,
    encoded: np.ndarray,
    rows: np.ndarray,
    options: SearchOptions,
    spread: Spread,
    on_error: OnError,
) -> Iterator[Explanation | Failure]:
    """Explain rows together; if that fails, each half apart, down to the row that is to blame."""
    if len(rows) == 0:
        return
    try:
        yield from explain(encoded[rows], options, spread)
    except (InputError, ModelError) as error:
        if len(rows) == 1:
            if on_error == "raise":
                error.add_note(f"in row {rows[0]} of the table")
                raise
            yield Failure(int(rows[0]), str(error))
            return
        for half in (rows[: len(rows) // 2], rows[len(rows) // 2 :]):
            yield from _attempt(explain, encoded, half, options, spread, on_error)


def _encode(schema: Schema, table: Any, on_error: OnError) -> tuple[np.ndarray, dict[int, str]]:
    """Encoded rows, and why some of them could not be encoded."""
    try:
        return schema.encode(table), {}
    except InputError:
        if on_error == "raise":
            raise
    schema.encode(frames.take(table, range(0)))  # what is wrong with the whole table is no failure of a row
    n_rows = frames.read(table, schema.names if isinstance(table, np.ndarray) else None).n_rows
    encoded, failures = np.full((n_rows, len(schema)), np.nan, order="F"), {}
    waiting = [range(n_rows)]
    while waiting:
        rows = waiting.pop()
        try:
            encoded[rows.start : rows.stop] = schema.encode(frames.take(table, rows))
        except InputError as error:
            if len(rows) > 1:
                waiting += [rows[: len(rows) // 2], rows[len(rows) // 2 :]]
            else:
                failures[rows[0]] = str(error).replace(", row 0:", ":")
    return encoded, failures

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
from lormika.frames.instances import Instances, Unseen
from lormika.frames.schema import Schema
from lormika.options import SearchOptions, check_choice, check_integer
from lormika.progress import follow
from lormika.stages.asking import Spread

OnError = Literal["record", "raise"]
Explain = Callable[[Instances, SearchOptions, Spread], list[Explanation]]
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
    instances, failures = _read(schema, table, on_error)
    size = chunk_size or even_size(len(instances), max(1, ROWS_PER_CALL // sample_rows))
    results = _explain(explain, instances, failures, options, n_jobs, size, on_error)
    return follow(results, "explaining", len(instances)) if progress else results


def even_size(rows: int, about: int) -> int:
    """Rows of a chunk, about so many: a call of the model for a few that are left would cost as much as for all.

    >>> even_size(100, 49), even_size(1000, 49), even_size(10, 49), even_size(0, 49)
    (50, 50, 10, 1)
    """
    chunks = max(1, round(rows / about))
    return max(1, -(-rows // chunks))


def blocks(rows: np.ndarray) -> list[np.ndarray]:
    """Encoded instances in blocks that one thread works on."""
    return [rows[start : start + _BLOCK] for start in range(0, len(rows), _BLOCK)]


def _explain(
    explain: Explain,
    instances: Instances,
    failures: dict[int, str],
    options: SearchOptions,
    n_jobs: int,
    chunk_size: int,
    on_error: OnError,
) -> Iterator[Explanation | Failure]:
    n_threads = n_jobs if n_jobs > 0 else os.cpu_count() or 1
    with nullcontext() if n_threads == 1 else ThreadPoolExecutor(n_threads) as pool:
        spread: Spread = map if pool is None else pool.map
        for start in range(0, len(instances), chunk_size):
            chunk = range(start, min(start + chunk_size, len(instances)))
            sound = np.array([row for row in chunk if row not in failures], dtype=np.intp)
            told = _attempt(explain, instances, sound, options, spread, on_error)
            for row in chunk:
                yield Failure(row, failures[row]) if row in failures else next(told)


def _attempt(
    explain: Explain,
    instances: Instances,
    rows: np.ndarray,
    options: SearchOptions,
    spread: Spread,
    on_error: OnError,
) -> Iterator[Explanation | Failure]:
    """Explain rows together; if that fails, some of them apart, down to the row that is to blame."""
    if len(rows) == 0:
        return
    try:
        yield from explain(instances[rows], options, spread)
    except (InputError, ModelError) as error:
        if len(rows) == 1:
            if on_error == "raise":
                error.add_note(f"in row {rows[0]} of the table")
                raise
            yield Failure(int(rows[0]), str(error))
            return
        suspect = np.array([bool(instances.unseen[row]) for row in rows.tolist()])  # a model may refuse such rows
        if on_error == "raise" or suspect.all() or not suspect.any():
            for half in (rows[: len(rows) // 2], rows[len(rows) // 2 :]):
                yield from _attempt(explain, instances, half, options, spread, on_error)
            return
        parts = [
            _attempt(explain, instances, some, options, spread, on_error) for some in (rows[~suspect], rows[suspect])
        ]
        yield from (next(parts[is_suspect]) for is_suspect in suspect.tolist())


def _read(schema: Schema, table: Any, on_error: OnError) -> tuple[Instances, dict[int, str]]:
    """Encoded rows, and why some of them could not be encoded."""
    try:
        return schema.read(table), {}
    except InputError:
        if on_error == "raise":
            raise
    schema.read(frames.take(table, range(0)))  # what is wrong with the whole table is no failure of a row
    n_rows = frames.read(table, schema.names if isinstance(table, np.ndarray) else None).n_rows
    encoded, failures = np.full((n_rows, len(schema)), np.nan, order="F"), {}
    unseen: list[Unseen] = [{} for _ in range(n_rows)]
    waiting = [range(n_rows)]
    while waiting:
        rows = waiting.pop()
        try:
            some = schema.read(frames.take(table, rows))
            encoded[rows.start : rows.stop], unseen[rows.start : rows.stop] = some.rows, some.unseen
        except InputError as error:
            if len(rows) > 1:
                waiting += [rows[: len(rows) // 2], rows[len(rows) // 2 :]]
            else:
                failures[rows[0]] = str(error).replace(", row 0:", ":")
    return Instances(encoded, unseen), failures

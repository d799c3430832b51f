"""A run: prepare its folder, do the chunks that are not done, and report the results."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lormika.checks import check_integer
from lormika.errors import InputError
from lormika.explainer import Explainer
from lormika.explanation import Failure
from lormika.jobs import contents, prepared
from lormika.jobs.driver import Engine, drive
from lormika.jobs.folder import Folder
from lormika.jobs.inputs import check_rows, save_input
from lormika.jobs.part_files import count_failed, finish
from lormika.jobs.run_file import Run
from lormika.jobs.stock import Stock

if TYPE_CHECKING:
    import pandas as pd

    from lormika.types import JsonObject

_SECONDS_PER_CHUNK = 20.0
_MOST_ROWS = 5000  # of a chunk whose length is found out
_LEAST_ROWS = 10  # that are worth a chunk, unless they take long
_CHUNKS_EACH = 2  # of every process, so that one with slow rows does not keep all others waiting
_TRIED = 16  # rows by which the length is found out


@dataclass(frozen=True, slots=True)
class Shard:
    """Every n-th chunk, starting from the i-th: for job arrays that share a folder.

    >>> Shard.of("2/8")
    Shard(number=2, shards=8)
    """

    number: int = 0
    shards: int = 1

    @classmethod
    def of(cls, text: str) -> Shard:
        """From text such as 0/4."""
        number, slash, shards = text.partition("/")
        if not slash or not number.isdecimal() or not shards.isdecimal() or int(number) >= int(shards):
            raise InputError(f"shard {text!r}: give a number and how many there are, from 0/4 to 3/4")
        return cls(int(number), int(shards))

    def chunks(self, run: Run) -> range:
        """The chunks of a run that belong to this shard."""
        return range(self.number, run.chunks, self.shards)


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of a run, besides its data."""

    model: JsonObject  # how to load it, and the SHA-256 of its file
    options: JsonObject  # of the search
    id: str | None = None  # column with names of the rows
    order: JsonObject | None = None  # what makes the same command known again, so that it prepares nothing


@dataclass(frozen=True, slots=True)
class ChunkSize:
    """How long chunks are."""

    rows: int | None = None  # None: to be measured, or already decided by the first job
    processes: int = 1  # of all shards, each of which is then to have chunks


def prepare(
    folder: Path,
    explainer: Explainer,
    background: pd.DataFrame,
    rows: pd.DataFrame,
    request: Request,
    size: ChunkSize = ChunkSize(),
) -> Run:
    """Write everything that workers need to the folder; one that holds a different run is refused.

    `rows` has the columns of the background, and the one that names the rows, if any; its index numbers them.
    """
    check_rows(rows, explainer.schema)
    explainer.check(**request.options)
    target = Folder(folder)
    if size.rows is not None:
        check_integer("chunk_rows", size.rows, 1)
        chunk_rows = size.rows
    elif target.run_file.exists():
        chunk_rows = target.read().chunk_rows
    else:
        fair = max(_LEAST_ROWS, -(-len(rows) // (size.processes * _CHUNKS_EACH)))
        chunk_rows = min(fair, _find_chunk_rows(explainer, background, request.options))
    with target.all_or_nothing():
        run = Run(
            model=dict(request.model),
            background=prepared.save(explainer, folder),
            input=save_input(rows, folder, explainer.schema),
            rows=len(rows),
            chunk_rows=chunk_rows,
            options=dict(request.options),
            settings=_settings(explainer),
            features=list(explainer.schema.names),
            id=request.id,
            order=None if request.order is None else dict(request.order),
        )
        return target.start(run)


def _settings(explainer: Explainer) -> JsonObject:
    """How an explainer was made, as run.json keeps it."""
    settings = asdict(explainer.settings) | {"kernel_width": explainer.kernel_width, "cuts": explainer.cuts}
    settings |= {"labels": explainer.labels.to_dict()} if explainer.labels else {}
    settings |= {"bands": asdict(explainer.model.bands)} if explainer.model.bands is not None else {}
    plain: JsonObject = json.loads(json.dumps(settings))
    return plain


@dataclass(frozen=True, slots=True)
class Listener:
    """Is told about the progress of a run."""

    begin: Callable[[list[int]], None] = lambda chunks: None  # chunks that are to be done, if there are any
    done: Callable[[int, int], None] = lambda chunk, failed: None  # a chunk that is done, and its failed rows
    warn: Callable[[str], None] = lambda text: None  # of a chunk that takes too long


def run_chunks(
    folder: Path,
    run: Run,
    engine: Callable[[], Engine],
    shard: Shard,
    listener: Listener = Listener(),
    *,
    retry_failed: bool = False,
    verify: bool = False,
) -> JsonObject | None:
    """Do the chunks of a shard that are not done, are damaged, or (with `retry_failed`) have failed rows.

    Parts are read to the last byte if nobody has counted them, they were touched since, or with `verify`. Returns the
    results of the whole run; None if other shards have not finished.
    """
    target = Folder(folder)
    contents.check_parts(folder, run.chunks)
    own, stock = shard.chunks(run), Stock.read(target.manifest, run)
    waiting = []
    for chunk in own:
        failed = count_failed(target, run, chunk, stock, whole=verify or stock is None)
        if failed is None or (failed and retry_failed):
            waiting.append(chunk)
    if waiting:
        listener.begin(waiting)
        target.manifest.unlink(missing_ok=True)
        with closing(engine()) as at_work:
            drive(at_work, waiting, run.rows_of, listener.done, listener.warn)
    if any(chunk not in own and count_failed(target, run, chunk) is None for chunk in range(run.chunks)):
        return None
    return finish(target, run)


def _find_chunk_rows(explainer: Explainer, background: pd.DataFrame, options: JsonObject) -> int:
    """As many rows as take about twenty seconds: losing a chunk costs little, and so does starting one."""
    list(explainer.explain_many(background[:1], progress=False, **options))  # what is slow only once
    began = time.perf_counter()
    results = list(explainer.explain_many(background[:_TRIED], progress=False, **options))
    seconds = (time.perf_counter() - began) / len(results)
    if all(isinstance(result, Failure) for result in results):
        return 100
    return max(1, min(_MOST_ROWS, int(_SECONDS_PER_CHUNK / seconds)))

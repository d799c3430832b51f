"""A run: prepare its folder, do the chunks that are not done, and say what it came to."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lormika.checks import check_integer
from lormika.errors import InputError
from lormika.explainer import Explainer
from lormika.explanation import Failure
from lormika.jobs import contents, prepared
from lormika.jobs.driver import Engine, drive
from lormika.jobs.folder import Folder, Run
from lormika.jobs.inputs import check_rows, save_input

if TYPE_CHECKING:
    import pandas as pd

_SECONDS_PER_CHUNK = 20.0
_MOST_ROWS = 5000  # of a chunk whose length is found out
_LEAST_ROWS = 10  # that are worth a chunk, unless they take long
_CHUNKS_EACH = 2  # of every process, so that one with slow rows does not keep all others waiting
_TRIED = 16  # rows by which the length is found out


@dataclass(frozen=True, slots=True)
class Shard:
    """Every n-th chunk, from the i-th on: for arrays of jobs that share a folder.

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
        """Those of a run that are its own."""
        return range(self.number, run.chunks, self.shards)


def prepare(
    folder: Path,
    explainer: Explainer,
    background: pd.DataFrame,
    rows: pd.DataFrame,
    model: Mapping[str, Any],
    options: Mapping[str, Any],
    *,
    identifier: str | None = None,
    chunk_rows: int | None = None,
    processes: int = 1,
    order: Mapping[str, Any] | None = None,
) -> Run:
    """Write all that workers need into the folder; one that holds another run is refused.

    `rows` has the columns of the background, and the one that names the rows, if any; its index numbers them. `model`
    is how to load it. Without `chunk_rows`, all `processes` of all shards are to have chunks; whoever comes first
    decides. `order` is what makes the same command known again, so that it need not prepare anything.
    """
    check_rows(rows, explainer.schema)
    target = Folder(folder)
    if chunk_rows is not None:
        check_integer("chunk_rows", chunk_rows, 1)
    elif target.run_file.exists():
        chunk_rows = target.read().chunk_rows
    else:
        fair = max(_LEAST_ROWS, -(-len(rows) // (processes * _CHUNKS_EACH)))
        chunk_rows = min(fair, _find_chunk_rows(explainer, background, options))
    settings = asdict(explainer.settings) | {"kernel_width": explainer.kernel_width, "cuts": explainer.cuts}
    with target.all_or_nothing():
        run = Run(
            model=dict(model),
            background=prepared.save(explainer, background, folder),
            input=save_input(rows, folder, explainer.schema),
            rows=len(rows),
            chunk_rows=chunk_rows,
            options=dict(options),
            settings=json.loads(json.dumps(settings)),
            features=list(explainer.schema.names),
            id=identifier,
            order=None if order is None else dict(order),
        )
        return target.start(run)


def run_chunks(
    folder: Path,
    run: Run,
    engine: Callable[[], Engine],
    shard: Shard,
    done: Callable[[int, int], None],
    *,
    begin: Callable[[list[int]], None] = lambda chunks: None,
    warn: Callable[[str], None] = lambda text: None,
    retry_failed: bool = False,
    verify: bool = False,
) -> dict[str, Any] | None:
    """Do the chunks of a shard that are not done, that are damaged, or with `retry_failed` hold failed rows.

    `begin` hears of these chunks, if there are any, `done` of each one that is done and its failed rows, `warn` of
    those that take too long. Parts are read to the last byte if nobody has counted them, they were touched since, or
    with `verify`. Gives what the whole run came to; None: other shards have not finished.
    """
    target = Folder(folder)
    contents.check_parts(folder, run.chunks)
    own, stock = shard.chunks(run), target.stock(run)
    waiting = []
    for chunk in own:
        failed = target.failed(run, chunk, stock, whole=verify or stock is None)
        if failed is None or (failed and retry_failed):
            waiting.append(chunk)
    if waiting:
        begin(waiting)
        target.manifest.unlink(missing_ok=True)
        with closing(engine()) as at_work:
            drive(at_work, waiting, run.rows_of, done, warn)
    if any(chunk not in own and target.failed(run, chunk) is None for chunk in range(run.chunks)):
        return None
    return target.finish(run)


def _find_chunk_rows(explainer: Explainer, background: pd.DataFrame, options: Mapping[str, Any]) -> int:
    """So many rows that a chunk takes some twenty seconds: little is lost with it, and little spent on beginning it."""
    list(explainer.explain_many(background[:1], progress=False, **options))  # what is slow only once
    began = time.perf_counter()
    told = list(explainer.explain_many(background[:_TRIED], progress=False, **options))
    seconds = (time.perf_counter() - began) / len(told)
    if all(isinstance(result, Failure) for result in told):
        return 100
    return max(1, min(_MOST_ROWS, int(_SECONDS_PER_CHUNK / seconds)))

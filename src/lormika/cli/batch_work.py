"""The work of lormika batch: an engine, how far it is, and what it came to."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from lormika.cli.output import Talk

if TYPE_CHECKING:
    from lormika.jobs.driver import Engine
    from lormika.jobs.run import Shard
    from lormika.jobs.run_file import Run
    from lormika.types import JsonObject

_SOME_FAILED, _INTERRUPTED = 3, 130
_LINE_EVERY = 30.0  # seconds between lines about the progress, unless a tenth is done before


class EngineName(StrEnum):
    """Where chunks are done."""

    LOCAL = "local"
    DASK = "dask"


@dataclass(frozen=True, slots=True)
class How:
    """In which way a run is worked on, which decides nothing about its results."""

    name: EngineName
    workers: int  # 0: one per processor
    scheduler: str | None  # of Dask
    chunk_limit: float
    shard: Shard
    retry_failed: bool
    verify: bool = False
    headers: tuple[str, ...] = ()  # for a server; secrets may be among them

    @property
    def processes(self) -> int:
        """Of this job, at most."""
        return self.workers or os.cpu_count() or 1

    def engine(self, out: Path, run: Run, talk: Talk) -> Engine:
        """What does the chunks."""
        if self.name == EngineName.DASK and self.scheduler is not None:
            from lormika.jobs.dask_engine import DaskEngine

            return DaskEngine(out, run, self.scheduler, self.chunk_limit, talk.warn, self.headers)
        from lormika.jobs.local import LocalEngine

        workers = min(self.processes, len(self.shard.chunks(run)))
        return LocalEngine(out, run, workers, self.chunk_limit, self.headers)


def work(out: Path, run: Run, how: How, talk: Talk) -> None:
    """Do what is not done, and say what the run came to."""
    from lormika.jobs.run import Listener, run_chunks

    own = how.shard.chunks(run)
    if not own:
        talk.say(f"{out}: nothing to do for this shard: the run has {_count(run.chunks, 'chunk')} (see --chunk-rows)")
    with ExitStack() as stack:
        progress = _Progress(out, run, own, stack, talk)
        try:
            totals = run_chunks(
                out, run, lambda: how.engine(out, run, talk), how.shard,
                Listener(progress.begin, progress.done, talk.warn), retry_failed=how.retry_failed, verify=how.verify,
            )  # fmt: skip
        except KeyboardInterrupt:
            stack.close()
            done = f"{progress.count_done():,} of {_count(len(own), 'chunk')} done"
            typer.echo(f"{done}; the same command goes on", err=True)
            raise typer.Exit(_INTERRUPTED) from None
    if totals is not None:
        _tell(out, totals, talk, already=not progress.before)
    elif own:
        talk.say(f"{out}: this shard is done, others are not yet")


class _Progress:
    """How far the chunks of a shard are; nothing is shown if there is nothing to do."""

    def __init__(self, out: Path, run: Run, own: Sequence[int], stack: ExitStack, talk: Talk) -> None:
        from lormika.jobs.folder import Folder

        self._folder, self._run, self._own, self._stack, self._talk = Folder(out), run, own, stack, talk
        self._advance: Callable[[int], None] = lambda rows: None
        self.before: dict[int, object] = {}  # chunks to be done, and what there is of them

    def begin(self, chunks: Sequence[int]) -> None:
        """These chunks are to be done."""
        self.before = {chunk: self._trace(chunk) for chunk in chunks}
        total, left = (sum(len(self._run.rows_of(chunk)) for chunk in some) for some in (self._own, chunks))
        self._advance = self._stack.enter_context(_progress(total, total - left, self._talk))

    def done(self, chunk: int, _: int) -> None:
        """A chunk is done."""
        self._advance(len(self._run.rows_of(chunk)))

    def count_done(self) -> int:
        """Chunks that are on disk, also those that nobody has told of before an interrupt."""
        traces = {chunk: self._trace(chunk) for chunk in self._own}
        return sum(trace is not None and trace != self.before.get(chunk) for chunk, trace in traces.items())

    def _trace(self, chunk: int) -> object:
        """What tells one written part from another; None: the chunk is not done."""
        try:
            status = [path.stat() for path in self._folder.parts(chunk)][-1]  # the instances, which are written last
        except OSError:
            return None
        return status.st_ino, status.st_mtime_ns


def _tell(out: Path, totals: JsonObject, talk: Talk, *, already: bool) -> None:
    result = f"{_count(totals['rules'], 'rule')} about {_count(totals['rows'], 'row')}"
    talk.say(f"{out}: {'finished already, ' if already else ''}{result}")
    if not totals["failed"]:
        return
    failed = _count(totals["failed"], "row")
    verb = "had failed before" if already else "failed"
    typer.echo(
        f"{failed} {verb}: the column error of {out}/instances says why; the same command with --retry-failed tries "
        "again",
        err=True,
    )
    raise typer.Exit(_SOME_FAILED)


def _count(number: int, noun: str) -> str:
    """A number of things.

    >>> _count(1, "row"), _count(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


@contextmanager
def _progress(total: int, done: int, talk: Talk) -> Iterator[Callable[[int], None]]:
    """Show how many rows are done: a bar in a terminal, otherwise a line now and then."""
    from lormika.progress import progress_bar

    if not talk.console.is_terminal:
        if done:
            talk.say(f"{done:,} of {total:,} rows were done before")
        yield Lines(total, talk.say, done, done).advance
        return
    bar = progress_bar(talk.console)
    bar.disable = talk.console.quiet
    with bar:
        task = bar.add_task("explaining", total=total, completed=done)
        yield lambda rows: bar.advance(task, rows)


@dataclass(slots=True)
class Lines:
    """Progress as lines, for logs.

    >>> lines = Lines(1000, print)
    >>> for _ in range(8):
    ...     lines.advance(30)
    120 of 1,000 rows done (12%)
    210 of 1,000 rows done (21%)
    """

    total: int
    say: Callable[[str], None]
    done: int = 0
    told: int = 0  # rows that were done at the last line
    when: float = field(default_factory=time.monotonic)

    def advance(self, rows: int) -> None:
        """So many more rows are done."""
        self.done += rows
        now = time.monotonic()
        if 10 * self.done // self.total > 10 * self.told // self.total or now - self.when > _LINE_EVERY:
            self.told, self.when = self.done, now
            self.say(f"{self.done:,} of {self.total:,} rows done ({100 * self.done // self.total}%)")

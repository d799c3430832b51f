"""The folder of a run: what it is about, who may write to it, and where its parts are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from lormika import system
from lormika.errors import InputError
from lormika.jobs import contents, lock
from lormika.jobs.inputs import is_background, is_input
from lormika.jobs.run_file import Run, differences, read_content, read_run
from lormika.types import JsonObject
from lormika.writing import whole_file

_MOMENT, _HOUR = 1.0, 3600.0  # seconds


class Folder:
    """Where a run lives."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def run_file(self) -> Path:
        """What the run is about."""
        return self.path / "run.json"

    @property
    def manifest(self) -> Path:
        """The results of the run; written once all parts are there."""
        return self.path / "manifest.json"

    def part(self, kind: str, chunk: int) -> Path:
        """A part of the table of `rules` or `instances`."""
        return self.path / kind / f"part-{chunk:05}.parquet"

    def parts(self, chunk: int) -> list[Path]:
        """Both parts of a chunk."""
        return [self.part(kind, chunk) for kind in contents.PARTS]

    @contextmanager
    def locked(self, *, shared: bool) -> Iterator[None]:
        """Keep other runs out; shards of one run share the lock."""
        busy = f"another run is at work in {self.path}: wait for it, or choose another folder"
        own = self.path / contents.LOCK
        with lock.held(own, alone=not shared, patience=_MOMENT, busy=busy):
            try:
                yield
            finally:
                # Shards leave their locks: over a network, another machine may go on seeing a file that was removed,
                # and hold it while somebody else holds a new one.
                if not shared:
                    lock.remove(self.path / contents.WRITING)
                    system.unlink_open(own)

    def writing(self, *, alone: bool) -> AbstractContextManager[None]:
        """Write to the folder: parts together with others, everything else alone.

        So a sole writer finds only leftovers of dead processes, including workers of a cluster whose run was killed.
        """
        busy = f"another process has been preparing {self.path} for {_HOUR / 60:g} minutes: end it, and start again"
        return lock.held(self.path / contents.WRITING, alone=alone, patience=_HOUR, busy=busy)

    def clean(self) -> None:
        """Remove what interrupted writes left behind; only while writing alone."""
        contents.remove_leftovers(self.path)

    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """Leave nothing new behind if what was written turns out to be unusable; only while writing alone."""
        there = set(self.path.iterdir())
        try:
            yield
        except BaseException:
            contents.remove_own(set(self.path.iterdir()) - there)
            self.clean()
            raise

    def known(self, order: JsonObject | None, chunk_rows: int | None) -> Run | None:
        """The run that the same command began here with the same files; None if that has to be found out."""
        if order is None or not self.run_file.exists():
            return None
        run = self.read()
        same = run.follows(order) and chunk_rows in (None, run.chunk_rows)
        sound = same and is_input(self.path / run.input, run.rows) and is_background(self.path / run.background)
        return run if sound else None

    def start(self, run: Run) -> Run:
        """Begin or resume a run; a different one in the same folder is refused."""
        for kind in contents.PARTS:
            (self.path / kind).mkdir(exist_ok=True)
        if not self.run_file.exists():
            with whole_file(self.run_file, sync=True) as beside:
                beside.write_text(run.to_json() + "\n", encoding="utf-8", newline="\n")
            return run
        present = self.read()
        differing = differences(run, present)
        if differing:
            raise InputError(
                f"{self.path} holds another run, with another {', '.join(differing)}: choose another folder, or remove "
                "this one"
            )
        return present

    def read_start(self) -> JsonObject:
        """What run.json holds, as it is."""
        return read_content(self.run_file)

    def read(self) -> Run:
        """What the run in this folder is about."""
        return read_run(self.run_file)

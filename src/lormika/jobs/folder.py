"""The folder of a run: what it is about, its input, and the parts that are done."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lormika.errors import InputError
from lormika.jobs import contents, lock
from lormika.jobs.inputs import is_input, read_numbers, sha256
from lormika.jobs.part_tables import INSTANCES, RULES, to_table
from lormika.jobs.stock import FORMAT as MANIFEST
from lormika.jobs.stock import Count, Stock, describe
from lormika.version import __version__
from lormika.writing import whole_file

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT = "lormika.batch"
_MOMENT, _HOUR = 1.0, 3600.0  # seconds
_MODEL = {"source", "sha256", "trust", "allow_pickle", "isolate", "max_size", "memory_limit", "time_limit", "timeout"}
_KINDS = [name for name in INSTANCES if name.startswith(("current_", "hypothetical_"))]


@dataclass(frozen=True, slots=True)
class Run:
    """Everything that decides what a run's parts hold."""

    model: dict[str, Any]  # how to load it, and the SHA-256 of its file
    background: str  # name of the folder of its arrays, which is made of their content
    input: str  # name of the file, which is made of its content
    rows: int
    chunk_rows: int
    options: dict[str, Any]  # of the search
    settings: dict[str, Any]  # of the explainer
    features: list[str]
    id: str | None  # column with names of the rows
    version: str = __version__
    order: dict[str, Any] | None = field(default=None, compare=False)  # the command and the SHA-256 of its files

    @property
    def chunks(self) -> int:
        """How many chunks there are."""
        return -(-self.rows // self.chunk_rows)

    def rows_of(self, chunk: int) -> range:
        """Rows of the input that a chunk holds."""
        return range(chunk * self.chunk_rows, min((chunk + 1) * self.chunk_rows, self.rows))

    def to_json(self) -> str:
        """As run.json has it."""
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=2, ensure_ascii=False)

    @classmethod
    def of_json(cls, text: str) -> Run:
        """The inverse of `to_json`."""
        content = json.loads(text)
        del content["format"]
        return cls(**content)

    def follows(self, order: Mapping[str, Any]) -> bool:
        """Whether it is what a command orders, as far as that says it: the folder may have been tampered with."""
        return (
            self.order == order
            and self.model == order["model"]
            and self.options == order["options"]
            and self.id == order["choice"]["id"]
        )


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
        """What the run came to; there when all parts are."""
        return self.path / "manifest.json"

    def part(self, kind: str, chunk: int) -> Path:
        """A part of the table of `rules` or `instances`."""
        return self.path / kind / f"part-{chunk:05}.parquet"

    @contextmanager
    def locked(self, *, shared: bool) -> Iterator[None]:
        """Keep other runs out; shards of one run come in together."""
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
                    own.unlink(missing_ok=True)

    def writing(self, *, alone: bool) -> AbstractContextManager[None]:
        """Write into the folder: parts with others, all else alone.

        So whoever is alone finds only leftovers of the dead, also those of a cluster's workers whose run was killed.
        """
        busy = f"another process has been preparing {self.path} for {_HOUR / 60:g} minutes: end it, and start again"
        return lock.held(self.path / contents.WRITING, alone=alone, patience=_HOUR, busy=busy)

    def clean(self) -> None:
        """Remove what interrupted writes left behind; only while writing alone."""
        contents.remove_leftovers(self.path)

    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """Leave nothing new behind if what is written cannot be used after all; only while writing alone."""
        there = set(self.path.iterdir())
        try:
            yield
        except BaseException:
            contents.remove_own(set(self.path.iterdir()) - there)
            self.clean()
            raise

    def known(self, order: Mapping[str, Any] | None, chunk_rows: int | None) -> Run | None:
        """The run that the same command has begun here with the same files; None: that must be found out."""
        if order is None or not self.run_file.exists():
            return None
        run = self.read()
        same = run.follows(order) and chunk_rows in (None, run.chunk_rows)
        sound = same and is_input(self.path / run.input, run.rows) and is_sound(self.path / run.background)
        return run if sound else None

    def start(self, run: Run) -> Run:
        """Begin a run, or go on with it; another one in the same folder is refused."""
        for kind in contents.PARTS:
            (self.path / kind).mkdir(exist_ok=True)
        if not self.run_file.exists():
            with whole_file(self.run_file, sync=True) as beside:
                beside.write_text(run.to_json() + "\n", encoding="utf-8")
            return run
        known = self.read()
        differing = _differences(run, known)
        if differing:
            raise InputError(
                f"{self.path} holds another run, with another {', '.join(differing)}: choose another folder, or remove "
                "this one"
            )
        return known

    def read_start(self) -> dict[str, Any]:
        """What run.json holds, as it is."""
        if not self.run_file.is_file():  # reading a pipe would never end
            raise InputError(f"{self.path} is not the folder of a run: it has no run.json")
        try:
            content = json.loads(self.run_file.read_text(encoding="utf-8"))
        except OSError as error:
            raise InputError(f"{self.run_file} cannot be read: {error.strerror}") from error
        except (ValueError, RecursionError) as error:
            raise InputError(f"{self.run_file} cannot be read, remove the folder: {error}") from error
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise InputError(f"{self.run_file} is not the start of a run")
        return content

    def read(self) -> Run:
        """What the run in this folder is about."""
        content = self.read_start()
        del content["format"]
        if content.get("version") != __version__:
            raise InputError(
                f"{self.path} holds a run of another version of lormika, {content.get('version')}: choose another "
                "folder, or remove it"
            )
        if set(content) != {f.name for f in fields(Run)}:
            raise InputError(f"{self.run_file} is damaged: remove the folder")
        run = Run(**content)
        wrong = _wrong_fields(run)
        if wrong:
            raise InputError(f"{self.run_file} is damaged, what it says of {wrong[0]!r} cannot be: remove the folder")
        return run

    def parts(self, chunk: int) -> list[Path]:
        """Both parts of a chunk."""
        return [self.part(kind, chunk) for kind in contents.PARTS]

    def stock(self, run: Run) -> Stock | None:
        """What the run came to; None: it is not finished, or its manifest cannot be believed."""
        return Stock.read(self.manifest, run)

    def failed(self, run: Run, chunk: int, stock: Stock | None = None, *, whole: bool = False) -> int | None:
        """How many rows of a chunk failed; None: its parts are not both there and fit, and are made anew.

        Parts must be what was counted. With `whole` they are read to the last byte, however old they are.
        """
        import pyarrow as pa

        try:
            if stock is None:
                found = self._count(run, chunk, whole=whole)
            elif stock.is_unchanged(chunk, self.parts(chunk), by_content=whole):
                found = self._count(run, chunk, whole=False)
                found = found if found == stock.count(chunk) else None
            else:
                return None
        except (pa.ArrowException, OSError, ValueError):
            return None
        return None if found is None else found.failed

    def _count(self, run: Run, chunk: int, *, whole: bool) -> Count | None:
        """What the parts of a chunk hold; None: they do not fit."""
        import pyarrow.parquet as pq

        with (
            pq.ParquetFile(self.part("rules", chunk), page_checksum_verification=True) as rules,
            pq.ParquetFile(self.part("instances", chunk), page_checksum_verification=True) as instances,
        ):
            wanted = [to_table([], columns).schema for columns in (RULES, INSTANCES)]
            if [rules.schema_arrow, instances.schema_arrow] != wanted:
                return None
            table = instances.read(None if whole else ["row", "error", *_KINDS])
            n_rules = rules.read().num_rows if whole else rules.metadata.num_rows
        numbers = read_numbers(self.path / run.input, run.rows_of(chunk))
        told = sum(count or 0 for kind in _KINDS for count in table[kind].to_pylist())
        if table["row"].to_pylist() != numbers or told != n_rules:
            return None
        return Count(n_rules, table.num_rows - table["error"].null_count)

    def write_part(self, chunk: int, rules: pa.Table, instances: pa.Table) -> None:
        """Write the rules, then the instances: when these are there, the chunk is done."""
        import pyarrow.parquet as pq

        with self.writing(alone=False):
            for kind, table in (("rules", rules), ("instances", instances)):
                with whole_file(self.part(kind, chunk), sync=True) as beside:
                    pq.write_table(table, beside, compression="zstd", write_page_checksum=True)

    def finish(self, run: Run) -> dict[str, Any]:
        """Say what the run came to; once, though several shards may finish at the same time."""
        with self.writing(alone=True):
            self.clean()
            stock = self.stock(run)
            if stock is not None and all(stock.is_older(self.parts(chunk)) for chunk in range(run.chunks)):
                return stock.content
            content = self._take_stock(run)
            with whole_file(self.manifest, sync=True) as beside:
                beside.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        return content

    def _take_stock(self, run: Run) -> dict[str, Any]:
        counts = [self._count(run, chunk, whole=False) for chunk in range(run.chunks)]
        found = [count for count in counts if count is not None]
        if len(found) < len(counts):
            raise InputError(f"{self.part('rules', counts.index(None))} was changed meanwhile: start again")
        totals = {name: sum(getattr(count, name) for count in found) for name in Count._fields}
        parts = [describe(chunk, self.parts(chunk), count) for chunk, count in enumerate(found)]
        columns = {"rules": RULES, "instances": INSTANCES}
        return {"format": MANIFEST, "rows": run.rows, **totals, "columns": columns, "parts": parts}


def is_sound(background: Path) -> bool:
    """Whether the folder of a background is there, and still what its name says."""
    plain = background.is_dir() and all(path.is_file() for path in background.iterdir())
    return plain and background.name == f"background-{digest_folder(background)}"


def digest_folder(folder: Path) -> str:
    """Of the names and contents of its files."""
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(folder.iterdir()):
        digest.update(f"{path.name} {sha256(path)}\n".encode())
    return digest.hexdigest()


def _wrong_fields(run: Run) -> list[str]:
    """Fields that hold what no run has, such as a path out of the folder."""
    source, digest = (run.model.get(name) if isinstance(run.model, dict) else 0 for name in ("source", "sha256"))
    sound = {
        "model": isinstance(source, str) and isinstance(digest, str | None) and set(run.model) <= _MODEL,
        "background": _matches(r"background-[0-9a-f]{32}", run.background),
        "input": _matches(r"input-[0-9a-f]{32}\.parquet", run.input),
        "rows": type(run.rows) is int and run.rows > 0,
        "chunk_rows": type(run.chunk_rows) is int and run.chunk_rows > 0,
        "options": isinstance(run.options, dict),
        "settings": isinstance(run.settings, dict),
        "features": isinstance(run.features, list) and all(isinstance(name, str) for name in run.features),
        "id": isinstance(run.id, str | None),
        "order": isinstance(run.order, dict | None),
    }
    return [name for name, good in sound.items() if not good]


def _matches(pattern: str, name: object) -> bool:
    return isinstance(name, str) and re.fullmatch(pattern, name) is not None


def _differences(run: Run, known: Run) -> list[str]:
    """What differs, in the words of the command."""
    plain = {"model": "model", "features": "choice of columns", "id": "--id", "chunk_rows": "--chunk-rows"}
    found = [words for name, words in plain.items() if getattr(run, name) != getattr(known, name)]
    for name in ("options", "settings"):
        one, other = getattr(run, name), getattr(known, name)
        found += [_option(key) for key in sorted({*one, *other}) if one.get(key) != other.get(key)]
    follows = run.features != known.features or run.id != known.id  # the file then has other columns in any case
    if run.rows != known.rows or (run.input != known.input and not follows):
        found.append("data file or --where")
    if run.background != known.background and not found:  # else that follows from the rest
        found.append("background")
    return found


def _option(name: str) -> str:
    """A name as the command line has it.

    >>> _option("min_count"), _option("cuts")
    ('--min-count', '--cut')
    """
    return "--cut" if name == "cuts" else f"--{name.replace('_', '-')}"

"""The folder of a run: what it is about, its input, and the parts that are done."""

from __future__ import annotations

import fcntl
import hashlib
import io
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lormika.batch.records import INSTANCES, RULES
from lormika.errors import InputError
from lormika.frames import listing
from lormika.version import __version__
from lormika.writing import whole_file

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

FORMAT = "lormika.batch"
_ROW_GROUP = 1000


@dataclass(frozen=True, slots=True)
class Run:
    """Everything that decides what a run's parts hold."""

    model: dict[str, Any]  # how to load it, and the SHA-256 of its file
    background: str  # name of the folder of its arrays, which is made of their content
    input: str  # name of the file, which is made of its content
    rows: int
    chunk_rows: int
    options: dict[str, Any]  # of the search
    features: list[str]
    id: str | None  # column with names of the rows
    version: str = __version__

    @property
    def chunks(self) -> int:
        """How many chunks there are."""
        return -(-self.rows // self.chunk_rows)

    def rows_of(self, chunk: int) -> range:
        """Rows of the input that a chunk holds."""
        return range(chunk * self.chunk_rows, min((chunk + 1) * self.chunk_rows, self.rows))


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
        """Keep other runs out; shards of one run come in together. The lock ends with the process, however it ends."""
        with (self.path / ".lock").open("a") as file:
            try:
                fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
            except OSError:
                raise InputError(
                    f"another run is at work in {self.path}: wait for it, or choose another folder"
                ) from None
            if not shared:
                self.clean()
            yield

    def clean(self) -> None:
        """Remove what interrupted writes left behind; only while nobody else is at work."""
        for folder in (self.path, self.path / "rules", self.path / "instances"):
            for path in folder.glob(".*-*-*") if folder.is_dir() else ():
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)

    def start(self, run: Run) -> Run:
        """Begin a run, or go on with it; another one in the same folder is refused."""
        for kind in ("rules", "instances"):
            (self.path / kind).mkdir(exist_ok=True)
        if not self.run_file.exists():
            with whole_file(self.run_file, sync=True) as beside:
                beside.write_text(json.dumps({"format": FORMAT, **asdict(run)}, indent=2, ensure_ascii=False) + "\n")
            return run
        known = self.read()
        differing = [name for name, value in asdict(run).items() if value != getattr(known, name)]
        if differing:
            raise InputError(
                f"{self.path} holds another run, with another {listing(differing)}: choose another folder, or remove it"
            )
        return known

    def read(self) -> Run:
        """What the run in this folder is about."""
        try:
            content = json.loads(self.run_file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise InputError(f"{self.path} is not the folder of a run: it has no run.json") from None
        except ValueError as error:
            raise InputError(f"{self.run_file} cannot be read: {error}") from error
        if not isinstance(content, dict) or content.pop("format", None) != FORMAT:
            raise InputError(f"{self.run_file} is not the start of a run")
        return Run(**content)

    def is_done(self, run: Run, chunk: int) -> bool:
        """Whether both parts of a chunk are there; one that cannot be read is removed, to be made anew."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        paths = [self.part(kind, chunk) for kind in ("instances", "rules")]
        if not all(path.exists() for path in paths):
            return False
        try:
            pq.read_metadata(paths[1])
            sound = bool(pq.read_metadata(paths[0]).num_rows == len(run.rows_of(chunk)))
        except (pa.ArrowException, OSError):
            sound = False
        if not sound:
            for path in paths:
                path.unlink(missing_ok=True)
        return sound

    def write_part(self, chunk: int, rules: pa.Table, instances: pa.Table) -> None:
        """Write the rules, then the instances: when these are there, the chunk is done."""
        import pyarrow.parquet as pq

        for kind, table in (("rules", rules), ("instances", instances)):
            with whole_file(self.part(kind, chunk), sync=True) as beside:
                pq.write_table(table, beside, compression="zstd")

    def finish(self, run: Run) -> dict[str, Any]:
        """Say what the run came to."""
        import pyarrow.compute as pc
        import pyarrow.parquet as pq

        totals = {"rows": run.rows, "rules": 0, "failed": 0}
        parts = []
        for chunk in range(run.chunks):
            rules, instances = self.part("rules", chunk), self.part("instances", chunk)
            n_rules = pq.read_metadata(rules).num_rows
            failed = pc.sum(pc.is_valid(pq.read_table(instances, columns=["error"])["error"])).as_py() or 0
            totals["rules"] += n_rules
            totals["failed"] += failed
            parts.append(
                {"chunk": chunk, "rules": n_rules, "failed": failed, "sha256": [sha256(rules), sha256(instances)]}
            )
        content = {
            "format": f"{FORMAT}.manifest",
            **totals,
            "columns": {"rules": RULES, "instances": INSTANCES},
            "parts": parts,
        }
        with whole_file(self.manifest, sync=True) as beside:
            beside.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        return totals


def save_input(frame: pd.DataFrame, folder: Path) -> str:
    """Write the rows to be explained into a file that is named by its content, and give that name."""
    content = io.BytesIO()
    frame.to_parquet(content, index=False, row_group_size=_ROW_GROUP)
    name = f"input-{hashlib.sha256(content.getbuffer()).hexdigest()[:32]}.parquet"
    if not (folder / name).exists():
        with whole_file(folder / name, sync=True) as beside:
            beside.write_bytes(content.getbuffer())
    return name


def read_input(path: Path, rows: range) -> pd.DataFrame:
    """Some rows of the input; only the part of the file that holds them is read."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        groups = range(rows.start // _ROW_GROUP, -(-rows.stop // _ROW_GROUP))
        table = file.read_row_groups(list(groups))
    frame: pd.DataFrame = table.slice(rows.start - groups.start * _ROW_GROUP, len(rows)).to_pandas()
    return frame


def sha256(path: Path) -> str:
    """Of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def model_facts(source: str, how: Mapping[str, Any]) -> dict[str, Any]:
    """How a model is loaded, and what identifies it beside its name."""
    from importlib.util import find_spec

    digest = None
    if source.startswith("python:"):
        spec = find_spec(source.split(":")[1])
        digest = sha256(Path(spec.origin)) if spec is not None and spec.origin is not None else None
    elif "://" not in source:
        digest = sha256(Path(source))
        source = str(Path(source).resolve())
    return {"source": source, "sha256": digest, **how}

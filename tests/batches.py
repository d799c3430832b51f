"""`lormika batch` as a process, and what its files must hold."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from children import await_true, end
from warm import LORMIKA, Warm

QUICK = ("--n-generated", "200", "--k", "2")


class Batch:
    """Ways to run the command."""

    locks = ()

    def __init__(self, folder: Path, warm: Warm) -> None:
        self.folder, self._warm = folder, warm

    def start(self, model: str, out: str, *more: object, data: str = "rows.parquet", **options) -> subprocess.Popen:
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True} | options
        return subprocess.Popen(self._line(model, out, more, data), cwd=self.folder, **options)

    @contextmanager
    def started(self, model: str, out: str, *more: object, **options) -> Iterator[subprocess.Popen]:
        """The command as a process that ends with the block, and its workers with it."""
        process = self.start(model, out, *more, **options)
        try:
            yield process
        finally:
            end(process)

    def run(self, model: str, out: str, *more: object, data: str = "rows.parquet", quiet: bool = True, **options):
        line = self._line(model, out, more, data, quiet)
        if set(options) <= {"env", "most_bytes"}:
            options = {"env": dict(os.environ)} | options
            return self._warm.run(line[len(LORMIKA) :], self.folder, seconds=600, **options)
        options = {"capture_output": True, "text": True, "timeout": 600} | options
        return subprocess.run(line, cwd=self.folder, check=False, **options)

    def _line(self, model: str, out: str, more: tuple[object, ...], data: str, quiet: bool = True) -> list[str]:
        source = model if "." in model or ":" in model else f"python:functions:{model}"
        workers = () if {"--workers", "--engine"} & set(more) else ("--workers", 1)  # more of them only take time
        return [
            *LORMIKA, "batch", data, "--model", source, "--background", "background.parquet", "--out", out,
            *QUICK, *(["--quiet"] if quiet else []), *map(str, (*more, *workers)),
        ]  # fmt: skip

    def allow(self, chunks: int) -> None:
        """Let the gated model work while fewer chunks than these are done in the folder `out`."""
        (self.folder / "allowed").write_text(str(chunks))

    def let_one_through(self, process: subprocess.Popen) -> None:
        """Wait for one more chunk of the gated model."""
        wanted = self._done() + 1
        self.allow(wanted)
        assert await_true(lambda: self._done() >= wanted, process)

    def _done(self) -> int:
        return len(list((self.folder / "out" / "instances").glob("part-*.parquet")))

    def parts(self, out: str) -> dict[str, str]:
        """SHA-256 of every part."""
        kinds = (self.folder / out / "instances", self.folder / out / "rules")  # other folders come and go
        found = [path for kind in kinds for path in sorted(kind.glob("part-*.parquet"))]
        return {f"{path.parent.name}/{path.name}": hashlib.sha256(path.read_bytes()).hexdigest() for path in found}

    def rows(self, out: str, kind: str = "rules") -> list[dict]:
        import pyarrow.parquet as pq

        found = sorted((self.folder / out / kind).glob("part-*.parquet"))
        return [row for path in found for row in pq.read_table(path).to_pylist()]

    def leftovers(self, out: str) -> list[Path]:
        """Hidden files; shards leave their locks."""
        return [path for path in (self.folder / out).rglob(".*") if path.name not in self.locks]


def alone(folder: Path, model: str, *, named: bool = False) -> list[str]:
    """Records of the rules of all rows, each explained by itself."""
    import pandas as pd

    from lormika import Explainer, models
    from lormika.jobs import part_tables
    from lormika.jobs.part_columns import RowResult

    rows = pd.read_parquet(folder / "rows.parquet")
    names = part_tables.identifiers(rows, "name" if named else None)
    background = pd.read_parquet(folder / "background.parquet")
    explainer = Explainer(models.load(str(folder / model)), background, n_generated=200)
    told = [explainer.explain(rows.drop(columns="name").iloc[[row]], k=2) for row in range(len(rows))]
    results = [RowResult(row, names[row], why) for row, why in enumerate(told)]
    return as_records([rule for result in results for rule in part_tables.rule_rows(result)])


def as_records(rules: list[dict]) -> list[str]:
    """Rules as a part holds them."""
    from lormika.jobs import RULES, part_tables

    return [repr(row) for row in part_tables.to_table(rules, RULES).to_pylist()]


def struct_examples(language: str) -> str:
    """Code of the page's section about structs."""
    page = (Path(__file__).parents[1] / "docs" / "batch.md").read_text(encoding="utf-8")
    section = page.split("### Conditions and changes")[1].split("\n## ")[0]
    return re.search(rf"```{language}\n(.*?)```", section, re.DOTALL)[1]

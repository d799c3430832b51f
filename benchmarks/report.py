"""What a benchmark hands back, as Markdown, and where it is kept: docs/benchmarks.md, between markers."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"


class SkippedError(Exception):
    """A benchmark cannot run here; the message says why."""


@dataclass(frozen=True)
class Table:
    """Rows of ready-made text under a heading."""

    heading: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def to_markdown(self) -> str:
        lines = [self.columns, ["---"] * len(self.columns), *self.rows]
        return f"**{self.heading}**\n\n" + "\n".join("| " + " | ".join(line) + " |" for line in lines)


@dataclass(frozen=True)
class Requirement:
    """A limit, the figure measured beside it, and whether it holds."""

    text: str
    figure: str
    holds: bool

    def row(self) -> list[str]:
        return [self.text, self.figure, "pass" if self.holds else "**FAIL**"]


@dataclass(frozen=True)
class Report:
    """Outcome of one benchmark."""

    tables: Sequence[Table] = ()
    requirements: Sequence[Requirement] = ()
    remarks: Sequence[str] = field(default=())

    def to_markdown(self) -> str:
        parts = [table.to_markdown() for table in self.tables]
        if self.requirements:
            rows = [requirement.row() for requirement in self.requirements]
            parts.insert(0, Table("Requirements", ["required", "measured", ""], rows).to_markdown())
        return "\n\n".join([*parts, *self.remarks])


def machine(command: str) -> str:
    """The command, the machine and the versions behind the figures."""
    versions = ", ".join(f"{name} {_version(name)}" for name in ("lormika", "numpy", "pandas", "scikit-learn"))
    return (
        f"`{command}` on {_processor()}, {os.cpu_count()} cores (one used), {platform.system()}, "
        f"Python {platform.python_version()}, {versions}."
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "(absent)"


def write(name: str, text: str, page: Path = PAGE) -> None:
    """Replace what lies between the markers of this name on the page."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, found, rest = page.read_text(encoding="utf-8").partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise SystemExit(f"{page} lacks the markers {begin} and {end}")
    page.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")

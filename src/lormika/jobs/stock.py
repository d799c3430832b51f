"""The results of a run, as its manifest records them; and whether the parts still are what was counted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lormika.jobs.inputs import sha256

if TYPE_CHECKING:
    from lormika.jobs.run_file import Run
    from lormika.types import JsonObject, JsonValue

FORMAT = "lormika.batch.manifest"


class Count(NamedTuple):
    """What the parts of a chunk hold."""

    rules: int
    failed: int


@dataclass(frozen=True, slots=True)
class Stock:
    """The content of a manifest, and when it was written."""

    content: JsonObject
    when: int  # nanoseconds

    @classmethod
    def read(cls, manifest: Path, run: Run) -> Stock | None:
        """The manifest of a run; None if there is none, or it cannot be trusted."""
        try:
            when = manifest.stat().st_mtime_ns
            content = json.loads(manifest.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return None
        return cls(content, when) if _is_believable(content, run) else None

    def count(self, chunk: int) -> Count:
        """Rules and failed rows of a chunk."""
        part = self.content["parts"][chunk]
        return Count(part["rules"], part["failed"])

    def is_unchanged(self, chunk: int, files: Sequence[Path], *, by_content: bool) -> bool:
        """Whether the parts of a chunk are those that were counted.

        Compared by length; and by content, which takes longer, if they were touched since or if requested.
        """
        part = self.content["parts"][chunk]
        if [file.stat().st_size for file in files] != part["bytes"]:
            return False
        return (self.is_older(files) and not by_content) or [sha256(file) for file in files] == part["sha256"]

    def is_older(self, files: Sequence[Path]) -> bool:
        """Whether no file was touched since it was counted; the time of its last change cannot be set by hand."""
        return all(file.stat().st_ctime_ns <= self.when for file in files)


def describe(chunk: int, files: Sequence[Path], count: Count) -> JsonObject:
    """The entry of a chunk in a manifest."""
    lengths = [file.stat().st_size for file in files]
    return {"chunk": chunk, **count._asdict(), "bytes": lengths, "sha256": [sha256(file) for file in files]}


def _is_believable(content: JsonValue, run: Run) -> bool:
    """Whether a manifest is about the run, and its totals are those of its parts."""
    try:
        parts = content["parts"]
        right = [part["chunk"] for part in parts] == list(range(run.chunks))
        shapes = all(len(part["bytes"]) == len(part["sha256"]) == 2 for part in parts)
        failed = all(0 <= part["failed"] <= len(run.rows_of(part["chunk"])) for part in parts)
        totals = [sum(part[name] for part in parts) for name in ("rules", "failed")]
        same = [content["format"], content["rows"], content["rules"], content["failed"]] == [FORMAT, run.rows, *totals]
    except (KeyError, TypeError, IndexError):
        return False
    return right and shapes and failed and same

"""Ledger: the folder of an evaluation. Its content is kept and can be extended; only other conditions are refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from lormika.errors import InputError
from lormika.evaluation.plan import DATASETS, MODELS, Cell, Plan
from lormika.evaluation.record import Record
from lormika.jobs import lock
from lormika.types import JsonValue
from lormika.version import __version__
from lormika.writing import whole_file

FORMAT = "lormika.evaluation"
LEFTOVER = "rival-"
"""Prefix of the folders that hold a rival's input; a killed evaluation leaves one behind."""
_CONDITIONS = ("train_rows", "common_rows", "random_state")
"""What all cells of a folder share; otherwise their figures could not be in one table."""
_MOMENT = 2.0  # seconds


@dataclass(frozen=True, slots=True)
class Content:
    """What was written for a cell."""

    records: Sequence[Record] = ()
    about: Mapping[str, JsonValue] = field(default_factory=dict)

    @property
    def failed(self) -> list[str]:
        """Why explanations failed, one text for each."""
        return [record.error for record in self.records if record.error is not None]


class Ledger:
    """Conditions, models, and the records of cells.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ledger = Ledger(folder)
    ...     with ledger.open(Plan(datasets=("loans",), models=("tree",))):
    ...         ledger.exists, ledger.cells()
    (True, [])
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.models = self.path / "models"
        self._conditions, self._cells = self.path / "evaluation.json", self.path / "cells"

    @contextmanager
    def open(self, plan: Plan) -> Iterator[None]:
        """Begin, resume or extend an evaluation, with exclusive access."""
        if self.path.is_dir() and any(self.path.iterdir()) and not self.exists:
            raise InputError(f"{self.path} is not empty, and no evaluation: choose another folder")
        for folder in (self.path, self.models, self._cells):
            folder.mkdir(parents=True, exist_ok=True)
        busy = f"another evaluation is at work in {self.path}: wait for it, or choose another folder"
        with lock.held(self.path / ".lock", alone=True, patience=_MOMENT, busy=busy):
            self._start(plan)
            for leftover in self.path.glob(f"{LEFTOVER}*"):
                shutil.rmtree(leftover)
            yield

    @property
    def exists(self) -> bool:
        """Whether the folder holds an evaluation."""
        return self._conditions.exists()

    def _start(self, plan: Plan) -> None:
        own = {"format": FORMAT, "version": __version__} | {name: getattr(plan, name) for name in _CONDITIONS}
        if not self.exists:
            _write(self._conditions, own)
            return
        conditions = _read(self._conditions)
        if not isinstance(conditions, dict) or conditions.get("format") != FORMAT:
            raise InputError(f"{self._conditions} says nothing about an evaluation: choose another folder")
        differing = [name for name in own if conditions.get(name) != own[name]]
        if differing:
            changes = ", ".join(f"{name} was {conditions.get(name)!r}, is {own[name]!r}" for name in differing)
            raise InputError(
                f"{self.path} holds an evaluation under other conditions: {changes}; choose another folder"
            )

    def cells(self) -> list[Cell]:
        """Cells that have records."""
        if not self.exists:
            raise InputError(f"{self.path} is not the folder of an evaluation: it has no {self._conditions.name}")
        return [_parse(path)[0] for path in sorted(self._cells.glob("*.json"))]

    def damaged(self, but: Sequence[Cell]) -> list[Path]:
        """Files of cells that cannot be read, except for cells that can be done again."""
        again = {cell.file_name for cell in but}
        return [path for path in sorted(self._cells.glob("*.json")) if path.name not in again and not _is_sound(path)]

    def read(self, cell: Cell) -> Content:
        """What was written for a cell; nothing if it was never begun."""
        path = self._cells / cell.file_name
        return _parse(path)[1] if path.exists() else Content()

    def read_sound(self, cell: Cell) -> Content:
        """The same; nothing for a damaged file."""
        try:
            return self.read(cell)
        except InputError:
            return Content()

    def write(self, cell: Cell, content: Content) -> None:
        """Write what is known about a cell, completely or not at all."""
        facts = {
            "dataset": cell.dataset, "model": cell.model, "explainer": cell.explainer, "run": cell.run,
            **content.about, "records": [record.to_dict() for record in content.records],
        }  # fmt: skip
        _write(self._cells / cell.file_name, facts)


def _parse(path: Path) -> tuple[Cell, Content]:
    """A cell, and what its file says about it."""
    facts = _read(path)
    try:
        cell = Cell(*(facts.pop(name) for name in ("dataset", "model", "explainer", "run")))
        if cell.file_name != path.name or cell.dataset not in DATASETS or cell.model not in MODELS:
            raise ValueError("its name does not say what it holds")
        return cell, Content([Record.from_dict(record) for record in facts.pop("records")], facts)
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise _damaged(path, error) from error


def _is_sound(path: Path) -> bool:
    try:
        _parse(path)
    except InputError:
        return False
    return True


def _write(path: Path, content: Mapping[str, JsonValue]) -> None:
    with whole_file(path, sync=True) as beside:
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
        beside.write_text(text, encoding="utf-8", newline="\n")


def _read(path: Path) -> JsonValue:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception) -> InputError:
    return InputError(f"{path} is damaged, remove it: {type(error).__name__}: {error}")

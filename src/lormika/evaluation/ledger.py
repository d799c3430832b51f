"""Ledger: the folder of an evaluation. A stopped one goes on where it was; another one in its place is refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lormika.batch import lock
from lormika.errors import InputError
from lormika.evaluation.plan import Cell, Plan
from lormika.evaluation.record import Record
from lormika.version import __version__
from lormika.writing import whole_file

FORMAT = "lormika.evaluation"
LEFTOVER = "rival-"
"""How the names of folders begin that hold what a rival is given; a killed evaluation leaves one behind."""
_MOMENT = 2.0  # seconds


class Ledger:
    """Plan, models, and the records of the cells that are done."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.models = self.path / "models"
        self.cells = self.path / "cells"

    @contextmanager
    def open(self, plan: Plan, functions: Mapping[str, str]) -> Iterator[None]:
        """Begin an evaluation or go on with it, alone; functions are explainers of others, and a hash of their code."""
        if self.path.is_dir() and any(self.path.iterdir()) and not self._plan_file.exists():
            raise InputError(f"{self.path} is not empty, and no evaluation: choose another folder")
        for folder in (self.path, self.models, self.cells):
            folder.mkdir(parents=True, exist_ok=True)
        busy = f"another evaluation is at work in {self.path}: wait for it, or choose another folder"
        with lock.held(self.path / ".lock", alone=True, patience=_MOMENT, busy=busy):
            self._start(plan, functions)
            for leftover in self.path.glob(f"{LEFTOVER}*"):
                shutil.rmtree(leftover)
            yield

    @property
    def _plan_file(self) -> Path:
        return self.path / "plan.json"

    def _start(self, plan: Plan, functions: Mapping[str, str]) -> None:
        wanted = {"format": FORMAT, "version": __version__, "functions": dict(functions), **plan.to_dict()}
        if not self._plan_file.exists():
            _write(self._plan_file, wanted)
            return
        known = _read(self._plan_file)
        if not isinstance(known, dict) or known.get("format") != FORMAT:
            raise InputError(f"{self._plan_file} is not the plan of an evaluation")
        differing = [name for name in wanted if known.get(name) != wanted[name]]
        if differing:
            said = ", ".join(f"{name} was {known.get(name)!r}, is {wanted[name]!r}" for name in differing)
            raise InputError(f"{self.path} holds another evaluation: {said}; choose another folder, or remove it")

    def read_plan(self) -> Plan:
        """The plan of the evaluation in this folder."""
        if not self._plan_file.exists():
            raise InputError(f"{self.path} is not the folder of an evaluation: it has no plan.json")
        content: dict[str, Any] = _read(self._plan_file)
        del content["format"], content["version"], content["functions"]
        names = {name: tuple(value) for name, value in content.items() if isinstance(value, list)}
        return Plan(**content | names)

    def is_done(self, cell: Cell) -> bool:
        """Whether the records of a cell are there."""
        return (self.cells / cell.file_name).exists()

    def failed(self, cell: Cell) -> int:
        """How many explanations of a cell failed."""
        return sum(record.error is not None for record in self.read(cell)[0]) if self.is_done(cell) else 0

    def write(self, cell: Cell, records: Sequence[Record], about: Mapping[str, Any]) -> None:
        """Keep the records of a cell, as a whole."""
        content = {
            "dataset": cell.dataset, "model": cell.model, "explainer": cell.explainer, "run": cell.run,
            **about, "records": [record.to_dict() for record in records],
        }  # fmt: skip
        _write(self.cells / cell.file_name, content)

    def read(self, cell: Cell) -> tuple[list[Record], dict[str, Any]]:
        """The records of a cell, and what else was written about it."""
        content = _read(self.cells / cell.file_name)
        records = [Record.from_dict(record) for record in content.pop("records")]
        return records, content


def _write(path: Path, content: Mapping[str, Any]) -> None:
    with whole_file(path, sync=True) as beside:
        beside.write_text(json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1) + "\n", encoding="utf-8")


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"{path} is damaged, remove it: {error}") from error

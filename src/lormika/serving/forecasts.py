"""Forecasts: what the model says about every row, found out once, in the background, in blocks."""

from __future__ import annotations

import hashlib
import threading
import time
from dataclasses import dataclass

import numpy as np

from lormika import frames
from lormika.errors import InputError, ModelError
from lormika.frames.instances import Instances
from lormika.many import ROWS_PER_CALL, read_rows
from lormika.models import Answer, Unit
from lormika.parts import Parts
from lormika.serving.faults import Fault
from lormika.serving.rowtable import RowTable
from lormika.serving.shared import SharedCalls
from lormika.stages.asking import ask_once, run_together
from lormika.types import JsonObject

_FIRST_BLOCK = 32  # a model may be slow
_LONGEST_CALL = 0.05  # seconds, so that nobody waits long for a block to end
_MOST_FAILURES = 200  # calls, after which it is not the rows that are to blame


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """What is known at a moment."""

    labels: np.ndarray  # positions of the classes; -1: not known
    certainty: np.ndarray  # of the label; NaN: not known
    done: int

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def is_ready(self) -> bool:
        """Whether all rows are done."""
        return self.done == len(self)


class Forecasts:
    """Labels and certainties of all rows."""

    def __init__(self, parts: Parts, rows: RowTable, shared: SharedCalls) -> None:
        self._parts, self._rows, self._shared = parts, rows, shared
        self._labels = np.full(len(rows), -1, dtype=np.int32)
        self._certainty = np.full(len(rows), np.nan)
        self._done = self._failed = self._failures = 0
        self.unit: Unit = "label"  # of the certainties, once there are any
        self._error: str | None = None
        self._closed = False
        self._digest = hashlib.sha256()
        self._thread = threading.Thread(target=self._run, daemon=True, name="lormika-forecasts")

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def close(self) -> list[threading.Thread]:
        """Begin no more blocks. The thread, if it is at work yet."""
        self._closed = True
        return [self._thread] if self._thread.is_alive() else []

    def join(self, seconds: float | None = None) -> None:
        """Wait until all is done."""
        self._thread.join(seconds)

    def snapshot(self) -> Snapshot:
        """What is known now."""
        return Snapshot(self._labels, self._certainty, self._done)

    @property
    def sha256(self) -> str | None:
        """Hash of all rows as they are encoded; None until they have been read."""
        return self._digest.hexdigest() if self._done == len(self._rows) else None

    def progress(self) -> JsonObject:
        """How far it is."""
        total = len(self._rows)
        ready = self._done == total
        return {"done": self._done, "total": total, "failed": self._failed, "ready": ready, "error": self._error}

    def _run(self) -> None:
        size, start = _FIRST_BLOCK, 0
        try:
            while start < len(self._rows) and not self._closed:
                stop = min(start + size, len(self._rows))
                began = time.perf_counter()
                self._forecast(range(start, stop))
                took = time.perf_counter() - began
                start = stop
                size = min(2 * size, ROWS_PER_CALL) if took < _LONGEST_CALL else max(_FIRST_BLOCK // 2, size // 2)
        except (InputError, ModelError, Fault) as error:
            self._error = str(error)
        except Exception as error:
            self._error = f"it stopped at row {start:,}: {type(error).__name__}"

    def _forecast(self, block: range) -> None:
        instances, failures = read_rows(self._parts.schema, frames.take(self._rows.features, block), "record")
        self._digest.update(np.ascontiguousarray(instances.rows).tobytes())
        plain = np.array([not own for own in instances.unseen], dtype=bool)
        sound = np.ones(len(block), dtype=bool)
        sound[list(failures)] = False
        self._failed += len(failures)
        for chosen in (plain & sound, ~plain & sound):
            self._ask(instances, np.flatnonzero(chosen), block.start)
        self._done = block.stop

    def _ask(self, instances: Instances, numbers: np.ndarray, first: int) -> None:
        """Ask about rows together; if that fails, about halves of them, down to the row that is to blame."""
        if not len(numbers) or self._closed:
            return
        try:
            answer = self._answer(instances[numbers])
        except (InputError, ModelError) as error:
            self._failures += 1
            if self._failures > _MOST_FAILURES:
                raise ModelError(f"the model fails for too many rows: {error}") from error
            if len(numbers) == 1:
                self._failed += 1
                return
            for half in np.array_split(numbers, 2):
                self._ask(instances, half, first)
            return
        labels = answer.labels
        self._labels[first + numbers] = labels
        self.unit = answer.unit
        if answer.unit != "label":
            certainties = np.column_stack([answer.certainty(c) for c in range(len(self._parts.model.names))])
            self._certainty[first + numbers] = certainties[np.arange(len(labels)), labels]

    def _answer(self, instances: Instances) -> Answer:
        schema = self._parts.schema
        if not any(instances.unseen):
            return self._shared.ask(schema.restore(instances.rows), patiently=True)
        ways = [ask_once(row) for row in instances.rows]
        return Answer.joined(run_together(self._parts.model, schema, ways, instances.unseen))

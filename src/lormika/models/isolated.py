"""A model in a separate process, with limits: whatever happens to it is just an error here.

Nothing that comes from that process is ever unpickled. Once it has crashed, or was stopped for taking too long, it is
not started again, as it would only fail again: look at the cause, then load the model again.
"""

from __future__ import annotations

import pickle
import threading
from functools import partial

import numpy as np

from lormika.errors import InputError, ModelError
from lormika.frames.values import Scalar
from lormika.models import wire
from lormika.models.model import METHODS
from lormika.models.model_files import megabytes
from lormika.processes import BrokenMessageError, Child, LostError, Message
from lormika.types import JsonObject, Keywords, UserTable


class IsolatedModel:
    """A classifier that is loaded and run in a separate process."""

    def __init__(self, source: str, options: Keywords, *, memory_limit: int, time_limit: float) -> None:
        self._source, self._memory_limit, self._time_limit = source, memory_limit, time_limit
        self._lock = threading.Lock()  # one question at a time
        self._over: str | None = None  # why it answers no longer
        self._process = Child.of_module("lormika.models.isolated_child", str(memory_limit))
        self.close = self._process.end
        head, _ = self._exchange({"source": source, "options": options}, b"", f"loading {source}")
        try:
            methods, classes, features = set(head["methods"]), head["classes"], head["features"]
        except (KeyError, TypeError):
            raise self._broken("no description of the model") from None
        self.classes_: tuple[Scalar, ...] | None = None if classes is None else tuple(classes)
        self.feature_names_in_: list[str] | None = features
        self.kind = str(head.get("kind", "model"))
        self.predict, self.predict_proba, self.decision_function = (
            partial(self._ask, method) if method in methods else None for method in METHODS
        )

    def __call__(self, table: UserTable) -> np.ndarray:
        """Ask a model that is a function."""
        return self._ask("__call__", table)

    def limit(self, seconds: float) -> None:
        """Give each call from now on so many seconds; loading it may have had more."""
        self._time_limit = seconds

    def __enter__(self) -> IsolatedModel:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, method: str, table: UserTable) -> np.ndarray:
        doing = f"the model in {method} on {len(table)} rows"
        head, body = self._exchange({"method": method}, pickle.dumps(table, protocol=5), doing)
        try:
            return wire.read_answer(head, body)
        except BrokenMessageError as error:
            raise self._broken(str(error)) from None

    def _exchange(self, head: JsonObject, body: bytes, doing: str) -> Message:
        """Send a message and wait for the reply."""
        with self._lock:
            if self._over is not None or not self.close.alive:
                raise ModelError(f"{self._source}: {self._over or 'the model was closed'}; load it again")
            try:
                self._process.send(head, body)
                answer = self._process.receive(self._time_limit)
            except LostError as lost:
                raise self._stop(self._loss(lost, doing)) from None
            except BaseException:  # an interrupt: half a message is no use to the next question
                self._stop("the model was interrupted")
                raise
        if "error" in answer[0]:
            raise self._error(answer[0], doing)
        return answer

    def _error(self, head: JsonObject, doing: str) -> Exception:
        kind, text = head["error"], str(head.get("message"))
        if kind == "input":
            return InputError(text)
        if kind == "model":
            return ModelError(text)
        if kind == "memory":
            return ModelError(
                f"{self._source}: {doing} needs more memory than the {megabytes(self._memory_limit)} that its process "
                f"may use; allow more with memory_limit (--memory-limit)"
            )
        failed = doing.replace("the model in", "the model failed in", 1)
        return ModelError(f"{failed}{'' if failed != doing else ' failed'}: {head.get('type')}: {text}")

    def _loss(self, lost: LostError, doing: str) -> str:
        """Say what happened to the process."""
        if lost.kind == "late":
            return (
                f"the isolated process was stopped, since {doing} took more than {self._time_limit:g} s; "
                "allow more with time_limit (--time-limit)"
            )
        advice = {
            "broken": "; do not trust this model",
            "pipes": "; do not trust this model",
            "exit": "; see what it printed",
            "memory": f" (it may use {megabytes(self._memory_limit)}); allow more with memory_limit (--memory-limit)",
            "crash": ": the model is broken or tampered with, its library has a fault, or it needs more memory than "
            f"{megabytes(self._memory_limit)} (memory_limit)",
        }
        return f"the isolated process {lost.words} during {doing}{advice.get(lost.kind, lost.hint)}"

    def _broken(self, what: str) -> ModelError:
        return self._stop(f"the isolated process sent something else than an answer ({what}); do not trust this model")

    def _stop(self, why: str) -> ModelError:
        self._over = why
        self.close()
        return ModelError(f"{self._source}: {why}")

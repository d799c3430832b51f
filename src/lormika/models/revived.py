"""A model in a process of its own that is started again when it has ended: for a server, which must live on."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial

import numpy as np

from lormika.errors import InputError, ModelError
from lormika.models.isolated import IsolatedModel
from lormika.models.model import METHODS
from lormika.types import UserTable


class RevivedModel:
    """An isolated model; once it has crashed, or was ended, the next question loads it again."""

    def __init__(self, load: Callable[[], IsolatedModel], seconds: float) -> None:
        self._source, self._seconds, self._lock = load, seconds, threading.Lock()  # seconds are for a call
        self._model = self._load()
        self._closed = False
        self.classes_, self.feature_names_in_ = self._model.classes_, self._model.feature_names_in_
        self.kind = self._model.kind
        self.predict, self.predict_proba, self.decision_function = (
            partial(self._ask, method) if callable(getattr(self._model, method)) else None for method in METHODS
        )

    def __call__(self, table: UserTable) -> np.ndarray:
        """Ask a model that is a function."""
        return self._living()(table)

    def interrupt(self) -> None:
        """End the question that is being asked, and the process with it."""
        self._model.close()

    def close(self) -> None:
        """End it for good."""
        self._closed = True
        self._model.close()

    def _ask(self, method: str, table: UserTable) -> np.ndarray:
        answer: np.ndarray = getattr(self._living(), method)(table)
        return answer

    def _load(self) -> IsolatedModel:
        model = self._source()
        model.limit(self._seconds)
        return model

    def _living(self) -> IsolatedModel:
        with self._lock:
            if self._closed:
                raise ModelError("the model was closed")
            if not self._model.close.alive:
                try:
                    self._model = self._load()
                except InputError as error:  # its file has gone, or was changed
                    raise ModelError(f"the model cannot be loaded again: {error}") from error
            return self._model

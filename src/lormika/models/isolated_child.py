"""The process of an isolated model: `python -m lormika.models.isolated_child LIFELINE MEMORY`.

It loads the model that the first message names, and answers each further message, a method and a table, until no more
come. Messages pass through what were standard input and output; what the model prints goes to standard error.
"""

from __future__ import annotations

import fcntl
import os
import pickle
import resource
import sys
from typing import Any, BinaryIO

from lormika.errors import InputError, ModelError
from lormika.models import loading, wire
from lormika.models.model import METHODS, classes_of


def main() -> None:
    """Serve one model."""
    lifeline, memory = int(sys.argv[1]), int(sys.argv[2])
    _tie(lifeline)
    _limit(memory)
    requests, answers = _take_pipes()
    model = None
    while True:
        try:
            head, body = wire.receive(lambda size: _read(requests, size), sys.maxsize)
        except EOFError:
            return
        try:
            if model is None:
                model = loading.load(head["source"], **head["options"])
                message = wire.pack(_description(model))
            else:
                # The table comes from our own parent, and is pickled so that the model sees the very same one.
                ask = getattr(model, head["method"]) if head["method"] != "__call__" else model
                message = wire.pack_answer(ask(pickle.loads(body)))
        except Exception as error:
            message = wire.pack(_failure(error))
        answers.write(message)
        answers.flush()


def _tie(lifeline: int) -> None:
    """End with the parent: once the other end of this pipe is closed, the kernel signals our whole process group.

    It does so even while the model keeps the interpreter busy; the signal's default is to end the process.
    """
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)


def _limit(memory: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a crash leaves no file of the user's data


def _take_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Keep the pipes to ourselves: the model reads nothing, and prints to standard error."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return requests, answers


def _read(requests: BinaryIO, size: int) -> bytes:
    data = requests.read(size)
    if len(data) < size:
        raise EOFError
    return data


def _description(model: Any) -> dict[str, Any]:
    names = getattr(model, "feature_names_in_", None)
    return {
        "methods": [name for name in METHODS if callable(getattr(model, name, None))],
        "classes": classes_of(model),
        "features": None if names is None else [str(name) for name in names],
    }


def _failure(error: Exception) -> dict[str, str]:
    kind = "other"
    for name, known in {"input": InputError, "model": ModelError, "memory": MemoryError}.items():
        if isinstance(error, known):
            kind = name
    if isinstance(error.__cause__, MemoryError):  # there is as much memory as we may use
        kind = "memory"
    return {"error": kind, "type": type(error).__name__, "message": str(error)}


if __name__ == "__main__":
    main()

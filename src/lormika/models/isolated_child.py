"""The process of an isolated model: `python -m lormika.models.isolated_child MEMORY`.

It loads the model that the first message names, and answers each further message, a method and a table, until no more
come.
"""

from __future__ import annotations

import pickle
import sys

from lormika import system
from lormika.errors import InputError, ModelError
from lormika.models import loading, wire
from lormika.models.classes import classes_of
from lormika.models.model import METHODS, model_kind
from lormika.processes import Line, leave_for_memory
from lormika.session import own_process
from lormika.types import JsonObject, UserModel


def main() -> None:
    """Serve one model."""
    own_process()
    system.limit(int(sys.argv[1]), leave_for_memory)
    line = Line()
    model = None
    for head, body in iter(line.receive, None):
        try:
            if model is None:
                model = loading.load(head["source"], **head["options"])
                message = _description(model), b""
            else:
                # The table comes from our own parent, and is pickled so that the model sees the very same one.
                ask = getattr(model, head["method"]) if head["method"] != "__call__" else model
                message = wire.write_answer(ask(pickle.loads(body)))
        except Exception as error:
            message = _failure(error), b""
        line.send(*message)


def _description(model: UserModel) -> JsonObject:
    names = getattr(model, "feature_names_in_", None)
    return {
        "methods": [name for name in METHODS if callable(getattr(model, name, None))],
        "classes": classes_of(model),
        "features": None if names is None else [str(name) for name in names],
        "kind": model_kind(model),
    }


def _failure(error: Exception) -> dict[str, str]:
    kind = "other"
    for name, cause in {"input": InputError, "model": ModelError, "memory": MemoryError}.items():
        if isinstance(error, cause):
            kind = name
    if isinstance(error.__cause__, MemoryError):  # there is as much memory as we may use
        kind = "memory"
    return {"error": kind, "type": type(error).__name__, "message": str(error)}


if __name__ == "__main__":
    main()

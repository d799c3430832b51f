"""The process of a rival: `python rival_child.py NAME TASK`, run by path, by an interpreter that need not have lormika.

TASK is a file that the parent wrote with joblib. The rival is set up once. Then each message names an instance and a
seed, and is answered by one: the rules in a neutral form, and what they cost. What the rival prints goes to standard
error. `python rival_child.py NAME --check` only tells whether the rival can be imported. Messages are defined in
`lormika/processes/__init__.py`; here they have no bytes after their JSON object.

A condition is `{"feature": name, "above": a, "up_to": b}` (a < value <= b; either may be null), or `{"feature": name,
"is": code}` or `{"feature": name, "is_not": code}` with the code of a category. A rule is its conditions and the code
of a class. An explainer may also give `"rows"`, counterfactual ones, encoded like those of the task.
"""

from __future__ import annotations

import importlib
import io
import json
import os
import random
import struct
import sys
import time
import warnings
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

if TYPE_CHECKING:
    from lormika.evaluation.rivals.task_model import Explain, TaskModel
    from lormika.types import JsonObject

# Module and function; the modules are not named like the packages, which they would hide.
ADAPTERS = {
    "anchor": ("anchor_rules", "prepare"),
    "lore": ("lore_rules", "prepare"),
    "dice-random": ("dice_rows", "prepare_random"),
    "dice-genetic": ("dice_rows", "prepare_genetic"),
    "nice": ("nice_rows", "prepare"),
}
_LENGTHS = struct.Struct(">QQ")


def main() -> None:
    """Serve until no more messages arrive."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # what it printed last may say why it ended
    warnings.simplefilter("ignore")
    name, task = sys.argv[1:3]
    module, function = ADAPTERS.get(name, (name, "prepare"))
    adapter = importlib.import_module(module)
    version = adapter.version()
    if task == "--check":
        _send(answers, {"version": version})
        return
    import joblib
    from task_model import TaskModel  # type: ignore[import-not-found]  # beside this file, which is run by path

    start = time.perf_counter()
    content = joblib.load(task)
    model = TaskModel(content)
    explain = getattr(adapter, function)(content, model)
    _send(answers, {"ready": True, "version": version, "seconds": time.perf_counter() - start})
    while lengths := sys.stdin.buffer.read(_LENGTHS.size):
        question = json.loads(sys.stdin.buffer.read(sum(_LENGTHS.unpack(lengths))))
        _send(answers, _answer(explain, content["instances"][question["instance"]], question["seed"], model))


def _answer(explain: Explain, x: np.ndarray, seed: int, model: TaskModel) -> JsonObject:
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - the rivals draw from the global generators
    model.calls = model.rows = 0
    start = time.perf_counter()
    try:
        tell = explain(x.copy())
        costs = {"seconds": time.perf_counter() - start, "model_calls": model.calls, "model_rows": model.rows}
        answer = tell()  # not part of the explanation: reading it, and measuring on its neighbourhood
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    return answer | costs


def _send(answers: BinaryIO, content: JsonObject) -> None:
    text = json.dumps(content).encode()
    answers.write(_LENGTHS.pack(len(text), 0) + text)
    answers.flush()


if __name__ == "__main__":
    main()

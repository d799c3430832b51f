"""A process that does tasks: they come in as lines of JSON, outcomes go out the same way.

The first line says what the run is, so that nothing is loaded because the folder says so: others can write into it.
Before the first task it opens the run and explains a row of the background: if that fails, no row is to blame.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lormika.jobs.chunks import OpenRun

OUT_OF_MEMORY = 77  # as an exit code
_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Work until the other side closes the line."""
    gc.disable()  # modules, model and background stay for good: looking through them is a tenth of the start
    folder, parent = Path(sys.argv[1]), int(sys.argv[2])
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # whoever kills the parent has no orphans
    if os.getppid() != parent:  # it was killed before that
        return
    with suppress(OSError):  # if memory runs out, the kernel is to take us rather than the parent
        Path("/proc/self/oom_score_adj").write_text("500")
    tasks, line = os.fdopen(os.dup(0), encoding="utf-8"), os.fdopen(os.dup(1), "w", encoding="utf-8")
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)  # the model reads nothing,
    os.dup2(2, 1)  # and what it prints does not go into the line

    def say(answer: dict[str, Any]) -> None:
        print(json.dumps(answer), file=line, flush=True)

    with suppress(BrokenPipeError):  # the parent is gone
        opened = _open(folder, tasks.readline())
        if isinstance(opened, str):
            say({"error": opened})
            return
        say({"ready": True})
        gc.freeze()
        gc.enable()
        for text in tasks:
            answer = _work(opened, json.loads(text))
            say(answer)
            if "died" in answer:  # the model may be in any state
                return


def _open(folder: Path, start: str) -> OpenRun | str:
    """The run, once it has shown that it can explain; or what is wrong."""
    from lormika.jobs.chunks import open_run, rehearse
    from lormika.jobs.run_file import Run

    try:
        order = json.loads(start)
        opened = open_run(folder, Run(**order["run"]), order["headers"])
        rehearse(opened.explainer)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except Exception as error:
        return _text(error)
    return opened


def _work(opened: OpenRun, task: dict[str, Any]) -> dict[str, Any]:
    from lormika.errors import InputError, ModelError
    from lormika.jobs.chunks import DeadModelError, explain_rows, run_chunk

    skip = {int(row): why for row, why in task["skip"].items()}
    try:
        if task["rows"] is not None:
            explain_rows(opened, range(*task["rows"]), skip)
            return {}
        return {"failed": run_chunk(opened, task["chunk"], skip)}
    except MemoryError:
        os._exit(OUT_OF_MEMORY)  # as if it had been killed: fewer rows may do
    except DeadModelError as error:
        return {"died": str(error)}
    except (InputError, ModelError, OSError) as error:  # not about a row: the disk is full, the model has changed …
        return {"error": _text(error)}
    except Exception as error:  # a fault of ours, which is to cost no more than the rows that show it
        return {"died": f"it raised {_text(error)}"}


def _text(error: Exception) -> str:
    from lormika.errors import InputError, ModelError, describe

    if isinstance(error, OSError) and error.filename is not None:
        return describe(error)
    return str(error) if isinstance(error, InputError | ModelError) else f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    main()

"""A process that does tasks: each arrives as a message, and its outcome is sent back as one.

The first message says what the run is, so that nothing is loaded because the folder says so: others can write to it.
Before the first task the process opens the run and explains a row of the background: if that fails, no row is to blame.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from lormika import system
from lormika.processes import Line, leave_for_memory
from lormika.session import lasting, own_process

if TYPE_CHECKING:
    from lormika.jobs.chunks import OpenRun
    from lormika.types import JsonObject


def main() -> None:
    """Work until no more messages arrive."""
    own_process()
    system.end_later()
    line = Line()
    message = line.receive()
    if message is None:
        return
    opened = _open(Path(sys.argv[1]), message[0])
    if isinstance(opened, str):
        line.send({"error": opened})
        return
    line.send({"ready": True})
    for task, _ in iter(line.receive, None):
        answer = _work(opened, task)
        line.send(answer)
        if "died" in answer:  # the model may be in any state
            return


def _open(folder: Path, start: JsonObject) -> OpenRun | str:
    """The run, once it has shown that it can explain; otherwise what is wrong."""
    with lasting():  # what the user has written is loaded later: its garbage would take memory
        from lormika.jobs.chunks import open_run, rehearse
        from lormika.jobs.run_file import Run

    try:
        opened = open_run(folder, Run(**start["run"]), start["headers"])
        rehearse(opened.explainer)
    except MemoryError:
        leave_for_memory()
    except Exception as error:
        return _text(error)
    return opened


def _work(opened: OpenRun, task: JsonObject) -> JsonObject:
    from lormika.errors import InputError, ModelError
    from lormika.jobs.chunks import DeadModelError, explain_rows, run_chunk

    skip = {int(row): why for row, why in task["skip"].items()}
    try:
        if task["rows"] is not None:
            explain_rows(opened, range(*task["rows"]), skip)
            return {}
        return {"failed": run_chunk(opened, task["chunk"], skip)}
    except MemoryError:
        leave_for_memory()  # as if it had been killed: fewer rows may do
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

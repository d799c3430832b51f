"""A process of the local engine: tasks come in as lines of JSON, outcomes go out the same way."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Work until the other side closes the line."""
    parent = int(sys.argv[2])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is for the parent, which then ends us
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # whoever kills the parent has no orphans
    if os.getppid() != parent:  # it was killed before that
        return
    line = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a model prints does not go into the line
    folder = Path(sys.argv[1])
    for text in sys.stdin:
        print(json.dumps(_work(folder, json.loads(text))), file=line, flush=True)


def _work(folder: Path, task: dict[str, Any]) -> dict[str, Any]:
    from lormika.batch.chunks import explain_rows, run_chunk

    try:
        if task["rows"] is not None:
            explain_rows(folder, range(*task["rows"]), {})
            return {}
        return {"failed": run_chunk(folder, task["chunk"], {int(row): why for row, why in task["skip"].items()})}
    except MemoryError:
        os._exit(_OUT_OF_MEMORY)  # as if it had been killed: fewer rows may do
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}" if not str(error) else str(error)}


_OUT_OF_MEMORY = 77

if __name__ == "__main__":
    main()

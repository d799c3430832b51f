"""Commands from a warm process: each runs in a fork of one that has imported everything, which spares seconds a time.

A fork is a process of its own with its own folder, environment, streams and exit code, as a started one is; only the
imports are shared. The workers of a run are such forks, too; a test of how processes start, are killed, or share memory
starts them: `Batch.start`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

LORMIKA = [sys.executable, "-m", "lormika"]
"""The command as a process of its own, with all its imports."""

SERVER = Path(__file__).with_name("warm_server.py")


class Warm:
    """The warm process, started when it is first needed."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._process, self._count = folder, None, 0

    def run(
        self, arguments: list[str], cwd: Path, env: dict[str, str], seconds: float, *, most_bytes: int | None = None
    ) -> subprocess.CompletedProcess:
        """Run a command, whose files may not have more bytes than these, and give its output and exit code."""
        process = self._process = self._process or self._start()
        self._count += 1
        out, err = (self._folder / f"{self._count}.{name}" for name in ("out", "err"))
        out.touch()
        err.touch()
        order = {
            "arguments": arguments, "folder": str(cwd), "environment": env, "seconds": seconds,
            "most_bytes": most_bytes, "streams": [os.devnull, str(out), str(err)],
        }  # fmt: skip
        process.stdin.write(json.dumps(order) + "\n")
        process.stdin.flush()
        code = int(process.stdout.readline())
        return subprocess.CompletedProcess(arguments, code, out.read_text("utf-8"), err.read_text("utf-8"))

    def _start(self) -> subprocess.Popen:
        process = subprocess.Popen(
            [sys.executable, str(SERVER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert process.stdout.readline() == "ready\n"
        return process

    def end(self) -> None:
        """End it with all that it started."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()  # closes its pipes, too

"""Commands from a warm process: each runs in a fork of one that has imported everything, which spares seconds a time.

A fork is a process of its own with its own folder, environment, streams and exit code, as a started one is; only the
imports are shared.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

LORMIKA = [sys.executable, "-m", "lormika"]
"""The command as a process of its own, with all its imports."""

SERVER = """
import json, os, resource, signal, sys, tempfile, time, traceback
import lormika.cli.app, pandas, pyarrow, pyarrow.parquet, rich.console, rich.table, rich.text, rich.padding
import sklearn.ensemble, sklearn.tree, sklearn.pipeline, sklearn.compose, sklearn.preprocessing, skops.io
import lormika, lormika.views.html, lormika.views.text, lormika.cli.batch_work, lormika.jobs.run, lormika.jobs.local

def run(order):
    os.setsid()
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["environment"])
    for number, name in enumerate(order["streams"]):
        flags = os.O_RDONLY if number == 0 else os.O_WRONLY
        os.dup2(os.open(name, flags), number)
    if order["most_bytes"] is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (order["most_bytes"], order["most_bytes"]))
    sys.argv = ["lormika", *order["arguments"]]
    sys.path.insert(0, "")
    code = 0
    try:
        lormika.cli.main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        pass
    os._exit(code)

print("ready", flush=True)
for line in sys.stdin:
    order = json.loads(line)
    child = os.fork()
    if child == 0:
        run(order)
    end = time.monotonic() + order["seconds"]
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        if time.monotonic() > end:
            os.killpg(child, signal.SIGKILL)
        time.sleep(0.005)
    print(os.waitstatus_to_exitcode(status), flush=True)
"""


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
            [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert process.stdout.readline() == "ready\n"
        return process

    def end(self) -> None:
        """End it with all that it started."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()  # closes its pipes, too

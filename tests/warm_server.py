"""The warm process: it has imported everything, and each command that it is told to run is a fork of it."""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress

import warm_workers

MODULES = (
    "narwhals.stable.v2", "pandas", "pyarrow.parquet", "rich.console", "rich.markdown", "rich.padding", "rich.table",
    "rich.text", "skops.io", "sklearn.compose", "sklearn.ensemble", "sklearn.pipeline", "sklearn.preprocessing",
    "sklearn.tree", "lormika.cli.app", "lormika.cli.batch_work", "lormika.data.delimited", "lormika.jobs.chunks",
    "lormika.jobs.local", "lormika.jobs.run", "lormika.jobs.summary", "lormika.jobs.worker",
    "lormika.models.skops_file", "lormika.views.html", "lormika.views.rule_table", "lormika.views.saving",
    "lormika.views.summary_html", "lormika.views.text",
)  # fmt: skip


def run(order: dict) -> None:
    """Be the command, with a session, folder, environment and streams of its own."""
    import lormika.cli

    os.setsid()
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["environment"])
    for number, name in enumerate(order["streams"]):
        os.dup2(os.open(name, os.O_RDONLY if number == 0 else os.O_WRONLY), number)
    if order["most_bytes"] is not None:
        # Python would keep the half of a compiled module that it could write, and fail to read it ever after.
        sys.dont_write_bytecode, os.environ["PYTHONDONTWRITEBYTECODE"] = True, "1"
        resource.setrlimit(resource.RLIMIT_FSIZE, (order["most_bytes"], order["most_bytes"]))
    sys.argv = ["lormika", *order["arguments"]]
    sys.path.insert(0, "")
    if order["arguments"][0] == "batch" and "--prepare" not in order["arguments"]:
        warm_workers.prepare(leave)
    leave(lormika.cli.main)


def leave(main: Callable[[], None]) -> None:
    """End this process as Python does after its main program."""
    code = 0
    try:
        main()
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


def serve() -> None:
    """Run one command after the other: each arrives as a line of JSON, and its exit code is the answer."""
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


if __name__ == "__main__":
    sys.path.pop(0)  # the folder of the tests, which no command sees
    for name in MODULES:
        importlib.import_module(name)
    with suppress(ImportError):
        importlib.import_module("typer._adapters")  # what newer versions import once they read an option
    gc.collect()
    gc.freeze()  # what is there stays: to look through it would copy it into every fork
    serve()

"""Files that a user of the command line would have, and ways to run it as a process."""

from __future__ import annotations

import os
import pickle
import pty
import select
import signal
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from lormika import Explainer, datasets
from warm import LORMIKA


@pytest.fixture(scope="session")
def loans(tmp_path_factory) -> SimpleNamespace:
    """A data file, a model file of every sort, and the same in Python."""
    from skops import io

    folder = tmp_path_factory.mktemp("loans")
    X, y = datasets.make_loans(600)
    model = datasets.make_model("tree", X).fit(X, y)
    table = X.assign(id=range(1000, 1600), decision=y)
    table.to_csv(folder / "loans.csv", index=False)
    table.to_parquet(folder / "loans.parquet", index=False)
    io.dump(model, folder / "loans.skops")
    (folder / "loans.pkl").write_bytes(pickle.dumps(model))
    return SimpleNamespace(folder=folder, X=X, y=y, model=model, explainer=Explainer(model, X))


@pytest.fixture
def lormika(loans, tmp_path, warm):
    """Runs a command in a folder that holds the files, and gives what it printed."""
    for file in loans.folder.iterdir():
        os.symlink(file, tmp_path / file.name)

    def run(*arguments: object, **more: object) -> subprocess.CompletedProcess[str]:
        environment = os.environ | {"COLUMNS": "100"}
        if set(more) <= {"env"}:
            return warm.run([str(each) for each in arguments], tmp_path, dict(more.get("env", environment)), 120)
        return subprocess.run(
            [*LORMIKA, *map(str, arguments)], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
            **{"env": environment} | more,
        )  # fmt: skip

    run.folder = tmp_path
    return run


class Terminal:
    """A command in a terminal: what it printed there, and its exit code."""

    def __init__(self, arguments: list[object], folder: Path) -> None:
        self._screen, inner = pty.openpty()
        environment = os.environ | {"TERM": "xterm-256color", "COLUMNS": "100", "LINES": "40"}
        environment.pop("NO_COLOR", None)
        self._process = subprocess.Popen(
            [*LORMIKA, *map(str, arguments)], cwd=folder, env=environment, stdin=inner, stdout=inner, stderr=inner,
            start_new_session=True,
        )  # fmt: skip
        os.close(inner)
        self.printed = ""

    def read(self, until: str | None = None, seconds: float = 90) -> str:
        """Everything printed so far, up to a text or the end of the command."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and (until is None or until not in self.printed):
            if not select.select([self._screen], [], [], 0.2)[0]:
                continue
            try:
                piece = os.read(self._screen, 65536)
            except OSError:  # the other side is closed
                break
            if not piece:
                break
            self.printed += piece.decode(errors="replace")
        return self.printed

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        os.killpg(self._process.pid, signal.SIGINT)

    def wait(self) -> int:
        """Exit code."""
        self.read()
        try:
            return self._process.wait(30)
        finally:
            if self._process.poll() is None:
                self._process.kill()
            os.close(self._screen)


@pytest.fixture
def terminal(lormika):
    return lambda *arguments: Terminal(list(arguments), lormika.folder)

"""The warm process of the tests: workers of its commands are forks of it, or they would take seconds each."""

from __future__ import annotations

import sys

import pytest

WHERE = """
from pathlib import Path
from functions import good

def model(frame):
    with open("lines.txt", "ab") as file:
        file.write(Path("/proc/self/cmdline").read_bytes() + b"\\n")
    return good(frame)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_workers_are_forks_of_it(batch) -> None:
    (batch.folder / "where.py").write_text(WHERE)
    done = batch.run("python:where:model", "out", "--where", "name == 'n9'")
    assert done.returncode == 0, done.stderr
    lines = (batch.folder / "lines.txt").read_bytes().splitlines()
    assert {b"warm_server.py" in line for line in lines} == {True}

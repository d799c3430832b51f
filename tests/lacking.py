"""What tests need beside packages. Without it they are skipped; but in CI they fail, lest nobody notices."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import pytest


def lacks(what: str) -> NoReturn:
    """End a test that cannot be run here."""
    if os.environ.get("CI", "").lower() in ("", "0", "false"):
        pytest.skip(what)
    pytest.fail(f"{what} (CI is set, where nothing may be skipped for that)", pytrace=False)


on_posix = pytest.mark.skipif(os.name == "nt", reason="of signals, process groups, links or /proc, which Windows lacks")
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="of /proc and of limits that only Linux keeps")

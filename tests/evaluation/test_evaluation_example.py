"""The example of the paper runs, and finds what it shows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lormika import datasets
from lormika.errors import InputError

EXAMPLE = Path(__file__).parents[2] / "examples" / "02_compas.py"


def test_the_example_of_the_paper(tmp_path):
    try:
        datasets.load_compas()
    except InputError as error:
        pytest.skip(str(error))
    ran = subprocess.run(
        [sys.executable, str(EXAMPLE)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert "The data of the paper" in ran.stdout
    assert "The model predicts High" in ran.stdout
    for kind in ("Why “High”", "Speaks against", "More certain if", "Would turn if"):
        assert kind in ran.stdout
    assert "none found" not in ran.stdout  # all four kinds

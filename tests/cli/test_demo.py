"""lormika demo and info, as processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lormika import __version__


def in_shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "COLUMNS": "100"}
    return subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def test_demo_prints_the_four_kinds_and_writes_its_report(lormika):
    done = lormika("demo", "--export", "files")
    assert done.returncode == 0, done.stderr
    for heading in ("Why “rejected”", "Speaks against", "More certain if …", "Would turn if …"):
        assert heading in done.stdout
    assert str(lormika.folder / "lormika-demo.html") in done.stdout
    assert (lormika.folder / "lormika-demo.html").read_text().startswith("<!DOCTYPE html>")
    assert {path.name for path in (lormika.folder / "files").iterdir()} == {"loans.csv", "loans.skops"}


def test_whoever_reads_only_the_first_lines_has_the_report(lormika):
    done = in_shell("python -m lormika demo | head -1", lormika.folder)
    assert done.stdout == "A loan application\n"
    assert "Traceback" not in done.stderr
    assert (lormika.folder / "lormika-demo.html").exists()


@pytest.mark.skipif("LORMIKA_DATA" not in os.environ, reason="needs LORMIKA_DATA, the folder with german.csv")
@pytest.mark.parametrize("model", ["lr", "tree", "svm", "mlp"])
def test_demo_with_data_and_models_of_the_paper(model, lormika):
    done = lormika("demo", "--dataset", "german", "--model", model, "--k", 1)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("A row of german")


def test_demo_without_the_data_says_what_to_do(lormika):
    environment = {name: value for name, value in os.environ.items() if name != "LORMIKA_DATA"}
    done = lormika("demo", "--dataset", "compas", env=environment)
    assert done.returncode == 1
    assert "LORMIKA_DATA" in done.stderr
    assert "compas.csv" in done.stderr


def test_a_terminal_without_the_letters_shows_the_rest(lormika):
    done = lormika("demo", env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0, done.stderr


def test_info(lormika):
    facts = json.loads(lormika("info", "--json").stdout)
    assert facts["lormika"]["version"] == __version__
    assert "C++20" in facts["lormika"]["core"]
    assert __version__ in lormika("info").stdout
    assert lormika("--version").stdout == f"lormika {__version__}\n"


def test_help_shows_examples(lormika):
    for command in ("explain", "batch", "report", "mine", "demo", "info"):
        done = lormika(command, "--help")
        assert done.returncode == 0
        assert "For example:" in done.stdout
        assert f"lormika {command} " in done.stdout
        assert "list[" not in done.stdout
    # Otherwise it depends on the shell that the tests were started from, if they were.
    named = os.environ | {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    assert "_LORMIKA_COMPLETE" in lormika("--show-completion", "bash", env=named).stdout
    assert lormika("explode").returncode == 2

"""The page about letters: its examples run, and say what it says."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "letters.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    return re.search(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory, warm) -> Path:
    """With the files of the demonstration, and the table of the page."""
    folder = tmp_path_factory.mktemp("letters")
    run(warm, folder, "demo --export . -q")
    (folder / "reasons.csv").write_text(block("csv"))
    return folder


def run(warm, folder: Path, command: str) -> None:
    done = warm.run(shlex.split(command.replace("\\\n", " ")), folder, dict(os.environ), 600)
    assert done.returncode == 0, done.stderr


def words(path: Path) -> str:
    body = re.sub(r"<style>.*?</style>", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    plain = re.sub(r"<[^>]*>", "", re.sub(r"</?(?:td|th|tr|p|li|br|h\d)[^>]*>", " ", body))
    return " ".join(plain.split())


def test_the_notice(folder, warm):
    run(warm, folder, block("bash").removeprefix("lormika "))
    text, record = words(folder / "letter.html"), json.loads((folder / "record.json").read_bytes())
    for part in (  # of the picture
        "1 March 2026",
        "it gave the result rejected.",
        "No paid work at present (R11) Savings too low for the amount asked for (R07)",
        "employment: employed instead of unemployed savings: 5.6 or more instead of 2.8",
        "Customer Care, care@bank.example",
    ):
        assert part in text
    for name, key in (("letter.html", "letter"), ("loans.skops", "model"), ("reasons.csv", "codes")):
        assert record[key]["sha256"] == hashlib.sha256((folder / name).read_bytes()).hexdigest()


def test_the_answer(folder, monkeypatch):
    monkeypatch.chdir(folder)
    exec(block("python"), {})
    text = words(folder / "answer.html")
    for line in block("text").splitlines():
        assert line in text
    assert json.loads((folder / "answer.json").read_bytes())["model"]["note"] is None


def test_the_template(folder, warm):
    (folder / "mine.j2").write_text(block("html"))
    options = "--row 1091 --template mine.j2 --field account=7 --out mine.html"
    run(warm, folder, f"letter loans.csv --model loans.skops --target decision {options}")
    assert "About your account 7" in words(folder / "mine.html")
    assert "The result was rejected. employment: unemployed savings: 2.8" in words(folder / "mine.html")

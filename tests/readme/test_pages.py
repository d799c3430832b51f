"""Every block of code on the pages of docs/ runs, and prints what is shown."""

from __future__ import annotations

import os
import webbrowser

import pytest

from lormika import Explainer, datasets
from pages import DOCS, Reader, list_pages, read_blocks
from special import PAGES

COLUMNS = "110"  # as wide as the demo's output in the README
WITH_BLOCKS = [page for page in list_pages() if read_blocks(page.read_text(encoding="utf-8"))]


@pytest.fixture(scope="session")
def reader_has(tmp_path_factory, warm):
    """Files of the demo, what it printed, and a model with its data, which pages take for granted."""
    folder = tmp_path_factory.mktemp("reader")
    done = warm.run(["demo", "--export", "."], folder, _environment(), 300)
    assert done.returncode == 0, done.stderr
    X, y = datasets.make_loans(600)
    X_train, y_train = X[:500], y[:500]
    model = datasets.make_model("rf", X_train).fit(X_train, y_train)
    names = {"X": X, "y": y, "X_train": X_train, "X_test": X[500:], "y_train": y_train, "model": model}
    return folder, done.stdout, names | {"Explainer": Explainer, "explainer": Explainer(model, X_train)}


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "OMP_NUM_THREADS")}
    return kept | {"COLUMNS": COLUMNS}


@pytest.mark.parametrize("page", WITH_BLOCKS, ids=lambda page: page.relative_to(DOCS).with_suffix("").as_posix())
def test_every_block_of_a_page_runs(page, reader_has, warm, tmp_path, monkeypatch):
    files, demo, names = reader_has
    for file in files.iterdir():
        (tmp_path / file.name).symlink_to(file)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(webbrowser, "open", lambda address: True)
    monkeypatch.setenv("COLUMNS", COLUMNS)

    def lormika(arguments, folder):
        done = warm.run(arguments, folder, _environment(), 300)
        assert done.returncode == 0, f"lormika {' '.join(arguments)}: {done.stderr}"
        return done.stderr + done.stdout  # as a terminal shows them

    reader = Reader(tmp_path, dict(names, __name__="page"), lormika, demo)
    try:
        reader.read(page)
    finally:
        for thing in reader.names.values():
            if type(thing).__name__ == "Server":
                thing.stop()


def test_what_is_special_is_still_there():
    blocks = [block for page in list_pages() for block in read_blocks(page.read_text(encoding="utf-8"))]
    for special in PAGES:
        assert any(special.part in block.code for block in blocks), special.part

"""Colours, progress and Ctrl-C, in a terminal."""

from __future__ import annotations

import numpy as np
import pandas as pd

SLOW = """
import time, numpy as np
def predict(frame):
    time.sleep(1.5)
    return np.where(frame["income"] > 40, "yes", "no")
"""


def test_colours_in_a_terminal_and_none_in_a_pipe(terminal, lormika):
    words = ["explain", "loans.csv", "--model", "loans.skops", "--row", 17]
    shown = terminal(*words)
    assert shown.wait() == 0
    assert "\x1b[1;34m" in shown.printed  # bold blue
    piped = lormika(*words)
    assert piped.returncode == 0
    assert "\x1b" not in piped.stdout + piped.stderr


def test_progress_is_shown_for_what_takes_time(terminal, lormika):
    (lormika.folder / "slow.py").write_text(SLOW)
    words = ["explain", "loans.csv", "--drop", "decision", "--drop", "id", "--model", "python:slow:predict"]
    shown = terminal(*words, "--row", 1, "--row", 2, "--row", 3)
    assert shown.wait() == 0, shown.printed
    assert "Asking the model about 600 rows" in shown.printed
    assert "explaining" in shown.printed
    assert "100%" in shown.printed
    quiet = terminal(*words, "--row", 1, "--quiet")
    assert quiet.wait() == 0
    assert "Asking the model" not in quiet.printed


def test_interrupting_leaves_nothing_behind(terminal, lormika):
    (lormika.folder / "slow.py").write_text(SLOW.replace("1.5", "60"))
    before = {path.name for path in lormika.folder.iterdir()} | {"__pycache__"}
    shown = terminal("explain", "loans.csv", "--model", "python:slow:predict", "--row", 1, "--out", "why.html")
    assert "Asking the model" in shown.read(until="Asking the model")
    shown.interrupt()
    assert shown.wait() == 130
    assert "Traceback" not in shown.printed
    assert {path.name for path in lormika.folder.iterdir()} <= before


def test_interrupting_a_search_in_the_core(terminal, lormika):
    noise = np.random.default_rng(0).integers(0, 100, (1000, 200))  # nothing to find: it searches for many minutes
    table = pd.DataFrame(noise).add_prefix("x").assign(y=["a", "b"] * 500)
    table.to_csv(lormika.folder / "noise.csv", index=False)
    limits = ["--max-conditions", 6, "--min-count", 20, "--bins", 2]
    shown = terminal("mine", "noise.csv", "--target", "y", "--objective", "confidence", *limits)
    assert "Searching" in shown.read(until="Searching")
    shown.interrupt()
    assert shown.wait() == 130
    assert "Traceback" not in shown.printed

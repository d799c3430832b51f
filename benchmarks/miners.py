"""Rules of a frame beside other engines, reading included: the same rules of Adult, by leverage."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pandas as pd
from environments import MINERS, environment
from report import Report, Requirement, SkippedError, Table
from rivals import agree
from timing import milliseconds

import data

CONDITIONS, K = 3, 20
REPEAT = {"lormika": 5, "pyfim": 3, "pysubgroup": 2, "efficient-apriori": 1}
LIMIT = 180  # seconds on the clock


def run() -> Report:
    try:
        X, y = data.adult()
    except SkippedError as reason:
        return Report(remarks=[f"Rules of a frame: {reason}."])
    rows, requirements, remarks = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "adult.csv"
        _categories(X).assign(target=(y == y.max()).astype(int)).to_csv(path, index=False)
        ours = [_run(sys.executable, "lormika", path)]
        for engine in MINERS:
            try:
                theirs = _run(str(environment(engine)), engine, path)
            except SkippedError as reason:
                remarks.append(f"{engine}: {reason}.")
                continue
            ours.append(_run(sys.executable, "lormika", path))
            seconds, same = min(each["seconds"] for each in ours), agree(ours[0]["rules"], theirs["rules"])
            ratio = theirs["seconds"] / seconds
            times = [milliseconds(theirs["seconds"]), milliseconds(seconds), f"{ratio:.1f}"]
            rows.append([engine, *times, "yes" if same else "**no**"])
            text = f"{engine}, from a frame to rules: the same rules, sooner"
            requirements.append(Requirement(text, f"{ratio:.1f} times", same and ratio > 1))
    columns = ["engine", "theirs, ms", "lormika, ms", "times faster", "same rules"]
    title = f"Adult, {len(X):,} rows of {X.shape[1]} categories: the {K} best rules of up to {CONDITIONS} conditions"
    return Report([Table(title, columns, rows)] if rows else [], requirements, remarks)


def _categories(X: pd.DataFrame) -> pd.DataFrame:
    """Numbers as ranges, since the rivals take categories alone; made before, so that all engines get the same."""
    return X.assign(**{name: _ranges(X[name]) for name in X.select_dtypes("number")}).astype(str)


def _ranges(column: pd.Series) -> pd.Series:
    """Fourths, or whether a number is above the median if most numbers are the same."""
    fourths = pd.qcut(column, 4, duplicates="drop")
    return fourths if fourths.nunique() > 1 else column > column.median()


def _run(python: str, engine: str, path: Path) -> dict[str, Any]:
    script = Path(__file__).with_name("rival_miners.py")
    words = [python, script, engine, path, CONDITIONS, K, REPEAT[engine]]
    try:
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        raise SkippedError(f"stopped after {LIMIT} s") from None
    if done.returncode:
        raise SkippedError(f"failed with {done.stderr.strip().splitlines()[-1]!r}")
    return json.loads(done.stdout.splitlines()[-1])

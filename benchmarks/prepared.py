"""Data sets and fitted forests in a folder, for processes that do not have to make them again."""

from __future__ import annotations

from pathlib import Path

import joblib
from report import SkippedError

import data
from lormika import datasets

SETS = {"adult": data.adult, "compas": data.compas, "german": data.german}


def write(folder: Path) -> dict[str, str]:
    """Write NAME.joblib for each data set; of those that are not here, return why."""
    skipped = {}
    for name, load in SETS.items():
        try:
            X, y = load()
        except SkippedError as reason:
            skipped[name] = str(reason)
            continue
        training, rows, target, _ = datasets.split(X, y)
        model = datasets.make_model("rf", training).fit(training, target)
        content = {"X": X, "y": y, "training": training, "rows": rows, "model": model}
        joblib.dump(content, folder / f"{name}.joblib")
    return skipped

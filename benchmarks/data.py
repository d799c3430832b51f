"""The real data sets, from the folder that the environment variable LORMIKA_DATA names."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pandas as pd
from report import SkippedError

from lormika import datasets

Loaded = tuple[pd.DataFrame, pd.Series]


def adult() -> Loaded:
    """Income above 50K."""
    return _load("adult.csv.gz", datasets.load_adult)


def compas() -> Loaded:
    """Risk of recidivism; two numeric columns have gaps."""
    return _load("compas.csv", datasets.load_compas)


def german() -> Loaded:
    """Credit risk, with three numeric columns and seventeen categorical ones."""
    return _load("german.csv", datasets.load_german)


def covertype() -> Loaded:
    """Forest cover, 581,012 rows; Wilderness_Area and Soil_Type are categories written as numbers."""
    X, y = _load("covertype.csv.gz", lambda: datasets.load_covertype(binary=False))
    return X.astype("int64"), y


def _load(file: str, load: Callable[[], Loaded]) -> Loaded:
    folder = os.environ.get("LORMIKA_DATA")
    if not folder:
        raise SkippedError("skipped: LORMIKA_DATA names no folder with the data sets")
    if not (Path(folder) / file).is_file():
        raise SkippedError(f"skipped: {file} is not in the folder that LORMIKA_DATA names")
    return load()

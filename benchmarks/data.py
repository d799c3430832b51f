"""The real data sets, from the folder that the environment variable LORMIKA_DATA names."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd
from report import SkippedError

_GERMAN_NUMBERS = ("duration_in_month", "credit_amount", "age")


def adult() -> tuple[pd.DataFrame, pd.Series]:
    """Income above 50K, without weights and doubled columns; the mode stands for what is missing."""
    table = _read("adult.csv.gz", na_values="?").drop(columns=["fnlwgt", "education-num"])
    return _split(table.fillna(table.mode().iloc[0]))


def compas() -> tuple[pd.DataFrame, pd.Series]:
    """Risk of recidivism, without the scores that define it; two numeric columns have gaps."""
    table = _read("compas.csv").drop(columns=["decile_score", "score_text"])
    return _split(table.astype(dict.fromkeys(["is_recid", "is_violent_recid", "two_year_recid"], "category")))


def german() -> tuple[pd.DataFrame, pd.Series]:
    """Credit risk, with three numeric columns and seventeen categorical ones."""
    table = _read("german.csv")
    return _split(table.astype({name: "category" for name in table if name not in (*_GERMAN_NUMBERS, "class")}))


def covertype() -> tuple[pd.DataFrame, pd.Series]:
    """Forest cover, 581,012 rows; Wilderness_Area and Soil_Type are categories written as numbers."""
    table = _read("covertype.csv.gz")
    return table.drop(columns="Cover_Type"), table["Cover_Type"]


def _read(file: str, **options: object) -> pd.DataFrame:
    folder = os.environ.get("LORMIKA_DATA")
    if not folder:
        raise SkippedError("skipped: LORMIKA_DATA names no folder with the data sets")
    path = Path(folder) / file
    if not path.is_file():
        raise SkippedError(f"skipped: {file} is not in the folder that LORMIKA_DATA names")
    return pd.read_csv(path, **options)


def _split(table: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series]:
    return table.drop(columns="class"), table["class"]

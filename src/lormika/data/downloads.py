"""Where data sets come from: a folder, or scikit-learn's downloads, converted to the form of those files."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lormika.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

VARIABLE = "LORMIKA_DATA"

# The file's purposes are one place off: its codes A40, A41, A410, A42, … were named in the order of A40, A41, A42, …
_NO_PURPOSE = "(vacation - does not exist?)"  # the documentation of the data says that nobody has it
_PURPOSES = {
    "furniture/equipment": "others",
    "radio/television": "furniture/equipment",
    "domestic appliances": "radio/television",
    "repairs": "domestic appliances",
    "education": "repairs",
    _NO_PURPOSE: "education",
}
_GERMAN = {  # names of OpenML: names of the file
    "checking_status": "account_check_status",
    "duration": "duration_in_month",
    "savings_status": "savings",
    "employment": "present_emp_since",
    "installment_commitment": "installment_as_income_perc",
    "personal_status": "personal_status_sex",
    "other_parties": "other_debtors",
    "residence_since": "present_res_since",
    "property_magnitude": "property",
    "other_payment_plans": "other_installment_plans",
    "existing_credits": "credits_this_bank",
    "num_dependents": "people_under_maintenance",
    "own_telephone": "telephone",
}


def find(name: str, fetch: Callable[[], pd.DataFrame] | None) -> pd.DataFrame:
    """Read a data set from the folder, or else fetch it."""
    folder = os.environ.get(VARIABLE)
    files = [f"{name}.csv", f"{name}.csv.gz"]
    for path in (Path(folder) / file for file in files) if folder else ():
        if path.exists():
            return _read(name, path)
    place = f"{' or '.join(files)} in {folder}" if folder else f"{' or '.join(files)}"
    advice = f"there is no {place}; set {VARIABLE} to the folder that holds it"
    if fetch is None:
        raise InputError(f"data set {name!r}: {advice}. It cannot be downloaded in this form")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of attempts that failed; the last one is reported
            return fetch()
    except (OSError, ValueError) as error:  # no network; an answer that is none
        raise InputError(f"data set {name!r}: {advice}. Downloading it failed: {error}") from error


def _read(name: str, path: Path) -> pd.DataFrame:
    from lormika.data import read_table

    frame = read_table(path).frame
    if name == "german" and frame["purpose"].eq(_NO_PURPOSE).any():
        frame["purpose"] = frame["purpose"].replace(_PURPOSES)
    return frame


def fetch_adult() -> pd.DataFrame:
    """Adult, from OpenML: the same columns and values, test part first."""
    return _plain(_openml(1590))


def fetch_german() -> pd.DataFrame:
    """German credit, from OpenML: the same rows, the columns renamed; categories keep OpenML's shorter names."""
    frame = _plain(_openml(31)).rename(columns=_GERMAN)
    whole = ["installment_as_income_perc", "present_res_since", "credits_this_bank", "people_under_maintenance"]
    return frame.astype(dict.fromkeys([*whole, "duration_in_month", "credit_amount", "age"], np.int64))


def fetch_covertype() -> pd.DataFrame:
    """Covertype, from scikit-learn: one-hot columns folded into the numbers of area and soil, from 1."""
    from sklearn.datasets import fetch_covtype

    frame: pd.DataFrame = fetch_covtype(as_frame=True, n_retries=1).frame
    folded = {}
    for name in ("Wilderness_Area", "Soil_Type"):
        parts = [column for column in frame.columns if column.startswith(f"{name}_")]
        parts.sort(key=lambda column: int(column.rpartition("_")[2]))
        folded[name] = frame[parts].to_numpy().argmax(axis=1) + 1
    columns = [column for column in frame.columns if not column.startswith(tuple(f"{name}_" for name in folded))]
    whole = frame[columns].astype(np.int64)
    return whole.drop(columns=["Cover_Type"]).assign(**folded, Cover_Type=whole["Cover_Type"])


def _openml(number: int) -> pd.DataFrame:
    from sklearn.datasets import fetch_openml

    frame: pd.DataFrame = fetch_openml(data_id=number, as_frame=True, parser="auto", n_retries=1).frame
    return frame


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Categories as texts, without their lists: OpenML's lists hold values that do not occur."""
    import pandas as pd

    plain: dict[Hashable, pd.Series] = {}
    for name in frame:
        column = frame[name]
        if isinstance(column.dtype, pd.CategoricalDtype):
            column = column.astype(object).where(column.notna(), None).astype("str")
        plain[name] = column
    return pd.DataFrame(plain)

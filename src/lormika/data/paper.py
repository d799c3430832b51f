"""The data sets of the paper, prepared as its authors did.

Categorical columns have pandas' category type, even those coded as whole numbers: so an Explainer treats them as
categorical without further options, and the parts of a split share one list of categories. Numbers are int64, or
float64 where values are missing.

The files are looked for in the folder named by the environment variable LORMIKA_DATA; without them, the data sets that
are public in this form are downloaded through scikit-learn into its cache.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from lormika.data.downloads import fetch_adult, fetch_covertype, fetch_german, find
from lormika.data.loans import make_loans
from lormika.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    Loaded = tuple[pd.DataFrame, pd.Series]


def load_adult() -> Loaded:
    """Census incomes: 48,842 people, 12 features; `<=50K` or `>50K`.

    `fnlwgt` and `education-num` are dropped, and missing values are replaced by the most common one. A download has the
    same rows in another order, so a split by row number differs.

    >>> X, y = load_adult()
    >>> X.shape
    (48842, 12)
    """
    frame = find("adult", fetch_adult).drop(columns=["fnlwgt", "education-num"])
    frame = frame.fillna({name: frame[name].mode()[0] for name in frame if frame[name].isna().any()})
    return _prepare(frame, "class", [name for name in frame if frame[name].dtype.kind not in "if"])


def load_compas() -> Loaded:
    """Risk scores of defendants: 7,214 people, 11 features; `High` or `Medium-Low`.

    `decile_score` and `score_text`, which define the class, are not features. `days_b_screening_arrest` and
    `length_of_stay` are missing in 307 rows. There is no download: the data set of this name on OpenML has other rows
    and columns, and a different class.

    >>> X, y = load_compas()
    >>> X.shape
    (7214, 11)
    """
    frame = find("compas", None).drop(columns=["decile_score", "score_text"])
    texts = ["age_cat", "sex", "race", "c_charge_degree"]
    return _prepare(frame, "class", [*texts, "is_recid", "is_violent_recid", "two_year_recid"])


def load_german() -> Loaded:
    """German credit: 1,000 applicants, 20 features; `good` or `bad`.

    Only `duration_in_month`, `credit_amount` and `age` are numeric. The file's `purpose` is one place off (`domestic
    appliances` for radio and television, and so on), which is corrected here; this changes only names. A download has
    the same rows and columns, with OpenML's shorter category names.

    >>> X, y = load_german()
    >>> X.shape
    (1000, 20)
    """
    frame = find("german", fetch_german)
    numeric = ("duration_in_month", "credit_amount", "age", "class")
    return _prepare(frame, "class", [name for name in frame if name not in numeric])


def load_covertype(binary: bool = True) -> Loaded:
    """Forest cover types: 581,012 patches of land, 12 features.

    Type 2 or the rest (`type 2`, `other`), as in the paper; with `binary=False`, types 1 to 7.

    >>> X, y = load_covertype()
    >>> X.shape, y.nunique()
    ((581012, 12), 2)
    """
    X, y = _prepare(find("covertype", fetch_covertype), "Cover_Type", ["Wilderness_Area", "Soil_Type"])
    if binary:
        y = y.eq(2).map({True: "type 2", False: "other"})
    return X, y


_LOADERS: dict[str, Callable[[], Loaded]] = {
    "loans": make_loans,
    "german": load_german,
    "compas": load_compas,
    "adult": load_adult,
    "covertype": load_covertype,
}
NAMES = tuple(_LOADERS)
"""Names that `load` knows."""


def load(name: str) -> Loaded:
    """Load a data set by its name.

    >>> X, y = load("loans")
    >>> X.shape
    (2000, 9)
    """
    if name not in _LOADERS:
        raise InputError(f"there is no data set {name!r}; there are {', '.join(NAMES)}")
    return _LOADERS[name]()


def split(X: pd.DataFrame, y: pd.Series) -> tuple[pd.DataFrame, pd.DataFrame, pd.Series, pd.Series]:
    """Split as the authors did: X_train, X_test, y_train, y_test, with a fifth of the rows for testing.

    >>> [len(part) for part in split(*make_loans(100))]
    [80, 20, 80, 20]
    """
    from sklearn.model_selection import train_test_split

    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=0)
    return X_train, X_test, y_train, y_test


def _prepare(frame: pd.DataFrame, target: str, categorical: Sequence[Hashable]) -> Loaded:
    y = frame[target]
    if not np.issubdtype(np.asarray(y).dtype, np.number):
        y = y.astype("str")
    X = frame.drop(columns=[target])
    return X.astype({name: "category" for name in categorical if name != target}), y

"""Synthetic loan applications, for which the true reasons of each decision are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lormika.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

LOAN_RULES: dict[str, tuple[str, ...]] = {
    "missed payments": ("missed_payments",),
    "debt too high for the income": ("debt_ratio", "income"),
    "no work and no savings": ("employment", "savings"),
}
"""Features of each true reason to reject a loan; see `make_loans`."""


def make_loans(n_rows: int = 2000, random_state: int = 0) -> tuple[pd.DataFrame, pd.Series]:
    """Make a table of loan applications whose decisions follow known rules.

    An application is rejected for one of three reasons, and accepted otherwise:

    - missed payments: `missed_payments` ≥ 2;
    - debt too high for the income: `debt_ratio` ≥ 0.4 and `income` < 45 (thousands);
    - no work and no savings: `employment` = unemployed and `savings` < 5 (thousands).

    `age`, `amount`, `purpose` and `phone` play no part; `savings` is missing in one row in twelve, and then counts as
    enough.

    Examples
    --------
    >>> X, y = make_loans(1000)
    >>> X.shape, y.value_counts().to_dict()
    ((1000, 9), {'accepted': 549, 'rejected': 451})
    """
    import pandas as pd

    if n_rows < 1:
        raise InputError(f"n_rows={n_rows!r}: give at least 1")
    rng = np.random.default_rng([random_state, 1])
    employment = rng.choice(["employed", "self-employed", "unemployed"], size=n_rows, p=[0.6, 0.2, 0.2])
    income = np.rint(np.exp(rng.normal(np.where(employment == "unemployed", 3.2, 3.8), 0.45))).clip(8, 250)
    savings = np.round(rng.exponential(9.0, n_rows), 1)
    savings[rng.random(n_rows) < 1 / 12] = np.nan
    X = pd.DataFrame(
        {
            "age": rng.integers(19, 75, n_rows),
            "income": income.astype(np.int64),
            "employment": pd.Categorical(employment, categories=["employed", "self-employed", "unemployed"]),
            "savings": savings,
            "debt_ratio": np.round(rng.beta(2.2, 4.0, n_rows), 2),
            "missed_payments": rng.choice(6, size=n_rows, p=[0.58, 0.2, 0.1, 0.07, 0.03, 0.02]),
            "amount": np.rint(np.exp(rng.normal(2.6, 0.6, n_rows))).clip(1, 100).astype(np.int64),
            "purpose": rng.choice(["car", "education", "furniture", "repairs"], size=n_rows),
            "phone": rng.random(n_rows) < 0.7,
        }
    )
    rejected = loan_reasons(X).any(axis=1)
    return X, pd.Series(np.where(rejected, "rejected", "accepted"), name="decision")


def loan_reasons(X: pd.DataFrame) -> pd.DataFrame:
    """Which of the true reasons for rejection hold for each application.

    >>> X, y = make_loans(3)
    >>> bool((loan_reasons(X).any(axis=1) == (y == "rejected")).all())
    True
    """
    import pandas as pd

    return pd.DataFrame(
        {
            "missed payments": X["missed_payments"] >= 2,
            "debt too high for the income": (X["debt_ratio"] >= 0.4) & (X["income"] < 45),
            "no work and no savings": (X["employment"] == "unemployed") & (X["savings"] < 5),
        }
    )

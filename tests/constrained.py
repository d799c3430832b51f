"""Loans and a model whose reasons are known, for tests of constraints."""

from __future__ import annotations

import numpy as np
import pandas as pd

from lormika import datasets

LOANS, _ = datasets.make_loans(800)


def loan_model(frame: pd.DataFrame) -> np.ndarray:
    risk = 0.06 * (35 - frame["income"]) + 0.9 * frame["missed_payments"] + 3 * (frame["debt_ratio"] - 0.4)
    chance = 1 / (1 + np.exp(-risk.to_numpy(dtype=float)))
    return np.column_stack([1 - chance, chance])

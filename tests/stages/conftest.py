"""A case of a rejected loan."""

from __future__ import annotations

import numpy as np
import pytest

from constrained import LOANS, loan_model
from lormika import Explainer


@pytest.fixture(scope="session")
def case():
    explainer = Explainer(loan_model, LOANS, class_names=["accepted", "rejected"])
    rejected = np.flatnonzero(np.abs(loan_model(LOANS)[:, 1] - 0.7) < 0.02)[0]
    return explainer.locate(LOANS.iloc[[rejected]])

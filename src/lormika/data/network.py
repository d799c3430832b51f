"""A neural network that is meant to be stopped early."""

from __future__ import annotations

import warnings

from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

from lormika.types import UserColumn, UserTable


class StoppedNetwork(MLPClassifier):  # type: ignore[misc]
    """scikit-learn's network, without the warning on reaching `max_iter`.

    The paper's settings stop L-BFGS after 200 steps. This is not a failure: on COMPAS it has not converged after 5,000.
    """

    def fit(self, X: UserTable, y: UserColumn) -> StoppedNetwork:
        """Fit, as the parent does."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            super().fit(X, y)
        return self

"""The five classifiers of the paper, ready for tables with categories and missing values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lormika.errors import InputError

if TYPE_CHECKING:
    import pandas as pd
    from sklearn.base import ClassifierMixin
    from sklearn.pipeline import Pipeline

MODELS = ("rf", "lr", "tree", "svm", "mlp")
"""Random forest, logistic regression, decision tree, support vector machine, neural network."""

_SCALED = ("lr", "svm", "mlp")


def make_model(name: str, X: pd.DataFrame) -> Pipeline:
    """Make an unfitted pipeline for tables like X.

    A missing number counts as the median, a missing category as a category of its own. Categories are one-hot encoded,
    numbers scaled where the classifier depends on their size. Apart from that and the seed, the classifiers use
    scikit-learn's defaults, as in the paper; the neural network is trained by L-BFGS and stopped after 200 steps.

    >>> from lormika.data.datasets import make_loans
    >>> X, y = make_loans(200)
    >>> make_model("tree", X).fit(X, y).score(X, y)
    1.0
    """
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    classifier = _classifier(name)
    numeric = [column for column in X.columns if X[column].dtype.kind in "iuf"]
    categorical = [column for column in X.columns if column not in numeric]
    fill = SimpleImputer(strategy="median", keep_empty_features=True)
    encode = make_column_transformer(
        (make_pipeline(fill, StandardScaler()) if name in _SCALED else fill, numeric),
        # Dense: trees are several times slower on sparse tables.
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), categorical),
    )
    return make_pipeline(encode, classifier)


def _classifier(name: str) -> ClassifierMixin:
    if name not in MODELS:
        raise InputError(f"there is no standard model {name!r}; there are {', '.join(MODELS)}")
    if name == "rf":
        from sklearn.ensemble import RandomForestClassifier

        return RandomForestClassifier(n_estimators=100, random_state=0)
    if name == "lr":
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(max_iter=1000, random_state=0)  # the default of 100 is too few for Covertype
    if name == "tree":
        from sklearn.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(random_state=0)
    if name == "svm":
        from sklearn.svm import SVC

        return SVC(random_state=0)
    from lormika.data.network import StoppedNetwork

    return StoppedNetwork(solver="lbfgs", random_state=0)

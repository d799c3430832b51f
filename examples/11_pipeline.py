"""
A scikit-learn pipeline, explained in your own columns
======================================================

Most models do not see the table that people see: texts become one-hot columns, numbers are scaled, gaps are filled. If
that is part of a ``Pipeline``, the explainer gets the pipeline and the *raw* table, and its rules speak of the columns
that you know. You learn why this matters.

The table is made up: bookings of a hotel, some of which are cancelled.
"""

# %%
# Bookings
# --------

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from lormika import Explainer

rng = np.random.default_rng(7)
n_rows = 2500
X = pd.DataFrame(
    {
        "days_ahead": np.rint(rng.exponential(60, n_rows)).astype(int),
        "nights": rng.integers(1, 9, n_rows),
        "price": np.round(rng.normal(110, 30, n_rows).clip(45), 0),
        "deposit": rng.choice(["none", "part", "full"], n_rows, p=[0.7, 0.2, 0.1]),
        "channel": rng.choice(
            ["direct", "agency", "website"], n_rows, p=[0.25, 0.3, 0.45]
        ),
        "earlier_stays": rng.poisson(0.5, n_rows),
    }
)
X.loc[rng.random(n_rows) < 0.1, "price"] = np.nan
doubt = (
    0.02 * X["days_ahead"]
    + 0.012 * (X["price"].fillna(110) - 110)
    - 1.2 * X["earlier_stays"]
)
doubt += X["deposit"].map({"none": 0.6, "part": -1.0, "full": -2.5}) + 0.8 * (
    X["channel"] == "website"
)
y = np.where(doubt + rng.logistic(0, 0.6, n_rows) > 1.5, "cancelled", "kept")
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)

# %%
# The pipeline
# ------------

numbers = ["days_ahead", "nights", "price", "earlier_stays"]
texts = ["deposit", "channel"]
prepare = make_column_transformer(
    (make_pipeline(SimpleImputer(), StandardScaler()), numbers),
    (OneHotEncoder(sparse_output=False), texts),
)
pipeline = make_pipeline(prepare, GradientBoostingClassifier(random_state=0)).fit(
    X_train, y_train
)
print(f"right about {pipeline.score(X_test, y_test):.0%} of {len(X_test)} new bookings")
pipeline

# %%
# In your columns
# ---------------
# Give the explainer the whole pipeline. It changes values of the *raw* row and passes it through all steps, so a
# suggested change is one that a guest could make.

booking = X_test[pipeline.predict(X_test) == "cancelled"].iloc[[0]]
explanation = Explainer(pipeline, X_train).explain(booking, k=3)
print(explanation.summary())

# %%

explanation

# %%
# In the model's columns
# ----------------------
# This is what the last step alone sees: scaled numbers, and columns of 0 and 1. The explanation is just as true, but who
# knows what 0.8 nights are? And nothing tells the explainer that just one of the columns of a deposit can be 1.

inside = prepare.transform(X_train)
names = [name.split("__")[1] for name in prepare.get_feature_names_out()]
last = Explainer(pipeline[-1], inside, feature_names=names)
unreadable = last.explain(prepare.transform(booking)[0], k=3)
for rule in (*unreadable.current_supporting, *unreadable.counterfactual):
    print(rule)

# %%
# If such columns are all you have, groups of labels keep what belongs together: with ``one_hot``, exactly one of them is
# 1, before and after each suggested change.

groups = {
    name: {
        "features": [one for one in names if one.startswith(f"{name}_")],
        "one_hot": True,
    }
    for name in texts
}
grouped = Explainer(
    pipeline[-1], inside, feature_names=names, labels={"groups": groups}
)
for rule in grouped.explain(prepare.transform(booking)[0], k=3).counterfactual:
    print(rule.rerun)

# %%
# What the booking depends on, in its own columns:

explanation.plot("effects")

"""
A regression model, by bands of its values
==========================================

Rules lead to classes, and a price is none. So say which prices you want to tell apart. You learn two ways to do so: fixed
bands, such as *below 200* and *300 and above*, and bands around the value that the model predicts for the house in question.

The houses are made up: we know what their prices are made of.
"""

# %%
# Houses and a model
# ------------------

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor

from lormika import Explainer

rng = np.random.default_rng(5)
n_rows = 2500
X = pd.DataFrame(
    {
        "area": np.rint(rng.normal(110, 30, n_rows).clip(35, 260)).astype(int),
        "rooms": rng.integers(1, 8, n_rows),
        "minutes_to_centre": rng.integers(3, 60, n_rows),
        "year": rng.integers(1900, 2024, n_rows),
        "garden": rng.random(n_rows) < 0.4,
    }
)


def true_price(table: pd.DataFrame) -> np.ndarray:
    """In thousands: by the area, with a step for the centre and one for a garden."""
    centre = 90 * (table["minutes_to_centre"] <= 15)
    return np.asarray(40 + 1.6 * table["area"] + centre + 25 * table["garden"])


y = true_price(X) + rng.normal(0, 8, n_rows)
model = HistGradientBoostingRegressor(random_state=0).fit(X[:2000], y[:2000])
print(f"right to {np.abs(model.predict(X[2000:]) - y[2000:]).mean():.0f} thousand")

# %%
# Fixed bands
# -----------
# What makes this house expensive, and what would bring it below 300?

explainer = Explainer(model, X[:2000], bands=[200, 300])
dear = X[2000:][
    (X[2000:]["minutes_to_centre"] <= 12)
    & (model.predict(X[2000:]) > 305)
    & (model.predict(X[2000:]) < 340)
].iloc[[0]]
explanation = explainer.explain(dear, k=2)
print(explanation.summary())

# %%
# The bars are shares of similar houses, the figures values. The rules as they stand:

explanation

# %%
# Each change was put to the model; the truth, which we know, is near its answers.

rows = explanation.to_counterfactuals()
rows.assign(model=np.rint(model.predict(rows)), truth=np.rint(true_price(rows)))

# %%
# Around the value
# ----------------
# Where no edges suggest themselves, ask what makes the price clearly lower or higher than this one. The tolerance is
# learnt from the predictions, or given: here, 20 thousand to both sides.

around = Explainer(model, X[:2000], bands={"around": 20})
near = around.explain(dear, target="below", k=2)
print(near.summary())

# %%
# What the value depends on: of each feature, how far it moves the price.

near.plot("effects")

"""
Does it find a rule that we know?
=================================

An explanation can sound good and be wrong. If we make the data ourselves, we know the truth, and can count. You learn
how to put an explainer to the test, and what to expect from this one.

A machine breaks if it is hot *and* turns fast, or if its oil is old; three more columns are noise.
"""

# %%
# The truth
# ---------

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier

from lormika import Explainer

rng = np.random.default_rng(1)
n_rows = 3000
X = pd.DataFrame(
    {
        "temperature": np.round(rng.normal(70, 12, n_rows), 1),
        "speed": np.rint(rng.normal(1500, 300, n_rows)),
        "oil_days": rng.integers(0, 120, n_rows),
        "vibration": np.round(rng.gamma(2.0, 1.0, n_rows), 2),
        "humidity": rng.integers(20, 90, n_rows),
        "operator": rng.choice(["A", "B", "C"], n_rows),
    }
)


def true_label(table: pd.DataFrame) -> np.ndarray:
    """The rule itself."""
    hot_and_fast = (table["temperature"] > 75) & (table["speed"] > 1600)
    return np.where(hot_and_fast | (table["oil_days"] > 90), "breaks", "runs")


y = true_label(X)
pd.Series(y).value_counts().to_frame("rows")

# %%
# The rule as the model
# ---------------------
# First, the "model" is the rule itself, so that nothing stands between the explanation and the truth. A function from
# a table to labels is enough. One machine that is hot and fast, but has fresh oil:

truth = Explainer(true_label, X)
hot = X[(X["temperature"] > 80) & (X["speed"] > 1700) & (X["oil_days"] < 60)].iloc[[0]]
explanation = truth.explain(hot, k=3)
print(explanation.summary())

# %%
# What it depends on: noise must be absent, and a value must turn the prediction where the rule says so: at 75 and 1600.

explanation.plot("effects")

# %%
# Count, with a learnt model
# --------------------------
# A forest has to learn the rule from examples. For sixty machines that break for one reason only: does each rule that
# says *why* speak of that reason? And are changes that turn the prediction true, if we ask the rule instead of the forest?

half = n_rows // 2
forest = RandomForestClassifier(n_estimators=60, random_state=0).fit(
    pd.get_dummies(X[:half]), y[:half]
)


def forest_says(table: pd.DataFrame) -> np.ndarray:
    """The forest's probabilities, from the table as we have it."""
    dummies = pd.get_dummies(table).reindex(
        columns=forest.feature_names_in_, fill_value=0
    )
    return forest.predict_proba(dummies)


learnt = Explainer(forest_says, X[:half], class_names=list(forest.classes_))
is_hot = (X["temperature"] > 75) & (X["speed"] > 1600)
is_old = X["oil_days"] > 90
reason = np.select(
    [is_hot & ~is_old, is_old & ~is_hot], ["hot and fast", "old oil"], "none or both"
)
parts_of = {"hot and fast": {"temperature", "speed"}, "old oil": {"oil_days"}}
chosen = [row for row in range(half, n_rows) if reason[row] in parts_of][:60]

found = []
for row, one in zip(
    chosen, learnt.explain_many(X.iloc[chosen], progress=False, k=1), strict=True
):
    features = (
        set(one.current_supporting[0].features) if one.current_supporting else set()
    )
    turned = (
        [true_label(one.to_counterfactuals().iloc[1:])[0] != y[row]]
        if one.counterfactual
        else []
    )
    found.append(
        {
            "machine": row,
            "reason": reason[row],
            "rule": str(one.current_supporting[0]) if features else "none",
            "predicted": one.prediction == y[row],
            "a rule": bool(features),
            "about the reason": bool(features & parts_of[reason[row]]),
            "and nothing else": bool(features) and features <= parts_of[reason[row]],
            "change turns the truth": turned[0] if turned else False,
        }
    )
table = pd.DataFrame(found)
shares = table.drop(columns=["machine", "rule"]).groupby("reason").mean()
shares.round(2)

# %%
# The same as a picture. Each of these changes turns the *forest*: that was checked. Where it does not turn the truth, the
# forest is wrong about the changed machine; an explanation is about the model that was asked, whether it is right or not.

axes = shares.plot.barh(
    xlim=(0, 1.02), figsize=(8, 3.4), width=0.8, xlabel="share of machines", ylabel=""
)
axes.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
axes.figure.tight_layout()

# %%
# Where the first rule is not about the reason, look at it: a rule of the similar cases that changes the forest's answer a
# little may come first where no rule about the reason was confirmed. The effects of such a case show what it hangs on.

table.loc[~table["about the reason"], ["machine", "reason", "rule"]]

# %%
# How near do the forest's turning points come to the true ones?

steps = [
    (edit.feature, edit.after)
    for one in learnt.explain_many(X.iloc[chosen], progress=False, k=3)
    for rule in one.counterfactual
    for edit in rule.rerun.edits
    if edit.feature in ("temperature", "speed", "oil_days")
]
true_points = pd.Series({"temperature": 75, "speed": 1600, "oil_days": 90}, name="true")
points = (
    pd.DataFrame(steps, columns=["feature", "value"])
    .groupby("feature")["value"]
    .describe()[["count", "50%"]]
)
points.join(true_points)

"""
Software defects: what to do differently
========================================

Models that predict which files will have defects are common; what developers want is *guidance*. SQAPlanner, which builds
on the same rules, gives it in four parts: what is risky here, what is in order, what to avoid, and what to do to reduce the
risk. You learn to read an explanation in this way, and to limit advice to what a team can change.

The files are made up: one table row is a file before a release, with what is known of its code and its history.
"""

# %%
# Files of a project
# ------------------

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from lormika import Explainer

rng = np.random.default_rng(11)
n_rows = 2500
X = pd.DataFrame(
    {
        "lines": np.rint(np.exp(rng.normal(5.2, 0.9, n_rows))).astype(int),
        "complexity": np.rint(rng.gamma(2.0, 4.0, n_rows) + 1).astype(int),
        "developers": 1 + rng.poisson(1.6, n_rows),
        "share_of_owner": np.round(rng.beta(4, 2, n_rows), 2),
        "commits": rng.poisson(6, n_rows),
        "comment_ratio": np.round(rng.beta(2, 6, n_rows), 2),
        "reviewed_share": np.round(rng.beta(3, 1.5, n_rows), 2),
        "age_in_days": rng.integers(1, 2500, n_rows),
    }
)
unread = (X["complexity"] > 12) & (X["reviewed_share"] < 0.6)
scattered = (X["developers"] >= 4) & (X["share_of_owner"] < 0.6)
chance = 0.06 + 0.75 * (unread | scattered)
y = np.where(rng.random(n_rows) < chance, "defective", "clean")
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
model = RandomForestClassifier(
    n_estimators=100, min_samples_leaf=5, random_state=0
).fit(X_train, y_train)
print(
    f"{np.mean(y == 'defective'):.0%} of the files are defective; right about {model.score(X_test, y_test):.0%}"
)

# %%
# A file, and what can be done about it
# -------------------------------------
# We take a file that the model takes for defective, but not for certain: two chances in three. Its history cannot be
# changed, and it does not shrink by advice. What a team can do: make it simpler, have more of it reviewed, write comments,
# give it an owner.

risk = model.predict_proba(X_test)[:, list(model.classes_).index("defective")]
file = X_test.iloc[[int(np.abs(risk - 2 / 3).argmin())]]
limits = {
    "fixed": ["lines", "developers", "commits", "age_in_days"],
    "down": ["complexity"],
    "up": ["reviewed_share", "comment_ratio", "share_of_owner"],
}
explainer = Explainer(model, X_train)
case = explainer.locate(file)
file

# %%
# The four parts of the guidance
# ------------------------------
# Three of them are about the file as it is, and as it might become. Only what is *to do* must keep to the limits, so it is
# asked for separately.

explanation = case.explain(k=3)
possible = case.explain(k=3, constraints=limits)
headings = {
    "Risky here": explanation.current_supporting,
    "In order here": explanation.current_contradicting,
    "To avoid, for it would raise the risk": explanation.hypothetical_supporting,
    "To do, and the model would say clean": possible.counterfactual,
}
for heading, rules in headings.items():
    print(heading)
    for rule in rules:
        step = f" ({rule.rerun})" if rule.rerun else ""
        print(f"  - {' and '.join(map(str, rule.conditions))}{step}")
    if not rules:
        print("  - nothing was found that the model confirms")

# %%
# In truth, the number of lines, commits and comments and the age of a file play no part here. Where a rule speaks of them,
# the forest has learnt from chance, and the explanation shows it.
#
# The same as a picture, with limits:

possible.plot()

# %%
# How much is a step worth?
# -------------------------
# Not all that helps turns the prediction. The effects show the risk at each value of each column.

explanation.plot("effects")

# %%
# A plan for the project
# ----------------------
# Which few changes, the same for all, would turn most of the files that the model worries about?

plan = explainer.group_actions(X_test, of="defective", constraints=limits)
print(plan)

# %%
# Is the advice true? We made the data, so we can ask the truth instead of the model. An action is only permitted where it
# lowers the complexity, or raises a share; elsewhere, the file stays as it is.


def is_risky(files: pd.DataFrame) -> pd.Series:
    """Whether a file has a high chance of defects, in truth."""
    unread = (files["complexity"] > 12) & (files["reviewed_share"] < 0.6)
    return unread | ((files["developers"] >= 4) & (files["share_of_owner"] < 0.6))


worried = X_test[model.predict(X_test) == "defective"]
rows = []
for action in plan.actions:
    permitted = worried
    for change in action.changes:
        now = permitted[change.feature]
        goes_down = change.feature in limits["down"]
        permitted = permitted[now >= change.value if goes_down else now <= change.value]
    after = permitted.assign(
        **{change.feature: change.value for change in action.changes}
    )
    turned = after[model.predict(after) == "clean"]
    rows.append(
        {
            "action": str(action),
            "files turned": len(turned),
            "still risky in truth": int(is_risky(turned).sum()),
        }
    )
pd.DataFrame(rows)

# %%
# A word of caution: the model has seen which files had defects, not what happens when files are changed. That reviews
# *prevent* defects is true here because we made it so; in a real project it must be tried.

"""
Missing values: a gap is a value, too
=====================================

Nothing that the model sees is filled in by lormika: a gap reaches it as a gap. So *is missing* can be a reason, and you
learn to find it, and that no change is suggested which would consist in hiding a value.

In the made-up loans, one applicant in twelve gives no savings; and then nobody objects to them.
"""

# %%
# A model that takes gaps
# -----------------------
# Gradient boosting in scikit-learn has a way for missing numbers at every split, and takes categories as they are.

from sklearn.ensemble import HistGradientBoostingClassifier

from lormika import Explainer, Missing, datasets

X, y = datasets.make_loans(2000)
X = X.astype({"purpose": "category", "phone": "category"})
X_train, X_test, y_train, y_test = datasets.split(X, y)
boosting = HistGradientBoostingClassifier(
    categorical_features="from_dtype", random_state=0, max_iter=40
)
model = boosting.fit(X_train, y_train)
print(f"right about {model.score(X_test, y_test):.1%} of {len(X_test)} applications")
X_train.isna().sum().loc[lambda gaps: gaps > 0].to_frame("missing")

# %%
# Accepted, with a gap
# --------------------
# Somebody without work, who did not say what they have saved, is accepted. Why? Few similar cases have a gap, so few rules
# about it are significant; ``productive`` asks only that each condition raises the confidence.

silent = X_test[
    (X_test["employment"] == "unemployed")
    & X_test["savings"].isna()
    & (model.predict(X_test) == "accepted")
].iloc[[0]]
explainer = Explainer(model, X_train)
explanation = explainer.explain(silent, k=3, filter="productive")
print(explanation.summary())

# %%
# What the model says with savings of each size, instead of the gap, is drawn on the line of ``savings``.

explanation.plot("effects")

# %%
# Conditions about gaps are of the type ``Missing``.

for rule in explanation.rules:
    if any(isinstance(condition, Missing) for condition in rule.conditions):
        print(f"{rule.category.replace('_', ' ')}: {rule}")
savings = next(effect for effect in explanation.effects if effect.feature == "savings")
turning = savings.turning(explanation.prediction)
print(
    f"savings of {min(turning)} to {max(turning)} would have led to a rejection; the gap did not"
)

# %%
# So an applicant with little to show does better to keep quiet: a fault of the rule behind these data, which a figure of
# the model's accuracy would never show.
#
# Nobody is told to hide a value
# ------------------------------
# Somebody in the same position who did tell. ``savings is missing`` would turn the case, but that is no advice to give:
# no suggested change makes a value missing.

told = silent.assign(savings=2.0)
frank = explainer.explain(told, k=5)
hidden = model.predict(told.assign(savings=float("nan")))[0]
print(f"{frank.prediction}; with the value hidden, the model would say {hidden}")
for rule in frank.counterfactual:
    print(f"suggested: {rule.rerun}")

# %%

frank.plot()

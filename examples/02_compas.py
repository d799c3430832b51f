"""
The example of the paper: a high risk
=====================================

COMPAS scores say how likely a defendant is to offend again, and courts have used them. The paper on LoRMIkA explains a
random forest that was trained on such scores: why does it see a *high* risk in a man of 27 with four prior offences?
Here you learn to read all four kinds of rules, and to see when similar cases and *this* case disagree.

The data of the paper cannot be shipped. If the folder ``LORMIKA_DATA`` has ``compas.csv``, it is used; otherwise a table
is made with the same columns, in which risk grows with prior offences and youth, and race plays no part. So the figures
below are about real people only in the first case.
"""

# %%
# The table
# ---------

import numpy as np
import pandas as pd

from lormika import Explainer, InputError, datasets


def make_defendants(n_rows: int = 3000) -> tuple[pd.DataFrame, pd.Series]:
    """Make a table with the columns of COMPAS, and a class that depends on age, priors, stay and charge."""
    rng = np.random.default_rng(4)
    age = np.clip(np.rint(18 + rng.gamma(2.0, 8.0, n_rows)), 18, 80).astype(int)
    priors = rng.negative_binomial(0.9, 0.22, n_rows)
    stay = np.rint(rng.exponential(18.0, n_rows))
    felony = rng.random(n_rows) < 0.64
    again = rng.random(n_rows) < 1 / (
        1 + np.exp(0.9 - 0.18 * priors + 0.03 * (age - 30))
    )
    risk = (
        0.45 * priors
        - 0.09 * (age - 30)
        + 0.02 * stay
        + 0.6 * felony
        + 0.7 * again
        + rng.normal(0, 0.7, n_rows)
    )
    races = ["African-American", "Caucasian", "Hispanic", "Other"]
    X = pd.DataFrame(
        {
            "sex": rng.choice(["Male", "Female"], n_rows, p=[0.8, 0.2]),
            "age": age,
            "age_cat": np.select(
                [age < 25, age <= 45], ["Less than 25", "25 - 45"], "Greater than 45"
            ),
            "race": rng.choice(races, n_rows, p=[0.5, 0.34, 0.1, 0.06]),
            "priors_count": priors,
            "days_b_screening_arrest": rng.choice(
                [-1, 0, 1, 2], n_rows, p=[0.7, 0.1, 0.1, 0.1]
            ),
            "c_charge_degree": np.where(felony, "F", "M"),
            "is_recid": again.astype(int),
            "is_violent_recid": (again & (rng.random(n_rows) < 0.25)).astype(int),
            "two_year_recid": again.astype(int),
            "length_of_stay": stay,
        }
    )
    categories = [
        name for name in X if X[name].dtype.kind not in "if" or name.endswith("recid")
    ]
    return X.astype(dict.fromkeys(categories, "category")), pd.Series(
        np.where(risk > 3.6, "High", "Medium-Low")
    )


try:
    X, y = datasets.load_compas()
    print("The data of the paper")
except InputError:
    X, y = make_defendants()
    print("Made data with the columns of the paper's")
y.value_counts(normalize=True).round(2).to_frame("share")

# %%
# The forest, and the man of the paper
# ------------------------------------

background, _, classes, _ = datasets.split(X, y)
model = datasets.make_model("rf", background).fit(background, classes)
defendant = {
    "age": 27,
    "age_cat": "25 - 45",
    "sex": "Male",
    "race": "African-American",
    "priors_count": 4,
    "days_b_screening_arrest": 1,
    "c_charge_degree": "F",
    "is_recid": 1,
    "is_violent_recid": 1,
    "two_year_recid": 1,
    "length_of_stay": 50,
}
explainer = Explainer(model, background)

# %%
# By default, a rule must be *significant* among the similar cases. Here each of its conditions need only raise the
# confidence (``productive``), as in the paper, so that there is more to read.

explanation = explainer.explain(defendant, k=2, filter="productive")
print(explanation)

# %%
# The same as a figure for a talk or a paper. A filled box is true of this man, a hatched one would have to become true.

explanation.plot()

# %%
# Similar cases, and this one
# ---------------------------
# The paper shows the best rules among similar cases. lormika also asks the model whether each of them is true of *this*
# case, and leaves out those that are not. ``confirm=False`` shows them all; for each rule of the last kind, this is what
# the model says once its conditions are made true.

unchecked = explainer.explain(
    defendant, k=5, filter="productive", confirm=False
).counterfactual
print(
    f"{sum(rule.rerun.turned for rule in unchecked)} of {len(unchecked)} rules that are not checked turn this case."
)
pd.DataFrame(
    [
        {"rule": str(rule), "change": str(rule.rerun), "turns it": rule.rerun.turned}
        for rule in unchecked
    ]
)

# %%
# What must not matter
# --------------------
# A question of law and decency: does the answer change with sex or race alone? The model was asked. In the made table, race
# plays no part: if the answer still moves, the forest has learnt from chance what it should not know.

moved = {effect.feature: effect for effect in explanation.effects}
for name in ("sex", "race"):
    if name not in moved:
        print(f"{name}: no other value was asked about")
        continue
    turning = moved[name].turning(explanation.prediction)
    lowest, highest = min(moved[name].certainties), max(moved[name].certainties)
    said = (
        f"turns it: {', '.join(map(str, turning))}" if turning else "no value turns it"
    )
    print(
        f"{name}: with other values {lowest:.0%} to {highest:.0%} (now {explanation.probability:.0%}); {said}"
    )

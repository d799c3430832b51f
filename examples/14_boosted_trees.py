"""
XGBoost, LightGBM and CatBoost with native categories
=====================================================

The three libraries of boosted trees take categories as they are, if the columns have pandas' category type: no one-hot
columns, no codes. lormika keeps these types in every row that it makes. You learn how each of them is given to the
explainer, and how to compare what they rely on.

Needs ``pip install xgboost lightgbm catboost``; those that are not installed are left out.
"""

# %%
# Loans with category columns
# ---------------------------

from importlib.util import find_spec

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from lormika import Explainer, ModelError, datasets

X, y = datasets.make_loans(2000)
X = X.astype({"purpose": "category"})
X_train, X_test, y_train, y_test = datasets.split(X, y)
categories = list(X.select_dtypes("category"))
X.dtypes.to_frame("type").T

# %%
# Three ways to train
# -------------------
# XGBoost wants classes as numbers from 0; ``class_names`` says what they mean. The others take texts. CatBoost must be
# told which columns are categories.

CLASSES = ["accepted", "rejected"]


def train_xgboost() -> tuple[object, dict]:
    """Trees of XGBoost, and what the explainer must know about them."""
    from xgboost import XGBClassifier

    model = XGBClassifier(
        n_estimators=60, max_depth=4, enable_categorical=True, n_jobs=1
    )
    return model.fit(X_train, (y_train == "rejected").astype(int)), {
        "class_names": CLASSES
    }


def train_lightgbm() -> tuple[object, dict]:
    """Trees of LightGBM: nothing to say."""
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_estimators=60, n_jobs=1, verbose=-1).fit(
        X_train, y_train
    ), {}


def train_catboost() -> tuple[object, dict]:
    """Trees of CatBoost: nothing to say, either."""
    from catboost import CatBoostClassifier

    options = {
        "iterations": 60,
        "thread_count": 1,
        "verbose": False,
        "allow_writing_files": False,
    }
    return CatBoostClassifier(**options, cat_features=categories, random_seed=0).fit(
        X_train, y_train
    ), {}


trainers = {
    "xgboost": train_xgboost,
    "lightgbm": train_lightgbm,
    "catboost": train_catboost,
}
installed = {name: train for name, train in trainers.items() if find_spec(name)}
print("installed:", ", ".join(installed) or "none of them: pip install xgboost")

# %%
# The same case, explained for each
# ---------------------------------

application = X_test[
    datasets.loan_reasons(X_test)["debt too high for the income"]
].iloc[[0]]
explainers, explanations = {}, {}
for name, train in installed.items():
    model, options = train()
    explainers[name] = Explainer(model, X_train, **options)
    explanations[name] = explainers[name].explain(application, k=3)
    print(f"{name}: {explanations[name].summary()}\n")

# %%
# What each of them depends on: the change of the log-odds, on average over other values of one column. The true rule is
# about ``debt_ratio`` and ``income``.

effects = pd.DataFrame(
    {
        name: {e.feature: e.effect for e in one.effects}
        for name, one in explanations.items()
    }
)
effects = (
    effects.fillna(0.0)
    .reindex(columns=list(installed))
    .sort_values(list(installed)[:1], ascending=True)
)
figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
height = 0.8 / max(1, len(installed))
for place, name in enumerate(effects):
    axes.barh(
        np.arange(len(effects)) + place * height, effects[name], height, label=name
    )
axes.set_yticks(np.arange(len(effects)) + 0.4 - height / 2, effects.index)
axes.set_xlabel("mean change of the log-odds")
axes.legend(frameon=False)
plt.show()

# %%
# And what would turn it, for each:

pd.DataFrame(
    [
        {"model": name, "change": str(rule.rerun), "leads to": rule.rerun.label}
        for name, one in explanations.items()
        for rule in one.counterfactual
    ]
)

# %%
# A category that the training table lacks
# ----------------------------------------
# It reaches the model as it is, after all others in the list of categories. Whether a model has an answer is its own
# affair; if it has none, an error says why.

new = application.assign(purpose=pd.Categorical(["wedding"]))
for name, explainer in explainers.items():
    try:
        explanation = explainer.explain(new)
        print(f"{name}: {explanation.prediction}. {explanation.notes[0]}")
    except (
        ModelError
    ) as error:  # the library's own words, and at the end what lormika makes of them
        print(f"{name} refuses it; {str(error).rpartition('; ')[2]}")

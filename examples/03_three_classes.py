"""
Three classes: why this one and not that one?
=============================================

With two classes, whatever speaks against one speaks for the other. With three, "what would turn it?" has more than one
answer, and often one of them is meant: *why class 1, and not class 0?* You learn to name that class with ``target``.

The table is scikit-learn's: 178 wines from three growers, with 13 chemical measurements each.
"""

# %%
# A wine that could be another's
# ------------------------------
# A logistic regression learns to tell the growers apart. We take the test wine about which it is least certain.

import numpy as np
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from lormika import Explainer

X, y = load_wine(return_X_y=True, as_frame=True)
growers = np.array(["Alba", "Bruno", "Carlo"])  # the data only have numbers for them
X_train, X_test, y_train, y_test = train_test_split(
    X, growers[y], random_state=0, stratify=y
)
model = make_pipeline(StandardScaler(), LogisticRegression(C=0.3)).fit(X_train, y_train)
doubtful = X_test.iloc[[model.predict_proba(X_test).max(axis=1).argmin()]]
explainer = Explainer(model, X_train)
case = explainer.locate(
    doubtful
)  # the model is asked here; what follows needs few further answers

# %%
# All classes at once
# -------------------
# Every rule that leads elsewhere names where it leads. Notes, at the end of the picture, are worth reading: with a table as
# small as this, the "similar" wines are nearly all wines.

explanation = case.explain(k=3)
for grower, probability in explanation.probabilities.items():
    print(f"{grower}: {probability:.0%}")
print(explanation.summary())

# %%

explanation

# %%
# One class at a time
# -------------------
# The same case, and a question about each of the other growers: the smallest change that leads there.

others = [grower for grower in model.classes_ if grower != explanation.prediction]
for grower in others:
    towards = case.explain(k=3, target=str(grower))
    if not towards.counterfactual:
        print(f"{grower}: nothing that was tried leads there")
    for rule in towards.counterfactual[:1]:
        print(f"{grower}: {rule.rerun} (then {rule.rerun.reached:.0%} {grower})")

# %%
# The last answer again, as a figure: only the kinds of rules that lead elsewhere are about the target alone.

towards.plot()

# %%
# A model whose classes are numbers
# ---------------------------------
# Had the model been trained with the labels 0, 1 and 2, then ``Explainer(model, X_train, class_names=[…])`` would give
# them names in the model's own order.

numbered = make_pipeline(StandardScaler(), LogisticRegression(C=0.3)).fit(
    X_train, np.searchsorted(growers, y_train)
)
named = Explainer(numbered, X_train, class_names=list(growers)).explain(doubtful)
print(numbered.predict(doubtful), "is called", named.prediction)

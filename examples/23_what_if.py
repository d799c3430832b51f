"""
What if? Changing a case by hand
================================

An explanation says what would turn a prediction. Often one wants to try something else: *and if she also asked for less?*
You learn three ways: the widget for notebooks, rows of your own, and the answers that an explanation already has.

The widget needs ``pip install 'lormika[notebook]'``; without it, its part of this page is left out.
"""

# %%
# The case
# --------

from importlib.util import find_spec

import matplotlib.pyplot as plt
import pandas as pd

from lormika import Explainer, datasets

X, y = datasets.make_loans(1200)
model = datasets.make_model("mlp", X).fit(X, y)
explainer = Explainer(model, X)
reasons = datasets.loan_reasons(X)
only_debt = reasons["debt too high for the income"] & (reasons.sum(axis=1) == 1)
row = int((only_debt & (model.predict(X) == "rejected")).argmax())
X.iloc[[row]]

# %%
# In a notebook
# -------------
# ``explainer.widget(X, row=row)`` shows the case with a slider or a list for each value; a page without Python behind it
# cannot. But what one does there by hand can be done from Python, too: ``changes`` holds the changed values, and
# ``explanation`` is always about the case with these.

if find_spec("anywidget"):
    widget = explainer.widget(X, row=row, k=3)
    print(
        f"as it is: {widget.explanation.prediction} ({widget.explanation.probability:.0%})"
    )
    widget.changes = {"debt_ratio": 0.3}
    print(
        f"debt_ratio 0.3: {widget.explanation.prediction} ({widget.explanation.probability:.0%})"
    )
    widget.changes = {"debt_ratio": 0.3, "missed_payments": 3}
    print(
        f"and 3 missed payments: {widget.explanation.prediction} ({widget.explanation.probability:.0%})"
    )

# %%
# Rows of your own
# ----------------
# A changed row is a row like any other. This one has debts that are low enough, but payments missed: what holds it now?

changed = X.iloc[[row]].assign(debt_ratio=0.3, missed_payments=3)
again = explainer.explain(changed, k=3)
again

# %%
# From answers that are there already
# -----------------------------------
# ``effects`` holds what the model said about every value that was tried: no further question is needed to draw this.

explanation = explainer.explain(X.iloc[[row]])
effects = {effect.feature: effect for effect in explanation.effects}
figure, axes = plt.subplots(1, 2, figsize=(9, 3.2), sharey=True, layout="constrained")
for one, name in zip(axes, ("debt_ratio", "income"), strict=True):
    one.plot(effects[name].values, effects[name].certainties, ".-")
    one.axvline(explanation.instance[name], color="black", linewidth=1)
    one.axhline(0.5, color="grey", linewidth=1, linestyle=":")
    one.set_xlabel(f"{name} (line: this case)")
axes[0].set_ylabel(f"probability of {explanation.prediction}")
axes[0].set_ylim(0, 1)
plt.show()

# %%
# Two values at once
# ------------------
# For a map of two columns, ask the model itself: it is yours.

incomes, ratios = [20, 30, 40, 50, 60], [0.2, 0.3, 0.4, 0.5, 0.6]
grid = pd.DataFrame(
    [(income, ratio) for income in incomes for ratio in ratios],
    columns=["income", "debt_ratio"],
)
rows = pd.concat([X.iloc[[row]]] * len(grid), ignore_index=True).assign(**grid)
grid["rejected"] = model.predict_proba(rows)[
    :, list(model.classes_).index("rejected")
].round(2)
grid.pivot(index="income", columns="debt_ratio", values="rejected")

"""
Why was this loan rejected?
===========================

The first steps: a model, one of its predictions, and the four questions that lormika answers about it.

- *Why this?* Rules that hold for this case and lead to the prediction.
- *What speaks against it?* Rules that hold, too, but lead elsewhere.
- *What would make it more certain?* Rules that would have to become true.
- *What would turn it?* The same, but they lead to another prediction.

The loans are made up, which has an advantage: we know why each one was rejected, and can see whether the answers say so.
"""

# %%
# A table and a model
# -------------------
# The table has nine columns: numbers, categories, one column with missing values. Any classifier will do.

from lormika import Explainer, datasets

X, y = datasets.make_loans()
X_train, X_test, y_train, y_test = datasets.split(X, y)
model = datasets.make_model("rf", X_train).fit(X_train, y_train)
print(
    f"The forest is right about {model.score(X_test, y_test):.1%} of {len(X_test)} new applications."
)
X_test.head()

# %%
# One prediction
# --------------
# The explainer needs the model and the table that it was trained on, where it looks for similar cases. We take the
# first application in the test set that is rejected for one reason only: no work and few savings.

reasons = datasets.loan_reasons(X_test)
only_work = reasons["no work and no savings"] & (reasons.sum(axis=1) == 1)
application = X_test[only_work].iloc[[0]]
application

# %%
# ``print(explanation)`` gives all of it as text, ``summary()`` a few sentences.

explainer = Explainer(model, X_train)
explanation = explainer.explain(application, k=3)
print(explanation.summary())

# %%
# As the last line of a cell, the explanation is a picture. Each line is a rule. The bar shows how many of the similar
# cases that match the rule have its outcome; the black mark shows how many of *all* similar cases have it. On the right
# is what the model said when it was asked about this very case, with the rule made false, or true.

explanation

# %%
# What it depends on
# ------------------
# One value changes, all others stay: where does the model's answer change with it?

explanation.plot("effects")

# %%
# Was that right?
# ---------------
# The true rule is: unemployed, and savings below 5. So the answer should be about these two columns. The model is a
# forest, not the rule itself, so some of what it says may be about other columns: that is then true of the *model*.

true_columns = {"employment", "savings"}
for rule in explanation.current_supporting:
    known = (
        "true reason" if true_columns & set(rule.features) else "the model's own idea"
    )
    print(f"{rule}: {known}")
for rule in explanation.counterfactual:
    print(f"{rule.rerun} turns it to {rule.rerun.label}")

# %%
# The changes as rows of a table, ready for the model: the application itself comes first.

changed = explanation.to_counterfactuals()
changed.assign(model_says=model.predict(changed))

"""
Only changes that somebody can make
===================================

"Be ten years younger" may be true and is of no use. *Constraints* say what may change, how far, and in which combinations;
a *target* says where a change must lead, and how surely. You learn to ask for advice that can be followed.
"""

# %%
# Without constraints
# -------------------
# A loan that was rejected, and all that would turn it.

import pandas as pd

from lormika import Constraints, Explainer, datasets

X, y = datasets.make_loans()
X_train, X_test, y_train, y_test = datasets.split(X, y)
model = datasets.make_model("rf", X_train).fit(X_train, y_train)
rejected = X_test[model.predict(X_test) == "rejected"]
application = rejected.iloc[[0]]
explainer = Explainer(model, X_train)
case = explainer.locate(application)
free = case.explain(k=6)


def list_changes(explanation) -> pd.DataFrame:
    """The changes of an explanation that turn it, with what the model then says."""
    turning = [rule.rerun for rule in explanation.counterfactual]
    return pd.DataFrame(
        [
            {
                "change": str(one),
                "leads to": one.label,
                "with": f"{1 - one.probability:.0%}",
            }
            for one in turning
        ],
        columns=["change", "leads to", "with"],
    )


print(f"{free.prediction} ({free.probability:.0%})")
list_changes(free)

# %%
# What may change
# ---------------
# Nobody grows younger, payments that were missed stay missed, savings can only be added to, an income rises by a fifth at
# most, and whoever has no work may find some. The last line ties two columns together: nobody
# saves more than they earn.

constraints = Constraints(
    fixed=["age", "missed_payments", "purpose"],
    up=["savings"],
    down=["amount"],
    ranges={"income": "+20%"},
    changes={"employment": {"unemployed": ["employed"]}},
    where=["savings <= income"],
)
bound = case.explain(k=6, constraints=constraints)
list_changes(bound)

# %%
# Rules about the case as it is stay the same: constraints bind only what is suggested.

print(
    [str(rule) for rule in free.current_supporting]
    == [str(rule) for rule in bound.current_supporting]
)
bound.plot()

# %%
# Where it must lead
# ------------------
# A change that only just turns the prediction will not survive the next model. ``at_least`` asks for a margin.

sure = case.explain(k=6, constraints=constraints, target="accepted", at_least=0.8)
for note in sure.notes:
    print(note)
list_changes(sure)

# %%
# What if nothing is left?
# ------------------------
# Then a note says so, and how far the best permitted change goes; nothing is made up.

strict = case.explain(
    constraints={"fixed": [name for name in X if name not in ("phone", "purpose")]}
)
print(f"{len(strict.counterfactual)} changes")
for note in strict.notes:
    print(note)

# %%
# Costs
# -----
# Debts are hard to pay back. With ``cost``, cheaper changes come first; those not named cost 1.

dear = case.explain(k=6, constraints=[constraints, {"cost": {"debt_ratio": 10}}])
list_changes(dear)

# %%
# One change for many
# -------------------
# Which few changes, the same for all, would turn most rejected applications, within these limits?

group = explainer.group_actions(
    rejected,
    of="rejected",
    target="accepted",
    constraints=constraints,
    candidates=50,
    learn_from=50,
)
print(group)

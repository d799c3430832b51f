"""
Mining rules without a model
============================

The search behind the explanations is OPUS, branch and bound that finds *exactly* the k best rules. ``mine_rules`` opens it
for any table with classes; no model is needed. You learn to choose what "best" means, and to tell findings from chance.

The table is scikit-learn's, of tumours, with ten mean measurements.
"""

# %%
# The best ten
# ------------
# Numbers are cut into ranges with about equally many rows (``bins``), or where you say (``cuts``). *Leverage* is the
# share of rows that match both sides, beyond what chance would give.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer

from lormika import mine_rules

data = load_breast_cancer(as_frame=True)
X = data.data.filter(like="mean").rename(
    columns=lambda name: name.removeprefix("mean ")
)
y = np.array(["malignant", "benign"])[data.target]


def as_table(rules) -> pd.DataFrame:
    """Rules with their figures."""
    return pd.DataFrame(
        [
            {
                "rule": str(rule),
                "confidence": round(rule.confidence, 3),
                "coverage": round(rule.coverage, 3),
                "lift": round(rule.lift, 2),
                "leverage": round(rule.leverage, 3),
            }
            for rule in rules
        ]
    )


as_table(mine_rules(X, y, k=10))

# %%
# Longer rules that say no more
# -----------------------------
# A condition that adds nothing only makes a rule longer. A *productive* rule is better than each rule with one condition
# less; a *significant* one is so beyond chance. ``correction`` allows for the number of rules that were tried, and is off
# unless you name it.

filters = {
    "none": {},
    "productive": {"filter": "productive"},
    "significant": {"filter": "significant"},
    "significant, corrected": {"filter": "significant", "correction": "layered"},
}
best = {name: mine_rules(X, y, k=10, **options) for name, options in filters.items()}
for name, rules in best.items():
    print(
        f"{name}: {np.mean([len(rule.conditions) for rule in rules]):.1f} conditions on average"
    )
as_table(best["significant, corrected"])

# %%
# What is best?
# -------------
# Ranked by confidence, rules are surer and cover less. Each point is a rule of the ten best.

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
for objective, marker in (
    ("leverage", "o"),
    ("lift", "s"),
    ("confidence", "^"),
    ("support", "x"),
):
    rules = mine_rules(
        X, y, k=10, objective=objective, filter="productive", classes=["malignant"]
    )
    axes.scatter(
        [rule.coverage for rule in rules],
        [rule.confidence for rule in rules],
        marker=marker,
        label=objective,
    )
axes.axhline((y == "malignant").mean(), color="grey", linewidth=1, linestyle=":")
axes.set_xlabel("coverage: share of the rows that match")
axes.set_ylabel("confidence: share of these that are malignant")
axes.legend(title="the ten best by", frameon=False)
plt.show()

# %%
# Findings, or chance?
# --------------------
# A test that everybody can make: shuffle the classes, so that there is nothing to find. How many rules are still "found"?

rng = np.random.default_rng(0)
counts = {name: [] for name in filters}
for _ in range(20):
    shuffled = rng.permutation(y)
    for name, options in filters.items():
        counts[name].append(
            len(mine_rules(X, shuffled, k=10, max_conditions=2, **options))
        )
for name, found in counts.items():
    print(
        f"{name}: on average {np.mean(found):.1f} of at most 10 rules in shuffled tables"
    )

# %%
# So for findings that you want to rely on, use the last of them: at the level ``alpha=0.05``, about one table in twenty
# that holds nothing may still give a rule. (``Explainer`` corrects by default.)

# %%
# Exact, and as fast as it can be
# -------------------------------
# All rules with up to three conditions could be counted one by one. The search gets to the same list by leaving out
# whatever cannot enter it. A time limit gives the best so far, and says that it did.

rules = mine_rules(X, y, k=10, max_conditions=3)
print(f"complete: {rules.complete}; the best: {rules[0]}")

# %%
# Rules as filters
# ----------------

rule = best["significant, corrected"][0]
matching = X.query(rule.to_query())
print(rule.to_query())
print(f"{len(matching)} rows match, as the rule says: {rule.counts.antecedent}")

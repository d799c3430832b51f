"""
A polars table, from end to end
===============================

Tables may be polars frames (or pyarrow tables, or arrays): your model then gets polars frames, too. You learn how rules
come back to polars, as a table of rules and as filters.

Needs ``pip install polars``. The table is made up: parcels, some of which arrive late.
"""

# %%
# Parcels
# -------

import numpy as np
import polars as pl
from sklearn.ensemble import RandomForestClassifier

from lormika import Explainer

rng = np.random.default_rng(3)
n_rows = 2000
sizes = pl.Enum(["small", "medium", "large"])
parcels = pl.DataFrame(
    {
        "kilometres": rng.integers(5, 900, n_rows),
        "weight": np.round(rng.gamma(2.0, 3.0, n_rows), 1),
        "size": pl.Series(
            rng.choice(["small", "medium", "large"], n_rows), dtype=sizes
        ),
        "express": rng.random(n_rows) < 0.3,
        "weekday": rng.choice(["Mon", "Tue", "Wed", "Thu", "Fri"], n_rows),
    }
)
far, bulky = (
    pl.col("kilometres") > 500,
    (pl.col("size") == "large") & (pl.col("weekday") == "Fri"),
)
late = parcels.select((far & ~pl.col("express")) | bulky).to_series()
parcels.head(3)

# %%
# A model of polars frames
# ------------------------
# The model is any function from a frame to probabilities. This one turns texts into numbers with polars, and leaves the
# rest to a forest.

days = ["Mon", "Tue", "Wed", "Thu", "Fri"]
as_numbers = [
    pl.col("size").to_physical(),
    pl.col("express").cast(pl.Int8),
    pl.col("weekday").replace_strict(days, range(5)),
]
forest = RandomForestClassifier(n_estimators=50, random_state=0)
forest.fit(parcels.with_columns(as_numbers).to_numpy(), late.to_numpy())


def chance_of_delay(table: pl.DataFrame) -> np.ndarray:
    """Probabilities of being in time, and late."""
    return forest.predict_proba(table.with_columns(as_numbers).to_numpy())


# %%
# A large parcel on a Friday
# --------------------------

parcel = parcels.filter(late & bulky & ~far).head(1)
explainer = Explainer(chance_of_delay, parcels, class_names=["in time", "late"])
explanation = explainer.explain(parcel, k=3)
print(explanation.summary())

# %%

explanation.plot()

# %%
# Back to polars
# --------------
# Counterfactual rows come as a frame of the same kind, with the same types.

changed = explanation.to_counterfactuals()
print(type(changed).__module__.split(".")[0], changed.schema == parcels.schema)
changed.with_columns(late=pl.Series(chance_of_delay(changed)[:, 1].round(2)))

# %%
# The rules as a table:

rules = pl.from_pandas(
    explanation.to_frame()[["category", "rule", "confidence", "coverage", "turned"]]
)
rules

# %%
# And a rule as a filter. ``to_sql()`` writes the rows that it holds for as a condition, which polars understands, too.

rule = explanation.current_supporting[0]
print(rule.to_sql())
matching = parcels.with_columns(late=late).sql(
    f"SELECT * FROM self WHERE {rule.to_sql()}"
)
print(
    f"{rule}: holds for {len(matching):,} of {n_rows:,} parcels, of which {matching['late'].mean():.0%} were late"
)

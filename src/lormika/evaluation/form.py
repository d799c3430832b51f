"""The form in which the paper had a table, where it is another one than here."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

_ONE_HOT = {"covertype": ("Wilderness_Area", "Soil_Type")}


def as_published(dataset: str, table: pd.DataFrame) -> pd.DataFrame:
    """The table with the columns that the authors had.

    Covertype is published with a yes-or-no column for each area and soil, 54 columns in all; here it has 12. That the
    paper's explainers worked on the 54 shows in its number of features, up to 28.5. So its rules may say "not soil 7",
    which most rows match. Only what a rule can say is changed; neighbours and generated rows come from the 12 columns.

    >>> import pandas as pd
    >>> soils, areas = pd.Categorical([7, 9]), pd.Categorical([1, 1])
    >>> table = pd.DataFrame({"Slope": [3, 4], "Soil_Type": soils, "Wilderness_Area": areas})
    >>> as_published("covertype", table).astype(int).to_dict("records")[0]
    {'Slope': 3, 'Wilderness_Area_1': 1, 'Soil_Type_7': 1, 'Soil_Type_9': 0}
    >>> as_published("adult", table) is table
    True
    """
    folded = _ONE_HOT.get(dataset)
    if folded is None:
        return table
    columns = {
        f"{name}_{value}": (table[name] == value).astype(int).astype("category")
        for name in folded
        for value in table[name].cat.categories
    }
    return table.drop(columns=list(folded)).assign(**columns)

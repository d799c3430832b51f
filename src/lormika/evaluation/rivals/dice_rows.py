"""DiCE (Mothilal et al. 2020), the package dice-ml: five counterfactual rows, with its defaults.

It has several methods that need no gradients; the random one and the genetic one are used here.
"""

from __future__ import annotations

from functools import partial
from importlib.metadata import version as version_of
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd
    from dice_ml.diverse_counterfactuals import CounterfactualExamples

    from lormika.evaluation.rivals.task_model import Explain, Task, TaskModel, Tell

ROWS = 5
TARGET = "target"
_NONE = "No counterfactuals found"  # how DiCE's error begins when there is no row to give


def version() -> str:
    """Version of the package, which must be importable."""
    import dice_ml  # noqa: F401

    return f"dice-ml {version_of('dice-ml')}"


def prepare(task: Task, model: TaskModel, method: str) -> Explain:
    """Set DiCE up for a table; return the function that explains an instance.

    Columns are called f00, f01, …, and categories are their codes as texts, which is what DiCE makes of them anyway.
    """
    import dice_ml
    from raiutils.exceptions import UserConfigValidationException

    table = _Table(task)
    frame = table.frame(task["train"])
    frame[TARGET] = task["labels"]
    numbers = [column for column in table.columns if column not in table.categorical]
    data = dice_ml.Data(dataframe=frame, continuous_features=numbers, outcome_name=TARGET)
    explainer = dice_ml.Dice(data, dice_ml.Model(model=_Probabilities(model), backend="sklearn"), method=method)
    digits, limits = data.get_decimal_precisions(output_type="dict"), table.limits(task)

    def explain(x: np.ndarray) -> Tell:
        try:
            answer = explainer.generate_counterfactuals(table.frame(x[None]), total_CFs=ROWS, **limits)
        except UserConfigValidationException as error:
            if not str(error).startswith(_NONE):
                raise
            return lambda: {"rules": [], "rows": [], "own": {}}
        return lambda: {"rules": [], "rows": table.rows(answer.cf_examples_list[0], x, digits), "own": {}}

    return explain


prepare_random, prepare_genetic = partial(prepare, method="random"), partial(prepare, method="genetic")


class _Probabilities:
    """The model as DiCE asks it: about frames of texts and numbers."""

    def __init__(self, model: TaskModel) -> None:
        self._model = model

    def predict_proba(self, frame: pd.DataFrame) -> np.ndarray:
        probabilities: np.ndarray = self._model.predict_proba(frame.astype(np.float64).to_numpy())
        return probabilities

    def predict(self, frame: pd.DataFrame) -> np.ndarray:
        labels: np.ndarray = self._model.predict(frame.astype(np.float64).to_numpy())
        return labels


class _Table:
    """From encoded rows to frames for DiCE, and back."""

    def __init__(self, task: Task) -> None:
        self.columns = [f"f{f:02}" for f in range(len(task["names"]))]
        by_name = dict(zip(task["names"], self.columns, strict=True))
        self.categorical = {by_name[name] for name in task["categories"]}
        self._integer = {by_name[name] for name in task["integer"]}

    def limits(self, task: Task) -> dict[str, object]:
        """What may change, and how far, as DiCE takes it; by default everything may."""
        by_name = dict(zip(task["names"], self.columns, strict=True))
        limits: dict[str, object] = {}
        if task.get("fixed"):
            limits["features_to_vary"] = [column for name, column in by_name.items() if name not in task["fixed"]]
        if task.get("ranges"):
            limits["permitted_range"] = {by_name[name]: list(ends) for name, ends in task["ranges"].items()}
        return limits

    def frame(self, rows: np.ndarray) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame({column: self._values(column, rows[:, f]) for f, column in enumerate(self.columns)})

    def _values(self, column: str, values: np.ndarray) -> np.ndarray | list[str]:
        if column in self.categorical:
            return [str(int(code)) for code in values]
        return values.astype(np.int64) if column in self._integer and (values == np.rint(values)).all() else values

    def rows(self, example: CounterfactualExamples, x: np.ndarray, digits: dict[str, int]) -> list[list[float]]:
        """Rows as DiCE shows them: after its own search for fewer changes, if it made one."""
        frame = example.final_cfs_df if example.final_cfs_df_sparse is None else example.final_cfs_df_sparse
        if frame is None:
            return []
        rows = frame[self.columns].astype(np.float64).to_numpy().copy()
        for f, column in enumerate(self.columns):
            rows[_unchanged(rows[:, f], x[f], digits.get(column, 0)), f] = x[f]
        plain: list[list[float]] = rows.tolist()
        return plain


def _unchanged(values: np.ndarray, own: float, digits: int) -> np.ndarray:
    """Which values are the instance's own: DiCE works with single precision, and rounds to the digits of a column."""
    single = values.astype(np.float32) == np.float32(own)
    rounded: np.ndarray = single | np.isclose(values, np.round(own, digits), rtol=1e-7, atol=0)
    return rounded

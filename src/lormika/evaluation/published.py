"""The figures of the paper's tables, as it printed them."""

from __future__ import annotations

import csv
import math
from functools import cache
from importlib import resources

REFERENCE = (
    "D. Rajapaksha, C. Bergmeir, W. Buntine: LoRMIkA: Local rule-based model interpretability with k-optimal "
    "associations. Information Sciences 540 (2020)"
)
EXPLAINERS = ("anchor", "lore", "lormika")


@cache
def published() -> dict[tuple[str, str, str, str], tuple[float, float]]:
    """Mean and standard deviation by measure, data set, model and explainer, each as the paper calls it.

    The paper prints a stability of SVM on Covertype, which it did not run: that row is left out. Times have no
    deviation.

    >>> published()["coverage", "compas", "svm", "lormika"]
    (0.65, 0.13)
    """
    text = resources.files("lormika.evaluation").joinpath("published.csv").read_text(encoding="utf-8")
    return {
        (row["measure"], row["dataset"], row["model"], row["explainer"]): (
            float(row["mean"]),
            float(row["sd"]) if row["sd"] else math.nan,
        )
        for row in csv.DictReader(text.splitlines())
        if (row["dataset"], row["model"]) != ("covertype", "svm")
    }

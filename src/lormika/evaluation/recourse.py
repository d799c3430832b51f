"""Recourse: how good counterfactual rows are, no matter which explainer gives them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lormika.evaluation.probe import Probe
from lormika.rule import Edit, Rule
from lormika.stages.background import Background
from lormika.types import JsonObject


def measure_recourse(probe: Probe, instance: int, rows: np.ndarray) -> JsonObject:
    """Lists with one value per encoded row, in the order in which the rows are shown."""
    x, prediction = probe.instances[instance], probe.predictions[instance]
    changed = differs(rows, x)
    labels = probe.ask(rows).labels if len(rows) else np.empty(0, dtype=np.int64)
    features = probe.background.schema.features
    edits = [
        [Edit(features[f].name, features[f].decode(x[f]), features[f].decode(row[f])) for f in np.flatnonzero(own)]
        for row, own in zip(rows, changed, strict=True)
    ]
    return {
        "edits": [", ".join(map(str, own)) for own in edits],
        "valid": (labels != prediction).tolist(),
        "changed": changed.sum(axis=1).tolist(),
        "distance": gower(rows, x, probe.background).tolist(),
        "to_data": [_to_data(probe, row, int(label), prediction) for row, label in zip(rows, labels, strict=True)],
        "violations": violations(rows, changed, probe.background).tolist(),
        "features": [[edit.feature for edit in own] for own in edits],
    }


def _to_data(probe: Probe, row: np.ndarray, label: int, prediction: int) -> float | None:
    """Distance to the nearest real row of the row's class; none for a row that does not turn the instance."""
    if label == prediction:
        return None
    real = probe.real_rows(label)
    return float(gower(real, row, probe.background).min()) if len(real) else None


def differs(rows: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Which values are not those of the instance; two missing values are the same."""
    same: np.ndarray = (rows == x) | (np.isnan(rows) & np.isnan(x))
    return ~same


def gower(rows: np.ndarray, x: np.ndarray, background: Background) -> np.ndarray:
    """Gower's distance of rows to a row: the mean over features of |difference| / range, or 0 or 1 for a category.

    The range is that of the background. A missing value and one that is there are 1 apart.
    """
    shares = differs(rows, x).astype(np.float64)
    for f, feature in enumerate(background.schema.features):
        observed = background.observed(f)
        if not feature.is_numeric or len(observed) == 0 or observed[0] == observed[-1]:
            continue
        apart = np.abs(rows[:, f] - x[f]) / (observed[-1] - observed[0])
        shares[:, f] = np.where(np.isnan(apart), shares[:, f], apart)
    distances: np.ndarray = shares.mean(axis=1)
    return distances


def violations(rows: np.ndarray, changed: np.ndarray, background: Background) -> np.ndarray:
    """How many changed values of each row are impossible according to the data.

    That is: outside the background's range, a category that no row has, not whole in a column of whole numbers, or
    missing where no row has a missing value.
    """
    count = np.zeros(len(rows), dtype=np.int64)
    for f, feature in enumerate(background.schema.features):
        values, observed = rows[:, f], background.observed(f)
        missing = np.isnan(values)
        if feature.is_numeric:
            possible = (values >= observed.min(initial=np.inf)) & (values <= observed.max(initial=-np.inf))
            if feature.integer:
                possible &= values == np.rint(values)
        else:
            possible = np.isin(values, observed)
        possible = np.where(missing, len(observed) < len(background.distinct[f]), possible)
        count += changed[:, f] & ~possible
    return count


def rerun_rows(probe: Probe, instance: int, rules: Sequence[Rule]) -> np.ndarray:
    """The instance after the edits of each rule's re-run."""
    rows = []
    for rule in rules:
        if rule.rerun is None:
            continue
        row = probe.instances[instance].copy()
        for edit in rule.rerun.edits:
            f = probe.background.schema.index(edit.feature)
            feature = probe.background.schema.features[f]
            if edit.after is None:
                row[f] = np.nan
            else:
                row[f] = float(edit.after) if feature.is_numeric else feature.positions[edit.after]
        rows.append(row)
    return np.stack(rows) if rows else np.empty((0, len(probe.background.schema)))


def unfilled(rows: np.ndarray, x: np.ndarray, background: Background, filled: np.ndarray) -> np.ndarray:
    """Rows of a rival, with values missing again where the instance's are and the rival kept what it got for them.

    `filled` are the values that the rival got for missing ones; for a category, that is an extra category.
    """
    again = (rows == filled) & (
        np.isnan(x) | [feature.categories is not None for feature in background.schema.features]
    )
    return np.where(again, np.nan, rows)

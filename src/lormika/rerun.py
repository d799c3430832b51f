"""Re-run: the smallest edit of the instance into a hypothetical rule, and what the model then says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lormika.background import Background
from lormika.models import Answer, Model
from lormika.rule import Condition, Edit, Equals, Interval, Rerun, Rule
from lormika.values import nearest

_TOLERANCE = 1e-6  # batches of different sizes may differ in the last digits


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """An instance, its sample, what the model said of it, and the rules that were found."""

    instance: np.ndarray
    sample: np.ndarray
    answer: Answer
    rules: Sequence[Rule]

    @property
    def hypothetical(self) -> list[Rule]:
        """Rules that are not true of the instance."""
        return [rule for rule in self.rules if _is_hypothetical(rule)]


def rerun(model: Model, background: Background, cases: Sequence[Case]) -> list[tuple[list[Rule], bool]]:
    """Give every hypothetical rule its re-run, in one model call; also tell whether the model repeats itself."""
    rows = [_edited(background, case) for case in cases]  # each instance once more, then its edits
    n_rows = sum(map(len, rows))
    if n_rows == 0:
        return [(list(case.rules), True) for case in cases]
    answer = model(background.schema.restore(np.concatenate(rows)), n_rows)
    told, start = [], 0
    for case, own in zip(cases, rows, strict=True):
        again = answer[start : start + len(own)]
        told.append((_told(model, background, case, own, again), len(own) == 0 or _agree(case.answer, again)))
        start += len(own)
    return told


def _edited(background: Background, case: Case) -> np.ndarray:
    hypothetical = case.hypothetical
    if not hypothetical:
        return np.empty((0, len(case.instance)))
    edits = (edit(background, case.sample, case.instance, rule.conditions) for rule in hypothetical)
    return np.stack([case.instance, *edits])


def _told(model: Model, background: Background, case: Case, rows: np.ndarray, again: Answer) -> list[Rule]:
    prediction = int(case.answer.labels[0])
    reruns = iter(
        Rerun(
            _edits(background, case.instance, row),
            model.names[label],
            None if again.probabilities is None else float(again.probabilities[i, prediction]),
            bool(label != prediction),
        )
        for i, (row, label) in enumerate(zip(rows, again.labels.tolist(), strict=True))
        if i > 0
    )
    return [replace(rule, rerun=next(reruns)) if _is_hypothetical(rule) else rule for rule in case.rules]


def _is_hypothetical(rule: Rule) -> bool:
    return rule.category is not None and not rule.category.is_current


def edit(
    background: Background, sample: np.ndarray, instance: np.ndarray, conditions: Sequence[Condition]
) -> np.ndarray:
    """Change as little of an encoded instance as makes all conditions true."""
    edited = instance.copy()
    for condition in conditions:
        f = background.schema.index(condition.feature)
        match condition:
            case Interval():
                edited[f] = _nearest_inside(background, sample[:, f], f, instance[f], condition)
            case Equals():
                edited[f] = background.schema.features[f].positions[condition.value]
            case _:
                edited[f] = np.nan
    return edited


def _nearest_inside(
    background: Background, sample: np.ndarray, feature: int, value: float, interval: Interval
) -> float:
    """Nearest value seen in the background (else in the sample) inside; a missing value moves from the mean."""
    if interval.low <= value < interval.high:
        return value
    inside = _inside(background.observed(feature), interval)
    if len(inside) == 0:  # without snapping, all values there may be generated ones
        inside = _inside(np.sort(sample), interval)
    start = background.means[feature] if np.isnan(value) else value
    return float(nearest(inside, np.array([start]))[0])


def _inside(ordered: np.ndarray, interval: Interval) -> np.ndarray:
    low, high = np.searchsorted(ordered, [interval.low, interval.high])
    return ordered[low:high]


def _edits(background: Background, instance: np.ndarray, edited: np.ndarray) -> tuple[Edit, ...]:
    changed = ~((instance == edited) | (np.isnan(instance) & np.isnan(edited)))
    features = background.schema.features
    return tuple(
        Edit(features[f].name, features[f].decode(instance[f]), features[f].decode(edited[f]))
        for f in np.flatnonzero(changed)
    )


def _agree(first: Answer, second: Answer) -> bool:
    """Whether two answers about the instance, the first row of both, are the same."""
    if first.labels[0] != second.labels[0]:
        return False
    if first.probabilities is None or second.probabilities is None:
        return True
    return bool(np.allclose(first.probabilities[0], second.probabilities[0], rtol=0, atol=_TOLERANCE))

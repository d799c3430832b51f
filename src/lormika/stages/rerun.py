"""Re-run: what the model says once a hypothetical rule is made true; for rules that were not confirmed before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lormika.rule import Rerun, Rule
from lormika.stages.asking import Asking
from lormika.stages.background import Background
from lormika.stages.edits import describe, smallest_edit
from lormika.stages.sample import Sample


def rerun(
    background: Background, sample: Sample, instance: np.ndarray, prediction: int, rules: Sequence[Rule]
) -> Asking[list[Rule]]:
    """Give every hypothetical rule its re-run: the smallest edit of the instance that makes it true."""
    hypothetical = [rule for rule in rules if _is_hypothetical(rule)]
    if not hypothetical:
        return list(rules)
    rows = np.stack([smallest_edit(background, sample.encoded, instance, rule.conditions) for rule in hypothetical])
    answer = yield rows
    reruns = iter(
        Rerun(
            describe(background, instance, row),
            sample.classes[label],
            None if answer.probabilities is None else float(answer.probabilities[i, prediction]),
            bool(label != prediction),
        )
        for i, (row, label) in enumerate(zip(rows, answer.labels.tolist(), strict=True))
    )
    return [replace(rule, rerun=next(reruns)) if _is_hypothetical(rule) else rule for rule in rules]


def _is_hypothetical(rule: Rule) -> bool:
    return rule.category is not None and not rule.category.is_current

"""Scoring: what any other explainer shows, measured like this library's explanations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lormika.evaluation.common import CommonGround
from lormika.evaluation.probe import Probe
from lormika.evaluation.record import Record, kinds_of, on_common_ground
from lormika.evaluation.recourse import measure_recourse
from lormika.evaluation.rules import smallest_edit, with_category
from lormika.evaluation.setting import Setting
from lormika.evaluation.truth import measure_truth, missed_single
from lormika.rule import Category, Rule
from lormika.types import JsonObject


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """What an explainer shows: rules, best first, or counterfactual rows."""

    rules: Sequence[Rule] = ()
    rows: np.ndarray | None = None  # encoded; None: it gives rules


def recorded(
    setting: Setting,
    grounds: CommonGround,
    instance: int,
    shown: Shown,
    costs: tuple[float, int, int],
    own: dict[str, float],
) -> Record:
    """The record of an explanation whose first rule is its best."""
    if shown.rows is not None:
        return _recorded_rows(grounds.probe, instance, shown.rows, costs)
    x, prediction = setting.instances.iloc[[instance]], setting.predictions[instance]
    rules = [with_category(rule, x, prediction) for rule in shown.rules]
    best = rules[0] if rules else None
    edits = [
        smallest_edit(rule, grounds.probe.background, grounds.probe.instances[instance])
        for rule in rules
        if rule.category is Category.COUNTERFACTUAL
    ]
    recourse = measure_recourse(grounds.probe, instance, _stacked(edits, grounds.probe))
    valid = iter(recourse["valid"])
    return Record(
        instance, None, *costs,
        rules=tuple(map(str, rules)),
        features=() if best is None else best.features,
        kinds=kinds_of(rules),
        own=own,
        common=on_common_ground(best, grounds[instance]),
        turned=tuple(edit is not None and next(valid) for edit in edits),  # nothing satisfies a rule without an edit
        truth=measure_truth(grounds.probe, instance, rules),
        recourse=recourse,
    )  # fmt: skip


def _recorded_rows(probe: Probe, instance: int, rows: np.ndarray, costs: tuple[float, int, int]) -> Record:
    recourse = measure_recourse(probe, instance, rows)
    truth: JsonObject = {"missed_single": missed_single(probe, instance, 1 in recourse["changed"])}
    return Record(instance, None, *costs, truth=truth, recourse=recourse)


def _stacked(rows: Sequence[np.ndarray | None], probe: Probe) -> np.ndarray:
    edits = [row for row in rows if row is not None]
    return np.stack(edits) if edits else np.empty((0, len(probe.background.schema)))

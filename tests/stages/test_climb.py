"""Where no change of a few features turns the prediction: one change after the other, beside what a real row has."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lormika import Constraints, Explainer

HEAVY, LIGHT = [f"heavy {number}" for number in range(4)], [f"light {number}" for number in range(8)]
WEIGHTS = np.array([3.0] * len(HEAVY) + [1.0] * len(LIGHT))
VALUES = np.array([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])


def model(frame: pd.DataFrame) -> np.ndarray:
    """Four heavy features above a half do, or one with all light ones; the higher they are, the surer."""
    numbers = frame.to_numpy(dtype=float)
    total = ((numbers > 0.5) * (0.9 + 0.1 * numbers)) @ WEIGHTS
    yes = 1 / (1 + np.exp(-(total - 10.5)))
    return np.column_stack([1 - yes, yes])


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    """Rows that say yes have all light features, and only one of the heavy ones."""
    rng = np.random.default_rng(0)
    numbers = rng.choice(VALUES[:3], size=(300, len(WEIGHTS)))
    high = rng.random(numbers.shape) < np.where(WEIGHTS > 1, 0.1, 0.2)
    numbers[high] = rng.choice(VALUES[3:], size=high.sum())
    numbers[:40, len(HEAVY) :] = 1.0
    numbers[:40, : len(HEAVY)] = 0.0
    numbers[np.arange(40), rng.integers(0, len(HEAVY), 40)] = 1.0
    return pd.DataFrame(numbers, columns=[*HEAVY, *LIGHT])


INSTANCE = dict.fromkeys([*HEAVY, *LIGHT], 0.2)


def test_the_fewest_features_at_the_nearest_values(table):
    explanation = Explainer(model, table, class_names=["no", "yes"]).explain(INSTANCE)
    (rule,) = explanation.counterfactual
    assert {(edit.feature, edit.after) for edit in rule.rerun.edits} == {(name, 0.6) for name in HEAVY}
    assert rule.rerun.turned
    assert any("made from changes of more features, one after the other" in note.text for note in explanation.notes)


def test_a_real_row_is_taken_unless_fewer_changes_do(table):
    """If the heavy features may hardly change, what is left is all that a row has."""
    limits = Constraints(fixed=HEAVY[:3])
    (rule,) = Explainer(model, table, class_names=["no", "yes"], constraints=limits).explain(INSTANCE).counterfactual
    # As the row has them: what is made step by step would change as many, and come nearer.
    assert {(edit.feature, edit.after) for edit in rule.rerun.edits} == {(name, 1.0) for name in (HEAVY[3], *LIGHT)}


def test_all_at_once_where_no_step_does(table):
    """Steps end after eight: nine light ones, none of which may be left out, are found all the same."""
    others = [name for name in table if name not in HEAVY[:3]]
    limits = Constraints(fixed=HEAVY[:3], where=[f"`{others[0]}` <= 1"])
    (rule,) = (
        Explainer(model, table[40:], class_names=["no", "yes"], constraints=limits).explain(INSTANCE).counterfactual
    )
    assert {edit.feature for edit in rule.rerun.edits} == set(others)
    assert rule.rerun.turned


def test_nothing_is_tried_where_the_prediction_is_the_target_already(table):
    explanation = Explainer(model, table, class_names=["no", "yes"]).explain(INSTANCE, target="no")
    assert explanation.prediction == "no"
    assert explanation.counterfactual == ()
    assert explanation.asked.calls == 1

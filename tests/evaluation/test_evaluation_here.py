"""What is true of this instance, and what recourse is worth: definitions against values worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from lormika import Explainer
from lormika.evaluation.probe import Probe
from lormika.evaluation.recourse import gower, measure_recourse, rerun_rows, unfilled, violations
from lormika.evaluation.rules import Among, OrMissing, with_category
from lormika.evaluation.setting import Setting
from lormika.evaluation.truth import changed_features, measure_truth, trial_rows
from lormika.rule import Category, Counts, Edit, Equals, Interval, Missing, Rerun, Rule


class Sum:
    """Says "yes" where a + 10 (b is "q") > 4; its probability grows with that sum."""

    classes_ = np.array(["no", "yes"])

    def predict_proba(self, frame):
        total = frame["a"].to_numpy(dtype=float) + 10 * (frame["b"] == "q").to_numpy()
        second = np.clip(0.1 + total / 10, 0, 1)
        return np.column_stack([1 - second, second])

    def predict(self, frame):
        return self.classes_[self.predict_proba(frame).argmax(axis=1)]


class Margin:
    """The same decisions, told by a margin."""

    classes_ = Sum.classes_

    def decision_function(self, frame):
        return frame["a"].to_numpy(dtype=float) + 10 * (frame["b"] == "q").to_numpy() - 4

    def predict(self, frame):
        return self.classes_[(self.decision_function(frame) > 0).astype(int)]


class LabelsOnly:
    classes_ = Sum.classes_

    def predict(self, frame):
        return Sum().predict(frame)


BACKGROUND = pd.DataFrame({"a": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], "b": ["p"] * 9 + ["q"], "c": [0.5, None] * 5})
INSTANCES = pd.DataFrame({"a": [6, 2], "b": ["p", "p"], "c": [0.5, 0.5]})


def make_probe(model=None, background=BACKGROUND, instances=INSTANCES):
    model = model or Sum()
    labels = model.predict(background)
    setting = Setting("loans", "tree", model, background, labels, instances, model.predict(instances).tolist(), {})
    return Probe(setting, Explainer(model, background, predictions=labels).background)


@pytest.fixture(scope="module")
def probe():
    return make_probe()


def rule(instance, consequent, *conditions):
    made = Rule(tuple(conditions), consequent, Counts(0, 0, 0, 0), math.nan)
    prediction = Sum().predict(INSTANCES)[instance]
    return with_category(made, INSTANCES.iloc[[instance]], prediction)


# What the probe asks and draws.


def test_certainties_are_probabilities_else_margins_else_labels():
    rows = np.array([[6.0, 0.0, 0.5], [2.0, 0.0, 0.5]])
    for model, expected in (
        (Sum(), [[0.3, 0.7], [0.7, 0.3]]),
        (Margin(), [[-2, 2], [2, -2]]),
        (LabelsOnly(), [[0, 1], [1, 0]]),
    ):
        answers = make_probe(model).ask(rows)
        assert answers.certainties.tolist() == expected
        assert answers.labels.tolist() == [1, 0]


def test_draws_depend_on_the_instance_alone(probe):
    among = np.arange(10) % 2 == 0
    first = probe.draw(0, among, 3)
    assert set(first) <= {0, 2, 4, 6, 8}
    probe.draw(1, among, 3)
    assert probe.draw(0, among, 5)[:3].tolist() == first.tolist() == make_probe().draw(0, among, 3).tolist()


def test_single_features_that_turn(probe):
    # 6 turns at a <= 4; nothing else does. 2 turns at a > 4, and with b = q, which one row of ten has.
    assert probe.turning_singles(0) == {0}
    assert probe.turning_singles(1) == {0, 1}


def test_rare_categories_are_not_tried():
    background = pd.concat([BACKGROUND[:9]] * 20 + [BACKGROUND[9:]], ignore_index=True)  # q: one row of 181
    assert make_probe(background=background).turning_singles(1) == {0}


# Truth.


def test_a_current_rule_is_broken_with_values_of_rows_that_break_it(probe):
    holding = rule(0, "yes", Interval("a", 5, math.inf))
    assert sorted(trial_rows(probe, 0, holding)[:, 0]) == [0, 1, 2, 3, 4]
    assert (trial_rows(probe, 0, holding)[:, 1:] == [0, 0.5]).all()  # all other values stay


@pytest.mark.parametrize(
    ("conditions", "kind", "truth"),
    [
        # a = 0 … 4: mean probability 0.3, before 0.7.
        ([Interval("a", 5, math.inf)], Category.CURRENT_SUPPORTING, 1),
        # a = 7, 8, 9: mean probability 0.9.
        ([Interval("a", -math.inf, 7)], Category.CURRENT_SUPPORTING, 0),
        # b = q: probability 1. The mean with a broken rule is above.
        ([Equals("b", "p")], Category.CURRENT_CONTRADICTING, 1),
        ([Interval("a", 5, math.inf)], Category.CURRENT_CONTRADICTING, 0),
        # The model does not use c: nothing changes, and the rule is not true.
        ([Interval("c", 0, 1)], Category.CURRENT_SUPPORTING, 0),
        ([Interval("c", 0, 1)], Category.CURRENT_CONTRADICTING, 0),
        # Breaking "a >= 5 and b = p": a = 0 … 4 with b = p, and a = 9 with b = q: (0.1 + … + 0.5 + 1) / 6 < 0.7.
        ([Interval("a", 5, math.inf), Equals("b", "p")], Category.CURRENT_SUPPORTING, 1),
        # a = 7, 8, 9: 0.8, 0.9, 1.
        ([Interval("a", 7, math.inf)], Category.HYPOTHETICAL_SUPPORTING, 1),
        ([Interval("a", -math.inf, 6)], Category.HYPOTHETICAL_SUPPORTING, 0),
        # a = 3, 4 and 5: two of three turn.
        ([Interval("a", 3, 6)], Category.COUNTERFACTUAL, 2 / 3),
        # Only a changes: c is in its range already.
        ([Interval("a", 3, 6), Interval("c", 0, 1)], Category.COUNTERFACTUAL, 2 / 3),
    ],
)
def test_truth_by_hand(probe, conditions, kind, truth):
    one = rule(0, "yes" if kind.is_supporting else "no", *conditions)
    assert one.category is kind
    tolerance = 0.1 if kind is Category.COUNTERFACTUAL else 0  # fewer than five rows: 200 values are drawn
    assert measure_truth(probe, 0, [one])[kind.value] == [pytest.approx(truth, abs=tolerance)]


def test_a_current_rule_that_no_row_breaks_is_not_counted(probe):
    always = rule(0, "yes", Interval("a", 0, math.inf))
    assert measure_truth(probe, 0, [always])["current_supporting"] == []


def test_a_hypothetical_rule_that_nothing_satisfies_is_false(probe):
    never = rule(0, "no", Among("b", ()))
    assert measure_truth(probe, 0, [never])["hypothetical_contradicting"] == [0]


def test_features_are_drawn_one_by_one_where_few_rows_satisfy_all(probe):
    both = rule(0, "no", Interval("a", 0, 3), Equals("b", "q"))  # no row has both
    rows = trial_rows(probe, 0, both)
    assert len(rows) == 200
    assert set(rows[:, 0]) == {0, 1, 2}
    assert set(rows[:, 1]) == {1}
    between = rule(0, "no", Interval("c", 0.1, 0.3))  # no row has such a value
    assert trial_rows(probe, 0, between)[0].tolist() == [6, 0, 0.2]


def test_rows_that_satisfy_the_rule_are_taken_whole_where_there_are_enough(probe):
    rows = trial_rows(probe, 0, rule(0, "no", Interval("a", -math.inf, 6)))
    assert sorted(rows[:, 0]) == [0, 1, 2, 3, 4, 5]


def test_several_conditions_on_one_feature(probe):
    one = rule(0, "no", Interval("a", 2, math.inf), Interval("a", -math.inf, 5))
    assert changed_features(probe, 0, one) == ("a",)
    assert set(trial_rows(probe, 0, one)[:, 0]) == {2, 3, 4}


def test_what_a_rule_changes(probe):
    one = rule(0, "no", Interval("a", 0, 3), Equals("b", "p"), Missing("c"))
    assert changed_features(probe, 0, one) == ("a", "c")
    assert changed_features(probe, 0, rule(0, "no", OrMissing(Interval("c", 0, 1)))) == ()


def test_repeated_changes_and_missed_single_features(probe):
    low, lower = (rule(0, "no", Interval("a", 0, end)) for end in (4, 2))
    other = rule(0, "no", Interval("a", 0, 4), Equals("b", "q"))
    high = rule(0, "yes", Interval("a", 8, 9))
    truth = measure_truth(probe, 0, [high, other, low, lower])
    assert truth["repeated"] == {"hypothetical_supporting": [0], "hypothetical_contradicting": [0, 0, 1]}
    assert truth["missed_single"] == 0
    assert measure_truth(probe, 0, [other])["missed_single"] == 1
    assert measure_truth(probe, 0, [high])["missed_single"] == 1  # it changes one feature, but is no counterfactual


def test_no_single_feature_can_be_missed_where_none_turns():
    certain = make_probe(instances=INSTANCES.assign(a=9, b="q"))  # either is enough
    assert measure_truth(certain, 0, [])["missed_single"] is None


# Recourse.


def test_gower_by_hand(probe):
    rows = np.array([[6, 0, 0.5], [3, 0, 0.5], [6, 1, np.nan], [15, 0, 0.5]])
    # a has the range 9; c has one value only, so that any other is 1 away.
    assert gower(rows, rows[0], probe.background) == pytest.approx([0, 1 / 9, 2 / 3, 1 / 3])
    assert gower(rows[[2]], np.array([6, 1, np.nan]), probe.background) == pytest.approx([0])


def test_violations_by_hand(probe):
    rows = np.array([[6, 0, 0.5], [9.5, 0, 0.5], [10, 0, 0.5], [3.5, 2, np.nan], [np.nan, 0, 0.5]])
    changed = rows != rows[0]
    # Beyond 9; not whole; no such category; c may be missing, a may not.
    assert violations(rows, changed, probe.background).tolist() == [0, 1, 1, 2, 1]
    assert violations(rows, np.zeros_like(changed), probe.background).tolist() == [0] * 5


def test_recourse_by_hand(probe):
    rows = np.array([[5.0, 0, 0.5], [3.0, 0, 0.5], [0.0, 0, np.nan]])
    recourse = measure_recourse(probe, 0, rows)
    assert recourse["valid"] == [False, True, True]
    assert recourse["changed"] == [1, 1, 2]
    assert recourse["distance"] == pytest.approx([1 / 27, 1 / 9, (6 / 9 + 1) / 3])
    # The nearest real rows with "no": a = 3 misses c, 2 does not: 1/27; a = 0 has c = 0.5, a = 1 misses c: 1/27.
    assert recourse["to_data"] == [None, pytest.approx(1 / 27), pytest.approx(1 / 27)]
    assert recourse["violations"] == [0, 0, 0]
    assert recourse["edits"] == ["a 6 → 5", "a 6 → 3", "a 6 → 0, c 0.5 → missing"]
    assert recourse["features"] == [["a"], ["a"], ["a", "c"]]


def test_recourse_without_rows(probe):
    recourse = measure_recourse(probe, 0, np.empty((0, 3)))
    assert all(values == [] for values in recourse.values())


def test_rows_of_reruns(probe):
    rerun = Rerun((Edit("a", 6, 3), Edit("b", "p", "q"), Edit("c", 0.5, None)), "no", 0.4, True)
    counts = Counts(0, 0, 0, 0)
    rules = [Rule((), "no", counts, 0.0, rerun=rerun), Rule((), "no", counts, 0.0)]
    assert np.array_equal(rerun_rows(probe, 0, rules), [[3, 1, np.nan]], equal_nan=True)
    assert rerun_rows(probe, 0, []).shape == (0, 3)


def test_a_rivals_stand_in_for_a_missing_value_is_missing_again(probe):
    # It got 0.5 for a missing c, and the code 2 for a missing b.
    filled = np.array([4.0, 2, 0.5])
    rows, missing = np.array([[4.0, 2, 0.5], [4.0, 1, 0.7]]), np.array([6, 0, np.nan])
    again = unfilled(rows, missing, probe.background, filled)
    assert np.array_equal(again, [[4, np.nan, np.nan], [4, 1, 0.7]], equal_nan=True)
    assert unfilled(rows, np.array([6, 0, 0.5]), probe.background, filled)[0, 2] == 0.5

"""Rivals in their own process: failures cost one explanation; and the real ones, where they are installed."""

from __future__ import annotations

import os
import sys
from dataclasses import replace

import pytest

from lormika.errors import InputError
from lormika.evaluation import Ledger, Plan, evaluate
from lormika.evaluation.rival import Rival, check

FLAKY = """
import os, time

def version():
    return "flaky 1"

def prepare(task, model):
    def explain(x):
        age = x[task["names"].index("age")]
        if age == 1001: os._exit(3)
        if age == 1002: time.sleep(60)
        if age == 1003: raise ValueError("no idea")
        if age == 1004: print("chatter")
        label = int(model.predict(x[None])[0])
        rule = {"conditions": [{"feature": "age", "above": 18.0, "up_to": None}], "consequent": label}
        other = {"conditions": [{"feature": "missed_payments", "above": 1.0, "up_to": None}], "consequent": 1 - label}
        own = {"coverage": 1.0, "confidence": 0.5, "lift": None}
        return lambda: {"rules": [rule, other], "own": own}
    return explain
"""


def test_crashes_and_hangs_cost_one_explanation(setting, grounds, tmp_path, monkeypatch):
    (tmp_path / "flaky.py").write_text(FLAKY)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert check("flaky", sys.executable) == "flaky 1"
    ages = [30, 1001, 1002, 1003, 1004, 31]
    rows = setting.instances.iloc[[0] * len(ages)].assign(age=ages)
    wild = replace(setting, instances=rows, predictions=[setting.predictions[0]] * len(ages))
    grounds_of_one = dict.fromkeys(range(len(ages)), grounds[0])
    same = _Same(grounds, grounds_of_one)
    with Rival("flaky", wild, same, python=sys.executable, time_limit=2, folder=tmp_path) as rival:
        records = [rival.explain(i, seed=0) for i in range(len(ages))]
    errors = [record.error for record in records]
    assert errors[0] is errors[4] is errors[5] is None
    assert errors[1] == "its process ended with code 3"
    assert errors[2] == "no answer within 2 seconds"
    assert errors[3] == "ValueError: no idea"
    assert records[5].features == ("age",)
    assert (records[5].calls, records[5].rows) == (1, 1)
    assert records[5].common["coverage"] == 1
    assert len(records[5].turned) == records[5].kinds.get("hypothetical_contradicting", 0)


class _Same:
    """The same ground for all."""

    def __init__(self, grounds, made):
        self.explainer, self._made = grounds.explainer, made

    def __getitem__(self, instance):
        return self._made[instance]


def test_an_interpreter_that_is_none_is_refused():
    with pytest.raises(InputError, match="/no/such/python cannot be run"):
        check("anchor", "/no/such/python")
    with pytest.raises(InputError, match="/bin/true is no Python interpreter"):
        check("anchor", "/bin/true")


@pytest.fixture(scope="module")
def rivals():
    """An interpreter that has both rivals."""
    python = os.environ.get("LORMIKA_BASELINE_PYTHON", sys.executable)
    for name in ("anchor", "lore"):
        try:
            check(name, python)
        except InputError as error:
            pytest.skip(f"the rivals are not installed; LORMIKA_BASELINE_PYTHON may name their interpreter: {error}")
    return python


@pytest.mark.parametrize("explainer", ["anchor", "lore"])
def test_the_real_rivals(rivals, explainer, tmp_path):
    plan = Plan(
        datasets=("loans",), models=("lr",), explainers=(explainer,), instances=2 if explainer == "anchor" else 1,
        runs=2 if explainer == "anchor" else 1, common_rows=500, baseline_python=rivals, time_limit=100,
    )  # fmt: skip
    cells = [step.cell for step in evaluate(plan, tmp_path / "e")]
    for cell in cells:
        for record in Ledger(tmp_path / "e").read(cell).records:
            assert record.error is None
            assert record.rows > 100
            assert record.seconds > 0
            assert 0 <= record.own["confidence"] <= 1
            assert 0 <= record.common["coverage"] <= 1
            # Both explain the prediction with a rule that is true of the instance.
            assert record.kinds.get("current_supporting") == 1

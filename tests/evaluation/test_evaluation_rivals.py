"""Rivals in their own process: failures cost one explanation; and the real ones, where they are installed."""

from __future__ import annotations

import os
import sys
from dataclasses import replace

import pytest

from lormika.errors import InputError
from lormika.evaluation import Ledger, Plan, evaluate
from lormika.evaluation.probe import Probe
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
        if age == 1005: os.closerange(3, 20); time.sleep(600)
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
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    assert check("flaky", sys.executable) == "flaky 1"
    ages = [30, 1001, 1002, 1003, 1004, 1005, 31]
    rows = setting.instances.iloc[[0] * len(ages)].assign(age=ages)
    wild = replace(setting, instances=rows, predictions=[setting.predictions[0]] * len(ages))
    grounds_of_one = dict.fromkeys(range(len(ages)), grounds[0])
    same = _Same(wild, grounds, grounds_of_one)
    with Rival("flaky", wild, same, python=sys.executable, time_limit=2, folder=tmp_path) as rival:
        records = [rival.explain(i, seed=0) for i in range(len(ages))]
    errors = [record.error for record in records]
    assert errors[0] is errors[4] is errors[6] is None
    assert errors[1] == "its process ended itself with exit code 3"
    assert errors[2] == "no answer within 2 seconds"
    assert errors[3] == "ValueError: no idea"
    assert errors[5] == "its process closed its pipes: chatter"
    assert records[6].features == ("age",)
    assert (records[6].calls, records[6].rows) == (1, 1)
    assert records[6].common["coverage"] == 1
    assert len(records[6].turned) == records[6].kinds.get("hypothetical_contradicting", 0)


class _Same:
    """The same ground for all."""

    def __init__(self, setting, grounds, made):
        self.explainer, self._made = grounds.explainer, made
        self.probe = Probe(setting, grounds.explainer.background)

    def __getitem__(self, instance):
        return self._made[instance]


def test_an_interpreter_that_is_none_is_refused():
    with pytest.raises(InputError, match="/no/such/python cannot be run"):
        check("anchor", "/no/such/python")
    with pytest.raises(InputError, match="/bin/true is no Python interpreter"):
        check("anchor", "/bin/true")


def interpreter(explainer: str) -> str:
    """One that has the rival; without it, a test is skipped, unless its interpreter was named."""
    names = (f"LORMIKA_{explainer.partition('-')[0].upper()}_PYTHON", "LORMIKA_BASELINE_PYTHON")
    named = next((os.environ[name] for name in names if name in os.environ), None)
    python = named or sys.executable
    try:
        check(explainer, python)
    except InputError as error:
        if named:
            raise
        pytest.skip(f"{explainer} is not installed; {names[0]} may name an interpreter that has it: {error}")
    return python


@pytest.mark.parametrize("explainer", ["anchor", "lore"])
def test_the_real_rivals(explainer, tmp_path):
    python = interpreter(explainer)
    plan = Plan(
        datasets=("loans",), models=("lr",), explainers=(explainer,), instances=2 if explainer == "anchor" else 1,
        runs=2 if explainer == "anchor" else 1, common_rows=500, baseline_python=python, time_limit=100,
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


ROWS = """
def version():
    return "rows 1"

def prepare(task, model):
    names = task["names"]
    assert "income" in task["integer"] and "debt_ratio" not in task["integer"]

    def explain(x):
        probabilities = model.predict_proba(x[None])
        assert probabilities.shape == (1, 2) and abs(probabilities.sum() - 1) < 1e-9
        assert int(probabilities.argmax()) == int(model.predict(x[None])[0])
        other = x.copy()
        other[names.index("age")] += 1
        far = other.copy()
        far[names.index("income")] = 1e6 + 0.5
        far[names.index("employment")] = len(task["categories"]["employment"]) - 1
        return lambda: {"rules": [], "rows": [other.tolist(), far.tolist()], "own": {}}
    return explain
"""


def test_rows_of_a_rival(setting, grounds, tmp_path, monkeypatch):
    (tmp_path / "rows.py").write_text(ROWS)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    employed = replace(setting, instances=setting.instances.assign(employment="employed"))
    made = dict.fromkeys(range(3), grounds[0])
    with Rival(
        "rows", employed, _Same(employed, grounds, made), python=sys.executable, time_limit=20, folder=tmp_path
    ) as rival:
        record = rival.explain(0, seed=0)
    assert record.error is None
    assert (record.calls, record.rows) == (2, 2)
    assert (record.rules, record.kinds, record.own, record.common) == ((), {}, {}, {})
    assert record.recourse["changed"] == [1, 3]
    assert record.recourse["violations"] == [0, 1]  # an income beyond the data, and not whole, is one value
    assert record.recourse["features"] == [["age"], ["age", "income", "employment"]]
    age = setting.background["age"]
    assert record.recourse["distance"][0] == pytest.approx(1 / (age.max() - age.min()) / 9)
    assert set(record.truth) == {"missed_single"}


def test_a_rival_without_rows_has_found_none(setting, grounds, tmp_path, monkeypatch):
    (tmp_path / "nothing.py").write_text(
        "def version():\n    return ''\n\n"
        "def prepare(task, model):\n    return lambda x: lambda: {'rules': [], 'rows': [], 'own': {}}\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with Rival("nothing", setting, grounds, python=sys.executable, time_limit=20, folder=tmp_path) as rival:
        record = rival.explain(0, seed=0)
    assert record.error is None
    assert record.recourse["valid"] == []


@pytest.mark.parametrize(("explainer", "model"), [("dice-random", "svm"), ("dice-genetic", "rf"), ("nice", "mlp")])
def test_the_real_rivals_that_give_rows(explainer, model, tmp_path):
    python = interpreter(explainer)
    plan = Plan(
        datasets=("loans",), models=(model,), explainers=(explainer,), instances=2, runs=1,
        common_rows=100, train_rows=400, baseline_python={explainer: python}, time_limit=100,
    )  # fmt: skip
    for step in evaluate(plan, tmp_path / "e"):
        for record in Ledger(tmp_path / "e").read(step.cell).records:
            assert record.error is None
            assert record.calls > 1
            assert record.seconds > 0
            assert 1 <= len(record.recourse["valid"]) <= (1 if explainer == "nice" else 5)
            assert all(record.recourse["valid"])
            assert all(count >= 1 for count in record.recourse["changed"])
            assert all(count == 0 for count in record.recourse["violations"])


def test_how_to_install_a_rival_that_needs_its_own_environment(tmp_path):
    bare = tmp_path / "python"
    bare.write_text("#!/bin/sh\necho \"ModuleNotFoundError: No module named 'nice'\" >&2\nexit 1\n")
    bare.chmod(0o755)
    with pytest.raises(
        InputError, match=r"python -m venv nice && nice/bin/pip install NICEx scikit-learn==\d"
    ) as refusal:
        check("nice", str(bare))
    assert "--baseline-python nice=nice/bin/python" in str(refusal.value)

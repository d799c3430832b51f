"""Explainers of others: measured like the rest, and whatever they do costs no more than an explanation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lormika.evaluation import Ledger, Plan, evaluate, make_tables, write_tables
from lormika.rule import Equals, Interval

PLAN = Plan(datasets=("loans",), models=("tree",), instances=2, runs=2, train_rows=400, common_rows=200)


def constant(model, background, seed):
    """An explainer of another: it says the same of everybody, and fails for people over 60."""

    def explain(x):
        if x["age"].iloc[0] > 60:
            raise RuntimeError("too old")
        return [((Equals("employment", "unemployed"),), model.predict(x)[0])]

    return explain


def test_a_registered_explainer_is_measured_like_the_rest(tmp_path):
    plan = replace(PLAN, explainers=("constant",), instances=6, runs=1)
    [step] = evaluate(plan, tmp_path / "e", others={"constant": constant})
    records = Ledger(tmp_path / "e").read(step.cell).records
    sound = [record for record in records if record.error is None]
    assert sound
    assert all(record.features == ("employment",) and record.calls == 1 for record in sound)
    assert all(record.error == "RuntimeError: too old" for record in records if record not in sound)
    assert step.failed == len(records) - len(sound)
    assert 0 < sound[0].common["coverage"] < 1


def wrong_class(model, background, seed):
    return lambda x: [((Equals("employment", "unemployed"),), "nobody")]


def only_texts(model, background, seed):
    return lambda x: ["employment = unemployed"]


def unready(model, background, seed):
    raise SystemExit("no licence")


def swapped(model, background, seed):
    return lambda x: [((Interval("age", 50, 30),), "accepted")]


@pytest.mark.parametrize(
    ("factory", "reason"),
    [
        (wrong_class, "the class 'nobody' of a rule is none of the model's"),
        (only_texts, "not 'employment = unemployed'"),
        (unready, "SystemExit: no licence"),
        (swapped, "its lower end comes first"),
    ],
)
def test_an_explainer_that_always_fails_is_in_the_tables_and_can_be_tried_again(factory, reason, tmp_path):
    plan = replace(PLAN, explainers=("lormika", "theirs"), instances=2, runs=1)
    assert [step.failed for step in evaluate(plan, tmp_path / "e", others={"theirs": factory})] == [0, 2]
    ledger = Ledger(tmp_path / "e")
    cell = list(plan.cells())[1]
    assert reason in ledger.read(cell).records[0].error
    written = write_tables(make_tables(ledger), tmp_path)
    assert "| – (0/2) |" in written[0].read_text(encoding="utf-8")
    assert "coverage,loans,tree,theirs,,,0,2,," in written[1].read_text(encoding="utf-8")
    assert list(evaluate(plan, tmp_path / "e", others={"theirs": factory})) == []
    again = list(evaluate(plan, tmp_path / "e", others={"theirs": factory}, retry_failed=True))
    assert [(step.cell, step.failed) for step in again] == [(cell, 2)]
    another = list(evaluate(plan, tmp_path / "e", others={"theirs": constant}))  # of another function, nothing is there
    assert [(step.cell, step.failed) for step in another] == [(cell, 0)]


def test_only_explanations_that_failed_are_tried_again(tmp_path):
    asked = []
    plan = replace(PLAN, explainers=("theirs",), instances=3, runs=1)
    others = {"theirs": failing_second(asked, RuntimeError("not now"))}
    assert [step.failed for step in evaluate(plan, tmp_path / "e", others)] == [1]
    assert [step.failed for step in evaluate(plan, tmp_path / "e", others, retry_failed=True)] == [0]
    assert len(asked) == 4


def test_a_table_that_was_changed_in_place_is_asked_about_again(tmp_path):
    answers = []

    def edits(model, background, seed):
        def explain(x):
            table = background[:150].copy()
            answers.append(model.predict(table).tolist())
            table[["income", "missed_payments"]] = 500, 0
            answers.append(model.predict(table).tolist())
            return []

        return explain

    [step] = evaluate(replace(PLAN, explainers=("edits",), instances=1, runs=1), tmp_path / "e", {"edits": edits})
    assert answers[0] != answers[1]
    [record] = Ledger(tmp_path / "e").read(step.cell).records
    assert (record.calls, record.rows) == (2, 300)


def failing_second(asked, error):
    """An explainer that keeps what it is asked, and fails when that is the second time."""

    def make(model, background, seed):
        def explain(x):
            asked.append(x)
            if len(asked) == 2:
                raise error
            return [((Equals("phone", True),), "accepted")]

        return explain

    return make


def test_what_is_done_of_a_cell_is_kept(tmp_path):
    asked = []
    plan = replace(PLAN, explainers=("theirs",), instances=3, runs=1)
    others = {"theirs": failing_second(asked, KeyboardInterrupt())}
    with pytest.raises(KeyboardInterrupt):
        next(evaluate(plan, tmp_path / "e", others))
    [cell] = plan.cells()
    assert [record.instance for record in Ledger(tmp_path / "e").read(cell).records] == [0]
    list(evaluate(plan, tmp_path / "e", others))
    assert len(asked) == 4  # the first was not asked about again
    assert [record.instance for record in Ledger(tmp_path / "e").read(cell).records] == [0, 1, 2]

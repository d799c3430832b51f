"""Runs: they go on, refuse other options, take explainers of others, and end in tables."""

from __future__ import annotations

import csv
import math
import os
import re
import shutil
from dataclasses import replace

import pytest

from lormika import Explainer
from lormika.errors import InputError
from lormika.evaluation import Ledger, Plan, evaluate, make_tables, quick, write_figures, write_tables
from lormika.evaluation.ledger import Content
from lormika.evaluation.ours import AsInPaper, Defaults, OtherData
from lormika.evaluation.plan import Cell
from lormika.evaluation.record import Record
from lormika.evaluation.tables import compared

PLAN = Plan(
    datasets=("loans",), models=("tree",), explainers=("lormika", "lormika-paper"),
    instances=2, runs=2, train_rows=400, common_rows=200,
)  # fmt: skip


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    out = tmp_path_factory.mktemp("run") / "evaluation"
    steps = list(evaluate(PLAN, out))
    assert [step.done for step in steps] == [1, 2, 3, 4]
    assert steps[-1].seconds_left == 0
    return out


def test_what_is_there_is_not_done_again(done):
    assert list(evaluate(PLAN, done)) == []


def test_a_stopped_run_goes_on(tmp_path):
    steps = evaluate(PLAN, tmp_path / "e")
    first = next(steps).cell
    steps.close()  # as an interrupt would
    kept = (tmp_path / "e" / "cells" / first.file_name).read_bytes()
    rest = [step.cell for step in evaluate(PLAN, tmp_path / "e")]
    assert first not in rest
    assert len(rest) == 3
    assert (tmp_path / "e" / "cells" / first.file_name).read_bytes() == kept


def test_other_conditions_are_refused(done):
    with pytest.raises(InputError, match="common_rows was 200, is 300"):
        next(evaluate(replace(PLAN, common_rows=300), done))


def test_a_folder_can_be_added_to(tmp_path):
    plan = replace(PLAN, explainers=("lormika",), runs=1)
    ledger = Ledger(tmp_path / "e")
    [first] = evaluate(plan, ledger.path)
    before = ledger.read(first.cell).records
    assert [step.cell.run for step in evaluate(replace(plan, instances=3, runs=2), ledger.path)] == [0, 1]
    after = ledger.read(first.cell).records
    assert [record.instance for record in after] == [0, 1, 2]
    assert after[:2] == before  # the very same, times included
    list(evaluate(replace(plan, models=("lr",)), ledger.path))
    [table] = [table for table in make_tables(ledger) if table.measure.name == "coverage"]
    counts = {key[1]: entry.values for key, entry in table.entries.items()}
    assert counts == {"tree": 6, "lr": 2}


def test_shared_tables_rest_on_the_same_instances(tmp_path):
    plan = replace(PLAN, explainers=("lormika", "same"), instances=4, runs=1, rival_instances=1)
    list(evaluate(plan, tmp_path / "e", others={"same": lormika_itself}))
    measured = {}
    for shared in (False, True):
        for table in make_tables(Ledger(tmp_path / "e"), shared=shared):
            if table.measure.name == "fidelity":
                measured[shared] = {key[2]: entry.mean for key, entry in table.entries.items()}
    assert measured[False]["lormika"] != measured[False]["same"]
    assert measured[True]["lormika"] == measured[True]["same"] == measured[False]["same"]


def test_shared_instances_are_those_that_all_explained(tmp_path):
    ledger = Ledger(tmp_path / "e")
    failed = {"quick": {}, "slow": {1: "too late"}, "broken": {0: "no", 1: "no", 2: "no"}}
    with ledger.open(PLAN):
        for name, errors in failed.items():
            records = [Record(i, errors.get(i), seconds=float(i)) for i in range(3)]
            ledger.write(Cell("loans", "tree", name, 0), Content(records))
    [table] = [table for table in make_tables(ledger, shared=True) if table.measure.name == "seconds"]
    assert {key[2]: (entry.values, entry.mean) for key, entry in table.entries.items() if entry.values} == {
        "quick": (2, 1.0),
        "slow": (2, 1.0),
    }


def lormika_itself(model, background, seed):
    explainer = Explainer(model, background)
    return lambda x: explainer.explain(x).current_supporting


@pytest.mark.parametrize("content", ["{", "{}", '{"records": [{}]}'])
def test_a_damaged_cell_is_done_again_if_wanted_and_else_refused_at_once(content, done, tmp_path):
    folder = shutil.copytree(done, tmp_path / "e")
    cell = next(iter(PLAN.cells()))
    (folder / "cells" / cell.file_name).write_text(content)
    with pytest.raises(InputError, match=f"{cell.file_name} is damaged"):
        next(evaluate(replace(PLAN, explainers=("lormika-paper",), runs=3), folder))
    assert [step.cell for step in evaluate(PLAN, folder)] == [cell]
    assert len(make_tables(Ledger(folder))) == len(make_tables(Ledger(done)))


def test_a_damaged_model_is_fitted_again(done, tmp_path):
    folder = shutil.copytree(done, tmp_path / "e")
    (folder / "models" / "loans-tree.joblib").write_bytes(b"no model")
    list(evaluate(replace(PLAN, explainers=("lormika",), runs=3), folder))
    same = [Ledger(folder).read(Cell("loans", "tree", "lormika", run)).records[0].rules for run in (0, 2)]
    assert same[0] == same[1]


def test_too_many_instances_are_refused_before_anything_is_done(tmp_path):
    with pytest.raises(InputError, match="instances=401: loans has 400 rows to explain"):
        next(evaluate(replace(PLAN, instances=401), tmp_path / "e"))
    assert not (tmp_path / "e").exists()


def test_a_folder_of_others_is_refused(tmp_path):
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(InputError, match="is not empty"):
        next(evaluate(PLAN, tmp_path))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"datasets": ("iris",)}, "datasets: there is no 'iris'"),
        ({"models": ()}, "models"),
        ({"instances": 0}, "instances=0"),
        ({"time_limit": -1.0}, "time_limit=-1.0"),
        ({"rival_runs": 0}, "rival_runs=0"),
        ({"explainers": ("lormika", "lormika")}, "explainers: a name is there twice"),
        ({"datasets": ("covertype",), "models": ("svm",)}, "svm on covertype takes days"),
    ],
)
def test_wrong_options_are_named(wrong, message):
    with pytest.raises(InputError, match=message):
        replace(PLAN, **wrong)


def test_unknown_explainers_are_refused(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="there is no 'lime'"):
        next(evaluate(replace(PLAN, explainers=("lime",)), tmp_path / "e"))
    (tmp_path / "broken_module.py").write_text("def f(:")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("no_such_module:f", ":f", "./mine.py:f", "broken_module:f"):
        with pytest.raises(InputError, match=f"'{name}' cannot be loaded"):
            next(evaluate(replace(PLAN, explainers=(name,)), tmp_path / "e"))
    with pytest.raises(InputError, match="'mine' is no function, but 3"):
        next(evaluate(replace(PLAN, explainers=("mine",)), tmp_path / "e", {"mine": 3}))


def test_a_missing_rival_is_said_before_anything_is_done(tmp_path):
    bare = tmp_path / "python"
    bare.write_text("#!/bin/sh\necho \"ModuleNotFoundError: No module named 'anchor'\" >&2\nexit 1\n")
    bare.chmod(0o755)
    with pytest.raises(InputError, match=r"'anchor' cannot be used .* No module named 'anchor'.*--baseline-python"):
        next(evaluate(replace(PLAN, explainers=("anchor",), baseline_python=str(bare)), tmp_path / "e"))
    assert not (tmp_path / "e").exists()


def test_cells_of_the_paper():
    assert len(Plan().settings) == 19
    assert len(list(quick().cells())) == 3 * (3 * 2 + 4 * 2)
    assert "nice" not in Plan().explainers  # it cannot be installed beside lormika
    plan = Plan(rival_instances=5, rival_runs=2)
    assert (plan.instances_of("lore"), plan.runs_of("lore"), plan.instances_of("lormika")) == (5, 2, 50)


def test_quick_leaves_what_is_given():
    plan = quick(instances=50, models=("svm", "tree", "lr", "mlp", "rf"))
    assert (plan.instances, len(plan.models), plan.runs, plan.datasets) == (50, 5, 2, ("german",))


def test_a_missing_data_set_is_said_before_anything_is_done(tmp_path, monkeypatch):
    monkeypatch.setenv("LORMIKA_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(InputError, match="compas"):
        next(evaluate(replace(PLAN, datasets=("loans", "compas")), tmp_path / "e"))
    assert not (tmp_path / "e").exists()


def test_records_say_what_was_found(done):
    ledger = Ledger(done)
    for cell in PLAN.cells():
        for record in ledger.read(cell).records:
            assert record.error is None
            assert record.seconds > 0
            assert record.rows > 2000
            assert 0 <= record.common["coverage"] <= 1
            assert set(record.own) == {"coverage", "confidence", "interestingness"}


def test_tables_in_three_formats(done, tmp_path):
    ledger = Ledger(done)
    markdown, table, latex = write_tables(make_tables(ledger), tmp_path)
    rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    mean = {(row["measure"], row["explainer"]): float(row["mean"]) for row in rows}
    values = [record.own["coverage"] for cell in PLAN.cells() if cell.explainer == "lormika-paper"
              for record in ledger.read(cell).records]  # fmt: skip
    assert mean["coverage", "lormika-paper"] == pytest.approx(sum(values) / len(values))
    assert f"{mean['coverage', 'lormika-paper']:.2f} ± " in markdown.read_text(encoding="utf-8")
    assert f" {mean['coverage', 'lormika-paper']:.2f} " in latex.read_text(encoding="utf-8")
    assert latex.read_text(encoding="utf-8").count(r"\begin{table}") == len(make_tables(ledger))
    assert {row["values"] for row in rows if row["measure"] == "coverage"} == {"4"}


def test_figures(done, tmp_path):
    pytest.importorskip("matplotlib")
    tables = make_tables(Ledger(done))
    few = [table for table in tables if table.measure.name in ("coverage", "model-rows")]
    paths = write_figures(few, tmp_path / "figures")
    assert [path.name for path in paths] == ["coverage.svg", "model-rows.svg"]
    assert all("<svg" in path.read_text(encoding="utf-8") for path in paths)


def test_the_papers_figures_stand_beside(done, tmp_path):
    # The same records under the name of a data set of the paper.
    folder = shutil.copytree(done, tmp_path / "e")
    ledger = Ledger(folder)
    for cell in PLAN.cells():
        ledger.write(replace(cell, dataset="german"), ledger.read(cell))
        (folder / "cells" / cell.file_name).unlink()
    table = next(table for table in make_tables(ledger) if table.measure.name == "coverage")
    assert table.paper("german", "tree", "lormika") == (0.60, 0.15)
    assert compared(table, "lormika-paper")[1] == 1
    assert "0.60 ± 0.15" in write_tables([table], tmp_path)[0].read_text(encoding="utf-8")


def test_command(tmp_path, warm):
    (tmp_path / "mine.py").write_text(
        "from lormika.rule import Equals\n"
        "def make(model, background, seed):\n"
        "    return lambda x: [((Equals('phone', True),), 'accepted')]\n"
    )
    command = ["evaluate", "--out", "e", "--datasets", "loans", "--models", "tree", "--explainers", "mine:make",
               "--instances", "2", "--runs", "1", "--common-rows", "100", "--train-rows", "400"]  # fmt: skip
    ran = warm.run(command, tmp_path, dict(os.environ), 600)
    assert ran.returncode == 0, ran.stderr
    assert "1 of 1: loans tree mine:make run 1; done" in ran.stderr
    assert "mine:make" in (tmp_path / "e" / "tables.md").read_text(encoding="utf-8")
    more = warm.run([*command, "--runs", "2"], tmp_path, dict(os.environ), 600)
    assert "2 of 2: loans tree mine:make run 2; done" in more.stderr
    with (tmp_path / "mine.py").open("a") as module:
        module.write("def make(model, background, seed):\n    raise ValueError('of the new version')\n")
    again = warm.run(command, tmp_path, dict(os.environ), 600)
    assert again.returncode == 3
    assert "2 explanations failed" in again.stderr
    assert "2 x ValueError: of the new version" in again.stderr


def test_other_data_is_nine_tenths_of_the_background_and_another_in_every_run(setting, grounds):
    backgrounds = [OtherData(setting, grounds, seed)._background(400, seed) for seed in (0, 1, 1)]
    assert {len(kept) for kept in backgrounds} == {360}
    assert len(set(backgrounds[0]) & set(backgrounds[1])) < 360
    assert (backgrounds[1] == backgrounds[2]).all()
    assert OtherData(setting, grounds, 0)(0).own != Defaults(setting, grounds, 0)(0).own
    assert Defaults(setting, grounds, 1)(0).own == Defaults(setting, grounds, 0)(0).own


def test_the_papers_ranges_are_those_of_the_whole_table(setting, grounds):
    cuts = Explainer(setting.model, setting.background, preset="paper").cuts
    assert set(cuts) == set(setting.background.select_dtypes("number"))
    for name in ("income", "debt_ratio"):
        share = [(setting.background[name] < cut).mean() for cut in cuts[name]]
        assert share == pytest.approx([1 / 3, 2 / 3], abs=0.03)
    rules = " ".join(rule for i in range(3) for rule in AsInPaper(setting, grounds, 0)(i).rules)
    begins = {int(number) for pair in re.findall(r"income ≥ (\d+)|(\d+) ≤ income", rules) for number in pair if number}
    assert begins
    assert begins <= {math.ceil(cut) for cut in cuts["income"]}  # it has whole numbers

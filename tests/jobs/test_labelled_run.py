"""Labels of a run: its report has them, its data do not."""

from __future__ import annotations

import json
import os

import pytest

LABELS = """
income = {label = "Yearly income", unit = "k€"}
debt_ratio = "Debts"
employment = {label = "Employment", values = {unemployed = "out of work"}}
[groups]
Means = ["income", "savings"]
"""


@pytest.fixture
def run(batch):
    (batch.folder / "labels.toml").write_text(LABELS, encoding="utf-8")
    done = batch.run("good", "out", "--labels", "labels.toml", "--class-name", "yes", "--class-name", "no")
    assert done.returncode == 0, done.stderr
    return batch


def test_the_report_has_them_and_the_data_do_not(run, warm):
    rules = run.rows("out")
    assert any("debt_ratio" in rule["rule"] for rule in rules)
    assert not any("Yearly income" in rule["rule"] for rule in rules)
    done = warm.run(["report", "out", "--quiet"], run.folder, {}, 600)
    assert done.returncode == 0, done.stderr
    page = (run.folder / "out" / "report.html").read_text(encoding="utf-8")
    assert "Means: Yearly income" in page
    assert "k€" in page
    assert "debt_ratio" not in page.replace("debt_<wbr>ratio", "debt_ratio")


def test_rows_that_are_at_the_target_already_do_not_count(batch, warm):
    (batch.folder / "classes.toml").write_text('[classes]\n"no" = "declined"\n', encoding="utf-8")
    names = ("--class-name", "yes", "--class-name", "no", "--labels", "classes.toml")
    done = batch.run("good", "toward", *names, "--toward", "no")
    assert done.returncode == 0, done.stderr
    done = warm.run(["report", "toward", "--quiet"], batch.folder, {}, 600)
    assert done.returncode == 0, done.stderr
    page = (batch.folder / "toward" / "report.html").read_text(encoding="utf-8")
    others = sum(row["prediction"] != "no" for row in batch.rows("toward", "instances"))
    assert f"of {others} rows that are not <bdi>declined</bdi> already" in page
    assert "nothing needs to change" in page


def test_another_file_of_labels_is_another_run(run):
    (run.folder / "labels.toml").write_text(LABELS.replace("Debts", "Liabilities"), encoding="utf-8")
    done = run.run("good", "out", "--labels", "labels.toml", "--class-name", "yes", "--class-name", "no")
    assert done.returncode != 0
    assert "--labels" in done.stderr


def test_a_tampered_folder_gets_a_clear_error(run, warm):
    start = run.folder / "out" / "run.json"
    content = json.loads(start.read_text(encoding="utf-8"))
    (run.folder / "secret.toml").write_text('income = "Secret"')
    os.mkfifo(run.folder / "pipe.toml")
    for wrong in (3, {"income": {"unit": 5}}, ["income"], "secret.toml", "pipe.toml", "/dev/zero"):
        content["settings"]["labels"] = wrong
        start.write_text(json.dumps(content), encoding="utf-8")
        done = warm.run(["report", "out", "--quiet"], run.folder, {}, 600)
        assert done.returncode == 1
        assert "labels" in done.stderr
        assert "Traceback" not in done.stderr
        assert not (run.folder / "out" / "report.html").exists()

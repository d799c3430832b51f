"""lormika explain, as a process."""

from __future__ import annotations

import json
import subprocess
import sys

import pandas as pd
import pytest

from lormika import Explanation

EXPLAIN = ["explain", "loans.csv", "--model", "loans.skops", "--target", "decision"]


def test_a_row_is_explained_as_in_python(lormika, loans):
    done = lormika(*EXPLAIN, "--row", 17)
    assert done.returncode == 0, done.stderr
    assert done.stdout == loans.explainer.explain(loans.X.iloc[[17]]).to_text(width=100) + "\n"
    assert "600 rows, 11 columns; 9 features" in done.stderr
    assert "text: employment, purpose" in done.stderr


def test_every_option_arrives(lormika, loans):
    from lormika import Explainer

    options = {
        "k": 2, "objective": "confidence", "max_conditions": 2, "min_count": 15, "m": 1.0, "filter": "productive",
        "alpha": 0.01, "correction": "none", "per": "overall",
    }  # fmt: skip
    around = {
        "min_neighbours": 30, "max_neighbours": 90, "kernel_width": 2.0, "thin": "random", "n_generated": 500,
        "design": "random", "snap": False, "bins": 4, "random_state": 3,
    }  # fmt: skip
    words = [f"--{name.replace('_', '-')}={value}" for name, value in (options | around).items() if name != "snap"]
    done = lormika(
        *EXPLAIN, "--row", 5, "--no-snap", "--cut", "age=30,50", "--categorical", "missed_payments", "--json", *words
    )
    assert done.returncode == 0, done.stderr
    explainer = Explainer(loans.model, loans.X, **around, cuts={"age": [30, 50]}, categorical=["missed_payments"])
    assert json.loads(done.stdout) == explainer.explain(loans.X.iloc[[5]], **options).to_dict()


def test_the_time_of_the_search_is_limited_apart_from_that_of_the_model(lormika, loans):
    done = lormika(*EXPLAIN, "--row", 17, "--search-time-limit", 0, "--n-jobs", 2, "--json")
    assert done.returncode == 0, done.stderr
    limited = loans.explainer.explain(loans.X.iloc[[17]], time_limit=0)
    assert json.loads(done.stdout) == limited.to_dict()
    assert limited.incomplete is not None


@pytest.mark.parametrize("words", [["--row", 17], ["--where", "id == 1017"], ["--instance", "x.json"]])
def test_ways_to_name_the_instance(words, lormika, loans):
    x = json.loads(loans.X.iloc[17].to_json()) | {"decision": "?"}
    (lormika.folder / "x.json").write_text(json.dumps(x))
    done = lormika(*EXPLAIN, *words, "--json")
    assert done.returncode == 0, done.stderr
    assert Explanation.from_json(done.stdout).to_dict() == loans.explainer.explain(loans.X.iloc[[17]]).to_dict()


def test_several_rows_and_measures(lormika, loans):
    words = ["--row", 17, "--row", 3, "--objective", "lift", "--objective", "confidence", "--k", 1]
    printed = lormika(*EXPLAIN, *words)
    assert [line for line in printed.stdout.splitlines() if ", best by " in line] == [
        "row 17, best by lift", "row 17, best by confidence", "row 3, best by lift", "row 3, best by confidence",
    ]  # fmt: skip
    told = [json.loads(line) for line in lormika(*EXPLAIN, *words, "--json").stdout.splitlines()]
    assert [(each["row"], each["objective"]) for each in told] == [
        ("17", "lift"), ("17", "confidence"), ("3", "lift"), ("3", "confidence"),
    ]  # fmt: skip
    assert Explanation.from_dict(told[2]["explanation"]).options["objective"] == "lift"
    written = lormika(*EXPLAIN, *words, "--out", "why.html")
    assert written.returncode == 0, written.stderr
    assert written.stdout == ""
    assert {path.name for path in lormika.folder.glob("why*")} == {
        "why-17-lift.html", "why-17-confidence.html", "why-3-lift.html", "why-3-confidence.html",
    }  # fmt: skip


@pytest.mark.parametrize("suffix", ["html", "json", "csv", "parquet", "txt", "png", "svg", "pdf"])
def test_output_by_suffix(suffix, lormika, loans):
    done = lormika(*EXPLAIN, "--row", 17, "--out", f"why.{suffix}", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    expected = loans.explainer.explain(loans.X.iloc[[17]]).save(lormika.folder / f"expected.{suffix}")
    if suffix not in ("pdf", "svg"):  # which hold the time
        assert (lormika.folder / f"why.{suffix}").read_bytes() == expected.read_bytes()


@pytest.mark.parametrize("data", ["loans.csv", "loans.parquet"])
def test_the_model_decides_which_columns_it_gets(data, lormika):
    shuffled = pd.read_parquet(lormika.folder / "loans.parquet").iloc[:, ::-1]
    shuffled.to_parquet(lormika.folder / "other.parquet", index=False)
    one = lormika("explain", data, "--model", "loans.skops", "--row", 4, "--json")
    other = lormika("explain", "other.parquet", "--model", "loans.skops", "--row", 4, "--json")
    assert one.returncode == other.returncode == 0, one.stderr + other.stderr
    assert one.stdout == other.stdout


def test_a_background_of_its_own(lormika, loans):
    loans.X[:5].assign(id=range(5)).to_csv(lormika.folder / "new.csv", index=False)
    done = lormika("explain", "new.csv", "--background", "loans.csv", "--model", "loans.skops", "--row", 4, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == loans.explainer.explain(loans.X.iloc[[4]]).to_dict()


USAGE = {
    "no row": (["--json"], "--row, --where or --instance"),
    "two outputs": (["--row", 1, "--json", "--out", "why.json"], "choose one"),
    "unknown measure": (["--row", 1, "--objective", "beauty"], "beauty"),
    "no number": (["--row", "first"], "integer"),
    "limit of nothing": (["--row", 1, "--time-limit", 3], "--time-limit goes with --isolate"),
}
MISTAKES = {
    "row": (["--row", 600], "there is no row 600: 600 rows are numbered from 0 to 599"),
    "where": (["--where", "id == 17"], "no row of 600 matches 'id == 17'"),
    "where name": (["--where", "name == 17"], "name"),
    "where code": (["--where", "__import__('os').system('touch hacked')"], "a function call cannot be used"),
    "instance": (["--instance", "absent.json"], "absent.json"),
    "target": (["--row", 1, "--target", "truth"], "no column 'truth'; it has 'age'"),
    "misspelt": (["--row", 1, "--target", "decison"], "no column 'decison'; did you mean 'decision'?"),
    "where end": (["--where", "income <"], "character 8: something is missing at the end"),
    "drop": (["--row", 1, "--drop", "age"], "the model needs 'age'"),
    "k": (["--row", 1, "--k", 0], "--k 0"),
    "too many": (["--row", 1, "--n-generated", 10**11], "--n-generated 100000000000"),
    "single =": (["--where", "age = 3"], "write == to compare"),
    "data as output": (["--row", 1, "--out", "loans.csv"], "is a file that is read"),
    "secret": (
        ["--row", 1, "--model", "http://127.0.0.1:1/v2/models/m", "--header", "Authorization: env:NO_SUCH_TOKEN"],
        "the environment has no variable NO_SUCH_TOKEN",
    ),
    "header": (
        ["--row", 1, "--model", "http://127.0.0.1:1/v2/models/m", "--header", "A: b\r\nSECRET: x"],
        "'A' cannot",
    ),
    "cut": (["--row", 1, "--cut", "age"], "--cut 'age'"),
    "suffix": (["--row", 1, "--out", "why.docx"], ".docx"),
    "folder": (["--row", 1, "--out", "nowhere/why.html"], "there is no folder nowhere"),
    "model": (["--row", 1, "--model", "absent.skops"], "absent.skops"),
    "pickle": (["--row", 1, "--model", "loans.pkl"], "--allow-pickle"),
    "encoding": (["--row", 1, "--encoding", "klingon"], "klingon"),
}


@pytest.mark.parametrize("case", USAGE)
def test_wrong_usage_is_exit_code_2(case, lormika):
    words, message = USAGE[case]
    done = lormika(*EXPLAIN, *words)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_one_line_and_exit_code_1(case, lormika):
    words, message = MISTAKES[case]
    before = {path.name for path in lormika.folder.iterdir()}
    done = lormika(*EXPLAIN, *words, "--quiet")
    assert done.returncode == 1, done.stderr
    assert done.stderr.startswith("error: ")
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert {path.name for path in lormika.folder.iterdir()} == before


def test_a_column_that_the_model_needs_is_named(lormika, loans):
    loans.X.drop(columns=["income"]).to_csv(lormika.folder / "short.csv", index=False)
    done = lormika("explain", "short.csv", "--model", "loans.skops", "--row", 1)
    assert done.returncode == 1
    assert "short.csv lacks 'income', which the model needs" in done.stderr


def test_a_broken_file_is_named_with_line_and_column(lormika):
    lines = (lormika.folder / "loans.csv").read_text().splitlines()
    lines[7] += ",surplus"
    (lormika.folder / "broken.csv").write_text("\n".join(lines))
    done = lormika("explain", "broken.csv", "--model", "loans.skops", "--row", 1)
    assert done.returncode == 1
    assert "broken.csv" in done.stderr
    assert "line 8" in done.stderr


def test_a_pickle_is_loaded_only_if_allowed(lormika, loans):
    from lormika.models import sha256

    done = lormika("explain", "loans.csv", "--model", "loans.pkl", "--allow-pickle", "--row", 17, "--json")
    assert done.returncode == 0, done.stderr
    assert "runs the code it holds" in done.stderr
    assert sha256(lormika.folder / "loans.pkl") in done.stderr
    assert json.loads(done.stdout) == loans.explainer.explain(loans.X.iloc[[17]]).to_dict()


def test_an_isolated_model_gives_the_same(lormika, loans):
    done = lormika(*EXPLAIN, "--isolate", "--row", 17, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == loans.explainer.explain(loans.X.iloc[[17]]).to_dict()


def test_a_failing_write_leaves_what_was_there(lormika):
    (lormika.folder / "why.html").write_text("before")
    module = "import os\ndef predict(frame):\n    os._exit(7)\n"
    (lormika.folder / "broken_model.py").write_text(module)
    done = lormika(
        "explain", "loans.csv", "--model", "python:broken_model:predict", "--isolate", "--row", 1, "--out", "why.html"
    )
    assert done.returncode == 1, done.stderr
    assert (lormika.folder / "why.html").read_text() == "before"
    assert not [path for path in lormika.folder.iterdir() if path.name.startswith(".")]


LOUD = """
import sys
import numpy as np
def loud(frame):
    print("NOISE")
    return np.where(frame["income"] > 40, "yes", "no")
def leaving(frame):
    sys.exit(0)
def regression(frame):
    return frame["income"] * 100.0 + frame["age"]
"""


@pytest.mark.parametrize(
    ("name", "message"),
    [("leaving", "the model ended the program"), ("regression", "--bands 100,200")],
)
def test_models_that_are_none(name, message, lormika):
    (lormika.folder / "loud.py").write_text(LOUD)
    done = lormika("explain", "loans.csv", "--model", f"python:loud:{name}", "--row", 1, "--quiet")
    assert done.returncode == 1
    assert message in done.stderr


def test_what_a_model_prints_is_no_result(lormika):
    (lormika.folder / "loud.py").write_text(LOUD)
    done = lormika("explain", "loans.csv", "--model", "python:loud:loud", "--row", 1, "--json")
    assert json.loads(done.stdout)["prediction"] in ("yes", "no")
    assert "NOISE" in done.stderr


def test_an_output_named_after_a_row_never_replaces_an_input(lormika):
    data = (lormika.folder / "loans.csv").read_bytes()
    (lormika.folder / "x-3.csv").write_bytes(data)
    done = lormika("explain", "x-3.csv", "--model", "loans.skops", "--row", 3, "--row", 4, "--out", "x.csv")
    assert done.returncode == 1
    assert (lormika.folder / "x-3.csv").read_bytes() == data
    done = lormika("mine", "x-3.csv", "--target", "decision", "--out", "x-3.csv")
    assert done.returncode == 1
    assert (lormika.folder / "x-3.csv").read_bytes() == data


def test_a_model_without_names_gets_columns_by_position(lormika, loans):
    import pickle

    from sklearn.tree import DecisionTreeClassifier

    numbers = loans.X[["age", "income", "debt_ratio"]]
    (lormika.folder / "bare.pkl").write_bytes(pickle.dumps(DecisionTreeClassifier().fit(numbers.to_numpy(), loans.y)))
    numbers.assign(decision=loans.y).to_csv(lormika.folder / "numbers.csv", index=False)
    words = ["explain", "numbers.csv", "--model", "bare.pkl", "--allow-pickle", "--row", 1]
    done = lormika(*words, "--target", "decision")
    assert done.returncode == 0, done.stderr
    assert "in the order of the file: 'age', 'income', 'debt_ratio'" in done.stderr
    assert "UserWarning" not in done.stderr
    refused = lormika(*words)
    assert refused.returncode == 1
    assert "the model takes 3 columns" in refused.stderr


def test_a_model_of_category_columns_gets_them_from_a_text_file(lormika, loans):
    import pickle

    from lightgbm import LGBMClassifier

    table = loans.X[["age", "income", "employment", "purpose"]].astype({"purpose": "category"})
    model = LGBMClassifier(n_estimators=5, verbose=-1).fit(table, loans.y)
    (lormika.folder / "light.pkl").write_bytes(pickle.dumps(model))
    words = ["--categorical", "employment", "--categorical", "purpose"]
    done = lormika("explain", "loans.csv", "--model", "light.pkl", "--allow-pickle", "--row", 1, *words)
    assert done.returncode == 0, done.stderr


def test_whoever_stops_reading_is_no_error_of_the_data(lormika):
    explain = f"{sys.executable} -m lormika explain loans.csv --model loans.skops --row 1 --json 2> log"
    command = f"{explain} | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], cwd=lormika.folder, capture_output=True, text=True, check=False)
    assert done.stdout.strip() in ("0", "141")
    assert "Traceback" not in (lormika.folder / "log").read_text()


def test_a_bad_cell_of_another_row_does_no_harm(lormika, loans):
    lines = (lormika.folder / "loans.csv").read_text().splitlines()
    place = lines[0].split(",").index("income")
    cells = lines[8].split(",")
    lines[8] = ",".join([*cells[:place], "abc", *cells[place + 1 :]])
    (lormika.folder / "bad.csv").write_text("\n".join(lines) + "\n")
    command = ["explain", "bad.csv", *EXPLAIN[2:], "--background", "loans.csv"]
    good = lormika(*command, "--row", 5, "--json")
    assert good.returncode == 0, good.stderr
    assert json.loads(good.stdout) == json.loads(lormika(*EXPLAIN, "--row", 5, "--json").stdout)
    bad = lormika(*command, "--row", 7, "--quiet")
    assert bad.returncode == 1
    assert bad.stderr == "error: instance 7: column 'income': 'abc' is not a number, but text: give a number\n"
    worse = lormika("explain", "bad.csv", *EXPLAIN[2:], "--row", 5, "--quiet")  # all rows go through the model
    assert worse.returncode == 1
    assert worse.stderr.startswith("error: column 'income', row 7: 'abc' is text, and the model takes numbers there")
    assert worse.stderr.count("\n") == 1

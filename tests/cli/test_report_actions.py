"""Group actions in the report of a run: what they count, and that a folder grants nothing."""

from __future__ import annotations

import json
import pickle
import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lormika import InputError
from lormika.actions import Limits
from lormika.jobs.inputs import model_facts
from lormika.jobs.run_actions import open_rows, run_actions
from naive_constraints import violations

GIVEN = {"fixed": ["age", "phone"], "up": ["savings"], "down": ["missed_payments"], "ranges": {"income": "±20%"}}
LIMITS = (
    "--fixed",
    "age",
    "--fixed",
    "phone",
    "--up",
    "savings",
    "--down",
    "missed_payments",
    "--range",
    "income=±20%",
)
QUICK = ("--n-generated", 100, "--k", 2, "--workers", 1, "--chunk-rows", 20, "--quiet")
ROWS = ("--target", "decision", "--drop", "id", "--where", "id < 1050")


def run_batch(lormika, *more: object, model: str = "loans.skops") -> None:
    done = lormika("batch", "loans.parquet", "--model", model, "--out", "why", *ROWS, *QUICK, *more)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def finished(loans, tmp_path_factory, warm) -> Path:
    """The folder of a run with constraints."""
    folder = tmp_path_factory.mktemp("finished") / "why"
    line = ["batch", loans.folder / "loans.parquet", "--model", loans.folder / "loans.skops", "--out", folder]
    done = warm.run([str(each) for each in (*line, *ROWS, *QUICK, *LIMITS)], loans.folder, {}, 120)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def why(finished, lormika) -> Path:
    """A copy of it, which a test may change."""
    return Path(shutil.copytree(finished, lormika.folder / "why"))


def plain_rows(frame: pd.DataFrame) -> list[dict[str, object]]:
    """With None for a missing value."""
    return frame.astype(object).where(frame.notna(), None).to_dict("records")


def actions_of(loans, folder: Path, labels=("rejected", "accepted"), **limits):
    run = open_rows(folder, str(loans.folder / "loans.skops"))
    return run_actions(folder, run, loans.model, labels, Limits(**limits))


def test_every_figure_is_that_of_the_model_on_the_rows(loans, why) -> None:
    rows = loans.X[:50]
    before = loans.model.predict(rows)
    found = actions_of(loans, why)
    assert [one["of"] for one in found] == ["rejected", "accepted"]
    for one in found:
        own = rows[before == one["of"]]
        assert one["rows"] == one["tried"] == len(own)
        assert 0 < len(one["actions"]) <= 3
        so_far = np.zeros(len(own), dtype=bool)
        for action in one["actions"]:
            after = own.assign(**{change["feature"]: change["value"] for change in action["changes"]})
            pairs = zip(plain_rows(own), plain_rows(after), strict=True)
            permitted = np.array([old != new and not list(violations(GIVEN, old, new)) for old, new in pairs])
            turned = permitted & (loans.model.predict(after) != one["of"])
            assert action["permitted"] == permitted.sum()
            assert action["turned"] == turned.sum()
            assert action["newly"] == (turned & ~so_far).sum()
            so_far |= turned
        assert one["turned"] == so_far.sum() <= one["bound"]


def test_the_page_has_them_only_with_a_model(lormika, why) -> None:
    assert lormika("report", "why").returncode == 0
    page = (why / "report.html").read_text(encoding="utf-8")
    assert "<h2>Group actions</h2>" not in page
    assert "lormika report … --model MODEL" in page
    done = lormika("report", "why", "--model", "loans.skops", "--out", "page.html")
    assert done.returncode == 0, done.stderr
    page = (lormika.folder / "page.html").read_text(encoding="utf-8")
    section = page.split("<h2>Group actions</h2>")[1].split("<section>")[0]
    assert len(re.findall(r'<tr><th scope="rowgroup"', section)) == 2
    assert "candidates can turn at most" in section
    assert "lormika report … --model MODEL" not in page


def test_the_class_that_changes_lead_to_has_none(lormika, loans) -> None:
    run_batch(lormika, "--toward", "accepted", "--at-least", 0.6)
    (one,) = actions_of(loans, lormika.folder / "why")
    assert (one["of"], one["target"], one["at_least"]) == ("rejected", "accepted", 0.6)
    assert lormika("report", "why", "--model", "loans.skops", "--quiet").returncode == 0
    page = (lormika.folder / "why" / "report.html").read_text(encoding="utf-8")
    assert "with a probability of at least 0.6" in page
    assert actions_of(loans, lormika.folder / "why", ["accepted"]) == []


def test_only_rows_of_finished_parts_count(loans, why) -> None:
    for kind in ("rules", "instances"):
        (why / kind / "part-00001.parquet").unlink()
    rows = loans.X.iloc[[*range(20), *range(40, 50)]]
    (one,) = actions_of(loans, why, ["rejected"])
    assert one["rows"] == (loans.model.predict(rows) == "rejected").sum()
    (few,) = actions_of(loans, why, ["rejected"], rows=4)
    assert (few["rows"], few["tried"]) == (one["rows"], 4)


def test_rows_that_were_deleted_can_be_made_anew(lormika, loans, why) -> None:
    next(why.glob("input-*.parquet")).unlink()
    done = lormika("report", "why", "--model", "loans.skops")
    assert done.returncode == 1
    assert "group actions need the rows and the background of the run" in done.stderr
    assert lormika("report", "why").returncode == 0


def test_options_that_go_with_the_model(lormika, why) -> None:
    for options in (["--allow-pickle"], ["--isolate"], ["--header", "A: b"], ["--action-rows", 5]):
        done = lormika("report", "why", *options)
        assert done.returncode == 2
        assert "add --model" in done.stderr
    done = lormika("report", "why", "--model", "loans.skops", "--header", "A: b")
    assert done.returncode == 2
    done = lormika("report", "why", "--model", "gone.skops")
    assert (done.returncode, done.stderr) == (1, "error: gone.skops cannot be read: No such file or directory\n")


# Folders of strangers


class Payload:
    """Leaves a mark where it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = str(mark)

    def __reduce__(self):
        return open, (self.mark, "w")


def change_run(folder: Path, **fields: object) -> None:
    file = folder / "run.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | fields))


@pytest.mark.parametrize("model", ["evil.pkl", "python:evil:good"])
def test_a_folder_cannot_name_a_model_nor_allow_it(lormika, why, monkeypatch, model) -> None:
    monkeypatch.chdir(lormika.folder)
    mark = lormika.folder / "pwned"
    (lormika.folder / "evil.pkl").write_bytes(pickle.dumps(Payload(mark)))
    (lormika.folder / "evil.py").write_text(f"open({str(mark)!r}, 'w')\n")
    facts = model_facts(model, {"trust": [], "allow_pickle": True, "isolate": False, "max_size": 10**9})
    change_run(why, model=facts)
    assert lormika("report", "why").returncode == 0
    done = lormika("report", "why", "--model", "loans.skops")
    assert done.returncode == 1
    assert "why holds a run of another model" in done.stderr
    if "pkl" in model:  # also if the user is talked into naming it: the permission is theirs to give
        done = lormika("report", "why", "--model", model)
        assert done.returncode == 1
        assert "--allow-pickle" in done.stderr
    assert not mark.exists()


def test_a_pickle_that_the_command_allows(lormika, loans) -> None:
    run_batch(lormika, "--allow-pickle", model="loans.pkl")
    done = lormika("report", "why", "--model", "loans.pkl")
    assert done.returncode == 1
    assert "--allow-pickle" in done.stderr
    assert lormika("report", "why", "--model", "loans.pkl", "--allow-pickle").returncode == 0
    assert "<h2>Group actions</h2>" in (lormika.folder / "why" / "report.html").read_text(encoding="utf-8")


def test_what_a_folder_says_is_checked(lormika, loans, why, tmp_path) -> None:
    whole = json.loads((why / "run.json").read_text())
    for fields, words in (
        ({"input": "../../etc/passwd"}, "what it says of 'input' cannot be"),
        ({"options": {"constraints": [{"permits": "os.system"}]}}, "permits='os.system': give a function"),
        ({"options": {"constraints": "/etc/passwd"}}, "read a file with Constraints.of"),
        ({"options": {"wish": 1}}, "wish"),
        ({"features": ["age"]}, "has other columns than the run"),
    ):
        change_run(why, **whole | fields)
        with pytest.raises(InputError, match=words):
            actions_of(loans, why)
    change_run(why, **whole)
    file = next(why.glob("input-*.parquet"))
    content = file.read_bytes()
    file.write_bytes(content[:-1] + b"?")
    with pytest.raises(InputError, match="which are not there, or have changed"):
        actions_of(loans, why)
    file.unlink()
    (tmp_path / "elsewhere").write_bytes(content)
    file.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="is a symbolic link"):
        actions_of(loans, why)


def test_changes_of_a_folder_are_only_proposals(loans, why) -> None:
    """Changes that no row could have are left out; others are tried, and count only as far as the model agrees."""
    forged = [
        ("wealth", "float", "1.0"),
        ("income", "string", "1"),
        ("income", "integer", "9" * 400),
        ("income", "float", "nan"),
        ("income", "float", "30.5"),
        ("income", "odd", "1"),
        ("employment", "string", "pirate"),
        ("age", "integer", "70"),
    ]
    for part in sorted((why / "rules").glob("part-*.parquet")):
        table = pq.read_table(part)
        after = [forged[row % len(forged)] for row in range(table.num_rows)]
        edits = [[{"feature": f, "before": None, "after": {"type": t, "text": x, "number": None}}] for f, t, x in after]
        place = table.column_names.index("edit_list")
        kind = table.schema.field("edit_list").type
        table = table.set_column(place, table.schema.field("edit_list"), pa.array(edits, kind))
        turned = pa.array([True] * len(edits))
        table = table.set_column(table.column_names.index("turned"), "turned", turned)
        pq.write_table(table, part)
    found = actions_of(loans, why)
    assert [one["candidates"] for one in found] == [1, 1]  # age, which is fixed
    assert [(one["actions"], one["bound"]) for one in found] == [([], 0), ([], 0)]


def test_a_class_that_the_model_does_not_know(loans, why) -> None:
    with pytest.raises(InputError, match="of='maybe': there is no such class"):
        actions_of(loans, why, ["maybe"])

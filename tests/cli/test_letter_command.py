"""lormika letter: files in, a page and its record out."""

from __future__ import annotations

import hashlib
import json

import pytest

LETTER = ("letter", "loans.csv", "--model", "loans.skops", "--target", "decision", "--drop", "id")


@pytest.fixture
def rejected(loans) -> int:
    """A row that is rejected."""
    return int((loans.model.predict(loans.X) == "rejected").argmax())


def digest(path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_letter_and_its_record(lormika, rejected, loans):
    folder = lormika.folder
    (folder / "reasons.csv").write_text(
        "features,condition,code,text\n" + "".join(f"{name},,R-{name},About {name}\n" for name in loans.X.columns)
    )
    done = lormika(
        *LETTER, "--row", rejected, "--codes", "reasons.csv", "--field", r"recipient=Ms <b>Doe</b>\n1 High Street",
        "--time", "2026-03-01", "--out", "letter.html", "--record", "record.json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "written: letter.html" in done.stderr
    assert '--field sender="…" --field contact="…"' in done.stderr
    page, record = (
        (folder / "letter.html").read_text(encoding="utf-8"),
        json.loads((folder / "record.json").read_bytes()),
    )
    assert "<bdi>Ms &lt;b&gt;Doe&lt;/b&gt;</bdi><br><bdi>1 High Street</bdi>" in page
    assert "1 March 2026" in page
    wanted = loans.explainer.explain(loans.X.iloc[[rejected]])
    assert [one["code"] for one in record["reasons"]] == [f"R-{one.feature}" for one in wanted.reasons()]
    for reason in wanted.reasons():
        assert f"About {reason.feature}" in page
    assert record["input"] == wanted.instance
    assert record["letter"]["sha256"] == digest(folder / "letter.html")
    assert record["codes"]["sha256"] == digest(folder / "reasons.csv")
    assert record["model"]["sha256"] == digest(folder / "loans.skops")
    assert record["background"]["sha256"] == loans.explainer.fingerprint().background
    assert record["model"]["labels_sha256"] == loans.explainer.fingerprint().labels
    assert record["time"] == "2026-03-01"


def test_the_same_command_gives_the_same_bytes(lormika, rejected):
    for name in ("one", "two"):
        done = lormika(*LETTER, "--row", rejected, "-q", "--out", f"{name}.html", "--record", f"{name}.json")
        assert (done.returncode, done.stderr) == (0, "")
    for suffix in (".html", ".json"):
        assert (lormika.folder / f"one{suffix}").read_bytes() == (lormika.folder / f"two{suffix}").read_bytes()


def test_other_rows_templates_and_limits(lormika, rejected, loans):
    row = loans.X.iloc[rejected].to_dict()
    (lormika.folder / "x.json").write_text(json.dumps(row, default=lambda value: value.item()))
    (lormika.folder / "mine.j2").write_text("<p>{{ fields.account }} {{ result }} {{ changes|length }}</p>")
    names = [each for name in loans.X.columns for each in ("--fixed", name)]
    done = lormika(
        *LETTER, "--instance", "x.json", "--template", "mine.j2", "--field", "account=7", "--out", "a.html", *names
    )
    assert done.returncode == 0, done.stderr
    assert "<p>7 rejected 0</p>" in (lormika.folder / "a.html").read_text()
    done = lormika(*LETTER, "--where", f"id == {1000 + rejected}", "--template", "explanation", "--out", "b.json")
    assert done.returncode == 0, done.stderr
    record = json.loads((lormika.folder / "b.json").read_bytes())
    assert record["template"]["name"] == "explanation"
    assert record["time"] is None


def test_a_pdf(lormika, rejected, browser):
    done = lormika(*LETTER, "--row", rejected, "--paper", "letter", "--out", "letter.pdf")
    assert done.returncode == 0, done.stderr
    content = (lormika.folder / "letter.pdf").read_bytes()
    assert content.startswith(b"%PDF-")
    assert b"/MediaBox [0 0 612 792]" in content


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "one of --row, --where and --instance"),
        (("--row", 1, "--where", "id == 1"), "one of --row, --where and --instance"),
        (("--where", "id >= 1000"), "a letter is about one row, and these are 600"),
        (("--row", 1, "--field", "recipient"), "'recipient' is not of the form recipient=Ms Doe"),
        (("--row", 1, "--field", "contact=a", "--field", "contact=b"), "'contact' is given twice"),
        (("--row", 1, "--field", "recipent=x"), "this template has no field 'recipent'"),
        (("--row", 1, "--time", "soon"), "--time 'soon': give a date"),
        (("--row", 1, "--template", "mine.j2"), "there is no template mine.j2"),
        (("--row", 1, "--codes", "none.csv"), "none.csv: cannot be read"),
        (("--row", 1, "--record", "record.txt"), "record.txt: a record is a .json file"),
        (("--row", 1, "--record", "out.html"), "a record is a .json file"),
        (("--row", 1, "--top", 9), "--top 9: give a whole number, from 1 to 4"),
        (("--row", 1, "--model", "none.skops"), "none.skops: there is no such file"),
    ],
)
def test_mistakes(lormika, options, words):
    done = lormika(*LETTER, "--out", "out.html", *options)
    assert done.returncode in (1, 2)
    assert words in " ".join(done.stderr.replace("│", " ").split())
    assert "Traceback" not in done.stderr
    assert not (lormika.folder / "out.html").exists()


def test_files_that_are_read_are_not_written_over(lormika):
    done = lormika("letter", "loans.csv", "--model", "loans.skops", "--row", 1, "--out", "loans.csv")
    assert done.returncode == 1
    (lormika.folder / "mine.html").write_text("{{ result }}")
    done = lormika(*LETTER, "--row", 1, "--template", "mine.html", "--out", "mine.html")
    assert "mine.html is a file that is read" in done.stderr
    done = lormika(*LETTER, "--row", 1, "--out", "a.json", "--record", "./a.json")
    assert done.returncode == 2
    assert "the same file" in done.stderr


def test_without_a_browser_a_pdf_is_refused_before_any_work(lormika):
    done = lormika(*LETTER, "--row", 1, "--out", "a.pdf", env={"PATH": str(lormika.folder), "COLUMNS": "200"})
    assert done.returncode == 1
    assert "print it to PDF" in done.stderr
    assert "loans.csv" not in done.stderr


def test_a_model_that_changes_while_it_is_used_is_noticed(lormika):
    """Its hash would be that of another model."""
    (lormika.folder / "model.py").write_text(
        "from pathlib import Path\nimport numpy as np\n\n"
        "def ask(frame):\n"
        "    Path(__file__).write_text(Path(__file__).read_text() + '# changed\\n')\n"
        "    return np.where(frame['income'] > 40, 'yes', 'no')\n"
    )
    done = lormika(
        "letter", "loans.csv", "--model", "python:model:ask", "--target", "decision", "--drop", "id", "--row", 1,
        "--out", "a.html",
    )  # fmt: skip
    assert done.returncode == 1
    assert "python:model:ask has changed since it was loaded" in done.stderr
    assert not (lormika.folder / "a.html").exists()

"""Letters: what they say, what they never do, and what their records prove."""

from __future__ import annotations

import datetime
import hashlib
import json
import re
import threading
from dataclasses import replace
from html.parser import HTMLParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from cases import CASES, HOSTILE, golden
from lacking import lacks, on_posix
from lormika import Explainer, Explanation, InputError, datasets
from lormika.views import letter_templates, pdf
from lormika.views.letter import Letter
from lormika.views.letter_fields import FIELDS
from lormika.views.letter_words import turned_rules
from lormika.views.saving import check_letter_path

X, Y = datasets.make_loans(2000)
TEMPLATES = ["adverse-action", "explanation"]
SENT = {
    "sender": "Example Bank\n1 Market Square", "recipient": "Ms Doe\n14 Mill Lane", "reference": "2026-17",
    "contact": "care@bank.example",
}  # fmt: skip


@pytest.fixture(scope="module")
def explainer() -> Explainer:
    return Explainer(datasets.make_model("rf", X).fit(X, Y), X)


@pytest.fixture(scope="module")
def rejected(explainer) -> Explanation:
    """An application without work and with few savings: each alone would have turned it."""
    found = explainer.explain(X.iloc[[1091]])
    assert found.prediction == "rejected"
    return found


class Words(HTMLParser):
    """The words of a page, and the elements that are in it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.pieces: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.feed(html)
        self.text = " ".join("".join(self.pieces).split())

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.pieces += [" "] if tag in ("br", "td", "th", "p", "small") else []
        self.attributes += [name for name, _ in attrs]

    def handle_data(self, data):
        if self.tags[-1:] != ["style"]:
            self.pieces.append(data)


def words(letter: Letter) -> str:
    return Words(letter.html).text


def own(folder: Path, text: str) -> Path:
    path = folder / "mine.html.j2"
    path.write_text(text, encoding="utf-8")
    return path


def printed_pages(letter: Letter, folder: Path) -> int:
    try:
        pdf.find_browser()
    except InputError as error:
        lacks(str(error))
    content = letter.save(folder / "letter.pdf").read_bytes()
    assert content.startswith(b"%PDF-")
    return len(re.findall(rb"/Type\s*/Page\b", content))


# What it says


def test_an_adverse_action_notice(rejected):
    codes = {"employment": ("R11", "No paid work at present"), "savings": ("R07", "Savings too low")}
    text = words(rejected.letter("adverse-action", codes=codes, fields=SENT, time="2026-03-01"))
    reasons = rejected.reasons(codes)
    places = [text.index(f"{reason.text} ({reason.code})") for reason in reasons]
    assert len(reasons) >= 2
    assert places == sorted(places), "the order of the reasons"
    assert "1 March 2026" in text
    assert "Dear Ms Doe," in text
    assert "Reference: 2026-17" in text
    assert "gave the result rejected" in text
    assert "each of these changes, on its own, led to the result accepted" in text.lower()
    assert "employment: employed instead of unemployed" in text
    assert "care@bank.example" in text
    assert "[" not in text, "a placeholder is left"
    for jargon in ("because", "confidence", "lift", "leverage", "similar", "%", "≥", "≤", "background", "rule"):
        assert jargon not in text.lower()


def test_an_explanation_says_how_far_other_values_lead_elsewhere(rejected):
    text = words(rejected.letter("explanation", fields=SENT))
    effect = next(one for one in rejected.effects if one.feature == "savings")
    least = min(effect.turning("rejected"))
    assert f"savings 2.8 {least:g} or more" in text
    assert "employment unemployed employed or self-employed" in text
    assert f"with a probability of {rejected.probability:.0%}" in text
    assert "because" not in text.lower()


@pytest.mark.parametrize("template", ["adverse-action", "explanation"])
def test_a_letter_about_changed_values_is_hypothetical(rejected, template):
    assert "hypothetical" not in words(rejected.letter(template))
    letter = rejected.letter(template, instead_of={"savings": 12.5, "missed_payments": 1})
    text = words(letter)
    assert "This is hypothetical: it is not about the case as it is." in text
    assert "savings 2.8 instead of 12.5, missed payments 0 instead of 1." in text
    assert "changed as above, it gives the result rejected" in text
    assert letter.record["instead_of"] == {"savings": 12.5, "missed_payments": 1}
    with pytest.raises(InputError, match="there is no feature 'saving'; did you mean 'savings'"):
        rejected.letter(template, instead_of={"saving": 1})


def test_the_changes_are_true_of_the_model(rejected, explainer):
    """What the letter names is asked again."""
    changes = re.findall(r"<li>(.*?instead of.*?)</li>", rejected.letter().html)
    assert len(changes) >= 2
    for change in changes:
        details = re.findall(r"<b><bdi>(\w+)</bdi></b>: <bdi>([\w.-]+)( or more)?</bdi> instead of", change)
        assert len(details) == change.count("instead of")
        changed = rejected.instance | {name: _typed(name, value) for name, value, _ in details}
        assert explainer.explain(changed).prediction == "accepted"
        if details[0][2]:  # more of it leads there, too
            changed[details[0][0]] = float(X[details[0][0]].max())
            assert explainer.explain(changed).prediction == "accepted"


def _typed(name: str, value: str) -> object:
    return X[name].dtype.type(value) if X[name].dtype.kind in "if" else value


def test_suggested_changes_keep_to_constraints(rejected, explainer):
    limited = explainer.explain(dict(rejected.instance), constraints={"fixed": ["employment"]})
    text = words(limited.letter())
    assert "instead of unemployed" not in text
    assert "savings:" in text
    every = explainer.explain(dict(rejected.instance), constraints={"fixed": list(X.columns)})
    assert "No permitted change that was tried led to another result" in words(every.letter())


def test_where_a_change_must_lead_is_said(rejected, explainer):
    fixed = {"fixed": list(X.columns)}
    aimed = explainer.explain(dict(rejected.instance), constraints=fixed, target="accepted", at_least=0.9)
    text = words(aimed.letter())
    assert "No permitted change that was tried led to the result accepted with enough certainty." in text
    assert "No change" not in words(aimed.letter("explanation"))
    here = explainer.explain(dict(rejected.instance), target="rejected")
    assert "another result" not in words(here.letter())


def test_nothing_is_said_of_what_was_not_asked():
    paper = Explainer(datasets.make_model("tree", X).fit(X, Y), X, preset="paper").explain(X.iloc[[1091]])
    assert not paper.effects
    text = words(paper.letter("explanation"))
    assert "less certain" not in text
    assert "no other value was tried" in text
    assert "Where a range is given" not in text


def test_without_words_in_a_table_the_value_speaks_for_itself(rejected):
    letter = rejected.letter(codes={"savings": "Savings too low"})
    assert "employment: unemployed" in words(letter)
    assert "Savings too low" in words(letter)
    assert {reason["text"] for reason in letter.record["reasons"]} >= {"employment: unemployed", "Savings too low"}


def test_what_is_not_given_is_seen_or_left_out(rejected):
    letter = rejected.letter()
    text = words(letter)
    for placeholder in ("[sender]", "[recipient]", "[whom to write to]"):
        assert placeholder in text
    assert letter.placeholders == ("sender", "recipient", "contact")
    assert "Reference" not in text
    assert "Dear Sir or Madam," in text
    assert not re.search(r"\b20\d\d\b", text), "a date that nobody gave"
    assert rejected.letter(fields=SENT).placeholders == ()


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("name", CASES)
def test_every_sort_of_explanation_becomes_a_letter(name, template):
    letter = CASES[name]().letter(template, fields=SENT)
    assert "None" not in words(letter).replace("None or", "")
    json.dumps(letter.record, allow_nan=False)


def test_three_classes_name_the_result_of_each_change():
    grades = ["low", "middle", "high"]
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"score": rng.integers(0, 90, 900), "noise": rng.normal(size=900)})
    explainer = Explainer(lambda f: np.array(grades)[f["score"].to_numpy() // 30], table, class_names=grades)
    explanation = explainer.explain({"score": 45, "noise": 0.0})
    text = words(explanation.letter(fields=SENT))
    assert "gave the result middle" in text
    assert "led to another result:" in text
    assert re.search(r"score: \d+ or (less|more) instead of 45 \(result: (low|high)\)", text)
    assert "Another result with" in words(explanation.letter("explanation", fields=SENT))


def test_a_model_of_labels_alone():
    explanation = golden("label")
    text = words(explanation.letter("explanation", fields=SENT))
    assert "probability" not in text
    assert explanation.letter().record["probabilities"][0]["probability"] is None


@pytest.mark.parametrize("template", TEMPLATES)
def test_no_reason_at_all(template, rejected):
    nothing = replace(rejected, rules=(), effects=())
    letter = nothing.letter(template)
    assert letter.record["reasons"] == []
    assert "No single detail stands out" in words(letter)
    assert "led to another result" in words(letter)
    assert "No change that was tried" not in words(replace(nothing, asked=None).letter(template))


def test_changes_of_many_details_are_not_denied(rejected):
    rule = rejected.counterfactual[0]
    edits = tuple(replace(rule.rerun.edits[0], feature=name) for name in X.columns)
    many = replace(rejected, rules=(replace(rule, rerun=replace(rule.rerun, edits=edits)),))
    smallest = f"The smallest change found that led to another result is one of {len(edits)} details together."
    assert smallest in words(many.letter())


def test_many_ranges_are_counted(rejected):
    effect = next(one for one in rejected.effects if one.feature == "savings")
    labels = tuple("accepted" if number % 2 else "rejected" for number, _ in enumerate(effect.values))
    other = replace(effect, labels=labels)
    text = words(replace(rejected, effects=(other,)).letter("explanation"))
    assert re.search(r"savings 2\.8 [\d.]+, or [\d.]+, or [\d.]+ or \d+ further ranges", text)


# Paper


@pytest.mark.parametrize("paper", ["A4", "letter"])
@pytest.mark.parametrize("template", TEMPLATES)
def test_the_fullest_letter_is_one_page(template, paper, rejected, tmp_path):
    """Fields, names, values and texts as long as they may be, with as many reasons and changes."""
    fields = {name: _longest(*limits) for name, limits in FIELDS.items()}
    long = {name: f"{name}{' word' * 30}" for name in [*X.columns, "employed", "unemployed", "self-employed"]}
    fullest = _fullest(_renamed(rejected, long))
    codes = {name: (f"{name[:9]}{'9' * 100}", "A text that goes on. " * 50) for name in fullest.instance}
    letter = fullest.letter(template, codes=codes, fields=fields, time="2026-12-31", paper=paper)
    assert len(letter.record["reasons"]) == 4
    assert words(letter).count("instead of") == 5
    assert printed_pages(letter, tmp_path) == 1


def _fullest(explanation: Explanation) -> Explanation:
    """Every feature is a reason, and three changes lead elsewhere."""
    every = {"certainties": (0.0,) * 8, "labels": ("accepted",) * 8}
    values = tuple(f"{number} {'word ' * 30}" for number in range(8))
    effects = tuple(replace(one, **every, values=values, shares=()) for one in explanation.effects)
    features = tuple(replace(one, kind="categorical", quantiles=()) for one in explanation.features)
    rule, names = explanation.counterfactual[0], list(explanation.instance)
    edit = replace(rule.rerun.edits[0], before="old word " * 20, after="new word " * 20)
    rules = tuple(
        replace(rule, rerun=replace(rule.rerun, edits=tuple(replace(edit, feature=name) for name in some)))
        for some in (names[:1], names[1:3], names[3:5])
    )
    return replace(explanation, effects=effects, rules=rules, features=features)


def test_more_than_a_page_is_counted(tmp_path, rejected):
    """The test above can fail."""
    letter = rejected.letter(own(tmp_path, "{% for i in range(200) %}<p>{{ i }}</p>{% endfor %}"))
    assert printed_pages(letter, tmp_path) > 1


def _longest(characters: int, lines: int) -> str:
    length = characters // lines - 2
    return "\n".join(("word " * length)[:length].strip() + "." for _ in range(lines))


def _renamed(explanation: Explanation, names: dict[str, str]) -> Explanation:
    def walk(value):
        if isinstance(value, dict):
            return {names.get(key, key): walk(each) for key, each in value.items()}
        if isinstance(value, list):
            return [walk(each) for each in value]
        return names.get(value, value) if isinstance(value, str) else value

    return Explanation.from_dict(walk(explanation.to_dict()))


@pytest.mark.parametrize("template", TEMPLATES)
def test_nothing_overlaps_on_a_screen(template, rejected, browser):
    for width in (900, 400):
        result = browser.visit(rejected.letter(template, fields=SENT, time="2026-03-01").html, width)
        assert result["faults"] == []
        assert result["requests"] == []


def test_files(rejected, tmp_path, monkeypatch):
    letter = rejected.letter(fields=SENT)
    assert letter.save(tmp_path / "a.html").read_text(encoding="utf-8") == letter.html
    assert json.loads(letter.save(tmp_path / "a.json").read_text(encoding="utf-8")) == letter.record
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["a.html", "a.json"]
    with pytest.raises(InputError, match=r"cannot save as '.txt'|cannot save as .txt"):
        letter.save(tmp_path / "a.txt")
    monkeypatch.setenv("PATH", str(tmp_path))
    for save in (letter.save, check_letter_path):
        with pytest.raises(InputError, match=r"needs Chromium .* open it in a browser, and print it to PDF"):
            save(tmp_path / "a.pdf")


@on_posix
def test_a_browser_that_prints_nothing(rejected, tmp_path, monkeypatch):
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\nexit 7\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match=r"did not print the letter \(exit code 7\)"):
        rejected.letter().save(tmp_path / "a.pdf")
    assert not (tmp_path / "a.pdf").exists()


# Hostile data


@pytest.mark.parametrize("template", TEMPLATES)
def test_data_is_only_ever_text(template, browser):
    fields = {name: next(one for one in HOSTILE if len(one) < limits[0]) for name, limits in FIELDS.items()}
    explanation = CASES["hostile"]()
    codes = dict.fromkeys(explanation.instance, (HOSTILE[0], HOSTILE[1]))
    letter = explanation.letter(template, fields=fields, codes=codes)
    page = Words(letter.html)
    assert not {"script", "img"} & set(page.tags)
    assert not [name for name in page.attributes if name.startswith("on")]
    assert "<script>document.title" in page.text
    result = browser.visit(letter.html, 900)
    assert result["title"] != "hacked"
    assert result["requests"] == []


def test_half_a_character_in_the_data(rejected, tmp_path):
    odd = replace(rejected, instance=rejected.instance | {"employment": "un\ud800"})
    letter = odd.letter()
    page, record = letter.save(tmp_path / "a.html").read_bytes(), letter.save(tmp_path / "a.json").read_bytes()
    assert b"un&#55296;" in page
    assert json.loads(record)["input"]["employment"] == "un\ud800"
    assert hashlib.sha256(page).hexdigest() == letter.record["letter"]["sha256"]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"fields": {"recipent": "x"}}, "no field 'recipent'; it has sender, recipient"),
        ({"fields": {"recipient": 3}}, "field 'recipient': give a text, not 3"),
        ({"fields": {"recipient": "a\x1b[31mb"}}, "which cannot be printed"),
        ({"fields": {"recipient": "a\u202eb"}}, "which cannot be printed"),
        ({"fields": {"recipient": "a\ud800"}}, "which cannot be printed"),
        ({"fields": {"reference": "x" * 61}}, "field 'reference': 61 characters; there is room for 60"),
        ({"fields": {"contact": "x\n" * 4 + "x"}}, "field 'contact': 5 lines; there is room for 3"),
        ({"fields": ["recipient"]}, "give names and texts"),
        ({"time": "yesterday"}, "time='yesterday': give a date, 2026-03-01"),
        ({"time": 20260301}, "give a date"),
        ({"top": 5}, "top=5: give a whole number, from 1 to 4"),
        ({"paper": "A5"}, "paper='A5': choose one of A4, letter"),
        ({"template": "none"}, "there is no template none; the built-in ones are adverse-action and explanation"),
        ({"template": 3}, "template=3"),
        ({"codes": "none.csv"}, "none.csv: cannot be read"),
        ({"codes": {"agee": "x"}}, "there is no feature 'agee'"),
    ],
)
def test_mistakes(rejected, wrong, message):
    with pytest.raises(InputError, match=re.escape(message)):
        rejected.letter(**wrong)


# Templates of others


def test_a_template_of_ones_own(rejected, tmp_path):
    file = own(
        tmp_path,
        '{% extends "letter.html.j2" %}{% block title %}Answer{% endblock %}'
        "{% block body %}<p>{{ fields.account }}: {{ result }}, {{ reasons[0].feature }}, {{ date }}</p>{% endblock %}",
    )
    letter = rejected.letter(file, fields={"account": "<b>7</b>"}, time=datetime.date(2026, 3, 1))
    text = words(letter)
    assert f"<b>7</b>: rejected, {rejected.reasons()[0].feature}, 1 March 2026" in text
    assert letter.record["template"] == {
        "name": "mine.html.j2",
        "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
    }
    assert letter.placeholders == ()
    with pytest.raises(InputError, match="'items' cannot be the name of a field"):
        rejected.letter(file, fields={"items": "x"})


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("a\n{% if %}", ", line 2: "),
        ("a\n\n{{ fields.nothing }}", ", line 3: "),
        ("\n{{ 1 / 0 }}", ", line 2: division by zero"),
        ("{{ result.__class__.__mro__ }}", "access to attribute '__class__'"),
        ("{{ ''|attr('__class__') }}", "access to attribute '__class__'|unsafe"),
        ("{{ '{0.__class__}'.format(1) }}", "access to attribute '__class__'|unsafe"),
        ("{{ cycler.__init__.__globals__.os }}", "access to attribute '__init__'"),
        ("{{ self._TemplateReference__context.environment }}", "unsafe"),
        ("{% include '/etc/passwd' %}", "/etc/passwd"),
        ("{% include '../explanation.css' %}", "explanation.css"),
        ("{% import 'os' as os %}", "os"),
        ("{{ reasons.append(1) }}", "unsafe|not safely callable"),
        ("{{ result|safe }}", "No filter named 'safe'"),
        ("\n{% autoescape false %}{{ result }}{% endautoescape %}", "line 2: escaping cannot be switched off"),
        ("{{ lipsum() }}", "'lipsum' is undefined"),
        ("{{ range(10**9)|length }}", "Range too big"),
        ("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "without end"),
        ("{% for i in range(99999) %}{{ 'x' * 999 }}{% endfor %}", "more than 1,000,000 characters"),
        ("{{ 'x' * 10**10 }}", "too much memory"),
        ("<script>alert(1)</script>", "makes a <script>"),
        ("<p>\n<META a='>' http-equiv=refresh content='0;url=http://example.org'>", r"<meta> \(line 2 of the letter\)"),
        ("<iframe src='file:///etc/passwd'>", "makes a <iframe>"),
        ("<link rel=stylesheet href=//example.org>", "makes a <link>"),
        ("<base href=//example.org>", "makes a <base>"),
    ],
)
def test_a_template_of_a_stranger_grants_nothing(rejected, tmp_path, template, message):
    file = own(tmp_path, template)
    with pytest.raises(InputError, match=f"template {re.escape(str(file))}.*(?:{message})"):
        rejected.letter(file)


def test_a_template_without_end_is_ended(rejected, tmp_path, monkeypatch):
    monkeypatch.setattr(letter_templates, "SECONDS", 3)
    nested = "{% for i in range(99999) %}" * 5 + "{% endfor %}" * 5
    with pytest.raises(InputError, match="it takes more than 3 seconds or 512 megabytes"):
        rejected.letter(own(tmp_path, nested))


@pytest.fixture
def server():
    """A server that keeps what it is asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as serving:
        thread = threading.Thread(target=serving.serve_forever)
        thread.start()
        try:
            yield SimpleNamespace(url=f"http://127.0.0.1:{serving.server_port}", asked=asked)
        finally:
            serving.shutdown()
            thread.join()


@pytest.mark.parametrize(
    "start",
    ["", "<!doctype HTML>", '<html a="><head>', "<!DOCTYPE html><html lang='><head>", "<!-- <html><head> -->", "<svg>"],
)
def test_whatever_a_template_shows_fetches_nothing(start, rejected, tmp_path, browser, server):
    """No beginning of a page swallows the policy."""
    pictures = f"<img src={server.url}/one>\"'><img src={server.url}/two><style>@import url({server.url}/three)</style>"
    html = rejected.letter(own(tmp_path, start + pictures)).html
    kept = html.replace('http-equiv="Content-Security-Policy"', "http-equiv='Content-Security-Policy'")
    assert kept != html
    browser.visit(kept, 900)
    assert server.asked == []
    browser.visit(html, 900)  # which takes the policy away
    assert "/two" in server.asked


@on_posix
def test_other_bad_files(rejected, tmp_path):
    latin = tmp_path / "latin.j2"
    latin.write_bytes("Größe".encode("latin-1"))
    with pytest.raises(InputError, match="it is not UTF-8"):
        rejected.letter(latin)
    with pytest.raises(InputError, match="more than 1,000,000 bytes"):
        rejected.letter("/dev/zero")
    with pytest.raises(InputError, match="Is a directory"):
        rejected.letter(tmp_path)
    large = own(tmp_path, "x" * 1_000_001)
    with pytest.raises(InputError, match="more than 1,000,000 bytes"):
        rejected.letter(large)


# The record


def test_the_record_holds_what_it_rests_on(rejected, explainer, tmp_path):
    file = tmp_path / "codes.csv"
    file.write_text("features,code,text\nsavings,R07,Savings too low\n")
    model = tmp_path / "model.bin"
    model.write_bytes(b"the bytes of a model")
    letter = rejected.letter(
        codes=file, fields=SENT, time="2026-03-01T14:30:00+01:00", fingerprint=explainer.fingerprint(model)
    )
    record = letter.record
    assert record["letter"]["sha256"] == hashlib.sha256(letter.html.encode()).hexdigest()
    template = Path(letter_templates.__file__).parent / "templates" / "letters" / "adverse-action.html.j2"
    assert record["template"] == {
        "name": "adverse-action",
        "sha256": hashlib.sha256(template.read_bytes()).hexdigest(),
    }
    assert record["codes"] == {"name": "codes.csv", "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}
    assert record["model"]["sha256"] == hashlib.sha256(b"the bytes of a model").hexdigest()
    assert record["background"] == {"sha256": background_digest(X), "rows": len(X)}
    assert record["time"] == "2026-03-01T14:30:00+01:00"
    assert record["fields"] == SENT
    payload = rejected.to_dict()
    assert record["input"] == payload["instance"]
    for name in ("prediction", "rules", "options", "versions"):
        assert record[name] == payload[name]
    assert {one["label"]: one["probability"] for one in record["probabilities"]} == rejected.probabilities
    assert [(one["feature"], one["code"]) for one in record["reasons"]] == [
        (one.feature, one.code) for one in rejected.reasons(file)
    ]


def background_digest(table: pd.DataFrame) -> str:
    """As the documentation defines it, from the table alone."""
    digest = hashlib.sha256()
    for name, column in table.items():
        if column.dtype.kind in "if":
            categories, numbers = None, column.to_numpy(dtype="<f8")
        else:
            categories = sorted(column.dropna().unique().tolist())
            numbers = np.array([np.nan if pd.isna(v) else categories.index(v) for v in column], dtype="<f8")
        digest.update(json.dumps([name, categories]).encode() + b"\n" + numbers.tobytes())
    return digest.hexdigest()


def test_a_background_is_the_same_in_any_library(explainer):
    polars = pytest.importorskip("polars")
    model = lambda f: np.where(np.asarray(f["savings"]) > 5, "yes", "no")  # noqa: E731
    digests = {Explainer(model, table).fingerprint().background for table in (X, polars.from_pandas(X))}
    assert digests == {explainer.fingerprint().background}
    assert Explainer(model, X[::-1]).fingerprint().background not in digests
    odd = X.assign(savings=[np.nan, -0.0, *X["savings"][2:]])
    assert Explainer(model, odd).fingerprint().background == background_digest(odd.replace({-0.0: 0.0}))


def test_what_cannot_be_hashed_is_said(rejected, explainer):
    assert rejected.letter().record["model"] == {"sha256": None, "note": "no fingerprint was given"}
    record = rejected.letter(fingerprint=explainer.fingerprint()).record
    assert record["model"]["sha256"] is None
    assert "given as an object" in record["model"]["note"]
    said = b'["accepted", "rejected"]\n' + explainer.model(X).labels.astype("<i4").tobytes()
    assert record["model"]["labels_sha256"] == hashlib.sha256(said).hexdigest()
    assert "behind an address" in explainer.fingerprint("http://127.0.0.1:1/v2/models/x").model_note
    assert "module" in explainer.fingerprint("python:json:loads").model_note
    with pytest.raises(InputError, match=r"the model cannot be hashed: none\.skops"):
        explainer.fingerprint("none.skops")


def test_a_table_of_codes_in_memory_is_hashed_too(rejected):
    codes = {"savings": ("R07", "Savings too low")}
    text = '{"savings":["R07","Savings too low"]}'
    assert rejected.letter(codes=codes).record["codes"] == {
        "name": None,
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
    }


@pytest.mark.parametrize("template", TEMPLATES)
def test_the_same_gives_the_same_bytes(template, rejected, explainer):
    again = Explanation.from_json(rejected.to_json())
    one, other = (each.letter(template, fields=SENT, time="2026-03-01") for each in (rejected, again))
    assert one.html == other.html
    assert one.record == other.record


def test_a_number_that_must_be_hit_exactly_is_no_advice():
    X = pd.DataFrame({"amount": np.tile(np.arange(20), 20), "savings": np.repeat(np.arange(20), 20)})

    def model(frame):
        chance = np.where((frame["amount"] == 7) | (frame["savings"] >= 12), 0.8, 0.2)
        return np.column_stack([1 - chance, chance])

    explainer = Explainer(model, X, class_names=["no", "yes"])
    explanation = explainer.explain({"amount": 15, "savings": 3})
    assert {rule.features for rule in explanation.counterfactual} == {("amount",), ("savings",)}
    assert [rule.features for rule in turned_rules(explanation)] == [("savings",)]
    only = explainer.explain({"amount": 15, "savings": 3}, constraints={"fixed": ["savings"]})
    assert [rule.features for rule in turned_rules(only)] == [("amount",)]

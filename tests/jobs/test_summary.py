"""What many explanations come to: counts against plain Python, damaged runs, and the page in a browser."""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter, defaultdict
from functools import cache
from html import unescape
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from browser import DARK, LIGHT
from cases import HOSTILE, loan_model
from lormika import Explainer, InputError, datasets
from lormika.cli.report import report
from lormika.jobs import INSTANCES, RULES, part_tables, tally
from lormika.jobs.part_columns import RowResult
from lormika.jobs.summary import summarise
from lormika.views import rule_structs
from lormika.views.summary_html import to_summary

KINDS = tally.KINDS
CURRENT_SUPPORTING, _, HYPOTHETICAL_SUPPORTING, COUNTERFACTUAL = KINDS
NAMES = ["age", 'a"low":5', '","integer":true', "low", "\\", "job", *HOSTILE[:3]]
LABELS = ["yes", "no", HOSTILE[0]]


VALUES = ["low", 'x","low":3', 1, 1.0, 2.5, True, "1", "true", 2**53, 2**53 + 1, *HOSTILE[:2]]


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def condition(**fields):
    """A condition as tables have it."""
    return dict.fromkeys(name for name, _ in rule_structs.CONDITION.fields) | fields


def change(feature, before, after):
    before, after = (None if value is None else rule_structs.value_struct(value) for value in (before, after))
    return {"feature": feature, "before": before, "after": after}


def plain(struct):
    """A value as it was; text as JSON has it, but that of strings."""
    return None if struct is None else struct["text"] if struct["type"] == "string" else json.loads(struct["text"])


def plain_condition(struct):
    """Only what belongs to its type."""
    names = {"interval": ["low", "high", "integer"], "equals": ["value"], "missing": []}[struct["type"]]
    fields = {name: struct[name] for name in ("type", "feature", *names)}
    fields |= {"value": plain(struct["value"])} if "value" in fields else {}
    return fields | ({"single": True} if struct["single"] else {})


def write(folder, parts, run=None, manifest=True):
    """A folder of a run; each part is a list of instances and one of rules."""
    for kind in ("rules", "instances"):
        (folder / kind).mkdir(parents=True)
    for number, (instances, rules) in enumerate(parts):
        for kind, rows, columns in (("instances", instances, INSTANCES), ("rules", rules, RULES)):
            rows = [dict.fromkeys(columns) | row for row in rows]
            pq.write_table(part_tables.to_table(rows, columns), folder / kind / f"part-{number:05}.parquet")
    rows = sum(len(instances) for instances, _ in parts)
    start = {"format": "lormika.batch", "format_version": 2, "model": {"source": "loans.skops"}, "options": {"k": 5}}
    start |= {"version": "1.0", "rows": rows, "features": [], "chunk_rows": max(1, -(-rows // max(len(parts), 1)))}
    (folder / "run.json").write_text(json.dumps(start | (run or {})))
    if manifest:
        (folder / "manifest.json").write_text("{}")
    return folder


@cache
def loans(n=60):
    X, _ = datasets.make_loans(1500)
    explainer = Explainer(loan_model, X, class_names=["accepted", "rejected"])
    explanations = explainer.explain_many(X[:n], k=3, progress=False)
    results = [RowResult(row, None, why) for row, why in enumerate(explanations)]
    parts = []
    for rows in (results[: n // 2], results[n // 2 :]):
        rules = [rule for row in rows for rule in part_tables.rule_rows(row)]
        parts.append(([part_tables.instance_row(row) for row in rows], rules))
    return parts


# ---------------------------------------------------------------- counts


def naive(parts):
    """Counts of everything, rule by rule."""
    counts = defaultdict(
        lambda: {
            "of": set(),
            "rules": 0,
            "confidence": 0.0,
            "matched": 0,
            "kept": 0,
            "tested": 0,
            "numbers": [],
            "ranges": [],
        }
    )
    instances = {(n, row["row"]): row for n, (rows, _) in enumerate(parts) for row in rows}
    for n, (_, rules) in enumerate(parts):
        for rule in rules:
            row = instances[n, rule["row"]]
            prediction, kind = row["prediction"], rule["category"]
            conditions = [plain_condition(struct) for struct in rule["condition_list"]]
            numbers = [c[end] for c in conditions if c["type"] == "interval" for end in ("low", "high")]
            ranges = [naive_range(c) for c in conditions if c["type"] == "interval"]
            for c in conditions:
                c.pop("integer", None)
                c |= {end: None if c[end] is None else "…" for end in ("low", "high") if end in c}
            before, after = row["probability"], rule["rerun_prediction_probability"]
            turned = bool(rule["turned"])
            tested = {COUNTERFACTUAL: rule["turned"] is not None}.get(
                kind, kind == HYPOTHETICAL_SUPPORTING and before is not None and after is not None
            )
            kept = tested and (turned if kind == COUNTERFACTUAL else not turned and after > before)
            keys = [("rule", prediction, kind, rule["consequent"], compact(conditions)), ("kind", prediction, kind)]
            keys += [("feature", prediction, kind, c["feature"]) for c in conditions]
            if kind == COUNTERFACTUAL and turned:
                edits = [{name: plain(edit[name]) for name in ("before", "after")} | {"feature": edit["feature"]}
                         for edit in rule["edit_list"]]  # fmt: skip
                steps = [naive_step(edit, conditions) for edit in edits]
                keys += [("change", prediction, rule["rerun_label"], compact(steps))]
                keys += [("changed", prediction, edit["feature"]) for edit in edits]
            for key in dict.fromkeys(keys):
                entry = counts[key]
                entry["of"].add((n, rule["row"]))
                entry["rules"] += 1
                if rule["confidence"] is not None:
                    entry["confidence"] += rule["confidence"]
                    entry["matched"] += 1
                entry["kept"] += kept
                entry["tested"] += tested
                entry["numbers"].append(numbers)
                entry["ranges"].append(ranges)
    return counts


def naive_range(condition):
    """First and last whole number; None: it is not of whole numbers."""
    low, high = condition["low"], condition["high"]
    ends = (None if low is None else float(np.ceil(low)), None if high is None else float(np.ceil(high) - 1))
    return ends if condition["integer"] else None


def naive_step(edit, conditions):
    before, after = edit["before"], edit["after"]
    categorical = any(c["feature"] == edit["feature"] and c["type"] == "equals" for c in conditions)
    if categorical or after is None or isinstance(after, str | bool):
        return [edit["feature"], "to", after]
    return [edit["feature"], "given" if before is None else "up" if after > before else "down", None]


def told(payload):
    """The same counts from a summary."""
    found = {}
    for detail in payload["details"]:
        label = detail["label"]
        for kind in KINDS:
            found |= {("feature", label, kind, f["feature"]): f["rows"] for f in detail["features"][kind]}
            for rule in detail["rules"][kind]:
                conditions = [dict(c) for c in rule["conditions"]]
                numbers = [c[end] for c in conditions if c["type"] == "interval" for end in ("low", "high")]
                common = [c.pop("common") for c in conditions if c["type"] == "interval"]
                for c in conditions:
                    c.pop("integer", None)
                    c |= {end: None if c[end] is None else "…" for end in ("low", "high") if end in c}
                found["rule", label, kind, rule["consequent"], compact(conditions)] = rule | {
                    "numbers": numbers,
                    "common": common,
                }
        for change in detail["changes"]:
            steps = [[step["feature"], step["way"], step["value"]] for step in change["steps"]]
            found["change", label, change["to"], compact(steps)] = change["rows"]
        found |= {("changed", label, f["feature"]): f["rows"] for f in detail["changed"]}
    for one in payload["classes"]:
        found |= {("kind", one["label"], kind): count for kind, count in one["kinds"].items() if count["rules"]}
    return found


def compare(parts, payload):
    expected, found = naive(parts), told(payload)
    assert found.keys() == expected.keys()
    for key, entry in expected.items():
        got = found[key]
        if isinstance(got, int):
            assert got == len(entry["of"]), key
            continue
        assert {name: got[name] for name in ("rules", "tested", "kept")} == {
            n: entry[n] for n in ("rules", "tested", "kept")
        }
        if key[0] != "rule":
            continue
        assert got["rows"] == len(entry["of"]), key
        mean = entry["confidence"] / entry["matched"] if entry["matched"] else None
        assert got["confidence"] == (None if mean is None else pytest.approx(mean))
        for place, common in enumerate(got["common"]):
            counted = Counter(ranges[place] for ranges in entry["ranges"])
            if None in counted:
                assert common is None
            elif len(counted) <= 20:
                assert common["share"] == max(counted.values()) / entry["rules"]
                assert counted[common["low"], common["high"]] == max(counted.values())
        for place, number in enumerate(got["numbers"]):
            values = [numbers[place] for numbers in entry["numbers"]]
            if number is None:
                assert set(values) == {None}
            else:
                assert (number["least"], number["most"]) == (min(values), max(values))
                assert number["mean"] == pytest.approx(sum(values) / len(values))
    instances = [row for rows, _ in parts for row in rows]
    explained = [row for row in instances if row["error"] is None]
    for one in payload["classes"]:
        own = [row for row in explained if row["prediction"] == one["label"]]
        assert one["rows"] == len(own)
        assert one["turned"] == sum(row["turned"] > 0 for row in own)
        assert [one["kinds"][k]["rows"] for k in KINDS] == [sum(row[k] > 0 for row in own) for k in KINDS]
        chances = [row["probability"] for row in own if row["probability"] is not None]
        assert one["probability"] == (pytest.approx(np.mean(chances)) if chances else None)
    for kind, total in payload["kinds"].items():
        own = [entry for key, entry in expected.items() if key[0] == "kind" and key[2] == kind]
        assert total["kept"] == sum(entry["kept"] for entry in own)
        assert total["rows"] == sum(len(entry["of"]) for entry in own)
    assert payload["failed"] == len(instances) - len(explained) == sum(f["rows"] for f in payload["failures"])


numbers = st.one_of(st.integers(-3, 3), st.floats(-1e6, 1e6), st.sampled_from([1e-9, 1e22, -2.5e-7]))
intervals = st.builds(
    lambda f, low, high, whole, single: condition(
        type="interval", feature=f, low=low, high=high, integer=whole, single=single
    ),
    st.sampled_from(NAMES[:4]), st.none() | numbers, st.none() | numbers, st.booleans(), st.booleans(),
)  # fmt: skip
equals = st.builds(
    lambda f, value: condition(type="equals", feature=f, value=rule_structs.value_struct(value)),
    st.sampled_from(NAMES[4:]), st.sampled_from(VALUES),
)  # fmt: skip
missing = st.builds(lambda f: condition(type="missing", feature=f), st.sampled_from(NAMES))
conditions = st.lists(intervals | equals | missing, min_size=1, max_size=3, unique_by=lambda c: c["feature"])


@st.composite
def runs(draw):
    """Parts with hostile names, and numbers and nulls of every sort."""
    parts, row = [], 0
    for _ in range(draw(st.integers(1, 3))):
        instances, rules = [], []
        for _ in range(draw(st.integers(0, 4))):
            error = draw(st.none() | st.none() | st.sampled_from([f"row {row} is bad", HOSTILE[0]]))
            own = [] if error else draw(st.lists(rule_rows(row), max_size=6))
            instance = {"row": row, "error": error, "prediction": None, "probability": None}
            if error is None:
                instance |= {
                    "prediction": draw(st.sampled_from(LABELS)),
                    "probability": draw(st.none() | st.floats(0, 1)),
                }
                instance |= {kind: sum(rule["category"] == kind for rule in own) for kind in KINDS}
                instance["turned"] = sum(r["category"] == COUNTERFACTUAL and r["turned"] is True for r in own)
            instances.append(instance)
            rules += own
            row += 1
        parts.append((instances, rules))
    return parts


@st.composite
def rule_rows(draw, row):
    kind, count = draw(st.sampled_from(KINDS)), draw(st.integers(1, 50))
    found = {"row": row, "category": kind, "consequent": draw(st.sampled_from(LABELS))}
    wanted = draw(conditions)
    found |= {"condition_list": wanted, "confidence": draw(st.integers(1, count)) / count}
    found |= dict.fromkeys(["edit_list", "rerun_label", "rerun_prediction_probability", "turned"])
    if "hypothetical" in kind:
        edits = [
            change(c["feature"], draw(st.none() | st.integers(-3, 3)), 2 if c["value"] is None else plain(c["value"]))
            for c in wanted
        ]
        found |= {
            "edit_list": edits,
            "turned": draw(st.booleans()),
            "rerun_label": draw(st.sampled_from(LABELS)),
        }
        found["rerun_prediction_probability"] = draw(st.none() | st.floats(0, 1))
    return found


@settings(max_examples=25)
@given(runs())
def test_counts_are_those_of_plain_python(parts):
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder) / "run", parts)
        if not any(instances for instances, _ in parts):
            with pytest.raises(InputError, match="hold no row"):
                summarise(Path(folder) / "run")
            return
        payload = summarise(Path(folder) / "run", top=10_000)
    compare(parts, json.loads(json.dumps(payload, allow_nan=False)))
    assert "<script" not in to_summary(payload)


def test_real_explanations(tmp_path):
    payload = summarise(write(tmp_path / "run", loans()), top=10_000)
    compare(loans(), payload)
    assert payload["format"] == "lormika.summary"
    assert payload["version"] == 1
    assert payload["complete"]
    assert [c["label"] for c in payload["classes"]] == ["rejected", "accepted"]
    assert sum(c["share"] for c in payload["classes"]) == pytest.approx(1)
    first = payload["matrix"][0]
    by_name = {f["feature"]: f["share"] for f in payload["details"][0]["features"][CURRENT_SUPPORTING]}
    assert first["shares"][0][0] == by_name.get(first["feature"], 0)


def test_parts_that_are_counted_apart_come_to_the_same(tmp_path, monkeypatch):
    folder = write(tmp_path / "run", loans())
    together = summarise(folder)
    monkeypatch.setattr("lormika.jobs.summary._RULES_AT_ONCE", 1)
    apart = summarise(folder)
    assert json.loads(json.dumps(apart), parse_float=lambda x: round(float(x), 9)) == json.loads(
        json.dumps(together), parse_float=lambda x: round(float(x), 9)
    )


def test_top_takes_the_most_frequent(tmp_path):
    folder = write(tmp_path / "run", loans())
    some, all_of_them = summarise(folder, top=2), summarise(folder, top=1000)
    for kind in KINDS:
        rules = all_of_them["details"][0]["rules"][kind]
        assert some["details"][0]["rules"][kind] == rules[:2]
        assert [r["rows"] for r in rules] == sorted((r["rows"] for r in rules), reverse=True)
    with pytest.raises(InputError, match="top"):
        summarise(folder, top=0)


def test_ranges_of_few_whole_numbers_are_said_as_they_are(tmp_path):
    """The most common one, without a mean that no rule has."""
    instances, rules = [], []
    for row, (low, high) in enumerate([(0.5, 2.5)] * 4 + [(1.5, 2.5)] * 2 + [(1.5, 3.5)] * 2):
        counts = dict.fromkeys(KINDS, 0) | {CURRENT_SUPPORTING: 1, "turned": 0}
        instances.append({"row": row, "error": None, "prediction": "no", "probability": 0.8, **counts})
        one = condition(type="interval", feature="missed_payments", low=low, high=high, integer=True)
        rule = {"row": row, "category": CURRENT_SUPPORTING, "consequent": "no", "confidence": 0.9}
        rules.append(rule | {"condition_list": [one]})
    payload = summarise(write(tmp_path / "run", [(instances[:3], rules[:3]), (instances[3:], rules[3:])]))
    (rule,) = payload["details"][0]["rules"][CURRENT_SUPPORTING]
    assert rule["conditions"][0]["common"] == {"low": 1.0, "high": 2.0, "share": 0.5}
    page = unescape(to_summary(payload))
    assert ">1 – 2</bdi>" in page
    assert "from 1 – 2 to 2 – 3" in page
    assert "~2" not in page


def test_too_many_patterns_are_forgotten_and_it_is_said(tmp_path, monkeypatch):
    folder = write(tmp_path / "run", loans())
    whole = summarise(folder, top=1)
    monkeypatch.setattr("lormika.jobs.summary._RULES_AT_ONCE", 1)
    monkeypatch.setattr(tally.forget_rarest, "__defaults__", (20,))
    some = summarise(folder, top=1)
    assert whole["missed"] == 0
    assert some["missed"] > 0
    for a, b in zip(some["details"], whole["details"], strict=True):
        for kind in KINDS:
            assert 0 <= b["rules"][kind][0]["rows"] - a["rules"][kind][0]["rows"] <= some["missed"]
    assert "rows too few" in to_summary(some)


def test_reasons_that_differ_in_numbers_are_one(tmp_path, monkeypatch):
    monkeypatch.setattr("lormika.jobs.summary._RULES_AT_ONCE", 0)  # each part is counted apart
    instances = [{"row": row, "error": f"column 'age', row {row}: not a number"} for row in range(5)]
    payload = summarise(write(tmp_path / "run", [([one], []) for one in instances]))
    assert payload["failures"] == [{"reason": "column 'age', row 0: not a number", "alike": True, "rows": 5}]
    page = to_summary(payload)
    assert "None of the 5 rows could be explained" in page
    assert "not a number" in page


# ---------------------------------------------------------------- runs that are not whole


def test_a_run_that_is_not_finished(tmp_path):
    folder = write(tmp_path / "run", loans(), {"rows": 20_000, "chunk_rows": 30}, manifest=False)
    payload = summarise(folder)
    assert not payload["complete"]
    assert payload["missing_parts"] == 665
    assert "explains 60 of 20,000 rows so far" in to_summary(payload)


@pytest.mark.parametrize("kind", ["rules", "instances"])
def test_a_part_without_its_other_half_is_left_out(kind, tmp_path):
    folder = write(tmp_path / "run", loans())
    (folder / kind / "part-00001.parquet").unlink()
    payload = summarise(folder)
    assert (payload["rows"], payload["missing_parts"], payload["complete"]) == (30, 1, False)
    assert "1 part is missing" in to_summary(payload)


@pytest.mark.parametrize("damage", ["truncated", "empty", "text"])
@pytest.mark.parametrize("kind", ["rules", "instances"])
def test_a_part_that_cannot_be_read(kind, damage, tmp_path):
    path = write(tmp_path / "run", loans()) / kind / "part-00001.parquet"
    path.write_bytes({"truncated": path.read_bytes()[:-100], "empty": b"", "text": b"hello"}[damage])
    with pytest.raises(InputError, match=r"part-00001.parquet cannot be read.*lormika batch"):
        summarise(tmp_path / "run")


def test_parts_that_do_not_belong_here(tmp_path):
    folder = write(tmp_path / "run", loans())
    path = folder / "rules" / "part-00000.parquet"
    rules = pq.read_table(path)
    pq.write_table(rules.drop_columns(["turned"]), path)
    with pytest.raises(InputError, match="no column 'turned'"):
        summarise(folder)
    path.write_bytes((folder / "rules" / "part-00001.parquet").read_bytes())
    (folder / "rules" / "part-00001.parquet").unlink()
    with pytest.raises(InputError, match=r"part-00000\.parquet: it holds rules about rows that are not among"):
        summarise(folder)
    pq.write_table(rules.drop_columns(["condition_list"]).append_column("condition_list", rules["rule"]), path)
    with pytest.raises(InputError, match=r"part-00000\.parquet cannot be read"):
        summarise(folder)


SPOILED = {
    "no list": {"condition_list": None},
    "no condition": {"condition_list": [None]},
    "no feature": {"condition_list": [condition(type="missing")]},
    "an unknown type": {"condition_list": [condition(type="like", feature="age")]},
    "no value": {"condition_list": [condition(type="equals", feature="age")]},
    "a value of an unknown type": {
        "condition_list": [condition(type="equals", feature="age", value={"type": "date", "text": "1", "number": None})]
    },
    "a number that is none": {
        "condition_list": [condition(type="equals", feature="a", value={"type": "integer", "text": "x", "number": 1.0})]
    },
    "no changes": {"edit_list": None},
    "a change of nothing": {"edit_list": [{"feature": None, "before": None, "after": None}]},
    "a change from a text to a number": {"edit_list": [change("age", "young", 30)]},
}


@pytest.mark.parametrize("case", SPOILED)
def test_rules_that_cannot_be_read(case, tmp_path):
    counts = dict.fromkeys(KINDS, 0) | {COUNTERFACTUAL: 1, "turned": 1}
    instance = {"row": 0, "error": None, "prediction": "no", "probability": 0.8, **counts}
    rule = {"row": 0, "category": COUNTERFACTUAL, "consequent": "yes", "turned": True, "rerun_label": "yes"}
    rule |= {"condition_list": [condition(type="interval", feature="age", low=29.5, integer=True)]}
    rule |= {"edit_list": [change("age", 20, 30)]}
    assert summarise(write(tmp_path / "sound", [([instance], [rule])]))["rules"] == 1
    with pytest.raises(
        InputError, match=r"part-00000\.parquet: it holds a rule that cannot be read: .*remove it and go"
    ):
        summarise(write(tmp_path / "run", [([instance], [rule | SPOILED[case]])]))


def test_folders_that_are_no_run(tmp_path):
    with pytest.raises(InputError, match="is no folder"):
        summarise(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"it has no run\.json"):
        summarise(tmp_path)
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(InputError, match="cannot be read"):
        summarise(tmp_path)
    (tmp_path / "run.json").write_text('{"format": "other"}')
    with pytest.raises(InputError, match="not the start of a run"):
        summarise(tmp_path)
    for version, words in {
        "": "of an earlier lormika, in format 1; this one reads format 2: explain the rows again in another folder",
        ', "format_version": 1': "of an earlier lormika, in format 1",
        ', "format_version": 3': "of a later lormika, in format 3; this one reads format 2: update lormika",
        ', "format_version": "x"': "damaged, what it says of 'format_version' cannot be",
        ', "format_version": 2': "no finished part yet",
    }.items():
        (tmp_path / "run.json").write_text(f'{{"format": "lormika.batch"{version}}}')
        with pytest.raises(InputError, match=words):
            summarise(tmp_path)


# ---------------------------------------------------------------- the command


def call(*arguments):
    app = typer.Typer()
    app.command()(report)
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_the_command_writes_a_page(tmp_path):
    folder, out = write(tmp_path / "run", loans()), tmp_path / "why.html"
    done = call(folder, "--out", out, "--top", 3)
    assert done.exit_code == 0
    assert f"written: {out}" in done.stderr.replace("\n", "")
    assert "What explains 60 predictions" in out.read_text(encoding="utf-8")
    assert call(folder, "--out", out, "--quiet").output == ""
    assert call(folder, "--top", 0).exit_code == 2
    for wrong in ("why.pdf", "nowhere/why.html"):
        assert isinstance(call(folder, "--out", tmp_path / wrong).exception, InputError)
    assert isinstance(call(tmp_path, "--out", out).exception, InputError)
    (folder / "manifest.json").unlink()
    assert "not finished" in call(folder, "--out", out).stderr


# ---------------------------------------------------------------- the page


def synthetic(labels, names, n=200, seed=0):
    """A run with these classes and features."""
    rng = np.random.default_rng(seed)
    instances, rules = [], []
    for row in range(n):
        label = labels[int(rng.integers(len(labels)))]
        for kind in KINDS:
            for _ in range(3):
                chosen = [str(name) for name in rng.choice(names, 2, replace=False)]
                low, category = float(rng.normal()), chosen[1] + " kind"
                wanted = [condition(type="interval", feature=chosen[0], low=low, integer=False)]
                wanted.append(condition(type="equals", feature=category, value=rule_structs.value_struct(chosen[0])))
                rule = {"row": row, "category": kind, "consequent": labels[int(rng.integers(len(labels)))]}
                rule |= {"condition_list": wanted, "confidence": rng.integers(1, 40) / 40}
                if "hypothetical" in kind:
                    edits = [change(chosen[0], 0.0, low), change(category, "x", chosen[0])]
                    rule |= {"edit_list": edits, "turned": bool(rng.random() < 0.5), "rerun_label": labels[0]}
                    rule["rerun_prediction_probability"] = float(rng.random())
                rules.append(rule)
        found = dict.fromkeys(KINDS, 3) | {"turned": 1}
        instances.append({"row": row, "prediction": label, "probability": 0.8, "error": None} | found)
    instances += [{"row": n + i, "error": text} for i, text in enumerate(HOSTILE)]
    return [(instances, rules)]


PAGES = {
    "loans": loans,
    "hostile": lambda: synthetic([*HOSTILE[:3], HOSTILE[7]], HOSTILE),
    "many": lambda: synthetic(
        [f"class with a long name {i}" for i in range(12)], [f"a rather long name_{i}" for i in range(14)]
    ),
}


def test_more_classes_than_are_listed(tmp_path):
    payload = summarise(write(tmp_path / "run", synthetic([f"{i}" for i in range(80)], ["age", "job"], n=400)))
    assert len(payload["classes"]) == 50
    assert payload["other_classes"] > 20
    assert payload["kinds"][COUNTERFACTUAL] | {"kept": 0} == {"rows": 400, "rules": 1200, "tested": 1200, "kept": 0}
    html = to_summary(payload)
    assert f"{payload['other_classes']} more classes" in html
    assert "Rules are listed for the 5 classes" in html


@cache
def page(name):
    with tempfile.TemporaryDirectory() as folder:
        run = {"rows": 5000} if name == "hostile" else {}
        payload = summarise(write(Path(folder) / "run", PAGES[name](), run))
        payload["group_actions"] = (
            None if name == "loans" else made_up_actions([d["label"] for d in payload["details"]])
        )
        return to_summary(payload)


def made_up_actions(labels):
    """Group actions of every sort, among them of classes for which nothing was found."""
    changes = [{"feature": HOSTILE[0], "value": HOSTILE[1]}, {"feature": "a rather long name_1", "value": 0.125}]
    counts = {"permitted": 123_456, "turned": 60_000, "newly": 1, "share": 0.6, "mean_cost": None}
    actions = [{"changes": changes, **counts}, {"changes": changes[1:], **counts, "mean_cost": 12.345}]
    full = {"rows": 2_000_000, "tried": 100_000, "failed": 3, "candidates": 150, "actions": actions, "turned": 60_001}
    full |= {"share": 0.60001, "bound": 61_000, "bound_share": 0.61, "exact": False, "most": 3}
    bare = full | {"actions": [], "candidates": 0, "failed": 0, "rows": 100_000, "exact": True}
    sorts = [full | {"target": HOSTILE[7], "at_least": 0.75}, bare | {"target": None, "at_least": None}]
    return [{"of": label, **sorts[place % 2]} for place, label in enumerate(labels)]


def test_what_the_page_says_of_group_actions(tmp_path):
    html = unescape(page("many"))
    assert "together 60% of 100,000 rows; any three of 150 candidates cannot turn more than 61%" in html
    assert "tried on 100,000 of 2,000,000 rows; 3 rows of the run could not be asked about" in html
    assert "no change turned one of 100,000 rows" in html
    assert "very high" in html
    payload = summarise(write(tmp_path / "run", loans()))
    assert "lormika report … --model MODEL" in to_summary(payload)
    nothing = to_summary(payload | {"group_actions": []})  # all rows are of the class that changes lead to
    assert "Group actions" not in nothing
    assert "--model MODEL" not in nothing


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_small_and_holds_no_code(name):
    html = page(name)
    assert len(html.encode()) < 300_000
    assert not re.search(r"<script|<img|onerror=\"|<link|@import|url\(", html)
    assert "default-src 'none'" in html
    assert "NaN" not in html
    assert "None" not in unescape(re.sub(r"None of the", "", html))


@pytest.mark.parametrize(("width", "dark"), [(860, False), (1440, True), (500, False)])
@pytest.mark.parametrize("name", PAGES)
def test_no_text_overlaps_or_is_cut_off(name, width, dark, browser):
    result = browser.visit(page(name), width, dark)
    assert result["faults"] == []
    assert result["pieces"] > 100
    assert result["colour"] == (DARK if dark else LIGHT)
    assert result["requests"] == []
    assert result["title"].startswith("What explains"), "a script from the data has run"

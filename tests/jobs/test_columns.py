"""One list of columns makes frames, files, Spark's schema and the page about them; structs lose nothing."""

from __future__ import annotations

import importlib.util
import json
import math
import re
from collections import Counter, defaultdict
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from batches import struct_examples
from cases import CASES
from lormika import Explainer, datasets
from lormika.explanation import Failure
from lormika.jobs import INSTANCES, RULES, part_tables, spark_schema
from lormika.jobs.part_columns import RowResult
from lormika.rule import Counts, Edit, Equals, Interval, Missing, Rerun, Rule
from lormika.views import rule_columns

DOCS = Path(__file__).parents[2] / "docs"

values = st.one_of(
    st.text(),
    st.booleans(),
    st.integers(-(10**300), 10**300),
    st.integers(2**53 - 3, 2**53 + 3),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["1", "true", "null", "1.0", "", 1, 1.0, True, 0, -0.0, False]),
)
ends = st.floats(allow_nan=False)
conditions = st.one_of(
    st.builds(Interval, st.text(), ends, ends, st.booleans(), st.booleans()),
    st.builds(Equals, st.text(), values),
    st.builds(Missing, st.text()),
)
edits = st.builds(Edit, st.text(), st.none() | values, st.none() | values)


def make_rule(conditions=(), edits=None):
    rerun = None if edits is None else Rerun(tuple(edits), "yes", 0.5, turned=True)
    return Rule(tuple(conditions), "yes", Counts(9, 3, 4, 2), 0.1, rerun=rerun)


def read_value(struct):
    """By JSON, which has its own mind of what is a number."""
    if struct is None or struct["type"] == "string":
        return struct and struct["text"]
    value = json.loads(struct["text"])
    assert {"integer": int, "float": float, "boolean": bool}[struct["type"]] is type(value)
    assert struct["number"] == (None if isinstance(value, bool) else float(value))
    return value


def read_condition(struct):
    used = {"interval": {"integer", "single"}, "equals": {"value"}, "missing": set()}[struct["type"]]
    filled = {name for name, value in struct.items() if value is not None} - {"type", "feature", "low", "high"}
    assert filled == used
    match struct["type"]:
        case "interval":
            low, high = (
                limit if struct[name] is None else struct[name]
                for name, limit in (("low", -math.inf), ("high", math.inf))
            )
            return Interval(struct["feature"], low, high, struct["integer"], struct["single"])
        case "equals":
            return Equals(struct["feature"], read_value(struct["value"]))
        case _:
            return Missing(struct["feature"])


def through_parquet(rules):
    """The rows of a file with these rules."""
    records = [{column.name: column.of(rule) for column in rule_columns.DETAILS} for rule in rules]
    schema = part_tables.arrow_schema({column.name: column for column in rule_columns.DETAILS})
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(records, schema=schema), sink)
    return pq.read_table(pa.BufferReader(sink.getvalue())).to_pylist()


@given(st.lists(conditions, max_size=4), st.none() | st.lists(edits, max_size=3))
def test_structs_lose_nothing(conditions, edits):
    (row,) = through_parquet([make_rule(conditions, edits)])
    read = [read_condition(struct) for struct in row["condition_list"]]
    assert [repr(one) for one in read] == [repr(one) for one in conditions]  # which tells 1 from True and 1.0
    if edits is None:
        assert row["edit_list"] is None
        return
    changed = [
        Edit(struct["feature"], read_value(struct["before"]), read_value(struct["after"]))
        for struct in row["edit_list"]
    ]
    assert [repr(one) for one in changed] == [repr(one) for one in edits]


def test_frames_files_and_spark_have_the_same_columns():
    why = next(iter(CASES.values()))()
    frame = why.to_frame()
    names = [column.name for column in rule_columns.FRAME]
    assert list(frame.columns) == names
    assert [str(kind) for kind in frame.dtypes] == [column.frame_type for column in rule_columns.FRAME]
    table = part_tables.rules_table([RowResult(7, None, why)])
    assert table.column_names == list(RULES)
    assert list(RULES)[4 : 4 + len(names)] == names
    for name, columns in (("rules", RULES), ("instances", INSTANCES)):
        assert re.findall(r"(?:^|, )(\w+) (?=bigint|int|double|boolean|string|array)", spark_schema(name)) == list(
            columns
        )


def test_a_row_that_failed_has_no_values():
    (row,) = part_tables.instances_table([RowResult(3, "n3", Failure(3, "because"))]).to_pylist()
    filled = {name: value for name, value in row.items() if value is not None}
    assert filled == {"row": 3, "id": "n3", "error": "because", "notes": [], "effects": [], "effect_sizes": []}
    assert part_tables.rules_table([RowResult(3, "n3", Failure(3, "because"))]).num_rows == 0


# ---------------------------------------------------------------- the page


def test_the_page_lists_these_columns():
    """If not: python docs/columns.py."""
    spec = importlib.util.spec_from_file_location("columns", DOCS / "columns.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    page = script.PAGE.read_text(encoding="utf-8")
    assert script.fill(page) == page
    for columns in (RULES, INSTANCES):
        for column in columns.values():
            assert f"| `{column.name}` |" in page
            assert column.about in page
    with pytest.raises(ValueError, match="has 0 places for the columns of rules"):
        script.fill("")


def score(frame):
    """Depends on numbers, a text and a flag."""
    z = frame["income"].to_numpy() / 20 - frame["debt_ratio"].to_numpy() * 3 + frame["phone"].to_numpy() - 1
    p = 1 / (1 + np.exp(2 * (frame["employment"] == "unemployed").to_numpy() - z))
    return np.column_stack([1 - p, p])


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Rules in two parts, and the explanations they are of."""
    X, _ = datasets.make_loans(600)
    explanations = list(Explainer(score, X, n_generated=200).explain_many(X[:24], k=3, progress=False))
    folder = tmp_path_factory.mktemp("structs")
    (folder / "why" / "rules").mkdir(parents=True)
    for part, rows in enumerate((range(10), range(10, 24))):
        table = part_tables.rules_table([RowResult(row, None, explanations[row]) for row in rows])
        pq.write_table(table, folder / "why" / "rules" / f"part-{part:05}.parquet")
    return folder, [rule for why in explanations for rule in why.rules]


def mean_steps(rules):
    steps = defaultdict(list)
    for rule in rules:
        for edit in rule.rerun.edits if rule.rerun is not None and rule.rerun.turned else ():
            is_number = not isinstance(edit.after, str | bool) and not isinstance(edit.before, str | bool | None)
            steps[edit.feature] += [edit.after - edit.before] if is_number else []
    return {feature: pytest.approx(sum(some) / len(some)) if some else None for feature, some in steps.items()}


def test_duckdb_reads_them_at_once(written, monkeypatch):
    folder, rules = written
    monkeypatch.chdir(folder)
    categories, steps = (duckdb.sql(query).fetchall() for query in struct_examples("sql").split(";")[:2])
    reasons = [rule for rule in rules if rule.category == "current_supporting"]
    wanted = Counter((c.feature, c.value) for rule in reasons for c in rule.conditions if isinstance(c, Equals))
    text = {
        (feature, json.dumps(value) if isinstance(value, bool) else value): n for (feature, value), n in wanted.items()
    }
    assert {(feature, value): n for feature, value, n in categories} == text
    assert len(text) > 2
    assert dict(steps) == mean_steps(rules)
    assert len(steps) > 3


def test_polars_reads_them_at_once(written, monkeypatch):
    folder, rules = written
    monkeypatch.chdir(folder)
    *first, last = struct_examples("python").split("\n\n")[0].splitlines()
    names = {"pl": pl}
    exec("\n".join(first), names)
    assert dict(eval(last, names).iter_rows()) == mean_steps(rules)


def test_pandas_has_them_as_dictionaries(written):
    folder, rules = written
    frame = pd.read_parquet(folder / "why" / "rules")
    assert [[struct["feature"] for struct in structs] for structs in frame["condition_list"]] == [
        list(rule.features) for rule in rules
    ]

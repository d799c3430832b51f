"""A rule as SQL or as a pandas query selects the rows that `holds` selects; a CSV file holds nothing to run."""

from __future__ import annotations

import csv
import math
import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lormika import Counts, Equals, Explanation, InputError, Interval, Missing, Rule
from lormika.explanation import NeighbourhoodSummary
from lormika.rule import Edit, Rerun
from lormika.views import frame as frame_view

COUNTS = Counts(10, 5, 4, 3)
SQLITE = sqlite3.connect(":memory:")

# numexpr, where it is installed, leaves pandas' nullable columns to Python, and says so
pytestmark = pytest.mark.filterwarnings("ignore:Engine has switched to 'python'")


def rule(*conditions):
    return Rule(conditions, "yes", COUNTS, 0.0)


def held(frame, a_rule):
    return np.flatnonzero(a_rule.holds(frame)).tolist()


def sql_selects(frame, a_rule):
    """Numbers of the rows that SQLite selects; without column types it stores and compares values as they are."""
    quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in frame)
    cells = [[None if pd.isna(value) else value for value in frame[name].tolist()] for name in frame]
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(f"CREATE TABLE t ({quoted})")
        database.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(cells))})", zip(*cells, strict=True))
        return [row - 1 for (row,) in database.execute(f"SELECT rowid FROM t WHERE {a_rule.to_sql()} ORDER BY rowid")]


def query_selects(frame, a_rule, **options):
    """Numbers of the rows that pandas selects."""
    selected = frame.query(a_rule.to_query(), **options)
    return [frame.index.get_loc(label) for label in selected.index]


# Frames with ugly names and values, and rules about them

NAMES = [
    *("age", "two words", "class", "None", "select", "naïve", "名前", "a.b", "1st", "0", "index", "50%", "{x}", "@a"),
    *("a & b", "a;b", "--", "/*", "?", ":x", "f(x)", "a=1", " padded "),
]
NAMES_SINCE_PANDAS_3 = ["it's", '"', "'", "`", "a`b", "a\\b", "end\\", "a#b", "🦊", "x²"]
TEXTS = [
    *("", "a", "A", " a", "O'Hara", "'", '"', "\\", "\\'", "a\\", "`", "a\nb", "\r", "\t", "\u2028", "50%", "{x}", "#"),
    *("🦊", "NULL", "1", "True", "--", "@a"),
]

characters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")  # all that SQL can write
texts = st.sampled_from(TEXTS) | st.text(characters, max_size=3)
small = st.integers(-9, 9)
singles = st.floats(width=32, allow_nan=False) | small.map(lambda number: float(np.float32(number / 10)))
KINDS = {  # of columns: the pandas type, and what it holds
    "int64": st.integers(-(2**53), 2**53),
    "float64": small.map(lambda number: number / 10) | st.floats(),
    "float32": st.just(math.nan) | singles,
    "Int64": st.none() | small,
    "Float32": st.none() | singles,
    "object": st.none() | small | st.floats(),
    "bool": st.booleans(),
    "boolean": st.none() | st.booleans(),
    "category": st.none() | texts,
    "string": st.none() | texts,
    "str": st.none() | texts,
    "mixed": st.none() | st.booleans() | small | texts,
}
NUMERIC = ["int64", "float64", "float32", "Int64", "Float32", "object"]


def sqlite_reads(number):
    """Whether SQLite reads this number as it is written: one in some ten thousand is off by its last bit."""
    return SQLITE.execute(f"SELECT {number!r}").fetchone() == (number,)


@st.composite
def columns(draw, rows):
    """A column, and a condition about it."""
    kind = draw(st.sampled_from(list(KINDS)))
    cells = draw(st.lists(KINDS[kind], min_size=rows, max_size=rows))
    column = pd.Series(cells, dtype={"mixed": "object", "str": None}.get(kind, kind))
    known = [value for value in column.tolist() if not pd.isna(value) and value not in (math.inf, -math.inf)]
    condition = draw(st.sampled_from([Missing, Equals, Interval] if kind in NUMERIC else [Missing, Equals]))
    if condition is Missing:
        return column, lambda name: Missing(name)
    if condition is Equals:
        value = draw(
            st.sampled_from([value for value in known if isinstance(value, str) or sqlite_reads(value)] or [0])
        )
        return column, lambda name: Equals(name, value)
    near = [math.nextafter(float(value), towards) for value in known for towards in (-math.inf, value, math.inf)]
    end = st.sampled_from([0.1, 0.7, *near]).filter(math.isfinite).filter(sqlite_reads)
    low, high = draw(st.just(-math.inf) | end), draw(st.just(math.inf) | end)
    return column, lambda name: Interval(name, low, high)


@st.composite
def frames_and_rules(draw, name):
    rows = draw(st.integers(1, 6))
    chosen = draw(st.lists(columns(rows), min_size=1, max_size=3))
    names = draw(st.lists(name, min_size=len(chosen), max_size=len(chosen), unique_by=str.casefold))
    frame = pd.DataFrame({name: column for name, (column, _) in zip(names, chosen, strict=True)})
    frame.index = draw(st.permutations(range(rows)))
    return frame, rule(*(condition(name) for name, (_, condition) in zip(names, chosen, strict=True)))


@given(frames_and_rules(st.sampled_from(NAMES + NAMES_SINCE_PANDAS_3) | st.text(characters, max_size=5)))
@settings(max_examples=60)
def test_sql_selects_the_rows_that_hold(case):
    frame, a_rule = case
    assert sql_selects(frame, a_rule) == held(frame, a_rule)


@given(frames_and_rules(st.sampled_from(NAMES)))
@settings(max_examples=60)
def test_queries_select_the_rows_that_hold(case):
    frame, a_rule = case
    assert query_selects(frame, a_rule) == held(frame, a_rule)
    assert query_selects(frame, a_rule, engine="python") == held(frame, a_rule)


@given(st.lists(st.sampled_from(NAMES_SINCE_PANDAS_3) | st.text(max_size=5), min_size=2, max_size=2, unique=True))
@settings(max_examples=50)
def test_any_name_is_queried_rightly_or_refused(names):
    frame = pd.DataFrame([[1, "x"], [2, "x"], [2, "y"]], columns=pd.Index(names, dtype="object"))
    a_rule = rule(Equals(names[0], 2), Equals(names[1], "x"))
    try:
        selected = query_selects(frame, a_rule)
    except InputError:
        return
    assert selected == [1]


@pytest.mark.parametrize("name", NAMES + (NAMES_SINCE_PANDAS_3 if pd.__version__ >= "3" else []))
def test_ugly_names_are_not_refused(name):
    frame = pd.DataFrame({name: ["a", None, "b"], "other": [1.5, 2.5, 3.5]})
    a_rule = rule(Equals(name, "b"), Interval("other", 2.5, math.inf))
    assert held(frame, a_rule) == sql_selects(frame, a_rule) == query_selects(frame, a_rule) == [2]


@pytest.mark.parametrize("text", TEXTS)
def test_ugly_texts_are_told_apart(text):
    frame = pd.DataFrame({"x": [*TEXTS, None]})
    a_rule = rule(Equals("x", text))
    assert held(frame, a_rule) == sql_selects(frame, a_rule) == query_selects(frame, a_rule) == [TEXTS.index(text)]


@pytest.mark.parametrize("kind", ["float32", "Float32", "float64", "object"])
def test_ends_are_compared_in_full(kind):
    single = float(np.float32(0.7))  # a little less than 0.7
    frame = pd.DataFrame({"x": pd.Series([single, 0.7, 0.75], dtype=kind)})
    below = rule(Interval("x", -math.inf, 0.7))
    exact = {"float32": [0, 1], "Float32": [0, 1]}.get(kind, [0])  # there 0.7 is itself that little less
    assert held(frame, below) == sql_selects(frame, below) == query_selects(frame, below) == exact


def test_sql_writes_floats_as_floats():
    # 0.7 is an exact decimal in SQL, which some databases round to the type of the column it is compared with.
    assert rule(Interval("x", 0.7, 1e300), Equals("y", 2)).to_sql() == '"x" >= 0.7e0 AND "x" < 1e+300 AND "y" = 2'


def test_an_open_end_takes_in_infinity():
    frame = pd.DataFrame({"x": [-math.inf, 0.0, math.inf, math.nan]})
    for low, high, rows in [(0.0, math.inf, [1, 2]), (-math.inf, 0.5, [0, 1]), (-math.inf, math.inf, [0, 1, 2])]:
        a_rule = rule(Interval("x", low, high))
        assert held(frame, a_rule) == sql_selects(frame, a_rule) == query_selects(frame, a_rule) == rows


def test_a_rule_without_conditions_holds_everywhere():
    frame = pd.DataFrame({"x": [1.0, math.nan]})
    assert held(frame, rule()) == sql_selects(frame, rule()) == query_selects(frame, rule()) == [0, 1]


def test_numpy_scalars_are_written_as_plain_ones():
    a_rule = rule(Interval("x", np.float64(0.5), np.float32(2)), Equals("y", np.bool_(True)), Equals("z", np.str_("a")))
    assert a_rule.to_sql() == """"x" >= 0.5e0 AND "x" < 2.0e0 AND "y" = TRUE AND "z" = 'a\'"""
    assert a_rule.to_query() == "0.5 <= `x`.astype('float64') < 2.0 and `y` in [True] and `z` in ['a']"


@pytest.mark.skipif(pd.__version__ < "3", reason="an older pandas queries columns with text for names only")
def test_columns_with_numbers_for_names():
    frame = pd.DataFrame([[1.0, 5], [2.0, 6]])
    assert query_selects(frame, rule(Interval("0", 1.5, math.inf), Equals("1", 6))) == [1]


def test_a_variable_of_the_same_name_is_not_taken_for_the_column():
    age = "young"
    assert query_selects(pd.DataFrame({"age": ["old", age]}), rule(Equals("age", "young"))) == [1]


@pytest.mark.parametrize("name", ["inf", "datetime", "a\tb", "a\nb", "\u2028", "\0", "\ufb01", "e\u0301", "\ud800"])
def test_a_name_that_pandas_cannot_query_is_refused(name):
    with pytest.raises(InputError, match=r"cannot name the column .*rule\.holds\(frame\)"):
        rule(Missing(name)).to_query()


@pytest.mark.parametrize("condition", [Missing("a\0"), Missing("\ud800"), Equals("a", "\0"), Equals("a", "\udfff")])
def test_characters_that_sql_does_not_have_are_refused(condition):
    with pytest.raises(InputError, match=r"SQL has no way to write .*rule\.holds\(frame\)"):
        rule(condition).to_sql()


@pytest.mark.parametrize("condition", [Equals("a", math.inf), Equals("a", math.nan), Interval("a", math.nan, 1.0)])
def test_numbers_that_are_not_finite_are_refused(condition):
    for write in (rule(condition).to_sql, rule(condition).to_query):
        with pytest.raises(InputError, match=r"cannot compare with (inf|nan); .*rule\.holds\(frame\)"):
            write()


# CSV

FORMULAE = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r1", "\n1", " =1", "\x00=1", "\ufeff=1", "＝1"]
WORDS = ["age", "a=1", "x-1", "'", '"', "a,b", "1", "x\r=1", 'x"\r\n=1,=1']


def explanation(feature, value, label):
    rerun = Rerun((Edit(feature, value, label),), label, 0.25, turned=True)
    rules = (
        Rule((Equals(feature, value),), label, COUNTS, -0.5, rerun=rerun),
        Rule((Missing(feature),), -1, COUNTS, 0.5),
    )
    return Explanation({}, label, rules, (), (), (), NeighbourhoodSummary(1, 1, 1, 0.5), {}, {})


def check_csv(path, table):
    """Each text that begins a formula after an apostrophe, and all else as it is in the table."""
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == list(table)
    assert len(rows) == len(table)
    for name, *cells in zip(header, *rows, strict=True):
        for cell, value in zip(cells, table[name].tolist(), strict=True):
            if isinstance(value, str) and value.startswith(tuple(FORMULAE)):
                assert cell == f"'{value}"
            else:
                assert cell == ("" if pd.isna(value) else str(value))


@given(*[st.sampled_from(FORMULAE + WORDS)] * 3)
@settings(max_examples=60)
def test_a_csv_file_holds_no_formula(tmp_path_factory, feature, value, label):
    path = tmp_path_factory.mktemp("csv") / "why.csv"
    why = explanation(feature, value, label)
    frame_view.to_csv(why.rules, path)
    check_csv(path, why.to_frame())


def test_the_frame_keeps_texts_as_they_are():
    table = explanation("=a", "-b", "@c").to_frame()
    assert table["rule"].tolist() == ["=a = -b ⇒ @c", "=a is missing ⇒ -1"]
    assert table["consequent"].tolist() == ["@c", -1]


def test_save_writes_no_formula(tmp_path):
    why = explanation("=1+1", "-1", "@SUM(A1)")
    check_csv(why.save(tmp_path / "why.csv"), why.to_frame())

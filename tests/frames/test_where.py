"""Conditions on rows, against a twin that asks Python row by row; and choosing rows."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lormika import InputError
from lormika.data import read_instance, select_rows
from lormika.frames.evaluator import Rows, Values
from lormika.frames.where import RowTest, matching

FRAME = pd.DataFrame(
    {
        "id": [17, 18, 2**53 + 1],
        "age": [20.0, np.nan, 40.0],
        "job": ["cook", None, "king"],
        "prior-claims": [0, 1, 2],
        "ok": [True, False, True],
        "maybe": pd.Series([True, None, False], dtype=object),
        "kind": pd.Categorical([1, 2, None]),
        "hours per week": [40, 50, 60],
        "größe": [1, 2, 3],
        "none": [np.nan, np.nan, np.nan],
    }
)


@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        ("id == 17", [0]),
        ("id == 9007199254740993", [2]),
        ("id == 9007199254740992", []),
        ("id < 99999999999999999999999", [0, 1, 2]),
        ("age >= 20", [0, 2]),
        ("age != 20", [2]),
        ("not age == 20", [1, 2]),
        ("age == None", [1]),
        ("age is None or age is not None", [0, 1, 2]),
        ("None != job", [0, 2]),
        ("age is missing", [1]),
        ("job is not missing and age is not missing", [0, 2]),
        ("15 < age < 30", [0]),
        ("job == \"cook\" or job == 'king'", [0, 2]),
        ('job in ["cook", None]', [0, 1]),
        ('job not in ("cook",)', [2]),
        ("kind in {1, 2.0}", [0, 1]),
        ("job in []", []),
        ('job > "d"', [2]),
        ("ok", [0, 2]),
        ("not ok", [1]),
        ("ok == False", [1]),
        ("maybe", [0]),
        ("maybe != True", [2]),
        ("`hours per week` / 10 == 5", [1]),
        ("größe == 2 and `größe` == 2 and größe == 2", [1]),
        ("(id == 17) | (age == 40) & ~ok", [0]),
        ("`hours per week` % 4 == 2 and -id < +5 * 3 - 1", [1]),
        ("age / 0 == None", [0, 1, 2]),
        ("`hours per week` // 7 in [5, 8]", [0, 2]),
        ('job == "`cook`" or id == 18', [1]),
        ("none == 3 or none == 'x'", []),
        ("none == None", [0, 1, 2]),
        ("none + 1 == 1 or none", []),
        ("True", [0, 1, 2]),
        (r"job == '\d'", []),
        ("  id\n== 17 ", [0]),
    ],
)
def test_conditions(condition, rows):
    assert np.flatnonzero(matching(FRAME, condition)).tolist() == rows


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("", "the condition is empty"),
        ("id ==", "character 5: something is missing at the end"),
        ("id = 17", "character 4: write == to compare"),
        ("`id == 17", "cannot be read"),
        ("idd == 17", "character 1: there is no column 'idd' .*did you mean 'id'"),
        ("id == 17 and job == cook", "character 21: there is no column 'cook' .texts are written in quotes"),
        ("größe == 1 and x(3)", "character 16: a function call cannot be used"),
        ("__import__('os').system('true')", "a function call cannot be used"),
        ("@id == 3", "cannot be read"),
        ("age.max() > 3", "a function call"),
        ("age.values == 3", "a dot cannot be used"),
        ("job[0] == 'c'", "an index cannot be used"),
        ("[x for x in age] == 3", "this cannot be used"),
        ("(lambda: 1) == 3", "a function cannot be used"),
        ("(x := 3) == id", "an assignment cannot be used"),
        ("f'{id}' == job", "a formatted text"),
        ("id ** 9 == 3", "this operator cannot be used"),
        ("'a' * 999999999 == job", "character 1: a number is needed here, not a text"),
        ("id", "character 1: a condition is needed here, not a number"),
        ("id and ok", "a condition is needed here"),
        ("None", "a condition is needed here, not None"),
        ("id == '17'", "character 7: a number is compared with a text"),
        ("ok == 1", "true or false is compared with a number"),
        ("ok < True", "can only be compared with == and !="),
        ("age < None", "None can only be compared with"),
        ("id is 17", "'is' is for missing values only"),
        ("job title is missing", "written in backticks: `job title`$"),
        (
            "prior-claims > 5",
            "there is no column 'prior' .did you mean `prior-claims`",
        ),
        ("id is `missing`", "there is no column 'missing'"),
        ("id in 17", "'in' needs a list"),
        ("id in [x]", "there is no column 'x'"),
        ("id > 1 & age < 3", "a condition is needed here, not a number"),
        ("id == 3j", "is no number and no text"),
        ("id == ...", "is no number and no text"),
        ("(" * 5000 + "id == 1" + ")" * 5000, "cannot be"),
        ("not " * 100_000 + "ok", "cannot be"),
        ("-" * 3000 + "id == 1", "cannot be"),
        ("id == " + "9" * 5000, "cannot be"),
        ("id == 1; id == 2", "cannot be read"),
    ],
    ids=lambda value: repr(value[:30]),
)
def test_what_cannot_be_a_condition(condition, message):
    with pytest.raises(InputError, match=message):
        matching(FRAME, condition)


def test_columns_of_other_types_are_refused():
    frame = pd.DataFrame({"day": pd.to_datetime(["2020-01-01"]), "mix": pd.Series(["a"], dtype=object)})
    with pytest.raises(InputError, match="column 'day' is neither"):
        matching(frame, "day == 3")
    frame = pd.DataFrame({"mix": pd.Series(["a", 1], dtype=object)})
    with pytest.raises(InputError, match="column 'mix' is neither"):
        matching(frame, "mix == 1")


# Expressions as (text, function of a row); None is missing.
NUMBERS = st.integers(-3, 3)


def leaf_numbers():
    constants = NUMBERS.map(lambda value: (f"({value})", lambda row: value))
    columns = st.sampled_from(["a", "b"]).map(lambda name: (name, lambda row: row[name]))
    return constants | columns


def combine_numbers(parts):
    def build(left, op, right):
        def value(row):
            a, b = left[1](row), right[1](row)
            if a is None or b is None or (op in "/ // %" and b == 0):
                return None
            return {"+": a + b, "-": a - b, "*": a * b, "/": a / (b or 1), "//": a // (b or 1), "%": a % (b or 1)}[op]

        return f"({left[0]} {op} {right[0]})", value

    return st.builds(build, parts, st.sampled_from(["+", "-", "*", "/", "//", "%"]), parts)


def compare(left, op, right):
    def value(row):
        a, b = left[1](row), right[1](row)
        if a is None or b is None:
            return False
        return {"==": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[op]

    return f"{left[0]} {op} {right[0]}", value


def member(name, values, wanted):
    def value(row):
        if wanted:
            return row[name] in values
        return row[name] not in values and row[name] is not None

    return f"{name} {'in' if wanted else 'not in'} {values!r}", value


def missing(name, wanted):
    return f"{name} {'==' if wanted else '!='} None", lambda row: (row[name] is None) == wanted


def combine_truths(parts):
    def join(left, op, right):
        both = (lambda a, b: a and b) if op in ("and", "&") else (lambda a, b: a or b)
        return f"(({left[0]}) {op} ({right[0]}))", lambda row: both(left[1](row), right[1](row))

    negated = parts.map(lambda part: (f"not ({part[0]})", lambda row: not part[1](row)))
    return negated | st.builds(join, parts, st.sampled_from(["and", "or", "&", "|"]), parts)


OPERATORS = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
ARITHMETIC = st.recursive(leaf_numbers(), combine_numbers, max_leaves=3)
TEXTS = st.sampled_from("xyz").map(lambda value: (repr(value), lambda row: value)) | st.just(
    ("t", lambda row: row["t"])
)
TRUTHS = st.recursive(
    st.builds(compare, ARITHMETIC, OPERATORS, ARITHMETIC)
    | st.builds(compare, TEXTS, OPERATORS, TEXTS)
    | st.builds(member, st.just("a"), st.lists(st.none() | NUMBERS, max_size=3), st.booleans())
    | st.builds(member, st.just("t"), st.lists(st.none() | st.sampled_from("xyz"), max_size=3), st.booleans())
    | st.builds(missing, st.sampled_from("abt"), st.booleans())
    | st.just(("c", lambda row: bool(row["c"]))),
    combine_truths,
    max_leaves=4,
)
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "a": st.none() | NUMBERS,
            "b": NUMBERS,
            "t": st.none() | st.sampled_from("xyz"),
            "c": st.none() | st.booleans(),
        }
    ),
    min_size=1,
    max_size=5,
)


@given(rows=ROWS, condition=TRUTHS)
@settings(max_examples=50)
def test_the_twin_agrees(rows, condition):
    text, holds = condition
    columns = {name: [row[name] for row in rows] for name in "abtc"}
    frame = pd.DataFrame(
        {
            "a": pd.Series([math.nan if value is None else value for value in columns["a"]], dtype=float),
            "b": columns["b"],
            "t": pd.Series(columns["t"], dtype=pd.Series(["x"]).dtype),
            "c": pd.Series(columns["c"], dtype=object),
        }
    )
    assert matching(frame, text).tolist() == [bool(holds(row)) for row in rows]


def test_rows_are_chosen_by_number():
    assert select_rows(FRAME, [2, 0, 2]).index.tolist() == [2, 0]
    assert select_rows(FRAME, np.array([1])).index.tolist() == [1]
    assert len(select_rows(FRAME)) == 3
    assert select_rows(FRAME, where="id == 18").index.tolist() == [1]


@pytest.mark.parametrize(
    ("rows", "where", "message"),
    [
        ([3], None, "there is no row 3: 3 rows are numbered from 0 to 2"),
        ([-1], None, "there is no row -1"),
        ([True], None, "row True is not a whole number"),
        ([1.0], None, "row 1.0 is not a whole number"),
        ([1], "id == 17", "not both"),
        ([], "id == 99", "no row of 3 matches 'id == 99'"),
    ],
)
def test_rows_that_do_not_exist(rows, where, message):
    with pytest.raises(InputError, match=message):
        select_rows(FRAME, rows, where)


def test_an_instance_is_a_file_or_a_text(tmp_path):
    text = '{"age": 41, "job": "cook", "ok": true, "gap": null, "nan": NaN}'
    expected = {"age": 41, "job": "cook", "ok": True, "gap": None, "nan": None}
    (tmp_path / "x.json").write_text(text)
    assert read_instance(text) == read_instance(tmp_path / "x.json") == [expected]
    assert read_instance(f"[{text}, {text}]") == [expected, expected]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("none.json", "'none.json' is neither a file nor a JSON object"),
        ('{"age": 41,\n "b": }', "the instance, line 2, column 7: this is not JSON"),
        ("[]", "the list is empty"),
        ('[{"a": 1}, 3]', "the instance, record 2: an object such as"),
        ('{"a": [1]}', "the value of 'a' is"),
        ('{"a": 1, "a": 2}', "the key 'a' stands twice"),
        ("", "neither a file"),
    ],
)
def test_what_is_no_instance(text, message):
    with pytest.raises(InputError, match=message):
        read_instance(text)


# Values before a change

CHANGED = Rows(
    3,
    {"age": lambda: Values("number", np.array([20.0, 30.0, 40.0]), np.array([False, False, True]))},
    {
        "age": lambda: Values("number", np.array([30.0]), np.array([False])),
        "hours per week": lambda: Values("number", 30, False),
    },
)


@pytest.mark.parametrize(
    ("condition", "rows"),
    [("age >= now.age", [1]), ("age < now.`hours per week`", [0]), ("now.age == 30", [0, 1, 2]), ("age == None", [2])],
)
def test_values_before_a_change(condition, rows):
    assert np.flatnonzero(RowTest.of(condition).matching(CHANGED)).tolist() == rows


@pytest.mark.parametrize(
    ("condition", "problem"),
    [
        ("age > then.age", "a dot cannot be used, except in now.column"),
        ("age > now.agee", "character 7: there is no column 'agee'.*did you mean 'age'"),
        ("age > now", "there is no column 'now'"),
        ("age > now.age.real", "a dot cannot be used"),
    ],
)
def test_wrong_dots(condition, problem):
    with pytest.raises(InputError, match=problem):
        RowTest.of(condition).matching(CHANGED)


def test_rows_of_a_table_have_no_values_before():
    with pytest.raises(InputError, match="now is for constraints"):
        matching(FRAME, "age >= now.age")


def test_what_a_condition_speaks_of():
    test = RowTest.of("`hours per week` > 40 or age >= now.age + 1.5")
    assert test.names == {"hours per week", "age"}
    assert test.numbers == {40, 1.5}


@pytest.mark.parametrize("kind", ["int8", "uint8", "uint16", "int64", "uint64", "float32"])
def test_the_sign_of_small_types(kind):
    frame = pd.DataFrame({"x": np.array([1, 2, 120], dtype=kind)})
    assert matching(frame, "-x < -1").tolist() == [False, True, True]
    assert matching(pd.DataFrame({"x": np.array([-128], dtype=np.int8)}), "-x > 0").all()


def test_long_conditions():
    with pytest.raises(InputError, match="characters; give at most 10,000"):
        matching(FRAME, " and ".join(["age < 1"] * 2000))
    assert not matching(FRAME, " and ".join(["age < 1"] * 600)).any()


@pytest.mark.parametrize("condition", ["`age`x > 3", "x`age` > 3", "`age``id` > 3"])
def test_nothing_is_glued_to_a_name(condition):
    with pytest.raises(InputError):
        matching(FRAME, condition)

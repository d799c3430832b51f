"""Reading tables: what is found out, and what broken files are told."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lormika import InputError
from lormika.data import read_table


@pytest.fixture
def read(tmp_path):
    def read(content, name="table.csv", **options):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_table(path, **options)

    return read


def column(table, name):
    return [None if pd.isna(value) else value for value in table.frame[name].tolist()]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("quoted", [False, True])
def test_delimiter_and_line_ends_are_found_out(read, delimiter, newline, quoted):
    name = '"the ""name"""' if quoted else "name"
    lines = [f"age{delimiter}{name}", f"41{delimiter}Anna", f" 42 {delimiter} Bo ", "", ""]
    table = read(newline.join(lines))
    assert table.delimiter == delimiter
    assert table.frame.to_dict("list") == {"age": [41, 42], 'the "name"' if quoted else "name": ["Anna", "Bo"]}
    assert table.types["age"] == "int"


def test_quoted_fields_hold_delimiters_line_breaks_and_blanks(read):
    table = read('a,b\n"x, y","one\ntwo"\n" z ", w \n"say ""hi""",v\n')
    assert table.frame.to_dict("list") == {"a": ["x, y", " z ", 'say "hi"'], "b": ["one\ntwo", "w", "v"]}


def test_a_delimiter_that_could_be_either_is_asked_for(read):
    with pytest.raises(InputError, match="',' and ';' may both"):
        read("a,b;c\n1,2;3\n")
    assert list(read("a,b;c\n1,2;3\n", delimiter=";").frame) == ["a,b", "c"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_encodings_with_a_mark_are_found_out(read, encoding):
    assert read("größe,n\nlang,1\n".encode(encoding)).frame.to_dict("list") == {"größe": ["lang"], "n": [1]}


def test_another_encoding_must_be_named(read):
    content = "name,n\nAnna,1\nJosé,2\n".encode("cp1252")
    with pytest.raises(InputError, match=r"line 3: byte 0xE9 at position 17 is not UTF-8.*encoding='cp1252'"):
        read(content)
    assert column(read(content, encoding="cp1252"), "name") == ["Anna", "José"]
    with pytest.raises(InputError, match="encoding='klingon' is unknown"):
        read(content, encoding="klingon")


def test_missing_tokens_are_found_out(read):
    table = read("a,b,c,d\n1, ?,x,\n,2,NA,\n3,n/a,?,\n")
    assert column(table, "a") == [1, None, 3]
    assert column(table, "b") == [None, 2, None]
    assert column(table, "c") == ["x", None, None]
    assert table.missing == {"a": {"": 1}, "b": {"?": 1, "n/a": 1}, "c": {"NA": 1, "?": 1}, "d": {"": 3}}
    assert table.types == {"a": "float", "b": "float", "c": "text", "d": "empty"}


def test_missing_tokens_of_the_user_replace_the_usual_ones(read):
    table = read("a,b\n-9,?\n3,NA\n", missing=["-9"])
    assert column(table, "a") == [None, 3]
    assert column(table, "b") == ["?", "NA"]
    with pytest.raises(InputError, match="missing='-9'"):
        read("a\n1\n", missing="-9")


def test_types(read):
    table = read("i,f,b,t,gap\n1,.5,True,x,TRUE\n-2,1e3,FALSE,y,\n+3,inf,false,1x,false\n")
    assert table.types == {"i": "int", "f": "float", "b": "bool", "t": "text", "gap": "bool"}
    assert table.frame.dtypes[["i", "f", "b"]].tolist() == [np.int64, np.float64, bool]
    assert table.frame["t"].dtype == pd.Series(["text"]).dtype
    assert column(table, "gap") == [True, None, False]
    assert not table.notes


@pytest.mark.parametrize(
    ("values", "kept", "note"),
    [
        (["12", "13", "forty", "14"], None, "column 'x' is text because of 'forty' in line 4"),
        (["12", "13", "14", "n.a.", "forty"], None, "column 'x' is text because of 'n.a.' in line 5 and 1 more"),
        (["99999", "01234"], None, "column 'x' is text because of the leading zero of '01234' in line 3"),
        (["1.5", "01.5"], [1.5, 1.5], None),
        (["0", "10", "0.5"], [0, 10, 0.5], None),
        (["9007199254740993", "1"], [2**53 + 1, 1], None),
        (["9007199254740993", "?"], ["9007199254740993", None], "no number type holds '9007199254740993' in line 2"),
        (["9007199254740993", "1.5"], None, "no number type holds"),
        (["9223372036854775807"], [2**63 - 1], None),
        (["9223372036854775808", "1"], None, "no number type holds '9223372036854775808' in line 2"),
        (["1" * 30, "1"], None, "no number type holds"),
        (["1,5", "2"], [1.5, 2], "column 'x': the comma is read as a decimal comma, as in '1,5' in line 2"),
        (["1,5", "2.5", "1"], None, "column 'x' is text because of '1,5' in line 2"),
        (["a", "b", "3"], None, None),
        (["1_000", "2_000"], None, None),
        (["１", "２"], None, None),
    ],
)
def test_doubtful_numbers(read, values, kept, note):
    table = read("x;row\n" + "".join(f"{value};r\n" for value in values))
    assert column(table, "x") == (values if kept is None else kept)
    assert len(table.notes) == (note is not None)
    assert note is None or note in table.notes[0]


def test_a_comma_is_decimal_only_beside_semicolons(read):
    assert read('a,b\n"1,5",2\n').types["a"] == "text"


def test_leading_zeros_matter_to_their_own_column_only(read):
    table = read("n,zip,m\n1,01,10\n2,02,20\n")
    assert table.types == {"n": "int", "zip": "text", "m": "int"}
    table = read('n,zip,m\n"1","01","10"\n"2","02","20"\n')
    assert table.types == {"n": "int", "zip": "text", "m": "int"}


def test_notes_count_lines_as_an_editor_does(read):
    table = read('age,text\n12,"one\ntwo\nthree"\n\n13,x\nforty,y\n')
    assert table.notes == (
        "1 blank line left out, first line 5",
        "column 'age' is text because of 'forty' in line 7",
    )


def test_a_blank_line_in_a_single_column_is_a_missing_value(read):
    assert column(read("a\n1\n\n3\n\n"), "a") == [1, None, 3]
    assert column(read('a\n"x"\n\n""\ny\n'), "a") == ["x", None, None, "y"]


def test_words_in_a_single_column_are_noted(read):
    assert "separated by blanks" in read("a b\n1 2\n3 4\n", "table.txt").notes[0]
    assert not read("name\nAnna Maria\nBo\n").notes


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "table.csv is empty"),
        ("\n \n", "nothing but blanks"),
        ("a,b\n", "line 1: there is a header, but no rows"),
        ("a,b\n1,2\n3\n", "line 3: 1 field where the header has 2: the value of 'b' is missing"),
        ('a,b\n"1",2\n\n3\n', "line 4: 1 field where the header has 2"),
        ("a,b\n1,2\n3,4,5\n", "line 3: 3 fields where the header has 2: one ',' too many"),
        ('a,b\n"x\ny",2\n3,4,5\n', "line 4: 3 fields where the header has 2"),
        ("\n\na,b\n1,2\n3\n", "line 5: 1 field"),
        ("a,b\n1,2,\n3,4,\n", "line 2: 3 fields"),
        ('a,b\n1,x\n2,"y\n3,z\n', "line 3: a quote that is opened here is never closed"),
        ('a,b\n1,x\n2,"y\n3,"z"\n', r"line 4: text after a closing quote.*opened in line 3 and never closed"),
        ('a,b\n1,"x"y\n', "line 2: text after a closing quote"),
        ('a,b\n1,"' + "x" * 200_000, "line 2: a quote that is opened here is never closed .a field has more"),
        ("a, a\n1,2\n", "line 1: columns 1 and 2 are both named 'a'"),
        ("a,,b\n0,1,2\n", "line 1: column 2 has no name"),
        ("5.1,3.5\n4.9,3.0\n", "line 1: the first line holds numbers only"),
        ("a,b\n1,\0\n", "line 2: a NUL character"),
        ("a,b\n1,2\n".encode("utf-16-le"), "line 1: a NUL character.*utf-16"),
        ("<!DOCTYPE html><html>", "holds a web page"),
        ('{"a": 1}', "holds JSON"),
        (b"PK\x03\x04", "zip archive or an Excel workbook; save the sheet as CSV"),
        (b"PAR1....", "holds a Parquet file; rename"),
        (gzip.compress(b"a\n1\n", mtime=0), "holds gzip-compressed data; rename"),
        (b"\x80\x05\x95", "holds a Python pickle"),
    ],
    ids=lambda value: repr(value[:20]),
)
def test_broken_text_is_told_where_and_what_to_do(read, content, message):
    with pytest.raises(InputError, match=message) as error:
        read(content)
    assert "table.csv" in str(error.value)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv.gz", b"a,b\n1,2\n", "is not gzip-compressed, though its name ends in .gz"),
        ("t.csv.gz", bz2.compress(b"a\n1\n"), "is not gzip-compressed.*bzip2"),
        ("t.csv.gz", gzip.compress(b"a,b\n1,2\n" * 99, mtime=0)[:-9], "damaged or cut off"),
        ("t.csv.xz", lzma.compress(b"a,b\n1,2\n" * 99)[:-20], "damaged or cut off"),
        ("t.csv.gz", gzip.compress(b"", mtime=0), "empty once decompressed"),
        ("t.parquet", b"a,b\n1,2\n", "named like a Parquet file, but holds something that begins with b'a,b"),
        ("t.parquet", b"PAR1 and no more", "damaged or cut off"),
        ("t.feather", b"ARROW1 and no more", "damaged or cut off"),
        ("t.feather", b"FEA1...", "old version 1"),
        ("t.xlsx", b"PK\x03\x04", "save the sheet as CSV"),
        ("t", b"a\n1\n", "without a suffix; these are: .csv"),
        ("t.jsonl", b"a,b\n1,2\n", "line 1: column 1: this is not JSON"),
        ("t.jsonl", b'{"a": 1}\n\n{"a": 2,}\n', "line 3: column 9: this is not JSON"),
        ("t.jsonl", b'{"a": 1}\n[2]\n', r"line 2: an object such as .* is needed, not \[2\]"),
        ("t.jsonl", b'{"a": {"b": 1}}\n', "line 1: the value of 'a' is"),
        ("t.jsonl", b'{"a": 1, "a": 2}\n', "line 1: column 1: the key 'a' stands twice"),
        ("t.jsonl", b'{"": 1}\n', "column 1 has no name"),
        ("t.jsonl", b"{}\n{}\n", "the records are empty"),
        ("t.json", b"[]", "there are no records"),
        ("t.json", b'[{"a": 1},\n {"a": ]', "line 2: column 8: this is not JSON"),
        ("t.json", b'[{"a": 1}, {"a": [1]}]', "record 2: the value of 'a' is"),
        ("t.json", b"3", "a list of records"),
        ("t.json", b"[" * 100_000, "cannot be read"),
    ],
    ids=lambda value: repr(value[:20]),
)
def test_content_that_contradicts_its_name(read, name, content, message):
    with pytest.raises(InputError, match=message):
        read(content, name)


def test_no_such_file(tmp_path):
    with pytest.raises(InputError, match="there is no such file"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(InputError, match="is a folder"):
        read_table(tmp_path)


def test_json_keeps_its_types_and_notes_what_is_absent(read):
    table = read(b'{"a": 1, "b": "?", "c": true, "d": 1}\n{"a": 2.5, "c": null, "d": "x"}\n', "t.jsonl")
    assert column(table, "a") == [1, 2.5]
    assert column(table, "b") == ["?", None]
    assert column(table, "c") == [True, None]
    assert column(table, "d") == ["1", "x"]
    assert table.notes == (
        "column 'b' is absent from 1 record, first line 2: taken as missing",
        "column 'd' is text because of 'x' in line 2, where other values are numbers",
    )
    assert column(read(b'[{"b": "?"}, {"b": "x"}]', "t.json", missing=["?"]), "b") == [None, "x"]


def test_json_lines_are_read_from_json_too(read):
    table = read(b'{"a": 1}\n{"a": 2}\n', "t.json")
    assert (table.format, column(table, "a")) == ("jsonl", [1, 2])


def test_columns_are_chosen_in_order(read):
    assert list(read("a,b,c\n1,2,3\n", columns=["c", "a"]).frame) == ["c", "a"]
    assert list(read(b'{"a": 1, "b": 2}', "t.jsonl", columns=["b"]).frame) == ["b"]
    with pytest.raises(InputError, match="there is no column 'z'; there are 'a', 'b'"):
        read("a,b\n1,2\n", columns=["z"])


@pytest.mark.parametrize("delimiter", ["", ",,", '"', "x", " ", "\n", "é", 3])
def test_bad_delimiters(read, delimiter):
    with pytest.raises(InputError, match="give a single character"):
        read("a,b\n1,2\n", delimiter=delimiter)


def test_options_of_text_do_not_go_with_other_formats(tmp_path):
    pd.DataFrame({"a": [1]}).to_parquet(tmp_path / "t.parquet")
    for option in ({"delimiter": ","}, {"encoding": "utf-8"}):
        with pytest.raises(InputError, match="goes with"):
            read_table(tmp_path / "t.parquet", **option)


def test_arrow_types(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table(
        {
            "gap": pa.array([1, None]),
            "large": pa.array([2**60, None]),
            "price": pa.array(["1.50", "2.25"]).cast(pa.decimal128(5, 2)),
            "kind": pa.array(["x", "y"]).dictionary_encode(),
            "__index_level_0__": pa.array([5, 7]),
        }
    )
    pq.write_table(table, tmp_path / "t.parquet")
    read = read_table(tmp_path / "t.parquet")
    assert read.types == {"gap": "float", "large": "text", "price": "float", "kind": "category"}
    assert column(read, "large") == [str(2**60), None]
    assert len(read.notes) == 2
    pq.write_table(pa.table({"a": [[1, 2]]}), tmp_path / "nested.parquet")
    with pytest.raises(InputError, match="column 'a' has the type list"):
        read_table(tmp_path / "nested.parquet")


def test_without_pyarrow_the_extra_is_named(tmp_path, monkeypatch):
    pd.DataFrame({"a": [1]}).to_parquet(tmp_path / "t.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match=r"pip install 'lormika\[files\]'"):
        read_table(tmp_path / "t.parquet")


def test_describe(read):
    table = read("age,name,ok\n41,Anna,true\n42,Bo,false\n?,Cy,true\n44,Di,\n")
    assert [str(row) for row in table.describe()] == [
        "age: float, 1 missing, 3 distinct, 41 … 44",
        "name: text, 4 distinct, Anna, Bo, Cy, …",
        "ok: bool, 1 missing, 2 distinct, True, False",
    ]


@given(st.text(st.sampled_from('ab1.0,;"\t\n\r ?\xa0é'), min_size=1, max_size=40))
@settings(max_examples=80)
def test_any_text_is_read_as_the_csv_module_does_or_refused(tmp_path_factory, body):
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_bytes(f"x,y\n{body}".encode())
    try:
        table = read_table(path, delimiter=",")
    except InputError:
        return
    rows = list(csv.reader(io.StringIO(f"x,y\n{body}", newline=None), skipinitialspace=True))
    rows = [row for row in rows[1:] if len(row) > 1 or "".join(row).strip(" \t")]
    assert len(rows) == len(table.frame)
    for row, read in zip(rows, table.frame.itertuples(index=False), strict=True):
        for text, value in zip(row, read, strict=True):
            bare = text.strip(" \t")
            if pd.isna(value):
                assert bare in ("", "?")
            else:
                assert value == float(bare) if isinstance(value, int | float) else value.strip(" \t") == bare


def test_an_index_that_pandas_wrote_has_the_name_that_pandas_gives_it(tmp_path):
    path = tmp_path / "t.csv"
    written = pd.DataFrame({"a": [1, 2], "b": ["x", "y, z"]})
    written.to_csv(path)
    table = read_table(path)
    pd.testing.assert_frame_equal(table.frame, pd.read_csv(path))
    assert len(table.notes) == 1
    assert "and is called 'Unnamed: 0' here" in table.notes[0]

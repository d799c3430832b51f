"""A table that is written and read again is the same."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lormika.data import read_table
from lormika.data.delimited import MISSING

# A leading letter: neither number, truth nor missing token. Blanks at the ends survive in quotes only.
WORDS = st.from_regex(r"[xyz][ -~ä€\n]{0,5}[xyz]", fullmatch=True)
QUOTED = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0\r"), max_size=5).map("x".__add__)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
COLUMNS = {
    "int": st.integers(-(2**63), 2**63 - 1),
    "float": NUMBERS.map(lambda value: value + 0.5 if abs(value) < 2**50 else value),
    "bool": st.booleans(),
    "text": WORDS,
}


@st.composite
def tables(draw):
    """Columns as lists of plain values, None for missing."""
    n_rows = draw(st.integers(1, 8))
    table = {}
    for i in range(draw(st.integers(1, 4))):
        values = COLUMNS[draw(st.sampled_from(sorted(COLUMNS)))]
        if draw(st.booleans()):  # beyond this, a whole number beside missing values would not be exact
            values = st.none() | values.filter(lambda value: not isinstance(value, int) or abs(value) <= 2**53)
        table[f"c{i}"] = draw(st.lists(values, min_size=n_rows, max_size=n_rows))
    return table


def as_csv(table, quoting=csv.QUOTE_MINIMAL):
    text = io.StringIO()
    writer = csv.writer(text, quoting=quoting)
    writer.writerow(table)
    writer.writerows([["" if value is None else repr(value) if isinstance(value, float) else value for value in row]
                      for row in zip(*table.values(), strict=True)])  # fmt: skip
    return text.getvalue().encode()


def as_json_lines(table):
    rows = zip(*table.values(), strict=True)
    return "".join(json.dumps(dict(zip(table, row, strict=True))) + "\n" for row in rows).encode()


def as_json(table):
    rows = zip(*table.values(), strict=True)
    return json.dumps([dict(zip(table, row, strict=True)) for row in rows], indent=1).encode()


def as_parquet(table):
    import pyarrow.parquet

    sink = io.BytesIO()
    pyarrow.parquet.write_table(pa.table(table), sink)
    return sink.getvalue()


def as_feather(table):
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, pa.table(table).schema) as writer:
        writer.write_table(pa.table(table))
    return sink.getvalue()


def as_stream(table):
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, pa.table(table).schema) as writer:
        writer.write_table(pa.table(table))
    return sink.getvalue()


def zstd(data):
    return pa.Codec("zstd").compress(data, asbytes=True)


WRITERS = {
    "csv": as_csv, "jsonl": as_json_lines, "json": as_json,
    "parquet": as_parquet, "feather": as_feather, "arrow": as_stream,
}  # fmt: skip


def assert_same(frame, table):
    assert list(frame) == list(table)
    for name, values in table.items():
        read = [None if pd.isna(value) else value for value in frame[name].tolist()]
        assert read == values
        present = [value for value in values if value is not None]
        if present and len(present) == len(values) and not isinstance(present[0], str):
            assert frame[name].dtype == np.dtype(type(present[0]))


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("kind", WRITERS)
@given(table=tables())
@settings(max_examples=30)
def test_values_survive(tmp_path_factory, kind, compressed, table):
    path = tmp_path_factory.getbasetemp() / f"{kind}.{kind}{'.gz' if compressed else ''}"
    data = WRITERS[kind](table)
    path.write_bytes(gzip.compress(data) if compressed else data)
    assert_same(read_table(path).frame, table)


@pytest.mark.parametrize(("suffix", "compress"), [("bz2", bz2.compress), ("xz", lzma.compress), ("zst", zstd)])
def test_other_compressions(tmp_path, suffix, compress):
    table = {"a": [1, 2], "b": ["x", None]}
    for kind, write in WRITERS.items():
        path = tmp_path / f"t.{kind}.{suffix}"
        path.write_bytes(compress(write(table)))
        assert_same(read_table(path).frame, table)


@given(texts=st.lists(QUOTED.filter(lambda text: text not in MISSING), min_size=1), blank=st.booleans())
@example(texts=["x\ue000\ue001"], blank=True)  # which once stood for blanks
@settings(max_examples=60)
def test_any_text_survives_in_quotes(tmp_path_factory, texts, blank):
    texts = [f" {text}\t" if blank else text for text in texts]
    path = tmp_path_factory.getbasetemp() / "quoted.csv"
    path.write_bytes(as_csv({"a": texts, "b": list(range(len(texts)))}, csv.QUOTE_ALL))
    table = read_table(path)
    assert table.frame["a"].tolist() == texts
    assert not table.notes


@given(st.lists(NUMBERS, min_size=1))
def test_floats_are_read_exactly(tmp_path_factory, values):
    path = tmp_path_factory.getbasetemp() / "floats.csv"
    path.write_text("a\n" + "".join(f"{value!r}\n" for value in values))
    assert read_table(path).frame["a"].tolist() == values

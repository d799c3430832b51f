"""Rows of the input, read in pieces."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from lormika import Explainer
from lormika.jobs import inputs


@pytest.fixture
def explainer():
    X = pd.DataFrame({"a": np.arange(50.0), "b": ["x", "y"] * 25})
    return Explainer(lambda frame: frame["a"].to_numpy() > 20, X)


@pytest.fixture
def rows():
    return pd.DataFrame({"a": np.arange(1000.0), "b": ["x", "y"] * 500}, index=np.arange(1000) * 3)


@pytest.mark.parametrize("group", [7, 100, 1000])
def test_any_range_of_rows_comes_back(explainer, rows, tmp_path, monkeypatch, group):
    monkeypatch.setattr(inputs, "_group_rows", lambda n: group)
    path = tmp_path / inputs.save_input(rows, tmp_path, explainer.schema)
    assert pq.read_metadata(path).num_row_groups == -(-1000 // group)
    for some in (range(1), range(1000), range(95, 105), range(699, 701), range(990, 1000)):
        expected = rows.iloc[some.start : some.stop]
        pd.testing.assert_frame_equal(inputs.read_input(path, some), expected)
        assert inputs.read_numbers(path, some) == expected.index.tolist()


def test_the_file_is_opened_once_for_many_chunks(explainer, rows, tmp_path, monkeypatch):
    """What it says about its groups is read first, and that is long if the table is."""
    path = tmp_path / inputs.save_input(rows, tmp_path, explainer.schema)
    opened = []
    real = pq.ParquetFile
    monkeypatch.setattr(pq, "ParquetFile", lambda file: opened.append(file) or real(file))
    for start in range(0, 1000, 50):
        inputs.read_numbers(path, range(start, start + 50))
        inputs.read_input(path, range(start, start + 50))
    assert opened == [path]


def test_a_file_that_was_replaced_is_read_anew(explainer, rows, tmp_path):
    path = tmp_path / inputs.save_input(rows, tmp_path, explainer.schema)
    assert inputs.read_input(path, range(1))["a"].tolist() == [0.0]
    assert inputs.read_numbers(path, range(1)) == [0]
    other = tmp_path / "other.parquet"
    rows.iloc[::-1].to_parquet(other)
    other.replace(path)
    assert inputs.read_input(path, range(1))["a"].tolist() == [999.0]
    assert inputs.read_numbers(path, range(1)) == [2997]

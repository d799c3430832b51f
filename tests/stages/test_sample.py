"""Rows that are the same are found as by comparing each with each."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import naive
from lormika.stages.sample import distinct_rows

# Values whose bits differ little, or are equal as numbers but not as bits.
VALUES = st.sampled_from([0.0, -0.0, 1.0, 2.0, np.nan, 1e300, 5e-324, -1.0, 3.0, 0.1])


@given(hnp.arrays(np.float64, st.tuples(st.integers(0, 40), st.integers(0, 4)), elements=VALUES), st.booleans())
def test_as_by_comparing_each_with_each(rows, by_columns):
    rows = np.asfortranarray(rows) if by_columns else rows
    first, copies = distinct_rows(rows)
    assert (first.tolist(), copies.tolist()) == naive.distinct_rows([row.tobytes() for row in rows])


def test_many_whole_numbers():
    rows = np.stack(np.meshgrid(*[np.arange(12.0)] * 4), axis=-1).reshape(-1, 4)
    first, copies = distinct_rows(np.concatenate([rows, rows[::-1]]))
    assert first.tolist() == list(range(len(rows)))
    assert copies.tolist() == [*range(len(rows)), *range(len(rows) - 1, -1, -1)]

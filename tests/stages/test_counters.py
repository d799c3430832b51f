"""Every way of counting bits that this processor has, against the naive one."""

from __future__ import annotations

from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from draws import examples
from lormika import _core


@st.composite
def bitsets(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Bitsets of all lengths: none, a few words, and more than a byte can count; thin, dense and full ones."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    lengths = draw(st.lists(st.sampled_from([0, 1, 2, 3, 5, 8, 31, 32, 33, 70]), min_size=1, max_size=4))
    begin = np.array([0, *accumulate(lengths)], dtype=np.int32)
    size = draw(st.sampled_from([1, 2, 7, 8, 9, 17]))
    words = rng.integers(0, 2**64, (size, begin[-1]), dtype=np.uint64)
    for _ in range(draw(st.integers(0, 3))):
        words &= rng.integers(0, 2**64, words.shape, dtype=np.uint64)
    if draw(st.booleans()):
        words[rng.random(size) < 0.5] = 2**64 - 1
    return words, begin


def test_the_fastest_counter_is_the_one_in_the_build_report():
    assert _core.build.endswith(_core.counters()[0])
    assert _core.counters()[-1] == "portable"


@pytest.mark.parametrize("counter", _core.counters())
@settings(max_examples=examples(60))
@given(drawn=bitsets(), data=st.data())
def test_counts_like_the_naive_one(counter, drawn, data):
    words, begin = drawn
    counts = naive.count_bits(words.tolist(), begin.tolist())
    classes = len(begin) - 1
    largest = max(map(sum, counts))
    limits = st.lists(st.integers(0, largest + 1), min_size=classes, max_size=classes)
    least_rows, least_both, most_other = data.draw(st.integers(0, largest + 1)), data.draw(limits), data.draw(limits)
    wanted = [naive.passes_screen(own, least_rows, least_both, most_other) for own in counts]
    narrow = (np.array(limit, dtype=np.int32) for limit in (least_both, most_other))
    assert _core.count(counter, words, begin, least_rows, *narrow) == (counts, list(map(sum, counts)), wanted)


def test_an_unknown_counter_is_refused():
    none = np.zeros(1, dtype=np.int32)
    with pytest.raises(ValueError, match="no such counter"):
        _core.count("abacus", np.zeros((1, 0), dtype=np.uint64), np.zeros(2, dtype=np.int32), 0, none, none)

"""Items: cuts, categories, missing values, and their words."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from draws import examples
from lormika import InputError, frames
from lormika.frames.schema import encoded_columns, read_schema
from lormika.rule import Interval
from lormika.stages.cuts import check_cuts, equal_frequency_cuts
from lormika.stages.items import itemise


@settings(max_examples=examples(100))
@given(values=st.lists(st.integers(-20, 20), max_size=60), bins=st.integers(2, 6))
def test_cuts_are_as_near_to_equal_shares_as_ties_allow(values, bins):
    assert equal_frequency_cuts(np.array(values, dtype=float), bins).tolist() == naive.equal_frequency_cuts(
        values, bins
    )


def test_a_cut_lies_between_neighbours_that_have_no_number_between_them():
    low = 1.0
    high = np.nextafter(low, 2.0)
    assert equal_frequency_cuts(np.array([low, high]), 2).tolist() == [high]
    assert np.isfinite(equal_frequency_cuts(np.array([-1.7e308, 1.7e308]), 2)).all()


def items_of(columns, instance=None, **options):
    reader = frames.read(columns)
    schema = read_schema(reader, None)
    encoded = np.stack(list(encoded_columns(schema, reader)), axis=1)
    x = None if instance is None else schema.read_instance(instance).rows[0]
    cuts = check_cuts(schema, options.pop("cuts", None))
    return itemise(schema, encoded, x, bins=options.pop("bins", 3), cuts=cuts)


def conditions_of(items):
    return [str(items.condition(i)) for i in range(len(items))]


def test_every_row_has_one_item_of_each_feature_that_varies():
    items = items_of(
        {"age": [20, 30, 40, None], "job": ["b", None, "a", "a"], "same": [1, 1, 1, 1]},
        {"age": 33, "job": "b", "same": 1},
    )
    assert conditions_of(items) == [
        "age ≤ 24", "25 ≤ age ≤ 34", "age ≥ 35", "age is missing",
        "job = a", "job = b", "job is missing",
    ]  # fmt: skip
    assert items.codes.tolist() == [[0, 1, 2, 3], [1, 2, 0, 0]]
    assert items.instance.tolist() == [1, 1]


def test_user_cuts_are_taken_as_they_are_and_empty_ranges_dropped():
    items = items_of({"age": [20, 30, 40], "n": [1, 2, 3]}, {"age": 26, "n": 2}, cuts={"age": [25, 26, 45, 25]})
    assert conditions_of(items)[:2] == ["age ≤ 24", "26 ≤ age ≤ 44"]
    assert items.instance[0] == 1
    inside_an_empty_range = items_of({"age": [20, 30, 40], "n": [1, 2, 3]}, {"age": 25, "n": 2}, cuts={"age": [25, 26]})
    assert inside_an_empty_range.instance[0] == -1


@pytest.mark.parametrize(
    ("low", "high", "integer", "text"),
    [
        (-math.inf, 27.5, True, "age ≤ 27"),
        (27.5, math.inf, True, "age ≥ 28"),
        (25.5, 29.5, True, "26 ≤ age ≤ 29"),
        (3.5, 4.5, True, "age = 4"),
        (25.0, 45.0, True, "25 ≤ age ≤ 44"),
        (-math.inf, 0.25, False, "age < 0.25"),
        (0.25, math.inf, False, "age ≥ 0.25"),
        (0.25, 1.0, False, "0.25 ≤ age < 1"),
        (-math.inf, -0.5, True, "age ≤ -1"),
        (-math.inf, math.inf, True, "age is not missing"),
    ],
)
def test_words_of_intervals(low, high, integer, text):
    assert str(Interval("age", low, high, integer)) == text


@settings(max_examples=examples(80))
@given(low=st.integers(-20, 20), width=st.integers(1, 8), half=st.booleans(), value=st.integers(-30, 30))
def test_whole_number_words_mean_what_holds(low, width, half, value):
    interval = Interval("v", low - 0.5 * half, low + width - 0.5 * half, integer=True)
    words = str(interval).replace("≤", "<=").replace("≥", ">=").replace(" = ", " == ")
    column = frames.read({"v": [value]})["v"]
    assert eval(words, {"v": value}) == interval.holds(column)[0]


@pytest.mark.parametrize(
    ("cuts", "culprit"),
    [
        ({"nope": [1]}, "nope"),
        ({"job": [1]}, "job"),
        ({"age": ["x"]}, "age"),
        ({"age": [math.nan]}, "age"),
        ({"age": 3}, "age"),
    ],
)
def test_wrong_cuts_are_named(cuts, culprit):
    with pytest.raises(InputError, match=culprit):
        items_of({"age": [1, 2, 3], "job": ["a", "b", "a"]}, cuts=cuts)

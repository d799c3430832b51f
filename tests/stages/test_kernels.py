"""Kernels that read and cut tables, against loops that are obviously right."""

from __future__ import annotations

import bisect
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draws import examples
from lormika import _core

numbers = st.floats(-5, 5).map(lambda x: round(x, 1)) | st.sampled_from([-0.0, math.inf, -math.inf, math.nan])
ascending = st.lists(st.integers(1, 30), min_size=1, max_size=3).map(sorted)
FIVE = np.array([5], np.int32)
finite = st.floats(-5, 5).map(lambda x: round(x, 1))


@settings(max_examples=examples(100))
@given(lists=st.lists(st.lists(finite, max_size=9).map(sorted), min_size=1, max_size=4), data=st.data())
def test_places_count_what_is_less(lists, data):
    ends = np.cumsum(list(map(len, lists)))
    begins = ends - list(map(len, lists))
    wanted = data.draw(st.lists(st.tuples(st.integers(0, len(lists) - 1), numbers), max_size=20))
    features = np.array([f for f, _ in wanted], dtype=np.int64)
    values = np.array([value for _, value in wanted], dtype=float)
    found = _core.places(np.array([value for own in lists for value in own]), begins, ends, features, values)
    expected = [len(lists[f]) if math.isnan(v) else bisect.bisect_left(lists[f], v) for f, v in wanted]
    assert found.tolist() == expected


@settings(max_examples=examples(100))
@given(
    lists=st.lists(st.lists(finite, max_size=40).map(lambda own: sorted(set(own))), min_size=1, max_size=4),
    n_rows=st.integers(1, 9),
    data=st.data(),
)
def test_values_are_sorted_by_their_places(lists, n_rows, data):
    ends = np.cumsum(list(map(len, lists)))
    begins = ends - list(map(len, lists))
    places = [[data.draw(st.integers(0, len(own) + 1)) for _ in range(n_rows)] for own in lists]
    values = np.array([value for own in lists for value in own], dtype=float)
    found = _core.order(values, begins, ends, np.array(places, dtype=np.int32))
    for own, chosen, line in zip(lists, places, found.tolist(), strict=True):
        present = sorted(own[place] for place in chosen if place < len(own))
        assert line[: len(present)] == present
        assert all(map(math.isnan, line[len(present) :]))


@settings(max_examples=examples(100))
@given(data=st.data(), n_fields=st.integers(1, 3), n_rows=st.integers(1, 6), size=st.integers(1, 4))
def test_fields_are_summed_by_group(data, n_fields, n_rows, size):
    fields = [[data.draw(finite) for _ in range(n_rows)] for _ in range(n_fields)]
    term = st.tuples(st.integers(0, n_rows - 1), st.integers(0, size - 1), finite)
    terms = data.draw(st.lists(term, max_size=20))
    places, groups = (np.array([term[i] for term in terms], dtype=np.int64) for i in range(2))
    weights = np.array([weight for _, _, weight in terms], dtype=float)
    found = _core.sum_groups(np.array(fields), places, groups, weights, size)
    expected = [[0.0] * n_fields for _ in range(size)]
    for place, group, weight in terms:
        for f in range(n_fields):
            expected[group][f] += fields[f][place] * weight
    assert found.tolist() == expected


def test_sums_refuse_places_and_groups_that_are_not_there():
    fields, ones, zero = np.ones((2, 3)), np.ones(1), np.zeros(1, dtype=np.int64)
    for places, groups in ((zero + 3, zero), (zero - 1, zero), (zero, zero + 2), (zero, zero - 1)):
        with pytest.raises(ValueError, match="out of range"):
            _core.sum_groups(fields, places, groups, ones, 2)
    with pytest.raises(ValueError, match="one group and weight per place"):
        _core.sum_groups(fields, zero, zero, np.ones(2), 2)


@settings(max_examples=examples(100))
@given(data=st.data(), n_rows=st.integers(1, 12), n_features=st.integers(1, 4))
def test_items_are_assigned_by_cuts_and_categories(data, n_rows, n_features):
    columns, cuts, sizes, numeric = [], [], [], []
    for _ in range(n_features):
        numeric.append(data.draw(st.booleans()))
        own = sorted(set(data.draw(st.lists(finite, max_size=20)))) if numeric[-1] else []
        categories = data.draw(st.integers(1, 5))
        value = numbers if numeric[-1] else st.integers(0, categories - 1).map(float) | st.just(math.nan)
        columns.append(data.draw(st.lists(value, min_size=n_rows, max_size=n_rows)))
        cuts.append(own)
        sizes.append((len(own) + 1 if numeric[-1] else categories) + 1)
    items, rows = _core.assign(
        np.array(columns),
        np.array([point for own in cuts for point in own], dtype=float),
        np.cumsum([0, *map(len, cuts)]),
        np.array(sizes, dtype=np.int32),
        np.array(numeric),
    )
    expected = [
        [
            sizes[f] - 1 if math.isnan(value) else bisect.bisect_right(cuts[f], value) if numeric[f] else int(value)
            for value in columns[f]
        ]
        for f in range(n_features)
    ]
    assert items.tolist() == expected
    assert rows.tolist() == [expected[f].count(item) for f in range(n_features) for item in range(sizes[f])]


@settings(max_examples=examples(100))
@given(
    data=st.data(), n_rows=st.integers(1, 30), counts=st.lists(st.integers(1, 30), min_size=1, max_size=3).map(sorted)
)
def test_reach_is_the_nth_smallest_distance_of_each_class(data, n_rows, counts):
    squared = data.draw(st.lists(st.integers(0, 9).map(float), min_size=n_rows, max_size=n_rows))
    labels = data.draw(st.lists(st.integers(0, 2), min_size=n_rows, max_size=n_rows))
    found = _core.reach(np.array(squared), np.array(labels, dtype=np.int32), 3, np.array(counts, dtype=np.int32))
    for n, count in enumerate(counts):
        for c in range(3):
            own = sorted(d for d, label in zip(squared, labels, strict=True) if label == c)
            assert found[n, c] == (own[min(count, len(own)) - 1] if own else 0.0)


def test_numbers_that_often_differ_have_the_same_distances_as_those_that_are_looked_up():
    rng = np.random.default_rng(0)
    values = np.sort(rng.normal(size=40))
    codes = rng.integers(0, 40, (2, 3000)).astype(np.uint8)
    points, offsets = np.concatenate([values, values]), np.array([0, 40, 80])
    scales, numeric, x = np.array([0.7, 1.3]), np.array([True, True]), rng.normal(size=(3, 2))
    columns = points[offsets[:-1, None] + codes]
    looked_up = np.full(2, -1)
    found = [
        _core.scan(codes, points, offsets, scales, numeric, columns, column, x)
        for column in (looked_up, np.array([0, 1]), np.array([-1, 1]))
    ]
    expected = sum(((columns[f] - x[:, f, None]) / scales[f]) ** 2 for f in range(2))
    assert all(np.array_equal(one, found[0]) for one in found)
    assert np.allclose(found[0], expected)


@pytest.mark.parametrize(
    ("kernel", "arguments"),
    [
        ("places", (np.zeros(2), np.array([0]), np.array([3]), np.array([0]), np.zeros(1))),
        ("places", (np.zeros(2), np.array([0]), np.array([2]), np.array([1]), np.zeros(1))),
        ("assign", (np.zeros((1, 2)), np.zeros(0), np.zeros(2, int), FIVE, np.array([True]))),
        ("assign", (np.full((1, 2), 7.0), np.zeros(0), np.zeros(2, int), FIVE, np.zeros(1, bool))),
        ("reach", (np.zeros(2), np.zeros(2, np.int32), 1, np.array([3, 2], np.int32))),
        ("order", (np.zeros(2), np.array([0]), np.array([2]), np.array([[-1]], np.int32))),
        ("order", (np.zeros(2), np.array([0]), np.array([2]), np.zeros((2, 1), np.int32))),
        ("cut_evenly", (np.zeros((1, 3)), np.array([4], np.int32), 3)),
        ("mix", (np.zeros((1, 2)), np.array([True]), np.zeros(1), np.full((2, 1), 2), np.array([0]), np.zeros(1))),
    ],
)  # fmt: skip
def test_what_does_not_fit_together_is_refused(kernel, arguments):
    with pytest.raises(ValueError, match=r"must|out of range"):
        getattr(_core, kernel)(*arguments)

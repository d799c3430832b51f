"""Chosen sets and bounds against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draws import examples
from lormika.actions.coverage import Cover, choose_greedily, find_optimum
from naive_actions import best_reach


@st.composite
def tables(draw) -> np.ndarray:
    """Sets x rows, from empty to full."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    shape = draw(st.integers(0, 9)), draw(st.integers(0, 25))
    return rng.random(shape) < draw(st.sampled_from([0.05, 0.2, 0.5, 0.9]))


def sets_of(table: np.ndarray) -> list[set[int]]:
    return [set(np.flatnonzero(row).tolist()) for row in table]


@given(tables(), st.integers(1, 4))
@settings(max_examples=examples(300), deadline=None)
def test_bounds_hold_and_the_optimum_is_one(table, most) -> None:
    cover = Cover.of(table)
    chosen, bound = choose_greedily(cover, np.zeros(len(table)), most)
    greedy, optimum = best_reach(sets_of(table[chosen]), most), best_reach(sets_of(table), most)
    assert greedy <= optimum <= bound <= table.any(axis=0).sum()
    assert find_optimum(cover, most, greedy) == optimum


@given(tables(), st.integers(1, 4), st.integers(0, 5))
@settings(max_examples=examples(100), deadline=None)
def test_a_search_that_is_cut_short_says_so_or_is_right(table, most, nodes) -> None:
    optimum = best_reach(sets_of(table), most)
    assert find_optimum(Cover.of(table), most, 0, nodes * max(1, Cover.of(table).sets.size)) in (None, optimum)


def test_greedy_is_not_the_best_here_and_the_bound_says_what_is() -> None:
    """Two sets cover all eight rows; the largest one spoils it."""
    table = np.zeros((3, 8), dtype=bool)
    table[0, [0, 1, 2, 4, 5]] = table[1, [0, 1, 2, 3]] = table[2, [4, 5, 6, 7]] = True
    cover = Cover.of(table)
    chosen, bound = choose_greedily(cover, np.zeros(3), 2)
    assert chosen == [0, 2]
    assert find_optimum(cover, 2, 7) == 8 <= bound


def test_the_bound_is_the_least_over_all_prefixes() -> None:
    """At first, two sets of six might cover all ten rows; after the first, the other can add only one."""
    table = np.zeros((2, 10), dtype=bool)
    table[0, :6] = table[1, 1:7] = True
    assert choose_greedily(Cover.of(table), np.zeros(2), 2) == ([0, 1], 7)


def test_the_bound_leaves_out_what_no_set_covers() -> None:
    """At every step, two sets might add up to ten rows; but no set covers the tenth."""
    table = np.zeros((4, 10), dtype=bool)
    table[0, :5] = table[1, 3:8] = table[2, [5, 8]] = table[3, [6, 8]] = True
    assert choose_greedily(Cover.of(table), np.zeros(4), 2) == ([0, 1], 9)


@pytest.mark.parametrize(("costs", "first"), [([2.0, 1.0, 1.0], 1), ([1.0, 1.0 + 1e-12, 1.0], 0), ([3.0, 2.0, 1.0], 2)])
def test_of_equal_sets_the_cheaper_and_then_the_earlier_is_taken(costs, first) -> None:
    chosen, _ = choose_greedily(Cover.of(np.ones((3, 4), dtype=bool)), np.array(costs), 3)
    assert chosen == [first]

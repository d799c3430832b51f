"""Algorithms 2 and 3 against direct transcriptions of the paper."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import qmc

import naive
from lormika import frames
from lormika.frames.schema import encoded_columns, read_schema
from lormika.options import Settings
from lormika.stages.background import Background
from lormika.stages.design import even_points, random_points
from lormika.stages.neighbourhood import find, generate, parents_at, seed, select

cells = st.one_of(st.none(), st.integers(-3, 3), st.floats(-10, 10, width=16))
categories = st.one_of(st.none(), st.sampled_from(["a", "b", "c"]))


def options(
    least: int, most: int, thin: str = "nearest", n_generated: int = 100, design: str = "even", random_state: int = 0
) -> Settings:
    return Settings(least, most, thin, n_generated, design, snap=True, random_state=random_state)


@st.composite
def backgrounds(draw: st.DrawFn) -> tuple[Background, list[list[float | None]]]:
    """A small background, and its rows as the naive twin reads them."""
    n = draw(st.integers(3, 25))
    columns: dict[str, list] = {}
    for f in range(draw(st.integers(1, 3))):
        values = draw(st.lists(cells, min_size=n, max_size=n))
        columns[f"n{f}"] = [None if v is None else float(v) for v in [*values[:-1], 1.0]]
    for f in range(draw(st.integers(0, 2))):
        columns[f"c{f}"] = [*draw(st.lists(categories, min_size=n - 1, max_size=n - 1)), "a"]
    reader = frames.read(columns)
    schema = read_schema(reader, None)
    encoded = list(encoded_columns(schema, reader))
    rows = [[None if np.isnan(v) else float(v) for v in row] for row in np.stack(encoded, axis=1)]
    return Background.of(schema, encoded), rows


def numbers() -> tuple[Background, np.ndarray]:
    """A background of two numbers, and labels."""
    rng = np.random.default_rng(0)
    columns = {"a": rng.normal(size=300), "b": rng.integers(0, 9, 300)}
    reader = frames.read(columns)
    schema = read_schema(reader, None)
    background = Background.of(schema, encoded_columns(schema, reader))
    return background, (columns["a"] > 0.5).astype(np.int32)


def is_category(background: Background) -> list[bool]:
    return [not feature.is_numeric for feature in background.schema.features]


def moments(background: Background, rows) -> tuple[list[float], list[float]]:
    means, scales = [], []
    for f in range(len(background.schema)):
        present = np.array([row[f] for row in rows if row[f] is not None])
        means.append(present.mean())
        scales.append(present.std() if len(set(present)) > 1 else 0.0)
    return means, scales


@settings(max_examples=80)
@given(data=backgrounds(), pick=st.integers(0, 1000))
def test_distances_are_those_of_z_scores_and_one_hot_columns(data, pick):
    background, rows = data
    instance = rows[pick % len(rows)]
    means, scales = moments(background, rows)
    encoded = np.array([np.nan if v is None else v for v in instance])
    wanted = [naive.squared_distance(instance, row, means, scales, is_category(background)) for row in rows]
    assert background.squared_distances(encoded[None])[0] == pytest.approx(wanted, rel=1e-9, abs=1e-9)


def test_a_category_that_no_row_has_differs_from_all():
    reader = frames.read({"c": ["a", "b", "b"], "n": [1.0, 2.0, 3.0]})
    schema = read_schema(reader, None)
    background = Background.of(schema, encoded_columns(schema, reader))
    assert background.squared_distances(np.array([[np.nan, 2.0]]))[0] == pytest.approx([3.5, 2.0, 3.5])


@settings(max_examples=100)
@given(
    points=st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3)), min_size=1, max_size=60),
    least=st.integers(3, 8),
    extra=st.integers(0, 5),
)
def test_select_is_algorithm_2(points, least, extra):
    squared = [float(distance) for distance, _ in points]
    labels = [label for _, label in points]
    chosen, cut, inside = select(
        np.array(squared), np.array(labels, dtype=np.int32), options(least, least + extra), np.random.default_rng(0)
    )
    wanted, wanted_cut = naive.select(squared, labels, least, least + extra)
    assert (chosen.tolist(), cut) == (wanted, wanted_cut)
    assert inside == sum(distance <= cut for distance in squared)


def test_random_thinning_draws_from_all_neighbours():
    squared, labels = np.arange(100.0), (np.arange(100) == 99).astype(np.int32)
    drawn = [select(squared, labels, options(5, 5, thin="random"), np.random.default_rng(s))[0] for s in range(200)]
    assert all(len(rows) == 6 and len(set(rows.tolist())) == 6 and 99 in rows for rows in drawn)
    assert len(set(np.concatenate(drawn).tolist())) == 100


@settings(max_examples=80)
@given(data=backgrounds(), count=st.integers(0, 30), even=st.booleans(), snaps=st.booleans())
def test_generate_is_algorithm_3(data, count, even, snaps):
    background, rows = data
    real = background.rows(np.arange(len(rows)))
    squared = background.squared_distances(real[:1])[0]
    points = even_points(count) if even else random_points(np.random.default_rng(count), count)
    made, codes = generate(background, real, squared, points, snap=snaps)
    assert (codes is None) != snaps
    for f in np.flatnonzero(background.numeric) if snaps else ():
        assert np.array_equal(np.append(background.observed(f), np.nan)[codes[f]], made[:, f], equal_nan=True)

    nearest = sorted(range(len(rows)), key=lambda row: squared[row])
    crossed = count - count // 2
    draws = []
    for i, point in enumerate(points.tolist()):  # parents and step of crossover, then of mutation
        parents = naive.parents(point[: 2 if i < crossed else 3], nearest)
        draws.append((parents, point[3] if i < crossed else 0.5 + point[3] / 2))

    means = background.means.tolist()
    for (parents, step), row in zip(draws, made, strict=True):
        near = [squared[p] for p in parents]
        wanted = naive.mix([rows[p] for p in parents], near, step, means, is_category(background))
        for f, value in enumerate(wanted):
            observed = sorted({r[f] for r in rows if r[f] is not None})
            if value is not None and background.schema.features[f].is_numeric:
                value = naive.snap(value, observed) if snaps else min(max(value, observed[0]), observed[-1])
                if not snaps:  # a column of whole numbers takes nothing else
                    value = round(value) if background.schema.features[f].integer else value
            assert value == row[f] or (value is None and np.isnan(row[f]))


def test_parents_are_distinct_and_equally_likely():
    drawn = parents_at(random_points(np.random.default_rng(0), 24_000)[:, :3], 4)
    assert (np.sort(drawn, axis=0)[1:] != np.sort(drawn, axis=0)[:-1]).all()
    _, counts = np.unique(drawn.T, axis=0, return_counts=True)
    assert len(counts) == 24
    assert counts.min() > 800


def test_the_even_design_is_the_sobol_sequence():
    sobol = qmc.Sobol(4, scramble=False, bits=32).random(2**13)
    assert (even_points(2**13 - 1) == sobol[1:]).all()
    assert (even_points(1000) == sobol[1:1001]).all()


def test_an_even_design_takes_every_parent_about_equally_often():
    places = parents_at(even_points(1000)[:, :2], 100)
    for parent in places:
        assert np.ptp(np.bincount(parent, minlength=100)) <= 7  # of independent draws: about 16


def test_the_seed_depends_on_the_content_alone():
    same = seed(3, np.array([0.0, np.nan, 1.0])).random()
    assert seed(3, np.array([-0.0, np.nan, 1.0])).random() == same
    assert seed(4, np.array([0.0, np.nan, 1.0])).random() != same
    assert seed(3, np.array([0.0, np.nan, 2.0])).random() != same


@pytest.mark.parametrize("design", ["even", "random"])
def test_the_seed_matters_to_random_draws_alone(design):
    background, labels = numbers()
    made = [
        next(find(background, labels, np.array([[0.4, 3.0]]), options(10, 20, design=design, random_state=state))).rows
        for state in (1, 2)
    ]
    assert (made[0] == made[1]).all() == (design == "even")


def test_the_sample_is_the_selected_rows_and_then_the_generated_ones():
    background, labels = numbers()
    (near,) = find(background, labels, np.array([[0.4, 3.0]]), options(10, 20, n_generated=51))
    assert len(near.rows) == near.n_real + 51
    assert (near.rows[: near.n_real] == background.rows(near.selected)).all()
    assert np.bincount(labels[near.selected]).max() <= 20
    assert set(near.rows[near.n_real :, 0]) <= set(background.observed(0))

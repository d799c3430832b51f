"""Neighbourhood: rows like the instance, selected from the background (Algorithm 2) and generated (Algorithm 3)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lormika import _core
from lormika.options import Settings
from lormika.stages.background import Background
from lormika.stages.design import even_points, random_points

_NOTHING_RANDOM = np.random.default_rng(0)  # never asked for a number
_BLOCK = 16  # instances whose distances are found in one pass over the background
_MOST_DISTANCES = 4_000_000  # at a time: 32 MB


@dataclass(frozen=True, slots=True, eq=False)
class Neighbourhood:
    """Encoded rows around an instance: real ones first, generated ones after them."""

    selected: np.ndarray  # row numbers in the background, ascending
    rows: np.ndarray  # encoded, selected then generated
    cut: float  # squared distance of the farthest row that counts as a neighbour
    neighbours: int  # background rows within the cut, before any class was thinned
    squared: np.ndarray  # squared distances of the selected rows
    ordered: np.ndarray  # numbers x rows: sorted values of each, missing ones last

    @property
    def n_real(self) -> int:
        """How many rows come from the background."""
        return len(self.selected)


def seed(random_state: int, instance: np.ndarray) -> np.random.Generator:
    """Random numbers that depend only on the state and the instance, never on its place in a batch."""
    content = np.where(np.isnan(instance), np.nan, instance + 0.0)  # one NaN, one zero
    digest = hashlib.blake2b(content.astype("<f8").tobytes(), digest_size=16).digest()
    return np.random.default_rng([random_state, *np.frombuffer(digest, dtype="<u4").tolist()])


def find(
    background: Background, labels: np.ndarray, instances: np.ndarray, settings: Settings
) -> Iterator[Neighbourhood]:
    """Select and generate the rows around each encoded instance; `labels` are the model's, for the background."""
    block = max(1, min(_BLOCK, _MOST_DISTANCES // len(background)))
    for start in range(0, len(instances), block):
        some = instances[start : start + block]
        for instance, squared in zip(some, background.squared_distances(some), strict=True):
            yield _find_one(background, labels, instance, squared, settings)


def _find_one(
    background: Background,
    labels: np.ndarray,
    instance: np.ndarray,
    squared: np.ndarray,
    settings: Settings,
) -> Neighbourhood:
    rng = seed(settings.random_state, instance) if "random" in (settings.thin, settings.design) else _NOTHING_RANDOM
    selected, cut, neighbours = select(squared, labels, settings, rng)
    real = background.rows(selected)
    count = settings.n_generated
    points = even_points(count) if settings.design == "even" else random_points(rng, count)
    generated, codes = generate(background, real, squared[selected], points, snap=settings.snap)
    rows = np.concatenate([real.T, generated.T], axis=1).T
    rows.setflags(write=False)
    if codes is None:
        ordered = np.sort(rows.T[background.numeric], axis=1)
    else:
        own = background.codes.take(selected, axis=1).astype(np.int32)
        ordered = background.sort(np.concatenate([own, codes], axis=1)[background.numeric])
    return Neighbourhood(selected, rows, cut, neighbours, squared[selected], ordered)


def select(
    squared: np.ndarray, labels: np.ndarray, settings: Settings, rng: np.random.Generator
) -> tuple[np.ndarray, float, int]:
    """Row numbers of the neighbours, the cut, and how many rows lie within it.

    The cut is the distance that takes the `min_neighbours` nearest rows of every class; all rows up to it are
    neighbours, at most `max_neighbours` of a class. Ties go to the lower row number.
    """
    classes = int(labels.max()) + 1
    counts = np.minimum([settings.min_neighbours, settings.max_neighbours], len(labels)).astype(np.int32)
    least, most = _core.reach(squared, labels, classes, counts)
    cut = float(least.max())
    bounds = np.full(classes, cut)
    if settings.thin == "nearest":  # then no row beyond these can be kept
        bounds = np.minimum(bounds, most)
    inside = _core.within(squared, labels, bounds)
    their_labels = labels[inside]
    kept = []
    for c, size in enumerate(np.bincount(their_labels, minlength=classes).tolist()):
        rows = inside[their_labels == c]
        if size > settings.max_neighbours:
            rows = _thin(rows, squared[rows], settings, rng)
        kept.append(rows)
    return np.sort(np.concatenate(kept)), cut, int(np.count_nonzero(squared <= cut))


def _thin(rows: np.ndarray, squared: np.ndarray, settings: Settings, rng: np.random.Generator) -> np.ndarray:
    if settings.thin == "random":
        numbers: np.ndarray = rng.choice(rows, size=settings.max_neighbours, replace=False)
        return numbers
    order = np.argsort(squared, kind="stable")  # only ties are too many: the higher row numbers go
    return rows[order[: settings.max_neighbours]]


def generate(
    background: Background, real: np.ndarray, squared: np.ndarray, points: np.ndarray, *, snap: bool
) -> tuple[np.ndarray, np.ndarray | None]:
    """New encoded rows from selected ones at these squared distances, one for each point of the unit cube.

    The first half is made by crossover, the second by mutation. A point says which rows, counted from the nearest,
    are the parents, and how far to step; so an even design takes near and far rows evenly. With `snap`, also the codes
    of their numbers (features x rows).
    """
    nearest = np.argsort(squared, kind="stable")
    crossed, mutated = np.split(points, [len(points) - len(points) // 2])
    pairs, alpha = nearest[parents_at(crossed[:, :2], len(real))], crossed[:, -1]
    triples, sigma = nearest[parents_at(mutated[:, :3], len(real))], 0.5 + mutated[:, -1] / 2
    parts = [_mix(background, real, squared, *one) for one in ((pairs, alpha), (triples, sigma))]
    made = np.concatenate(parts, axis=1)
    codes = background.snap(made) if snap else None
    if not snap:
        _fit(background, made)
    return made.T, codes


def _fit(background: Background, made: np.ndarray) -> None:
    """Bring numbers (features x rows) into the observed range, as the column's type stores them."""
    for f, feature in enumerate(background.schema.features):
        observed = background.observed(f)
        if feature.is_numeric and len(observed):
            made[f] = feature.fit(made[f].clip(observed[0], observed[-1]))


def parents_at(points: np.ndarray, size: int) -> np.ndarray:
    """Positions (parents x points) below `size`, different within each column; evenly spread points take all evenly.

    >>> parents_at(np.array([[0.0, 0.0], [0.5, 0.5], [0.9, 0.9]]), 4)
    array([[0, 2, 3],
           [1, 1, 2]])
    """
    positions = np.empty(points.T.shape, dtype=np.intp)
    for i, shares in enumerate(points.T):
        positions[i] = shares * (size - i)
        taken = positions[:i] if i < 2 else (positions[:i].min(axis=0), positions[:i].max(axis=0))  # of two at most
        for earlier in taken:  # skip over them, lowest first
            positions[i] += positions[i] >= earlier
    return positions


def _mix(
    background: Background, real: np.ndarray, squared: np.ndarray, parents: np.ndarray, step: np.ndarray
) -> np.ndarray:
    """Mix rows: x + (y - x) * step for two parents, x + (y - z) * step for three (features x rows).

    Categories and missing values come from the parent closest to the instance, the first of equally close ones.
    Elsewhere a missing number counts as the mean.
    """
    closest = parents[squared[parents].argmin(axis=0), np.arange(parents.shape[1])]
    return background.mix(np.ascontiguousarray(real.T), parents, closest, np.ascontiguousarray(step))

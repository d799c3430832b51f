"""Joining: rows of several instances in one table, although each has its own categories unknown to the background."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lormika.errors import listing
from lormika.frames.instances import Unseen
from lormika.frames.schema import Schema
from lormika.frames.values import Scalar, format_value


def groups(schema: Schema, unseen: Mapping[int, Unseen]) -> list[list[int]]:
    """Which instances can share a table without one of them changing another.

    Where a type lists its categories, a model may rely on their positions, and an unseen one has the first after those
    of the background: no table can hold two of them. Rows without any keep the background's own list.
    """
    together: dict[tuple[tuple[int, type, Scalar], ...], list[int]] = {}
    for number, own in unseen.items():
        key = tuple((f, type(v), v) for f, v in own.items() if schema.features[f].lists_categories)
        together.setdefault(key, []).append(number)
    return list(together.values())


def joined(schema: Schema, parts: Sequence[np.ndarray], unseen: Sequence[Unseen]) -> tuple[Schema, list[np.ndarray]]:
    """A schema with all categories of some instances, and the rows of each encoded by it."""
    if not any(unseen):
        return schema, list(parts)
    places: dict[int, dict[tuple[type, Scalar], int]] = {}
    recoded = []
    for rows, own in zip(parts, unseen, strict=True):
        for f, value in own.items():
            last = len(schema.features[f].categories or ())
            among = places.setdefault(f, {})
            place = among.setdefault((type(value), value), last + len(among))
            if place != last:
                rows = rows.copy(order="F")
                rows[rows[:, f] == last, f] = place
        recoded.append(rows)
    return schema.widened({f: [value for _, value in among] for f, among in places.items()}), recoded


def without_unseen(schema: Schema, rows: np.ndarray) -> np.ndarray:
    """Rows of any number of instances with a category of the background in place of every unseen one."""
    known = rows.copy(order="F")
    for f, feature in enumerate(schema.features):
        if feature.categories is not None:
            known[rows[:, f] >= len(feature.categories), f] = 0.0 if feature.categories else np.nan
    return known


def describe_unseen(schema: Schema, unseen: Sequence[Unseen]) -> str:
    """Name the first of the categories that only some instances have."""
    pairs = [(f, value) for own in unseen for f, value in own.items()]
    f, value = pairs[0]
    more = f" (and {len(pairs) - 1} more)" if len(pairs) > 1 else ""
    others = listing(schema.features[f].categories or ()) or "no value at all"
    return f"{schema.names[f]} = {format_value(value)} was not seen in the background{more}, which has {others}"

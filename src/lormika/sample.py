"""Sample: the neighbourhood with the model's labels, from one model call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lormika.models import Answer, Model
from lormika.neighbourhood import Neighbourhood
from lormika.schema import Schema


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Rows around the instance, without the instance, and what the model says of them."""

    schema: Schema
    encoded: np.ndarray  # rows x features
    labels: np.ndarray  # position of each row's label in the model's classes
    real: np.ndarray  # which rows come from the background
    classes: tuple[Any, ...]

    @property
    def rows(self) -> Any:
        """The rows as a frame like the background."""
        return self.schema.restore(self.encoded)

    @property
    def label_names(self) -> list[Any]:
        """The model's label of each row."""
        return [self.classes[label] for label in self.labels]

    def __len__(self) -> int:
        return len(self.labels)


def label(
    model: Model, schema: Schema, instances: np.ndarray, neighbourhoods: Sequence[Neighbourhood]
) -> list[tuple[Sample, Answer]]:
    """Ask the model about instances and their whole neighbourhoods, in one call; an instance's answer comes apart."""
    parts = [part for x, near in zip(instances, neighbourhoods, strict=True) for part in (x[None], near.rows)]
    rows = np.concatenate(parts)
    answer = ask(model, schema, rows) if len(instances) > 1 else model(schema.restore(rows), len(rows))
    told, start = [], 0
    for near in neighbourhoods:
        end = start + 1 + len(near.rows)
        labels = answer.labels[start + 1 : end].astype(np.int32)
        real = np.arange(len(near.rows)) < near.n_real
        for array in (labels, real):
            array.setflags(write=False)
        told.append((Sample(schema, near.rows, labels, real, model.names), answer[start : start + 1]))
        start = end
    return told


def ask(model: Model, schema: Schema, rows: np.ndarray) -> Answer:
    """Ask the model once about encoded rows; of rows that are the same, about one."""
    first, copies = distinct_rows(rows)
    answer = model(schema.restore(rows[first]), len(first))
    return answer[copies]


def distinct_rows(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the rows that differ, in order; and which of them each row is a copy of.

    >>> distinct_rows(np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]]))
    (array([0, 1]), array([0, 1, 0]))
    """
    bits = np.asfortranarray(rows).view(np.uint64) if rows.size else np.zeros(rows.shape, dtype=np.uint64)
    hashed = np.zeros(len(rows), dtype=np.uint64)
    for column in bits.T:
        hashed = (hashed ^ column) * _ODD
        hashed ^= hashed >> _HALF
    _, first, copies = np.unique(hashed, return_index=True, return_inverse=True)
    order = np.argsort(first)  # as they came: rows of one neighbourhood stay together
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    first, copies = first[order], place[copies]
    if not np.array_equal(bits, bits[first][copies]):  # two rows with one hash, once in a lifetime
        everything = np.arange(len(rows))
        return everything, everything
    return first, copies


_ODD, _HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)

"""Sample: the neighbourhood with the model's labels, from one model call."""

from __future__ import annotations

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


def label(model: Model, schema: Schema, instance: np.ndarray, neighbourhood: Neighbourhood) -> tuple[Sample, Answer]:
    """Ask the model about the instance and its whole neighbourhood; the instance's answer comes apart."""
    rows = np.concatenate([instance[None], neighbourhood.rows])
    answer = model(schema.restore(rows), len(rows))
    real = np.arange(len(neighbourhood.rows)) < neighbourhood.n_real
    labels = answer.labels[1:].astype(np.int32)
    for array in (labels, real):
        array.setflags(write=False)
    sample = Sample(schema, neighbourhood.rows, labels, real, model.names)
    probabilities = None if answer.probabilities is None else answer.probabilities[:1]
    return sample, Answer(answer.labels[:1], probabilities)

"""The model of a task: from encoded rows to codes of classes, counting its calls and rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NotRequired, TypedDict

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike
    from sklearn.base import TransformerMixin
    from sklearn.pipeline import Pipeline

    from lormika.types import JsonObject

    Tell = Callable[[], JsonObject]  # gives the answer of a rival that has explained an instance
    Explain = Callable[[np.ndarray], Tell]

_ROWS_TO_COMPARE = 500


class Task(TypedDict):
    """What a rival is to explain, and with what; rows are encoded, and missing values filled in."""

    names: list[str]  # of the features
    categories: dict[str, list[str | int | float | bool]]  # of the categorical ones
    integer: list[str]  # features of whole numbers
    sizes: list[int]  # how many codes each feature has
    train: np.ndarray
    labels: np.ndarray  # codes of the model's classes, of these rows
    instances: np.ndarray
    model: Pipeline
    fixed: NotRequired[list[str]]  # features that must not change, for rivals that can be told
    ranges: NotRequired[dict[str, list[float]]]  # both ends of what numbers may change to


class TaskModel:
    """A pipeline of a column transformer and a classifier.

    Rivals ask about few rows many times, and then building a frame takes most of the time. So the classifier gets the
    same matrix in a quicker way, if a trial shows that it is the same.
    """

    def __init__(self, task: Task) -> None:
        self.model, self.names = task["model"], task["names"]
        self.types = {name: pd.CategoricalDtype(values) for name, values in task["categories"].items()}
        self.codes = {label: code for code, label in enumerate(self.model.classes_.tolist())}
        self.calls = self.rows = 0
        self._matrix = self._quick_way(task["train"][:_ROWS_TO_COMPARE])

    def predict(self, encoded: ArrayLike) -> np.ndarray:
        """Code of the class of each row."""
        labels = self._ask("predict", encoded)
        return np.array([self.codes[label] for label in labels.tolist()], dtype=np.int64)

    def predict_proba(self, encoded: ArrayLike) -> np.ndarray:
        """Probability of each class (rows x classes).

        A model of two classes without probabilities gives its margin, squeezed between 0 and 1: the order of the rows
        and the side of one half are the model's, the figure itself means nothing.
        """
        if hasattr(self.model, "predict_proba"):
            return self._ask("predict_proba", encoded)
        second = 1 / (1 + np.exp(-self._ask("decision_function", encoded)))
        return np.column_stack([1 - second, second])

    def _ask(self, method: str, encoded: ArrayLike) -> np.ndarray:
        rows = np.asarray(encoded, dtype=np.float64)
        self.calls += 1
        self.rows += len(rows)
        if self._matrix is None:
            answer: np.ndarray = getattr(self.model, method)(self.frame(rows))
        else:
            answer = getattr(self.model.steps[-1][1], method)(self._matrix(rows))
        return answer

    def frame(self, rows: np.ndarray) -> pd.DataFrame:
        """A table like the one that the model was trained on."""
        columns: dict[str, np.ndarray | pd.Categorical] = {}
        for f, name in enumerate(self.names):
            if name in self.types:
                codes = rows[:, f].astype(int)  # the one after the last stands for a missing category
                places = np.where(codes < len(self.types[name].categories), codes, -1)
                columns[name] = pd.Categorical.from_codes(places, dtype=self.types[name])
            else:
                columns[name] = rows[:, f]
        return pd.DataFrame(columns)

    def _quick_way(self, trial: np.ndarray) -> _Matrix | None:
        try:
            encoder = self.model[:-1]
            matrix = _Matrix(encoder[0].transformers_, self.names, self.types)
            same = np.array_equal(matrix(trial), encoder.transform(self.frame(trial)))
        except Exception:  # a pipeline of another make
            return None
        return matrix if same else None


class _Matrix:
    """What a column transformer of numbers and one-hot categories makes of encoded rows."""

    def __init__(
        self,
        transformers: Sequence[tuple[str, TransformerMixin, list[str]]],
        names: list[str],
        types: dict[str, pd.CategoricalDtype],
    ) -> None:
        (_, self._numbers, numeric), (_, one_hot, categorical) = transformers[:2]
        self._numeric = [names.index(name) for name in numeric]
        self._places = []  # of each categorical feature: its place, and the column of each of its codes
        column = len(numeric)
        for name, categories in zip(categorical, one_hot.categories_, strict=True):
            place = {value: column + i for i, value in enumerate(categories.tolist())}
            values = types[name].categories.tolist()
            missing = next((c for value, c in place.items() if value != value), -1)
            self._places.append((names.index(name), np.array([*(place.get(value, -1) for value in values), missing])))
            column += len(categories)
        self._width = column

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        matrix = np.zeros((len(rows), self._width))
        if self._numeric:
            matrix[:, : len(self._numeric)] = self._numbers.transform(rows[:, self._numeric])
        for f, columns in self._places:
            hot = columns[rows[:, f].astype(int)]
            is_category = hot >= 0
            matrix[np.flatnonzero(is_category), hot[is_category]] = 1
        return matrix

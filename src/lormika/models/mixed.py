"""Mixed columns: a few texts among numbers, which make a model fail that expects numbers there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from lormika.errors import InputError, ModelError, quote
from lormika.frames import TableReader, take, with_columns
from lormika.frames.values import Scalar
from lormika.models.bands import Bands
from lormika.models.calls import Ask
from lormika.models.model import Model, methods_of, value_method
from lormika.models.regression import as_regressor
from lormika.models.wrapping import as_model
from lormika.types import UserColumn, UserModel, UserTable

_ROWS = 1000  # by which a column is tried as numbers


class _Mixed(NamedTuple):
    """A column most of whose values are numbers, perhaps written as text."""

    name: str
    key: str  # by which a table has it: the position, in an array
    numbers: np.ndarray  # NaN: none, or missing
    row: int  # of the first text
    text: str


def ask_background(
    model: UserModel,
    background: UserTable,
    reader: TableReader,
    class_names: Sequence[Scalar] | None,
    labels: UserColumn | None,
    threshold: float | None = None,
    bands: Bands | None = None,
) -> tuple[Model, np.ndarray]:
    """As `as_model`, or with bands as `as_regressor`.

    If the model fails because of texts among numbers, the error names the first of them.
    """
    try:
        if bands is not None:
            return as_regressor(model, background, bands, class_names, labels, threshold)
        return as_model(model, background, class_names, labels, threshold)
    except ModelError as error:
        mixed = _culprit(methods_of(model)[0] if bands is None else value_method(model), background, reader)
        if mixed is None:
            raise
        raise ModelError(
            f"column {mixed.name!r}, row {mixed.row}: {quote(mixed.text)} is text, and the model takes numbers there: "
            f"give a number, or a missing value ({' '.join(str(error).split())})"
        ) from error


def _culprit(ask: Ask, background: UserTable, reader: TableReader) -> _Mixed | None:
    """A column with texts without which the model would answer; None if there is none."""
    mixed = _mixed_columns(reader, isinstance(background, np.ndarray))
    for columns in chain(([one] for one in mixed), [mixed] if len(mixed) > 1 else []):
        clean = np.flatnonzero(~np.isnan([one.numbers for one in columns]).any(axis=0))[:_ROWS]
        try:
            ask(with_columns(take(background, clean), {one.key: one.numbers[clean] for one in columns}))
        except Exception:  # whatever a model, or a library, says of such a table
            continue
        return columns[0]
    return None


def _mixed_columns(reader: TableReader, by_position: bool) -> list[_Mixed]:
    columns = []
    for place, column in enumerate(reader.columns.values()):
        if column.number_type is not None or column.declared is not None:
            continue
        try:
            values = column.objects()
        except InputError:  # dates among texts, say
            continue
        numbers = np.array([_number(value) for value in values])
        texts = [row for row, value in enumerate(values) if isinstance(value, str) and math.isnan(numbers[row])]
        if texts and len(texts) < np.count_nonzero(~np.isnan(numbers)):
            text = str(values[texts[0]])
            columns.append(_Mixed(column.name, str(place) if by_position else column.name, numbers, texts[0], text))
    return columns


def _number(value: Scalar | None) -> float:
    """A finite number, perhaps written as text; else NaN.

    >>> _number(" 2.5"), _number(7), _number("n/a"), _number(None)
    (2.5, 7.0, nan, nan)
    """
    try:
        number = math.nan if value is None or isinstance(value, bool) else float(value)
    except (ValueError, OverflowError):
        return math.nan
    return number if math.isfinite(number) else math.nan

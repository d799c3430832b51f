"""From a regressor and bands of its values to a `Model`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lormika.errors import InputError
from lormika.frames import count_rows
from lormika.frames.values import Scalar
from lormika.models.bands import Bands, fit_bands
from lormika.models.calls import call_values, copied, read_values
from lormika.models.classes import read_predictions
from lormika.models.model import Model, value_method
from lormika.types import UserColumn, UserModel, UserTable


def as_regressor(
    model: UserModel,
    background: UserTable,
    bands: Bands,
    class_names: Sequence[Scalar] | None,
    predictions: UserColumn | None,
    threshold: float | None,
) -> tuple[Model, np.ndarray]:
    """Make a model of a regressor, and return what it says of the background: bands, or values to have bands around."""
    for name, given in {"class_names": class_names, "threshold": threshold}.items():
        if given is not None:
            raise InputError(f"{name} is for classifiers: bands have names (labels give them others) and edges")
    ask = value_method(model)
    if predictions is None:
        values = call_values(ask, copied(background))
    else:
        known = read_predictions(predictions, count_rows(background))
        values = read_values(known, "predictions, row {row}: {value}", InputError)
    fitted = fit_bands(bands, values)
    wrapped = Model(ask, None, fitted.names, fitted.names, bands=fitted)
    return wrapped, values if fitted.is_around else fitted.positions(values)

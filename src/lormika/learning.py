"""Learning: from a model and a background to the parts of an explainer, with every check on the way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from lormika import frames
from lormika.constraints import Constraints
from lormika.errors import InputError
from lormika.frames.schema import encoded_columns, read_schema
from lormika.frames.values import Scalar
from lormika.labels import Labels, LabelsLike
from lormika.models import BandsLike, Model, read_bands
from lormika.models.mixed import ask_background
from lormika.options import PAPER_SEARCH, ConstraintsLike, SearchOptions, Settings
from lormika.parts import Parts, whole_table_cuts
from lormika.stages.background import Background
from lormika.stages.binding import check_constraints
from lormika.stages.cuts import check_cuts
from lormika.types import UserColumn, UserModel, UserTable


class Given(NamedTuple):
    """What a user says beside the model and the background; see `Explainer`."""

    categorical: Sequence[str | int] | None
    feature_names: Sequence[str] | None
    class_names: Sequence[Scalar] | None
    predictions: UserColumn | None
    labels: LabelsLike
    constraints: ConstraintsLike
    threshold: float | None
    bands: BandsLike
    as_paper: bool


def learn_parts(model: UserModel, background: UserTable, given: Given, settings: Settings) -> Parts:
    """Read the background, ask the model about it, and check everything against them."""
    if isinstance(background, Mapping):
        raise InputError("the background is a dict; give a frame, such as pandas.DataFrame(background)")
    reader = frames.read(background, given.feature_names)
    schema = read_schema(reader, given.categorical)
    if reader.n_rows < 3:
        raise InputError(f"the background has {reader.n_rows} row(s): new rows are made from three different ones")
    cuts = check_cuts(schema, settings.cuts)
    texts = Labels.of(given.labels)
    standing = (*Constraints.all_of(given.constraints), *texts.constraints())
    for one in standing:
        check_constraints(schema, one)
    bands = None if given.bands is None else read_bands(given.bands)
    coded = Background.of(schema, encoded_columns(schema, reader))
    classifier, own_labels = ask_background(
        model, background, reader, given.class_names, given.predictions, given.threshold, bands
    )
    predictions = _checked_predictions(classifier, own_labels)
    if given.as_paper:
        cuts = whole_table_cuts(coded, settings.bins) | cuts
    search = PAPER_SEARCH if given.as_paper else SearchOptions()
    parts = Parts.of(classifier, coded, predictions, settings, search, cuts, standing, texts)
    lists = {one.name: one.categories for one in schema.features if one.categories is not None}
    texts.check({one.name: one.kind for one in parts.features}, classifier.names, lists)
    return parts


def doubts(model: UserModel, parts: Parts) -> Iterator[str]:
    """What a user should hear of the columns of the background."""
    names = parts.schema.names
    if parts.spread.identifiers:
        alike = frames.listing(names[f] for f in sorted(parts.spread.identifiers))
        yield f"part of no rule, because nearly all values differ: {alike}"
    unused = _unused(model, names)
    if unused:
        yield f"the model was not fitted with {frames.listing(unused)}: leave out what it does not use"


def _unused(model: UserModel, names: Sequence[str]) -> list[str]:
    """Columns that a model was not fitted with, though it takes a table that has them, as a ColumnTransformer does."""
    own = getattr(model, "feature_names_in_", None)
    wanted = set() if own is None else {str(name) for name in own}
    return [name for name in names if name not in wanted] if wanted and wanted.issubset(names) else []


def _checked_predictions(model: Model, predictions: np.ndarray) -> np.ndarray:
    """What the model says of the background, if there is something to compare."""
    if model.bands is not None and model.bands.is_around:  # they are not all the same
        return predictions
    if len(np.unique(predictions)) < 2:
        only = model.names[predictions[0]]
        others = "classes too" if model.bands is None else "bands too, or other edges"
        raise InputError(
            f"the model gives every row of the background the label {only!r}: there is nothing to compare; give a "
            f"background with rows of other {others}"
        )
    return predictions.astype(np.int32)

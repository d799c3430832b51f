"""An explainer as arrays on disk, which any number of processes map into memory and share."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lormika import frames
from lormika.errors import InputError, ModelError
from lormika.explainer import Explainer
from lormika.frames.schema import Schema, read_schema
from lormika.jobs.contents import remove_background
from lormika.jobs.inputs import is_background, name_background
from lormika.labels import Labels
from lormika.models import Model
from lormika.options import SearchOptions, Settings
from lormika.parts import Parts
from lormika.stages.background import Background
from lormika.writing import beside, naming

if TYPE_CHECKING:
    import pandas as pd

    from lormika.types import JsonObject, UserModel

_ARRAYS = ("codes", "values", "points", "offsets", "means", "scales", "predictions")


def save(explainer: Explainer, frame: pd.DataFrame, folder: Path) -> str:
    """Write an explainer's background to a folder named by its content, and return that name.

    `frame` is the background itself. Only a few of its rows, which show every category, are kept: from them a process
    learns how to build tables for the model.
    """
    background = explainer.background
    arrays = {name: getattr(background, name) for name in _ARRAYS if name not in ("values", "predictions")}
    arrays |= {"values": np.concatenate(background.distinct), "predictions": explainer.predictions}
    witness = _witness(background, frame)
    facts = {
        "classes": list(explainer.model.classes),
        "names": list(explainer.model.names),
        "decides": explainer.model.decide is not None,
        "scores": explainer.model.scores,
        "threshold": explainer.model.threshold,
        "categorical": [feature.name for feature in explainer.schema.features if not feature.is_numeric],
        "settings": asdict(explainer.settings),
        "search": asdict(explainer.search_options),
        "cuts": {name: list(points) for name, points in explainer.cuts.items()},
        "labels": explainer.labels.to_dict(),
    }
    new = beside(folder / "background")
    new.mkdir()
    for key, array in arrays.items():
        with naming(new / f"{key}.npy", folder / "background-*" / f"{key}.npy"):
            np.save(new / f"{key}.npy", array)
    with naming(new / "witness.parquet", folder / "background-*" / "witness.parquet"):
        try:
            witness.to_parquet(new / "witness.parquet", index=False)
        except (ValueError, TypeError) as error:  # a column of several types, for instance
            raise InputError(f"the background cannot be written as Parquet: {error}") from error
    with naming(new / "facts.json", folder / "background-*" / "facts.json"):
        (new / "facts.json").write_text(json.dumps(facts), encoding="utf-8")
    _check_schema(explainer.schema, _read_schema(new, facts))
    name = name_background(new)
    if is_background(folder / name):
        remove_background(new)
    else:
        remove_background(folder / name)
        new.replace(folder / name)
    return name


def load(folder: Path, model: UserModel) -> Explainer:
    """An explainer from a folder that `save` made, with the model it was made with."""
    try:
        return Explainer._of(_read_parts(folder, model))
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        if isinstance(error, ModelError):
            raise
        raise InputError(f"{folder} cannot be read, start the run again to make it anew: {error}") from error


def _read_parts(folder: Path, model: UserModel) -> Parts:
    facts = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
    arrays = {name: np.asarray(np.load(folder / f"{name}.npy", mmap_mode="r")) for name in _ARRAYS}
    schema = _read_schema(folder, facts)
    values, offsets = arrays.pop("values"), arrays["offsets"]
    predictions = np.ascontiguousarray(arrays.pop("predictions"))
    _check_fit(arrays | {"predictions": predictions}, len(schema), facts)
    background = Background(schema, distinct=tuple(np.split(values, offsets[1:-1])), **arrays)
    ways = {name: facts[name] for name in ("decides", "scores", "threshold")}
    wrapped = Model.of(model, tuple(facts["classes"]), tuple(facts["names"]), **ways)
    cuts = {name: tuple(points) for name, points in facts["cuts"].items()}
    settings, search = Settings(**facts["settings"]), SearchOptions(**facts["search"])
    return Parts.of(wrapped, background, predictions, settings, search, cuts, labels=Labels.of_data(facts["labels"]))


def _check_fit(arrays: Mapping[str, np.ndarray], features: int, facts: JsonObject) -> None:
    """Refuse what `save` never wrote, though each file may be sound: others can write to the folder."""
    codes, predictions, threshold = arrays["codes"], arrays["predictions"], facts["threshold"]
    lengths = {len(codes), len(arrays["means"]), len(arrays["scales"]), len(arrays["offsets"]) - 1}
    if lengths != {features} or codes.ndim != 2 or predictions.shape != codes.shape[1:]:
        raise ValueError("its arrays do not fit together")
    if len(predictions) and not 0 <= predictions.min() <= predictions.max() < len(facts["names"]):
        raise ValueError("its predictions are not among the classes")
    if threshold is not None and not (isinstance(threshold, float) and 0 <= threshold <= 1):
        raise ValueError("its threshold is no probability")


def _witness(background: Background, frame: pd.DataFrame) -> pd.DataFrame:
    """Rows in which every value of every categorical feature occurs, and a missing one for every feature with any."""
    rows = {0}
    for f, feature in enumerate(background.schema.features):
        if feature.is_numeric:
            missing = np.flatnonzero(np.isnan(background.distinct[f]))
            is_missing = np.isin(background.codes[f], missing) if len(missing) else np.zeros(0, dtype=bool)
            rows |= {int(is_missing.argmax())} if is_missing.any() else set()
        else:
            rows |= set(np.unique(background.codes[f], return_index=True)[1].tolist())
    return frame.iloc[sorted(rows)].reset_index(drop=True)


def _read_schema(folder: Path, facts: JsonObject) -> Schema:
    import pyarrow.parquet as pq

    with pq.ParquetFile(folder / "witness.parquet") as file:  # which needs fewer modules than pandas' way
        return read_schema(frames.read(file.read().to_pandas()), facts["categorical"])


def _check_schema(schema: Schema, restored: Schema) -> None:
    """Refuse a table whose types do not survive on disk: the model would see a different one there."""
    for one, other in zip(schema.features, restored.features, strict=True):
        same = (one.name, one.categories, one.number_type) == (other.name, other.categories, other.number_type)
        if not same:
            raise InputError(f"column {one.name!r} of the background changes its type when it is written as Parquet")

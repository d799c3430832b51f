"""Facts: what an explainer is besides its arrays, as plain data."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from lormika.checks import check_number
from lormika.constraints import Constraints
from lormika.errors import InputError
from lormika.frames.values import plain
from lormika.labels import Labels
from lormika.models import Bands, Model, read_bands
from lormika.options import SearchOptions, Settings
from lormika.parts import Parts
from lormika.saved.plain_files import DamagedError
from lormika.stages.background import Background
from lormika.stages.binding import check_constraints
from lormika.stages.cuts import check_cuts
from lormika.types import JsonObject, JsonValue, UserModel
from lormika.version import __version__

if TYPE_CHECKING:
    from lormika.frames.schema import Schema

FORMAT, FORMAT_VERSION = "lormika.explainer", 1


def describe_parts(parts: Parts) -> JsonObject:
    """Everything but the arrays; a function among the constraints is refused."""
    for one in parts.constraints:
        if one.permits is not None:
            raise InputError("constraints: a function cannot be written into a folder: leave out permits")
    model = parts.model
    return {
        "classes": list(map(plain, model.classes)),
        "names": list(map(plain, model.names)),
        "decides": model.decide is not None,
        "scores": model.scores,
        "threshold": model.threshold,
        "bands": None if model.bands is None else asdict(model.bands),
        "columns": list(parts.schema.names),
        "categorical": [feature.name for feature in parts.schema.features if not feature.is_numeric],
        "settings": asdict(parts.settings),
        "search": asdict(parts.search),
        "cuts": {name: list(points) for name, points in parts.cuts.items()},
        "labels": parts.labels.to_dict(),
        "constraints": [one.to_dict() for one in parts.constraints],
    }


def make_parts(facts: JsonObject, background: Background, predictions: np.ndarray, model: UserModel) -> Parts:
    """Parts of these facts; what contradicts itself is refused."""
    threshold = facts["threshold"]
    if threshold is not None and not (isinstance(threshold, float) and 0 <= threshold <= 1):
        raise DamagedError("its threshold is no probability")
    bands = _bands(facts, predictions)
    if not _are_among(predictions, facts["names"], bands):
        raise DamagedError("its predictions are not among the classes")
    if len(facts["classes"]) != len(facts["names"]):
        raise DamagedError("its classes have other names")
    if not all(map(_is_label, [*facts["classes"], *facts["names"]])):
        raise DamagedError("its classes are not what labels can be")
    ways = {name: facts[name] for name in ("decides", "scores", "threshold")}
    wrapped = Model.of(model, tuple(facts["classes"]), tuple(facts["names"]), bands=bands, **ways)
    labels, constraints = Labels.of_data(facts["labels"]), _constraints(facts["constraints"], background.schema)
    cuts = check_cuts(background.schema, facts["cuts"])
    settings, search = Settings(**facts["settings"]), SearchOptions(**facts["search"])
    parts = Parts.of(wrapped, background, predictions, settings, search, cuts, constraints, labels)
    lists = {one.name: one.categories for one in background.schema.features if one.categories is not None}
    labels.check({one.name: one.kind for one in parts.features}, wrapped.names, lists)
    return parts


def _is_label(value: JsonValue) -> bool:
    return isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))


def _are_among(predictions: np.ndarray, names: list[JsonValue], bands: Bands | None) -> bool:
    """Whether predictions are positions of classes, or values that bands are put around."""
    is_free = len(predictions) == 0 or (bands is not None and bands.is_around)
    return is_free or bool(0 <= predictions.min() <= predictions.max() < len(names))


def _bands(facts: JsonObject, predictions: np.ndarray) -> Bands | None:
    """Bands of a regressor, and predictions of the kind that goes with them; anything else is refused."""
    content = facts["bands"]
    bands = None if content is None else Bands(tuple(content["edges"]), content["spread"], content["tolerance"])
    around = bands is not None and bands.is_around
    if predictions.dtype != (np.float64 if around else np.int32) or not np.isfinite(predictions).all():
        raise DamagedError("its predictions have another type")
    if bands is not None:
        given = read_bands(bands.edges if bands.tolerance is None else {"around": bands.tolerance})
        check_number("spread", bands.spread, math.ulp(0.0))
        if (given.edges, given.tolerance) != (bands.edges, bands.tolerance) or list(bands.names) != facts["names"]:
            raise DamagedError("its bands are not what they can be")
    return bands


def _constraints(content: JsonValue, schema: Schema) -> tuple[Constraints, ...]:
    constraints = Constraints.all_of(content)
    for one in constraints:
        check_constraints(schema, one)
    return constraints


def seal(facts: Mapping[str, JsonValue]) -> bytes:
    """Facts as a file, with their own hash."""
    head = {"format": FORMAT, "format_version": FORMAT_VERSION, "version": __version__}
    text = json.dumps(head | {"sha256": _digest(facts), "content": dict(facts)}, indent=1)
    return text.encode() + b"\n"


def unseal(text: bytes) -> JsonObject:
    """The inverse of `seal`; what has changed since, or is of another format, is refused."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DamagedError(f"explainer.json is not JSON: {error}") from None
    if not isinstance(whole, dict) or whole.get("format") != FORMAT:
        raise DamagedError("explainer.json is not of a saved explainer")
    if whole.get("format_version") != FORMAT_VERSION:
        raise DamagedError(
            f"it has the format {whole.get('format_version')!r}; this lormika reads {FORMAT_VERSION}: save it again"
        )
    content = whole.get("content")
    if not isinstance(content, dict) or whole.get("sha256") != _digest(content):
        raise DamagedError("explainer.json has changed since it was saved")
    return content


def _digest(facts: Mapping[str, JsonValue]) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()

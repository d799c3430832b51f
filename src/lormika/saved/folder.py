"""The folder: `explainer.json`, the arrays of the background, and a few of its rows."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from lormika import frames
from lormika.errors import InputError, ModelError
from lormika.frames.schema import Schema, read_schema
from lormika.parts import Parts
from lormika.saved.answers import ask_some, check_answers
from lormika.saved.facts import describe_parts, make_parts, seal, unseal
from lormika.saved.plain_files import DamagedError, map_array, opened, read_bytes, sha256
from lormika.saved.witness import Witness, read_witness, write_witness
from lormika.stages.background import Background
from lormika.types import JsonObject, UserModel
from lormika.writing import naming

MANIFEST = "explainer.json"

_ARRAYS = ("codes", "values", "points", "offsets", "means", "scales", "predictions")
_WITNESS = "witness.bin"
_FILES = (*(f"{name}.npy" for name in _ARRAYS), _WITNESS)
OWN_NAMES = (*_FILES, MANIFEST)
"""Everything that such a folder holds."""

_MOST = 1 << 31  # bytes of a file that is read whole


def save_parts(parts: Parts, folder: Path, *, known: object = None, answers: bool = True) -> None:
    """Write an explainer to a folder, which is there and empty; errors name the files as `known` calls the folder.

    With `answers`, the model is asked about a few rows, by which it is known again.
    """
    shown = Path(str(known or folder))
    background = parts.background
    arrays = {name: getattr(background, name) for name in _ARRAYS if name not in ("values", "predictions")}
    arrays |= {"values": np.concatenate(background.distinct), "predictions": parts.predictions}
    facts = describe_parts(parts)
    for name, array in arrays.items():
        with naming(folder / f"{name}.npy", shown / f"{name}.npy"):
            np.save(folder / f"{name}.npy", np.ascontiguousarray(array), allow_pickle=False)
    witness = write_witness(parts.schema.restore(background.rows(_witness_rows(background))))
    _check_schema(parts, _learn_schema(witness, facts))
    _write(folder / _WITNESS, shown / _WITNESS, witness.content)
    facts |= {
        "witness": witness.facts,
        "answers": ask_some(parts) if answers else None,
        "files": {name: _hash(folder / name) for name in _FILES},
    }
    _write(folder / MANIFEST, shown / MANIFEST, seal(facts))


def load_parts(folder: Path, model: UserModel, *, check_model: bool = True, remedy: str = "save it again") -> Parts:
    """An explainer from a folder that `save_parts` wrote, its arrays mapped into memory."""
    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder")
    try:
        parts, answers = _read_parts(folder, model)
        if check_model:
            check_answers(parts, answers)
        return parts
    except ModelError:
        raise
    except Exception as error:  # whatever a library makes of files that it did not write
        damaged = not isinstance(error, InputError) or isinstance(error, DamagedError)
        raise InputError(f"{folder} cannot be read{f', {remedy}' if damaged else ''}: {error}") from error


def is_whole(folder: Path) -> bool:
    """Whether all files are there as they were written, and no others."""
    try:
        files = _files(unseal(read_bytes(folder / MANIFEST, _MOST)))
        same = all(_hash(folder / name) == digest for name, digest in files.items())
    except DamagedError:
        return False
    return same and {path.name for path in folder.iterdir()} == set(OWN_NAMES)


def _read_parts(folder: Path, model: UserModel) -> tuple[Parts, JsonObject | None]:
    facts = unseal(read_bytes(folder / MANIFEST, _MOST))
    files = _files(facts)
    arrays = {name: map_array(folder / f"{name}.npy", files[f"{name}.npy"]) for name in _ARRAYS}
    content = read_bytes(folder / _WITNESS, _MOST)
    if hashlib.sha256(content).hexdigest() != files[_WITNESS]:
        raise DamagedError(f"{_WITNESS} has changed since it was saved")
    schema = _learn_schema(Witness(content, facts["witness"]), facts)
    predictions, values = arrays.pop("predictions"), arrays.pop("values")
    _check_fit(arrays | {"predictions": predictions, "values": values}, schema)
    background = Background(schema, distinct=tuple(np.split(values, arrays["offsets"][1:-1])), **arrays)
    return make_parts(facts, background, predictions, model), facts["answers"]


def _files(facts: JsonObject) -> dict[str, str]:
    """Hashes of the files, which have the names that they always have: no name of the folder's is used."""
    return {name: facts["files"][name] for name in _FILES}


def _check_fit(arrays: Mapping[str, np.ndarray], schema: Schema) -> None:
    """Refuse what `save_parts` never wrote, though each file may be sound: arrays are used without further checks."""
    codes, offsets, values, predictions = (arrays[name] for name in ("codes", "offsets", "values", "predictions"))
    floats = [arrays[name] for name in ("values", "points", "means", "scales")]
    kinds = [codes.dtype.kind, offsets.dtype, *(one.dtype for one in floats)]
    if kinds != ["u", np.int64, *[np.float64] * 4] or codes.ndim != 2 or any(one.ndim != 1 for one in floats):
        raise DamagedError("its arrays have other types")
    if not codes.dtype.isnative or codes.dtype.itemsize > 4:
        raise DamagedError("its codes have another type")
    if (
        not all(np.isfinite(arrays[name]).all() for name in ("points", "means", "scales"))
        or (arrays["scales"] < 0).any()
    ):
        raise DamagedError("its numbers are not finite, or its scales are negative")
    lengths = {len(codes), len(arrays["means"]), len(arrays["scales"]), len(offsets) - 1}
    fitting = lengths == {len(schema)} and predictions.shape == codes.shape[1:] and len(predictions) > 0
    ends = offsets[0] == 0 and offsets[-1] == len(values) == len(arrays["points"]) and (np.diff(offsets) > 0).all()
    if not fitting or not ends or not codes.flags.c_contiguous:
        raise DamagedError("its arrays do not fit together")
    if (codes.max(axis=1) >= np.diff(offsets)).any():
        raise DamagedError("its codes are beyond its values")
    points, means = np.split(arrays["points"], offsets[1:-1]), arrays["means"].tolist()
    for feature, own, same, mean in zip(schema.features, np.split(values, offsets[1:-1]), points, means, strict=True):
        observed = own[:-1] if np.isnan(own[-1]) else own
        if not np.array_equal(same, np.where(np.isnan(own), mean, own)):
            raise DamagedError(f"values of {feature.name!r} differ from one file to another")
        most = np.inf if feature.categories is None else len(feature.categories)
        whole = feature.is_numeric or bool(((observed == np.rint(observed)) & (observed >= 0)).all())
        if not whole or not (np.diff(observed) > 0).all() or not (np.abs(observed) < most).all():
            raise DamagedError(f"values of {feature.name!r} are not what they can be")


def _learn_schema(witness: Witness, facts: JsonObject) -> Schema:
    table = read_witness(witness)
    names = facts["columns"] if isinstance(table, np.ndarray) else None
    schema = read_schema(frames.read(table, names), facts["categorical"])
    if list(schema.names) != facts["columns"]:
        raise DamagedError("its rows have other columns than it says")
    return schema


def _witness_rows(background: Background) -> np.ndarray:
    """Rows in which every value of every categorical feature occurs, and a missing one for every feature with any."""
    rows = {0}
    for f, feature in enumerate(background.schema.features):
        if feature.is_numeric:
            missing = np.flatnonzero(np.isnan(background.distinct[f]))
            is_missing = np.isin(background.codes[f], missing) if len(missing) else np.zeros(0, dtype=bool)
            rows |= {int(is_missing.argmax())} if is_missing.any() else set()
        else:
            rows |= set(np.unique(background.codes[f], return_index=True)[1].tolist())
    return np.array(sorted(rows))


def _check_schema(parts: Parts, restored: Schema) -> None:
    """Refuse a table whose types do not survive on disk: the model would see a different one there."""
    some = parts.background.rows(np.zeros(1, dtype=np.intp))
    for place, (one, other) in enumerate(zip(parts.schema.features, restored.features, strict=True)):
        same = (one.name, one.categories, one.number_type) == (other.name, other.categories, other.number_type)
        kinds = [list(map(type, feature.categories or ())) for feature in (one, other)]
        columns = [feature.restorer(some[:, place]) for feature in (one, other)]
        types = [getattr(column, "type", getattr(column, "dtype", None)) for column in columns]
        if not same or kinds[0] != kinds[1] or types[0] != types[1]:
            raise InputError(f"column {one.name!r} of the background changes its type when it is saved")


def _hash(path: Path) -> str:
    with opened(path) as file:
        return sha256(file)


def _write(path: Path, shown: Path, content: bytes) -> None:
    with naming(path, shown):
        path.write_bytes(content)

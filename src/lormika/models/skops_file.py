"""skops files: first read as plain JSON and checked; only then does skops build what they describe."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from lormika.errors import InputError
from lormika.models import archive, lean_skops, model_files
from lormika.models.extras import require
from lormika.models.trees import check_trees
from lormika.models.trusted import TRUSTED
from lormika.types import JsonObject, JsonValue, UserModel

_SCHEMA = "schema.json"
_PROTOCOL = 2  # files of older ones may choose other, older ways of building the same node
# The version whose ways of building were reviewed; before 0.13, files could get around its own checks.
_OLDEST = (0, 16)


def load_skops(path: Path, *, trust: Sequence[str], max_size: int) -> UserModel:
    """Load a skops file that holds only trusted types."""
    try:
        members = _members(path, max_size)
        types = _check_types(path, _schema(path, members), trust)
        _check_version(path)
        # Of the members, not of the file: skops reads exactly what was judged.
        model = lean_skops.load(members, sorted(types), path)
        check_trees(model, path)
    except InputError:
        raise
    except RecursionError:
        raise InputError(f"{path} is nested too deeply") from None
    except MemoryError:
        raise
    except Exception as error:  # whatever a broken file leads to
        raise InputError(f"{path} cannot be loaded: {type(error).__name__}: {error}") from error
    return model


def _members(path: Path, max_size: int) -> dict[str, bytes]:
    with model_files.open_file(path, max_size) as file:
        start = file.read(2)
        if model_files.looks_like_pickle(start):
            raise InputError(f"{path} is a pickle, not a skops file: loading it would run any code that it holds")
        if start != b"PK":
            raise InputError(f"{path} is not a skops file: these are zip archives")
        return archive.unpack(path, file, max_size)


def _check_version(path: Path) -> None:
    skops = require("skops", path)
    numbers = tuple(map(int, re.findall(r"\d+", skops.__version__)[:2]))
    if numbers < _OLDEST:
        raise InputError(
            f"{path}: skops {skops.__version__} is too old to load files safely; pip install 'lormika[models]'"
        )


def _schema(path: Path, members: dict[str, bytes]) -> JsonObject:
    if _SCHEMA not in members:
        raise InputError(f"{path} is not a skops file: it holds no {_SCHEMA}")
    try:
        schema = json.loads(members[_SCHEMA])
    except ValueError as error:
        raise InputError(f"{path} is broken: {_SCHEMA} is not JSON: {error}") from None
    if not isinstance(schema, dict) or type(schema.get("protocol")) is not int:
        raise InputError(f"{path} is broken: {_SCHEMA} names no protocol")
    if schema["protocol"] != _PROTOCOL:
        raise InputError(
            f"{path} is of protocol {schema['protocol']} of skops; {_PROTOCOL} is understood. Save the model again, "
            "with skops 0.16 or later"
        )
    return schema


def _check_types(path: Path, schema: JsonObject, trust: Sequence[str]) -> set[str]:
    """Names of all types in the file, if each is on the list or trusted by the user."""
    names, refused = set(), set()
    for node in _nodes(schema):
        loader, name = node["__loader__"], _name(path, node)
        names.add(name)
        if name not in TRUSTED.get(loader, ()) and name not in trust:
            refused.add(name)
    if refused:
        types = sorted(refused)
        options = " ".join(f"--trust {name}" for name in types)
        raise InputError(
            f"{path} holds types that are not known to be harmless: {', '.join(types)}. If you know what each of them "
            f"does, and trust whoever made the file, name them: trust={types!r} ({options})"
        )
    return names


def _nodes(schema: JsonValue) -> Iterator[JsonObject]:
    """Everything in the file that skops could take for a node, wherever it is."""
    waiting = [schema]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if "__loader__" in value:
                yield value
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)


def _name(path: Path, node: JsonObject) -> str:
    """What a node would build, as skops calls it."""
    module, kind, loader = node.get("__module__"), node.get("__class__"), node["__loader__"]
    if not (isinstance(module, str) and isinstance(kind, str) and isinstance(loader, str)):
        raise InputError(f"{path} is broken: it holds a part that does not say what it is")
    if loader == "MethodNode":  # a method is called by its own name, whatever object it belongs to
        content = node.get("content")
        method = content.get("func") if isinstance(content, dict) else None
        return f"{module}.{kind}.{method}"
    return f"{module}.{kind}"

"""Files that hold one object: TOML or JSON that a user wrote."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

from lormika.errors import InputError
from lormika.types import JsonObject


def read_object(path: Path, example: str) -> JsonObject:
    """The object in a file: JSON if its suffix says so, else TOML."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from error
    kind = "JSON" if path.suffix.lower() == ".json" else "TOML"
    try:
        content = json.loads(text) if kind == "JSON" else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: is no {kind}: {error or 'it is nested too deeply'}") from error
    if not isinstance(content, dict):
        raise InputError(f"{path}: give one object, such as {example}")
    return content

"""Files that hold one object: TOML or JSON that a user wrote."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

from lormika.errors import InputError
from lormika.types import JsonObject


def read_object(path: Path, example: str) -> JsonObject:
    """The object in a file: JSON if its suffix says so, else TOML."""
    if path.exists() and not path.is_file():  # reading a pipe would never end
        raise InputError(f"{path}: is not a plain file")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"{path}: cannot be read: {error}") from error
    kind = "JSON" if path.suffix.lower() == ".json" else "TOML"
    try:
        content = json.loads(text) if kind == "JSON" else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        hint = "; a name with blanks is written in quotes" if "after a key" in str(error) else ""
        raise InputError(f"{path}: is not valid {kind}: {error or 'it is nested too deeply'}{hint}") from error
    if not isinstance(content, dict):
        raise InputError(f"{path}: give one object, such as {example}")
    return content

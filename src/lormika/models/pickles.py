"""Pickles and joblib files: in effect programs, which only run if the user allows it."""

from __future__ import annotations

from pathlib import Path

from lormika.errors import InputError
from lormika.models.model_files import sha256
from lormika.types import UserModel


def load_pickle(path: Path, *, allow_pickle: bool) -> UserModel:
    """Unpickle a file, if allowed; also joblib's own pickles and compressed ones."""
    if not allow_pickle:
        raise InputError(
            f"{path} is a pickle: loading it runs any code that it holds. If you trust whoever made it, and this is "
            f"their file (SHA-256 {sha256(path)}), allow it with allow_pickle=True (--allow-pickle); safer: save the "
            "model with skops, or as ONNX"
        )
    import joblib

    try:
        return joblib.load(path)
    except MemoryError:
        raise
    except Exception as error:  # whatever the code in it raises
        raise InputError(f"{path} cannot be unpickled: {type(error).__name__}: {error}") from error

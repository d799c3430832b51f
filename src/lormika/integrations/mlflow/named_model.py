"""Where an explainer's model is: a file beside it, a model that MLflow has, or a server."""

from __future__ import annotations

import importlib
import shutil
from collections.abc import Sequence
from pathlib import Path

from lormika import models
from lormika.errors import InputError
from lormika.integrations.mlflow.extra import require
from lormika.types import UserModel

_SUFFIXES = (".skops", ".onnx")
_OWN_FILES = tuple(f"model{suffix}" for suffix in _SUFFIXES)
_LOGGED, _SERVERS = ("models:/", "runs:/"), ("http://", "https://")
_ADVICE = (
    "give a .skops or .onnx file, the address of a logged model (models:/… or runs:/…) or of a server (http://…); or "
    "leave it out, and give the model at loading"
)
# Flavours whose own objects say more than MLflow's function: probabilities of all classes, and names of these.
_FLAVOURS = ("sklearn", "xgboost", "lightgbm", "catboost")


def keep_model(source: str | Path | None, folder: Path) -> str:
    """What to write down of a model; a file is copied to the folder. Empty: nothing."""
    if source is None:
        return ""
    if isinstance(source, str) and source.startswith((*_LOGGED, *_SERVERS)):
        return source
    if not isinstance(source, str | Path):
        raise InputError(f"model: a {type(source).__name__} cannot be written without pickle: {_ADVICE}")
    path = Path(source)
    if path.suffix.lower() not in _SUFFIXES:
        raise InputError(f"model={str(source)!r} is of no kind that can be kept without pickle: {_ADVICE}")
    if not path.is_file():
        raise InputError(f"model={str(source)!r}: there is no such file")
    name = f"model{path.suffix.lower()}"
    shutil.copyfile(path, folder / name)
    return name


def load_model(source: str | Path, folder: Path, trust: Sequence[str]) -> UserModel:
    """A model by what was written down, or by what somebody gives instead."""
    if source in _OWN_FILES:
        return models.load(folder / source, trust=trust)
    if is_logged(str(source)):
        return _load_logged(str(source))
    return models.load(source, trust=trust)


def is_logged(source: str) -> bool:
    """Whether this is the address of a model that MLflow has."""
    return source.startswith(_LOGGED)


def _load_logged(source: str) -> UserModel:
    """A model as its own flavour loads it; else the function that MLflow makes of it."""
    mlflow = require()
    try:
        flavours = mlflow.models.get_model_info(source).flavors
        for name in _FLAVOURS:
            if name in flavours:
                native = importlib.import_module(f"mlflow.{name}").load_model(source)
                if name == "sklearn" or hasattr(native, "predict_proba"):
                    return native
        return mlflow.pyfunc.load_model(source).predict
    except mlflow.exceptions.MlflowException as error:
        raise InputError(f"{source} cannot be loaded: {error.message}") from error

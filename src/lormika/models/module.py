"""python:module:name — a function, or a fitted estimator, of a module that can be imported."""

from __future__ import annotations

import importlib
import os
import sys
from operator import attrgetter
from types import ModuleType

from lormika.errors import InputError
from lormika.types import UserModel


def import_model(source: str) -> UserModel:
    """Import what `python:module:name` names, also from the current directory."""
    module_name, _, name = source.removeprefix("python:").partition(":")
    parts = [*module_name.split("."), *name.split(".")]
    if not all(part.isidentifier() for part in parts):
        raise InputError(f"{source}: write python:module:name, such as python:credit.scoring:predict")
    module = _import(source, module_name)
    try:
        model = attrgetter(name)(module)
    except AttributeError:
        raise InputError(f"{source}: the module {module_name!r} ({_place(module)}) has no {name!r}") from None
    if isinstance(model, type):
        raise InputError(f"{source} is a class; name a function, or a fitted object, of the module")
    return model


def _import(source: str, name: str) -> ModuleType:
    here = os.getcwd()
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)  # and it stays there, for what the module imports later on
    try:
        return importlib.import_module(name)
    except MemoryError:
        raise
    except (Exception, SystemExit) as error:
        if isinstance(error, ModuleNotFoundError) and error.name and f"{name}.".startswith(f"{error.name}."):
            raise InputError(f"{source}: there is no module {error.name!r}, neither installed nor in {here}") from None
        raise InputError(f"{source}: importing {name!r} raised {type(error).__name__}: {error}") from error


def _place(module: ModuleType) -> str:
    return getattr(module, "__file__", None) or "built in"

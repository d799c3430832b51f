"""Optional packages, imported when they are needed."""

from __future__ import annotations

import importlib
from types import ModuleType

from lormika.errors import InputError


def require(module: str, source: object) -> ModuleType:
    """Import an optional package, or say how to install it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise InputError(f"{source}: {error}; pip install 'lormika[models]'") from None
    except ImportError as error:
        raise InputError(f"{source} needs {module.partition('.')[0]}, which cannot be imported: {error}") from error

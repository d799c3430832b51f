"""skops without its own list of trusted types, which takes longer to make than most models take to load.

While it is imported, skops looks through all of scikit-learn, scipy and numpy for what it would trust by itself. That
does not count here: every type in a file is judged by our list or the user, and named to skops. So it gets an empty
list, but only in processes of our own, and is taken out of the loaded modules again: whoever else imports it, such as
the module of a trusted type, gets it whole.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from types import ModuleType

from lormika.models.extras import require
from lormika.session import is_own_process
from lormika.types import UserModel

_SKOPS = "skops.io"
_LISTS = "skops.io._trusted_types"
_GENERATORS = [f"numpy.random.{name}" for name in ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")]

_lean: list[ModuleType] = []  # at most one


def loads(data: bytes, trusted: Sequence[str], source: object) -> UserModel:
    """The model in a skops file whose types are all trusted."""
    if _SKOPS not in sys.modules and is_own_process():
        try:
            return _import_lean().loads(data, trusted=trusted)
        except Exception:  # some parts of some versions may need more; if the fault is the file's, the same comes again
            pass
    return require(_SKOPS, source).loads(data, trusted=trusted)


class _NoTypes(ModuleType):
    """Whichever list is asked for, it is empty; but for one that says which generators of random numbers there are."""

    NUMPY_RANDOM_BIT_GENERATOR_TYPE_NAMES = _GENERATORS

    def __getattr__(self, name: str) -> list[str]:
        if name.startswith("__"):
            raise AttributeError(name)
        return []


def _import_lean() -> ModuleType:
    if not _lean:
        sys.modules[_LISTS] = _NoTypes(_LISTS)
        try:
            _lean.append(importlib.import_module(_SKOPS))
        finally:
            for name in [name for name in sys.modules if f"{name}.".startswith(f"{_SKOPS}.")]:
                del sys.modules[name]
            vars(sys.modules.get("skops", ModuleType("skops"))).pop("io", None)
    return _lean[0]

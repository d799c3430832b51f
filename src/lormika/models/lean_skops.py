"""skops without its own list of trusted types, which takes longer to make than most models take to load.

While it is imported, skops looks through all of scikit-learn, scipy and numpy for what it would trust by itself. That
does not count here: every type in a file is judged by our list or the user, and named to skops. So it gets an empty
list, but only in processes of our own, and is taken out of the loaded modules again: whoever else imports it, such as
the module of a trusted type, gets it whole. Nor are the members of a file, which may be large, packed for it again.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from types import ModuleType

from lormika.models import archive
from lormika.models.extras import require
from lormika.session import is_own_process, lasting
from lormika.types import UserModel

_SKOPS = "skops.io"
_LISTS = "skops.io._trusted_types"
_GENERATORS = [f"numpy.random.{name}" for name in ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")]

_lean: list[ModuleType] = []  # at most one


def load(members: dict[str, bytes], trusted: Sequence[str], source: object) -> UserModel:
    """The model that these members of a skops file describe, whose types are all trusted; nothing else is read."""
    if _SKOPS not in sys.modules and is_own_process():
        try:
            return _import_lean().load(members, trusted=trusted)
        except Exception:  # some parts of some versions may need more; if the fault is the file's, the same comes again
            pass
    return require(_SKOPS, source).loads(archive.pack(members), trusted=trusted)


class _Unpacked:
    """What skops reads of an archive, from members that are there already."""

    def __init__(self, members: dict[str, bytes], _mode: str) -> None:
        self.read = members.__getitem__

    def __enter__(self) -> _Unpacked:
        return self

    def __exit__(self, *_: object) -> None:
        pass


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
            with lasting():
                lean = importlib.import_module(_SKOPS)
            vars(sys.modules[lean.load.__module__])["ZipFile"] = _Unpacked
            _lean.append(lean)
        finally:
            for name in [name for name in sys.modules if f"{name}.".startswith(f"{_SKOPS}.")]:
                del sys.modules[name]
            vars(sys.modules.get("skops", ModuleType("skops"))).pop("io", None)
    return _lean[0]

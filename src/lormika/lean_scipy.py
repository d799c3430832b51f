"""scipy without its texts, which take a fifth of the time in which scikit-learn is imported.

While it is imported, scipy takes the docstrings of hundreds of functions apart and puts them together again, with notes
that nobody reads in a process of our own. There it finds none, as with `python -OO`.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace

_PARSER = "scipy._lib._docscrape"


def leave_out_texts() -> None:
    """Let scipy find no docstrings, if it is imported at all; what is loaded already stays as it is."""
    if _PARSER not in sys.modules and not any(isinstance(one, _Finder) for one in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Finder(MetaPathFinder):
    """Finds only the module that reads docstrings, and only once."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != _PARSER:
            return None
        with suppress(ValueError):  # another thread did so meanwhile
            sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module

            def run_without_texts(module: ModuleType) -> None:
                run(module)
                vars(module)["inspect"] = SimpleNamespace(**vars(inspect) | {"getdoc": _no_text})

            vars(spec.loader)["exec_module"] = run_without_texts
        return spec


def _no_text(_documented: object) -> None:
    """What `inspect.getdoc` gives where there is none."""

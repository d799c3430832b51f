"""Session: whether a person sits at the prompt, and whether the process is lormika's own."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from lormika.lean_scipy import leave_out_texts


def is_interactive() -> bool:
    """In a notebook or an interactive interpreter, and not in a script or a program."""
    notebook = sys.modules.get("IPython")
    return hasattr(sys, "ps1") or (notebook is not None and notebook.get_ipython() is not None)


_own = False


def own_process() -> None:
    """Say that this process runs nothing but lormika: the command line, a worker, a model kept apart."""
    global _own
    _own = True
    leave_out_texts()


def is_own_process() -> bool:
    """Whether nobody else's code is at work here."""
    return _own


@contextmanager
def lasting() -> Iterator[None]:
    """Make what stays until the end of a process of our own, as its modules do.

    Python looks through all that is there for what nobody needs any more, again and again while much is made; here that
    would be in vain, and takes a tenth of a command's time.
    """
    if not _own or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()

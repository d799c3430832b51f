"""Session: whether a person sits at the prompt."""

from __future__ import annotations

import sys


def is_interactive() -> bool:
    """In a notebook or an interactive interpreter, and not in a script or a program."""
    notebook = sys.modules.get("IPython")
    return hasattr(sys, "ps1") or (notebook is not None and notebook.get_ipython() is not None)

"""How many random examples tests try: LORMIKA_EXAMPLES says how many per cent of the usual ones."""

from __future__ import annotations

import os

_PERCENT = int(os.environ.get("LORMIKA_EXAMPLES", "100"))


def examples(usual: int) -> int:
    """Some in any case."""
    return max(5, usual * _PERCENT // 100)

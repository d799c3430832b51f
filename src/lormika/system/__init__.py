"""What operating systems do differently, in one place: the rest of the package asks for what it wants.

`posix` is for Linux, macOS and their relatives, `windows` for Windows; both have the same functions. Where a system
lacks something, they do it otherwise, or raise an `InputError` that says what is lacking.
"""

import os
from typing import TYPE_CHECKING

from lormika.system.tie import Tie

if TYPE_CHECKING or os.name != "nt":
    from lormika.system.posix import (
        end_later,
        is_administrator,
        is_broken_pipe,
        is_running,
        is_same,
        limit,
        lock,
        open_log,
        open_plain,
        reserve,
        start,
        sync,
        unlink_open,
        use_utf8,
    )
else:
    from lormika.system.windows import (
        end_later,
        is_administrator,
        is_broken_pipe,
        is_running,
        is_same,
        limit,
        lock,
        open_log,
        open_plain,
        reserve,
        start,
        sync,
        unlink_open,
        use_utf8,
    )

__all__ = [
    "Tie",
    "end_later",
    "is_administrator",
    "is_broken_pipe",
    "is_running",
    "is_same",
    "limit",
    "lock",
    "open_log",
    "open_plain",
    "reserve",
    "start",
    "sync",
    "unlink_open",
    "use_utf8",
]

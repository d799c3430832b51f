"""Memory that an object holds."""

from __future__ import annotations

import ctypes
import gc
import os
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np


def resident_bytes() -> int:
    """Memory of this process, after unused memory went back to the system (Linux)."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # else freed scratch memory would count
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def held_bytes(root: Any, besides: Sequence[Any]) -> int:
    """Bytes of all numpy arrays reachable from an object, each counted once, besides what these objects hold."""
    own, other = _arrays([root], besides), _arrays(besides, [])
    return sum(array.nbytes for key, array in own.items() if key not in other)


def _arrays(roots: Sequence[Any], stop: Sequence[Any]) -> dict[int, np.ndarray]:
    """Arrays that own their memory, by identity; modules, classes and the objects to stop at are not entered."""
    seen, arrays = {id(each) for each in stop}, {}
    waiting = list(roots)
    while waiting:
        each = waiting.pop()
        if id(each) in seen or isinstance(each, ModuleType | type):
            continue
        seen.add(id(each))
        if isinstance(each, np.ndarray):
            if isinstance(each.base, np.ndarray):
                waiting.append(each.base)
                continue
            arrays[id(each)] = each  # kept, so that no other object can get its identity
        if not hasattr(each, "__globals__"):  # a function would lead to its whole module
            waiting.extend(gc.get_referents(each))
        else:
            waiting.extend(cell.cell_contents for cell in each.__closure__ or ())
    return arrays

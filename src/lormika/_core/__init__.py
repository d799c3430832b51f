"""The C++ core: the search, and kernels that read, make and cut tables; arrays in, arrays out."""

from lormika._core.kernels import (
    Filter,
    Objective,
    Stopped,
    assign,
    build,
    count,
    counters,
    cut_evenly,
    distinct,
    mix,
    places,
    reach,
    scan,
    search,
    snap,
    within,
)

__all__ = [
    "Filter",
    "Objective",
    "Stopped",
    "assign",
    "build",
    "count",
    "counters",
    "cut_evenly",
    "distinct",
    "mix",
    "places",
    "reach",
    "scan",
    "search",
    "snap",
    "within",
]

"""The C++ core: bitset search, distance scan, rows that are the same; arrays in, arrays out."""

from lormika._core.kernels import Filter, Objective, build, distinct, reach, scan, search, within

__all__ = ["Filter", "Objective", "build", "distinct", "reach", "scan", "search", "within"]

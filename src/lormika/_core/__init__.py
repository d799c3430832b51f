"""The C++ core: bitset search, distance scan, rows that are the same; arrays in, arrays out."""

from lormika._core.kernels import build, distinct, reach, scan, search, within

__all__ = ["build", "distinct", "reach", "scan", "search", "within"]

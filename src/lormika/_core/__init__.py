"""The C++ core: bitset search and distance scan; arrays in, arrays out."""

from lormika._core.kernels import reach, scan, search

__all__ = ["reach", "scan", "search"]

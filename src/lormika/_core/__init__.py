"""The C++ core: bitset search and distance scan; arrays in, arrays out."""

from lormika._core.kernels import build, reach, scan, search

__all__ = ["build", "reach", "scan", "search"]

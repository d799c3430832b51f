"""Tables of any library, read as encoded arrays and built again."""

from lormika.frames.readers import ColumnReader, TableReader, listing, one_row, read, take

__all__ = ["ColumnReader", "TableReader", "listing", "one_row", "read", "take"]

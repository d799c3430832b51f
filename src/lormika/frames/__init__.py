"""Tables of any library, read as encoded arrays and rebuilt."""

from lormika.frames.readers import ColumnReader, TableReader, count_rows, listing, one_row, read, take, with_columns

__all__ = ["ColumnReader", "TableReader", "count_rows", "listing", "one_row", "read", "take", "with_columns"]

"""Tables of any library, read as encoded arrays and rebuilt."""

from lormika.errors import did_you_mean, listing
from lormika.frames.readers import (
    ColumnReader,
    TableReader,
    count_rows,
    one_row,
    read,
    read_distinct,
    take,
    with_columns,
)
from lormika.frames.restore import coded

__all__ = [
    "ColumnReader",
    "TableReader",
    "coded",
    "count_rows",
    "did_you_mean",
    "listing",
    "one_row",
    "read",
    "read_distinct",
    "take",
    "with_columns",
]

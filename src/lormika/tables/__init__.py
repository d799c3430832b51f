"""Data files: reading tables and instances, and choosing rows."""

from lormika.tables.alike import typed_alike
from lormika.tables.read import read_table
from lormika.tables.records import read_instance
from lormika.tables.rows import select_rows
from lormika.tables.table import ColumnSummary, Table

__all__ = ["ColumnSummary", "Table", "read_instance", "read_table", "select_rows", "typed_alike"]

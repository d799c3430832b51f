"""Data files: reading tables and instances, and choosing rows."""

from lormika.data.alike import typed_alike
from lormika.data.formats import read_table
from lormika.data.json_files import read_instance
from lormika.data.row_choice import select_rows
from lormika.data.table import ColumnSummary, Table

__all__ = ["ColumnSummary", "Table", "read_instance", "read_table", "select_rows", "typed_alike"]

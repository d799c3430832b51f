"""Parquet and Arrow files, through pyarrow."""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING

from lormika.data.column_names import check_names, pick_columns
from lormika.data.table import Table
from lormika.data.table_bytes import Source, pyarrow
from lormika.data.typed_columns import EXACT

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

_INDEX = re.compile(r"__index_level_[0-9]+__")  # how pandas stores the row numbers of a frame


def read_arrow(source: Source, missing: frozenset[str], columns: Sequence[str] | None) -> Table:
    """Read a Parquet file, an Arrow file, or an Arrow stream."""
    import pandas as pd

    arrow = pyarrow()
    try:
        table = _load(arrow, source)
    except (arrow.ArrowException, OSError) as error:
        raise source.error(f"the file is damaged or cut off: {error}") from error
    names = [name for name in table.column_names if not _INDEX.fullmatch(name)]
    check_names(source, names)
    if not names or not table.num_rows:
        raise source.error("there are no rows" if names else "there are no columns")
    series, tokens, notes = {}, {}, []
    for name in pick_columns(source, names, columns):
        column, note = _column(arrow, source, name, table.column(name))
        counts = column[column.isin(missing)].value_counts().to_dict() if missing else {}
        if counts:
            tokens[name] = {str(token): int(count) for token, count in counts.items()}
            column = column.mask(column.isin(missing))
        series[name] = column
        notes += [note] if note else []
    return Table(
        frame=pd.DataFrame(series),
        path=source.path,
        format=source.format,
        compression=source.compression,
        missing=tokens,
        notes=tuple(notes),
    )


def _load(arrow: ModuleType, source: Source) -> pa.Table:
    data = arrow.BufferReader(source.data)
    if source.format == "parquet":
        import pyarrow.parquet

        return pyarrow.parquet.read_table(data)
    if source.data.startswith(b"ARROW1"):
        return arrow.ipc.open_file(data).read_all()
    return arrow.ipc.open_stream(data).read_all()


def _column(arrow: ModuleType, source: Source, name: str, column: pa.ChunkedArray) -> tuple[pd.Series, str | None]:
    kind = column.type
    if arrow.types.is_nested(kind) or arrow.types.is_binary(kind) or arrow.types.is_large_binary(kind):
        raise source.error(f"column {name!r} has the type {kind}; only numbers, texts, truths and dates can be used")
    note = None
    if arrow.types.is_decimal(kind):
        column = column.cast(arrow.float64())
        note = f"column {name!r}: decimal numbers are read as float64"
    elif arrow.types.is_integer(kind) and column.null_count and _is_large(arrow, column):
        column = column.cast(arrow.string())
        note = f"column {name!r} is text because some are missing, and numbers beyond 2⁵³ are not exact as float64"
    # What pandas stored about its own types is left aside: a missing whole number makes float64, as in other formats.
    series: pd.Series = arrow.table({name: column}).to_pandas(ignore_metadata=True)[name]
    return series, note


def _is_large(arrow: ModuleType, column: pa.ChunkedArray) -> bool:
    import pyarrow.compute

    ends = pyarrow.compute.min_max(column).as_py()
    return ends["min"] is not None and max(abs(ends["min"]), abs(ends["max"])) > EXACT

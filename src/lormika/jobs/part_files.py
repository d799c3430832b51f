"""The parts of a run as files: write those of a chunk, check that they are complete, and take stock of all of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from lormika.errors import InputError
from lormika.jobs.folder import Folder
from lormika.jobs.inputs import read_numbers
from lormika.jobs.part_columns import INSTANCES, RULES
from lormika.jobs.part_tables import arrow_schema
from lormika.jobs.run_file import Run
from lormika.jobs.stock import FORMAT, Count, Stock, describe
from lormika.rule import Category
from lormika.writing import whole_file

if TYPE_CHECKING:
    import pyarrow as pa

    from lormika.types import JsonObject

_KINDS = [category.value for category in Category]


def write_parts(folder: Folder, chunk: int, rules: pa.Table, instances: pa.Table) -> None:
    """Write the rules, then the instances: when these are there, the chunk is done."""
    import pyarrow.parquet as pq

    with folder.writing(alone=False):
        for kind, table in (("rules", rules), ("instances", instances)):
            with whole_file(folder.part(kind, chunk), sync=True) as beside:
                pq.write_table(table, beside, compression="zstd", write_page_checksum=True)


def count_failed(
    folder: Folder, run: Run, chunk: int, stock: Stock | None = None, *, whole: bool = False
) -> int | None:
    """How many rows of a chunk failed; None if its parts are missing or do not match, and must be recomputed.

    Parts must match what was counted. With `whole` they are read to the last byte, however old they are.
    """
    import pyarrow as pa

    try:
        if stock is None:
            count = _count(folder, run, chunk, whole=whole)
        elif stock.is_unchanged(chunk, folder.parts(chunk), by_content=whole):
            count = _count(folder, run, chunk, whole=False)
            count = count if count == stock.count(chunk) else None
        else:
            return None
    except (pa.ArrowException, OSError, ValueError):
        return None
    return None if count is None else count.failed


def _count(folder: Folder, run: Run, chunk: int, *, whole: bool) -> Count | None:
    """What the parts of a chunk hold; None if they do not match."""
    import pyarrow.parquet as pq

    with (
        pq.ParquetFile(folder.part("rules", chunk), page_checksum_verification=True) as rules,
        pq.ParquetFile(folder.part("instances", chunk), page_checksum_verification=True) as instances,
    ):
        if [rules.schema_arrow, instances.schema_arrow] != [arrow_schema(RULES), arrow_schema(INSTANCES)]:
            return None
        table = instances.read(None if whole else ["row", "error", *_KINDS])
        n_rules = rules.read().num_rows if whole else rules.metadata.num_rows
    numbers = read_numbers(folder.path / run.input, run.rows_of(chunk))
    of_instances = sum(count or 0 for kind in _KINDS for count in table[kind].to_pylist())
    if table["row"].to_pylist() != numbers or of_instances != n_rules:
        return None
    return Count(n_rules, table.num_rows - table["error"].null_count)


def finish(folder: Folder, run: Run) -> JsonObject:
    """Write the results of the run; once, though several shards may finish at the same time."""
    with folder.writing(alone=True):
        folder.clean()
        stock = Stock.read(folder.manifest, run)
        if stock is not None and all(stock.is_older(folder.parts(chunk)) for chunk in range(run.chunks)):
            return stock.content
        content = _take_stock(folder, run)
        with whole_file(folder.manifest, sync=True) as beside:
            beside.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8", newline="\n")
    return content


def _take_stock(folder: Folder, run: Run) -> JsonObject:
    counts = []
    for chunk in range(run.chunks):
        count = _count(folder, run, chunk, whole=False)
        if count is None:
            raise InputError(f"{folder.part('rules', chunk)} was changed meanwhile: start again")
        counts.append(count)
    totals = {name: sum(getattr(count, name) for count in counts) for name in Count._fields}
    parts = [describe(chunk, folder.parts(chunk), count) for chunk, count in enumerate(counts)]
    columns = {
        "rules": {name: column.file_type for name, column in RULES.items()},
        "instances": {name: column.file_type for name, column in INSTANCES.items()},
    }
    return {"format": FORMAT, "rows": run.rows, **totals, "columns": columns, "parts": parts}

"""Rows as an engine of the user's hands them out: Spark's mapInPandas, Dask's map_partitions, or a loop."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lormika.batch import records
from lormika.batch.chunks import DeadModelError, check_alive, open_run, reopen_run
from lormika.errors import InputError
from lormika.explanation import Explanation, Failure

if TYPE_CHECKING:
    import pandas as pd


def explain_partition(
    folder: str | Path, row: str, *, table: str = "rules"
) -> Callable[[Iterable[pd.DataFrame]], Iterator[pd.DataFrame]]:
    """Make a function from frames of rows to frames of rules, which needs nothing but a folder that all workers see.

    Parameters
    ----------
    folder
        Folder that `lormika batch --prepare` has made: model, background and options.
    row
        Column with the number of each row, a whole number; it comes back as `row`.
    table
        `rules`: one row for each rule (`RULES`); `instances`: one row for each instance (`INSTANCES`).

    Examples
    --------
    In Spark, where `schema` is `spark_schema("rules")`::

        rules = rows.mapInPandas(explain_partition("/shared/run", row="number"), schema)
    """
    columns = {"rules": records.RULES, "instances": records.INSTANCES}.get(table)
    if columns is None:
        raise InputError(f"table={table!r}: choose rules or instances")
    place = Path(folder)

    def explain(frames: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for frame in frames:
            if len(frame):
                yield _explain(place, frame, row, table)

    return explain


def _explain(folder: Path, frame: pd.DataFrame, row: str, table: str) -> pd.DataFrame:
    run = open_run(folder).run
    needed = [row, *run.features, *([run.id] if run.id is not None and table == "instances" else [])]
    lacking = [name for name in needed if name not in frame.columns]
    if lacking:
        raise InputError(f"the rows lack the column {lacking[0]!r}")
    if frame[row].dtype.kind not in "iu":
        raise InputError(f"the column {row!r} numbers the rows: give whole numbers, not {frame[row].dtype}")
    numbers = frame[row].tolist()
    told = zip(numbers, _told(folder, frame[run.features]), strict=True)
    if table == "rules":
        rows = (rule for number, result in told for rule in records.rule_rows(number, result))
        return _frame(rows, records.RULES)
    names = iter(records.identifiers(frame, run.id))
    return _frame((records.instance_row(number, next(names), result) for number, result in told), records.INSTANCES)


def _told(folder: Path, features: pd.DataFrame) -> list[Explanation | Failure]:
    """Explain rows; if an isolated model has died of them, in halves, down to those that are to blame."""
    _, run, explainer, model = open_run(folder)
    told = list(explainer.explain_many(features, progress=False, **run.options))
    try:
        check_alive(model, told)
    except DeadModelError as error:
        reopen_run(folder)
        if len(features) == 1:
            return [Failure(0, str(error))]
        half = len(features) // 2
        return _told(folder, features.iloc[:half]) + _told(folder, features.iloc[half:])
    return told


def _frame(rows: Iterable[dict[str, Any]], columns: Mapping[str, str]) -> pd.DataFrame:
    frame: pd.DataFrame = records.to_table(rows, columns).to_pandas()
    return frame


def spark_schema(table: str = "rules") -> str:
    """Columns of a table, as Spark writes them.

    >>> spark_schema("instances")[:42]
    'row bigint, id string, prediction string, '
    """
    columns = {"rules": records.RULES, "instances": records.INSTANCES}[table]
    types = {"int64": "bigint", "int32": "int", "float64": "double", "bool": "boolean", "list<string>": "array<string>"}
    return ", ".join(f"{name} {types.get(kind, kind)}" for name, kind in columns.items())

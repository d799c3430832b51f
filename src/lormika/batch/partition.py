"""Rows as an engine of the user's hands them out: Spark's mapInPandas, Dask's map_partitions, or a loop."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from lormika.batch import records
from lormika.batch.chunks import DeadModelError, Told, check_alive, open_run, reopen_run
from lormika.errors import InputError, ModelError
from lormika.explanation import Explanation, Failure
from lormika.many import OnError
from lormika.options import check_choice
from lormika.tables.numbers import as_numbers

if TYPE_CHECKING:
    import pandas as pd


def explain_partition(
    folder: str | Path, row: str, *, table: str = "rules", on_error: OnError = "record"
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
    on_error
        What becomes of rows that cannot be explained. `record`: the table of instances says why in its column `error`;
        that of rules has no place for them, and a warning counts them. `raise`: the first one ends it.

    Examples
    --------
    In Spark, where `schema` is `spark_schema("rules")`::

        rules = rows.mapInPandas(explain_partition("/shared/run", row="number"), schema)
    """
    _columns(table)
    check_choice("on_error", on_error, ["record", "raise"])
    place = Path(folder)

    def explain(frames: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for frame in frames:
            if len(frame):
                yield _explain(place, frame, row, table, on_error)

    return explain


def _columns(table: str) -> dict[str, str]:
    columns = {"rules": records.RULES, "instances": records.INSTANCES}.get(table)
    if columns is None:
        raise InputError(f"table={table!r}: choose rules or instances")
    return columns


def _explain(folder: Path, frame: pd.DataFrame, row: str, table: str, on_error: OnError) -> pd.DataFrame:
    run = open_run(folder).run
    lacking = [name for name in (row, *run.features, run.id) if name is not None and name not in frame.columns]
    if lacking:
        raise InputError(f"the rows lack the column {lacking[0]!r}")
    if frame[row].dtype.kind not in "iu":
        raise InputError(f"the column {row!r} numbers the rows: give whole numbers, not {frame[row].dtype}")
    results = _told(folder, frame[run.features])
    told = list(map(Told, frame[row].tolist(), records.identifiers(frame, run.id), results))
    if table == "rules" or on_error == "raise":
        _tell_failures(told, on_error)
    make = records.rule_rows if table == "rules" else lambda *one: [records.instance_row(*one)]
    rows = (record for one in told for record in make(*one))
    explained: pd.DataFrame = records.to_table(rows, _columns(table)).to_pandas()
    return explained


def _tell_failures(told: list[Told], on_error: OnError) -> None:
    failed = [(one.row, one.result.reason) for one in told if isinstance(one.result, Failure)]
    if not failed:
        return
    row, reason = failed[0]
    if on_error == "raise":
        raise ModelError(f"row {row} cannot be explained: {reason}")
    warnings.warn(
        f"{len(failed):,} of {len(told):,} rows could not be explained, the first is row {row}: {reason} "
        '(table="instances" lists them all)',
        stacklevel=4,
    )


def _told(folder: Path, features: pd.DataFrame) -> list[Explanation | Failure]:
    """Explain rows; if an isolated model has died of them, in halves, down to those that are to blame."""
    _, run, explainer, model = open_run(folder)
    told = list(explainer.explain_many(as_numbers(features, explainer.schema), progress=False, **run.options))
    try:
        check_alive(model, told)
    except DeadModelError as error:
        reopen_run(folder)
        if len(features) == 1:
            return [Failure(0, str(error))]
        half = len(features) // 2
        return _told(folder, features.iloc[:half]) + _told(folder, features.iloc[half:])
    return told


def spark_schema(table: str = "rules") -> str:
    """Columns of a table, as Spark writes them.

    >>> spark_schema("instances")[:42]
    'row bigint, id string, prediction string, '
    """
    types = {
        "int64": "bigint", "int32": "int", "float64": "double", "bool": "boolean",
        "list<string>": "array<string>", "list<float64>": "array<double>",
    }  # fmt: skip
    return ", ".join(f"{name} {types.get(kind, kind)}" for name, kind in _columns(table).items())

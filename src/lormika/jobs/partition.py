"""Rows as the user's own engine hands them out: Spark's mapInPandas, Dask's map_partitions, or a loop."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from lormika.checks import check_choice
from lormika.data.alike import typed_alike
from lormika.errors import InputError, ModelError
from lormika.explanation import Explanation, Failure
from lormika.jobs import part_tables
from lormika.jobs.chunks import DeadModelError, OpenRun, check_alive, open_run
from lormika.jobs.folder import Folder
from lormika.jobs.inputs import model_facts
from lormika.jobs.part_columns import INSTANCES, RULES, RowResult
from lormika.jobs.run_file import Run
from lormika.many import OnError
from lormika.models.headers import settle_headers

if TYPE_CHECKING:
    import pandas as pd


def explain_partition(
    folder: str | Path,
    row: str,
    *,
    table: str = "rules",
    on_error: OnError = "record",
    model: str | None = None,
    trust: Sequence[str] = (),
    allow_pickle: bool = False,
    headers: Mapping[str, str] | None = None,
) -> Callable[[Iterable[pd.DataFrame]], Iterator[pd.DataFrame]]:
    """Make a function from frames of rows to frames of rules, which needs only a folder that all workers see.

    In Spark: `rows.mapInPandas(explain_partition("/shared/run", row="number"), spark_schema())`.

    Parameters
    ----------
    folder
        Folder made by `lormika batch --prepare`: model, background and options.
    row
        Column with the number of each row, a whole number; it comes back as `row`.
    table
        `rules`: one row for each rule (`RULES`); `instances`: one row for each instance (`INSTANCES`).
    on_error
        What to do with rows that cannot be explained. `record`: the table of instances gives the reason in its column
        `error`; the table of rules has no place for them, so a warning gives their number. `raise`: stop at the first.
    model
        Where the model is, as given to `lormika batch`. Anyone who can write to the folder can name another model
        there, so only a model file may be left for the folder to name. A Python module or a server must be named here.
    trust, allow_pickle
        As in `models.load`; what the folder says about them is ignored. With `allow_pickle` and without `model`,
        anyone who can write to the folder can run code here.
    headers
        For a server. A value `env:NAME` is read from the environment, and `file:PATH` from a file, on each worker.

    Examples
    --------
    >>> explain = explain_partition("/shared/why", row="number")  # reads the folder when the first rows come
    >>> list(explain([]))
    []
    """
    _check_table(table)
    check_choice("on_error", on_error, ["record", "raise"])
    opener = _Opener.of(Path(folder), model, trust, allow_pickle, headers)
    return lambda frames: (_explain(opener, frame, row, table, on_error) for frame in frames if len(frame))


@dataclass(frozen=True, slots=True)
class _Opener:
    """A folder, and the permissions that the caller gives it."""

    folder: Path
    model: str | None
    trust: tuple[str, ...]
    allow_pickle: bool
    headers: tuple[str, ...]

    @classmethod
    def of(
        cls,
        folder: Path,
        model: str | None,
        trust: Sequence[str],
        allow_pickle: bool,
        headers: Mapping[str, str] | None,
    ) -> _Opener:
        if isinstance(trust, str):
            raise InputError(f"trust={trust!r}: give a list of names")
        texts = settle_headers([f"{name}: {value}" for name, value in (headers or {}).items()])
        return cls(folder, model, tuple(trust), allow_pickle, texts)

    def open(self) -> OpenRun:
        """The run; opened once per process, unless the folder comes to hold another one."""
        return _open(self, self._run().to_json())

    def reopen(self) -> None:
        """Load the model again."""
        _open.cache_clear()

    def _run(self) -> Run:
        run = Folder(self.folder).read()
        source = run.model["source"]
        if self.model is None:
            if source.startswith("python:") or "://" in source:
                raise InputError(
                    f"{self.folder} names {source} as its model, which runs code or takes your data: if that is yours, "
                    f"say so with model={source!r}"
                )
        elif (own := model_facts(self.model, {})["source"]) != source:
            raise InputError(f"{self.folder} holds a run of another model, {source}, not of {own}")
        granted = {"trust": list(self.trust), "allow_pickle": self.allow_pickle}
        return replace(run, model=run.model | granted)


@lru_cache(maxsize=1)
def _open(opener: _Opener, run: str) -> OpenRun:
    return open_run(opener.folder, Run.of_json(run), opener.headers)


def _check_table(table: str) -> None:
    if table not in ("rules", "instances"):
        raise InputError(f"table={table!r}: choose rules or instances")


def _explain(opener: _Opener, frame: pd.DataFrame, row: str, table: str, on_error: OnError) -> pd.DataFrame:
    run = opener.open().run
    lacking = [name for name in (row, *run.features, run.id) if name is not None and name not in frame.columns]
    if lacking:
        raise InputError(f"the rows lack the column {lacking[0]!r}")
    if frame[row].dtype.kind not in "iu":
        raise InputError(f"the column {row!r} numbers the rows: give whole numbers, not {frame[row].dtype}")
    results = _results(opener, frame[run.features])
    rows = list(map(RowResult, frame[row].tolist(), part_tables.identifiers(frame, run.id), results))
    if table == "rules" or on_error == "raise":
        _tell_failures(rows, on_error)
    make = part_tables.rules_table if table == "rules" else part_tables.instances_table
    explained: pd.DataFrame = make(rows).to_pandas()
    return explained


def _tell_failures(rows: list[RowResult], on_error: OnError) -> None:
    failed = [(one.row, one.result.reason) for one in rows if isinstance(one.result, Failure)]
    if not failed:
        return
    row, reason = failed[0]
    if on_error == "raise":
        raise ModelError(f"row {row} cannot be explained: {reason}")
    warnings.warn(
        f"{len(failed):,} of {len(rows):,} rows could not be explained, the first is row {row}: {reason} "
        '(table="instances" lists them all)',
        stacklevel=4,
    )


def _results(opener: _Opener, features: pd.DataFrame) -> list[Explanation | Failure]:
    """Explain rows; if an isolated model dies of them, in halves, down to those that are to blame."""
    _, run, explainer, model = opener.open()
    results = list(explainer.explain_many(typed_alike(features, explainer.schema), progress=False, **run.options))
    try:
        check_alive(model, results)
    except DeadModelError as error:
        opener.reopen()
        if len(features) == 1:
            return [Failure(0, str(error))]
        half = len(features) // 2
        return _results(opener, features.iloc[:half]) + _results(opener, features.iloc[half:])
    return results


def spark_schema(table: str = "rules") -> str:
    """Columns of a table, as Spark writes them.

    >>> spark_schema("instances")[:42]
    'row bigint, id string, prediction string, '
    """
    _check_table(table)
    columns = (RULES if table == "rules" else INSTANCES).values()
    return ", ".join(f"{column.name} {part_tables.spark_type(column.type)}" for column in columns)

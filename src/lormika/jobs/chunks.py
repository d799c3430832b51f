"""What a process does with a chunk: explain its rows and write its parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lormika import models
from lormika.data.alike import typed_alike
from lormika.errors import InputError, ModelError, describe
from lormika.explainer import Explainer
from lormika.explanation import Explanation, Failure
from lormika.jobs import part_tables, prepared
from lormika.jobs.folder import Folder
from lormika.jobs.inputs import read_input
from lormika.jobs.part_columns import RowResult
from lormika.jobs.part_files import write_parts
from lormika.jobs.run_file import Run
from lormika.models.headers import read_headers
from lormika.models.identity import source_digest
from lormika.types import JsonObject, UserModel


class DeadModelError(Exception):
    """The model's own process has ended; it must be loaded again."""


class OpenRun(NamedTuple):
    """A run with its explainer."""

    folder: Folder
    run: Run
    explainer: Explainer
    model: UserModel  # as it was loaded


def load_model(facts: JsonObject, headers: Sequence[str] = ()) -> UserModel:
    """The model of a run; a file that has changed since the start is refused."""
    how = {name: value for name, value in facts.items() if name not in ("source", "sha256")}
    if _digest(facts["source"]) != facts["sha256"]:
        raise InputError(f"{facts['source']} has changed since the run began")
    return models.load(facts["source"], headers=read_headers(headers), **how)


def _digest(source: str) -> str | None:
    try:
        return source_digest(source)
    except OSError as error:
        raise InputError(f"the model of the run cannot be read: {describe(error)}") from error


def open_run(path: Path, run: Run, headers: Sequence[str] = ()) -> OpenRun:
    """A run with its explainer. The caller says what the run is, because others can write to the folder."""
    model = load_model(run.model, headers)
    explainer = prepared.load(path / run.background, model)
    if list(explainer.schema.names) != run.features:
        raise InputError(f"{path / run.background} has other columns than the run: remove the folder, and start again")
    return OpenRun(Folder(path), run, explainer, model)


def check_alive(model: UserModel, results: Iterable[Explanation | Failure]) -> None:
    """Raise if the model's separate process has ended: then the rows that failed may be innocent."""
    end = getattr(model, "close", None)
    if not getattr(end, "alive", True):
        raise DeadModelError(next((result.reason for result in results if isinstance(result, Failure)), "it crashed"))


def rehearse(explainer: Explainer) -> None:
    """Explain a row of the background to see that the model still answers; raise if it does not."""
    n_rows = len(explainer.background)
    reason = ""
    for row in (0, n_rows // 2, n_rows - 1):
        frame = explainer.schema.restore(explainer.background.rows(np.array([row])))
        (result,) = explainer.explain_many(frame, progress=False)
        if isinstance(result, Explanation):
            return
        reason = reason or result.reason
    raise ModelError(f"the model no longer answers about the background: {reason}")


def explain_rows(opened: OpenRun, rows: range, skip: Mapping[int, str]) -> list[RowResult]:
    """Explain rows of the input; rows to be skipped come with a reason."""
    folder, run, explainer, model = opened
    frame = read_input(folder.path / run.input, rows)
    wanted = [row for row in rows if row not in skip]
    features = typed_alike(frame[run.features].iloc[[row - rows.start for row in wanted]], explainer.schema)
    results = list(explainer.explain_many(features, progress=False, **run.options)) if wanted else []
    check_alive(model, results)
    if any(isinstance(result, Failure) for result in results):  # is it these rows, or a server that is down?
        rehearse(explainer)
    following = iter(results)
    return [
        RowResult(number, name, Failure(number, skip[row]) if row in skip else next(following))
        for row, number, name in zip(rows, frame.index.tolist(), part_tables.identifiers(frame, run.id), strict=True)
    ]


def run_chunk(opened: OpenRun, chunk: int, skip: Mapping[int, str]) -> int:
    """Explain a chunk and write its parts; return how many rows failed."""
    rows = explain_rows(opened, opened.run.rows_of(chunk), skip)
    write_parts(opened.folder, chunk, part_tables.rules_table(rows), part_tables.instances_table(rows))
    return sum(isinstance(row.result, Failure) for row in rows)

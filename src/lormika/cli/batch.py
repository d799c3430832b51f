"""lormika batch."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lormika.cli import parameters as p
from lormika.cli import sources
from lormika.cli.output import Talk
from lormika.errors import InputError
from lormika.options import Correction, Filter, Objective

if TYPE_CHECKING:
    from lormika.batch.driver import Engine
    from lormika.batch.folder import Run
    from lormika.batch.run import Shard

_SOME_FAILED = 3
_OWN = (".", "run.json", "manifest.json", "report.html", "background-", "input-", "rules", "instances")


class EngineName(StrEnum):
    """Where chunks are done."""

    LOCAL = "local"
    DASK = "dask"


RUN = "Run"


def batch(
    data: Annotated[Path, typer.Argument(help="Data file with the rows to explain.")],
    model: Annotated[
        str,
        typer.Option(help="File (.skops, .onnx, .pkl, .joblib), python:module:name, or http://host/v2/models/name."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder of the run; begun anew, or gone on with.")],
    where: Annotated[str | None, typer.Option(help='Only rows such as "age > 60".')] = None,
    target: Annotated[str | None, typer.Option(help="Column with the truth, which is no feature.")] = None,
    background: Annotated[
        Path | None, typer.Option(help="Data file to find similar rows in.", show_default="DATA itself")
    ] = None,
    id: Annotated[str | None, typer.Option(help="Column that names the rows.")] = None,
    workers: Annotated[
        int, typer.Option(help="Processes.", show_default="one per processor", min=0, rich_help_panel=RUN)
    ] = 0,
    engine: Annotated[EngineName, typer.Option(help="Where chunks are done.", rich_help_panel=RUN)] = EngineName.LOCAL,
    scheduler: Annotated[str | None, typer.Option(help="Address of a Dask scheduler.", rich_help_panel=RUN)] = None,
    shard: Annotated[
        str, typer.Option(help="This job of an array, such as 0/8 to 7/8 with one folder.", rich_help_panel=RUN)
    ] = "0/1",
    chunk_rows: Annotated[
        int | None, typer.Option(help="Rows of a chunk.", show_default="some 20 s", rich_help_panel=RUN)
    ] = None,
    chunk_limit: Annotated[float, typer.Option(help="Most seconds of a chunk.", min=0.1, rich_help_panel=RUN)] = 600.0,
    prepare: Annotated[
        bool, typer.Option("--prepare", help="Only make the folder, for engines of your own.", rich_help_panel=RUN)
    ] = False,
    drop: p.Drop = [],
    categorical: p.Categorical = [],
    delimiter: p.Delimiter = None,
    missing: p.MissingToken = [],
    encoding: p.Encoding = None,
    k: p.K = 5,
    objective: p.OneObjective = Objective.LEVERAGE,
    max_conditions: p.MaxConditions = 3,
    min_count: p.MinCount = 10,
    m: p.M = 2.0,
    filter: p.FilterBy = Filter.SIGNIFICANT,
    alpha: p.Alpha = 0.05,
    correction: p.Correct = Correction.LAYERED,
    per: p.PerWhat = p.Per.CATEGORY,
    bins: p.Bins = 3,
    cut: p.Cut = [],
    min_neighbours: p.MinNeighbours = 40,
    max_neighbours: p.MaxNeighbours = 200,
    kernel_width: p.KernelWidth = None,
    thin: p.ThinBy = p.Thin.NEAREST,
    n_generated: p.NGenerated = 2000,
    snap: p.Snap = True,
    random_state: p.RandomState = 0,
    class_name: p.ClassName = [],
    trust: p.Trust = [],
    allow_pickle: p.AllowPickle = False,
    max_size: p.MaxSize = 500,
    isolate: p.Isolate = False,
    memory_limit: p.MemoryLimit = None,
    time_limit: p.TimeLimit = None,
    quiet: p.Quiet = False,
) -> None:
    """Explain all rows of a data file; a run that was stopped goes on where it was.

    The folder then holds the tables rules/*.parquet and instances/*.parquet, and a manifest. Exit code 3: finished, but
    some rows could not be explained; the column error of the instances says why.

    For example:

        lormika batch applications.parquet --model loans.skops --out why/

    In an array of jobs, each of which does every eighth chunk and may be started again by itself; the last one writes
    the manifest (Slurm: sbatch --array=0-7; Kubernetes: an indexed Job, with $JOB_COMPLETION_INDEX):

        lormika batch applications.parquet --model loans.skops --out /shared/why --shard $SLURM_ARRAY_TASK_ID/8

    On a Dask cluster whose workers see the folder and the model under the same paths:

        lormika batch applications.parquet --model loans.skops --out /shared/why --engine dask --scheduler tcp://10.0.0.5:8786
    """
    if (engine == EngineName.DASK) != (scheduler is not None):
        raise typer.BadParameter("--engine dask goes with --scheduler ADDRESS")
    if where is not None and id is None:  # else nobody could tell which rows of the file the results are about
        raise typer.BadParameter("--where goes with --id COLUMN: results number the chosen rows only")
    from lormika.batch.folder import Folder
    from lormika.batch.run import Shard

    part, talk = Shard.of(shard), Talk(quiet)
    order = {
        "model": {
            "trust": trust, "allow_pickle": allow_pickle, "max_size": max_size, "isolate": isolate,
            "memory_limit": memory_limit, "time_limit": time_limit,
        },
        "look": {"delimiter": delimiter, "missing": missing, "encoding": encoding, "categorical": categorical},
        "choice": {"where": where, "target": target, "drop": drop, "id": id},
        "explainer": {
            "categorical": categorical or None, "class_names": class_name or None, "min_neighbours": min_neighbours,
            "max_neighbours": max_neighbours, "kernel_width": kernel_width, "thin": thin.value,
            "n_generated": n_generated, "snap": snap, "bins": bins, "cuts": sources.read_cuts(cut),
            "random_state": random_state,
        },
        "options": {
            "k": k, "objective": objective.value, "max_conditions": max_conditions, "min_count": min_count, "m": m,
            "filter": filter.value, "alpha": alpha, "correction": correction.value, "per": per.value,
        },
    }  # fmt: skip
    _make_folder(out)
    folder = Folder(out)
    with folder.locked(shared=part.shards > 1):
        with folder.writing(alone=True):  # of several shards, one prepares the run
            folder.clean()
            known = _identify(order, model, data, background)
            run = folder.known(known, chunk_rows)
            if run is None:
                run = _prepare(out, order, model, data, background, chunk_rows, known, talk)
                gc.collect()  # the model and the background, which workers have themselves, are parts of cycles
        if prepare:
            talk.say(f"prepared: {out}, {run.rows:,} rows in {run.chunks:,} chunks")
            return
        _work(out, run, part, _engine(engine, out, run, workers, scheduler, chunk_limit), talk)


def _make_folder(out: Path) -> None:
    """Make the folder; one with files of others is refused."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        foreign = sorted(path.name for path in out.iterdir() if not path.name.startswith(_OWN))
    except OSError as error:
        raise InputError(f"cannot make the folder {out}: {error.strerror}") from error
    if foreign and not (out / "run.json").exists():
        raise InputError(f"{out} holds {foreign[0]!r}, which is not of a run: choose an empty folder")


def _facts(model: str, how: dict[str, Any]) -> dict[str, Any]:
    from lormika.batch.inputs import model_facts

    given = {name: how[name] for name in ("trust", "allow_pickle", "isolate")}
    limits = sources.limits(how["memory_limit"], how["time_limit"])
    return model_facts(model, given | {"max_size": how["max_size"] * 1_000_000} | limits)


def _identify(order: dict[str, Any], model: str, data: Path, background: Path | None) -> dict[str, Any] | None:
    """The command with the content of its files; None: a part of it has none, such as a model behind a URL."""
    from lormika.batch.inputs import sha256

    try:
        facts = _facts(model, order["model"])
        files = {"data": sha256(data), "background": None if background is None else sha256(background)}
    except OSError:  # those who open it say what is wrong
        return None
    return None if facts["sha256"] is None else {**order, "model": facts, "files": files}


def _prepare(
    out: Path,
    order: dict[str, Any],
    model: str,
    data: Path,
    background: Path | None,
    chunk_rows: int | None,
    known: dict[str, Any] | None,
    talk: Talk,
) -> Run:
    """Ask the model about the background, and write all that workers need; nothing of it stays in memory."""
    from lormika.batch.run import prepare
    from lormika.explainer import Explainer

    choice = order["choice"]
    table = sources.open_table(data, talk, **order["look"])
    around = table if background is None else sources.open_table(background, talk, **order["look"])
    with sources.open_model(model, talk, headers=[], **order["model"]) as loaded:
        features = sources.feature_columns(loaded, around, choice["target"], choice["drop"], talk)
        rows = sources.chosen_rows(table, features, choice["where"], choice["id"])
        sources.report_columns(around, features, talk)
        with talk.working(f"Asking the model about {len(around.frame):,} rows"):
            explainer = Explainer(loaded, around.frame[features], **order["explainer"])
        with talk.working("Preparing the run"):
            return prepare(
                out, explainer, around.frame[features], rows, _facts(model, order["model"]), order["options"],
                identifier=choice["id"], chunk_rows=chunk_rows, order=known,
            )  # fmt: skip


def _engine(
    name: EngineName, out: Path, run: Run, workers: int, scheduler: str | None, limit: float
) -> Callable[[], Engine]:
    def make() -> Engine:
        if name == EngineName.DASK:
            from lormika.batch.dask_engine import DaskEngine

            return DaskEngine(out, str(scheduler), limit)
        from lormika.batch.local import LocalEngine

        return LocalEngine(out, min(workers or os.cpu_count() or 1, run.chunks), limit)

    return make


def _work(out: Path, run: Run, shard: Shard, engine: Callable[[], Engine], talk: Talk) -> None:
    from lormika.batch.folder import Folder
    from lormika.batch.run import run_chunks
    from lormika.progress import progress_bar

    total = sum(len(run.rows_of(chunk)) for chunk in range(shard.number, run.chunks, shard.shards))
    bar = progress_bar(talk.console)
    shown = talk.console.is_terminal and not talk.console.quiet
    bar.disable = not shown
    manifest = Folder(out).manifest
    before = manifest.stat().st_mtime_ns if manifest.exists() else None
    with bar:
        task = bar.add_task("explaining", total=total)
        came_to = run_chunks(out, run, engine, shard, lambda chunk, _: bar.advance(task, len(run.rows_of(chunk))))
    if came_to is None:
        talk.say(f"{out}: this shard is done, others are not yet")
        return
    said = f"{came_to['rules']:,} rules about {came_to['rows']:,} rows"
    talk.say(f"{out}: {'finished already, ' if before == manifest.stat().st_mtime_ns else ''}{said}")
    if came_to["failed"]:
        typer.echo(f"{came_to['failed']:,} rows failed: the column error of {out}/instances says why", err=True)
        raise typer.Exit(_SOME_FAILED)

"""lormika batch."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lormika.cli import arguments
from lormika.cli import parameters as p
from lormika.cli.batch_work import How, work
from lormika.cli.output import Talk
from lormika.errors import InputError
from lormika.options import Correction, Objective

if TYPE_CHECKING:
    import pandas as pd

    from lormika.jobs.folder import Folder, Run
    from lormika.jobs.run import Shard


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
    id: Annotated[str | None, typer.Option(help="Column that names the rows, beside their numbers.")] = None,
    workers: Annotated[
        int, typer.Option(help="Processes.", show_default="one per processor", min=0, rich_help_panel=RUN)
    ] = 0,
    engine: Annotated[EngineName, typer.Option(help="Where chunks are done.", rich_help_panel=RUN)] = EngineName.LOCAL,
    scheduler: Annotated[str | None, typer.Option(help="Address of a Dask scheduler.", rich_help_panel=RUN)] = None,
    shard: Annotated[
        str, typer.Option(help="This job of an array, such as 0/8 to 7/8 with one folder.", rich_help_panel=RUN)
    ] = "0/1",
    chunk_rows: Annotated[
        int | None,
        typer.Option(help="Rows of a chunk.", show_default="some 20 s, and work for all", min=1, rich_help_panel=RUN),
    ] = None,
    chunk_limit: Annotated[
        float,
        typer.Option(
            help="Most seconds of a chunk; one that takes longer is done in pieces, each of which has as long again. A "
            "row that takes longer alone fails.",
            min=0.1,
            rich_help_panel=RUN,
        ),
    ] = 600.0,
    retry_failed: Annotated[
        bool,
        typer.Option("--retry-failed", help="Make the parts anew that hold failed rows.", rich_help_panel=RUN),
    ] = False,
    verify: Annotated[
        bool,
        typer.Option(
            "--verify",
            help="Read all parts to the last byte, and make damaged ones anew; otherwise only those that were touched "
            "since the run was finished.",
            rich_help_panel=RUN,
        ),
    ] = False,
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
    max_conditions: p.MaxConditions = None,
    min_count: p.MinCount = 10,
    m: p.M = 2.0,
    filter: p.FilterBy = None,
    alpha: p.Alpha = 0.05,
    correction: p.Correct = Correction.LAYERED,
    per: p.PerWhat = None,
    confirm: p.Confirm = None,
    weight: p.WeightBy = None,
    preset: p.PresetOf = p.Preset.DEFAULT,
    bins: p.Bins = 3,
    cut: p.Cut = [],
    min_neighbours: p.MinNeighbours = 40,
    max_neighbours: p.MaxNeighbours = 200,
    kernel_width: p.KernelWidth = None,
    thin: p.ThinBy = None,
    n_generated: p.NGenerated = 2000,
    design: p.DesignOf = None,
    snap: p.Snap = None,
    n_asked: p.NAsked = None,
    random_state: p.RandomState = 0,
    class_name: p.ClassName = [],
    trust: p.Trust = [],
    allow_pickle: p.AllowPickle = False,
    max_size: p.MaxSize = 500,
    header: p.Header = [],
    isolate: p.Isolate = False,
    memory_limit: p.MemoryLimit = None,
    time_limit: p.TimeLimit = None,
    quiet: p.Quiet = False,
) -> None:
    """Explain all rows of a data file; a run that was stopped goes on where it was.

    The folder then holds a manifest and two tables, whose columns docs/batch.md describes:

    rules/*.parquet: row (of DATA, from 0, also with --where), id, prediction, rank; as in Explanation.to_frame
    category, rule, consequent, conditions, support, coverage, confidence, lift, leverage, score, p_value, rows,
    real_rows, edit, rerun_label, rerun_prediction_probability, turned; and all that a rule is made of.

    instances/*.parquet: row, id, prediction, probability, error, and how many rules of each kind there are.

    Exit code 3: finished, but some rows could not be explained; the column error of the instances says why, and
    --retry-failed tries them again.

    For example:

        lormika batch applications.parquet --model loans.skops --out why/

    In an array of jobs, each of which does every eighth chunk and may be started again by itself; the last one writes
    the manifest (Slurm: sbatch --array=0-7; Kubernetes: an indexed Job, with $JOB_COMPLETION_INDEX):

        lormika batch applications.parquet --model loans.skops --out /shared/why --shard $SLURM_ARRAY_TASK_ID/8

    On a Dask cluster whose workers see the folder and the model under the same paths:

        lormika batch applications.parquet --model loans.skops --out /shared/why --engine dask --scheduler tcp://10.0.0.5:8786
    """
    part, talk = _check(engine, scheduler, shard), Talk(quiet)
    order = {
        "model": {
            "trust": trust, "allow_pickle": allow_pickle, "max_size": max_size, "isolate": isolate,
            "memory_limit": memory_limit, "time_limit": time_limit,
        },
        "look": {"delimiter": delimiter, "missing": missing, "encoding": encoding, "categorical": categorical},
        "choice": {"where": where, "target": target, "drop": drop, "id": id},
        "explainer": p.chosen(
            categorical=categorical or None, class_names=class_name or None, min_neighbours=min_neighbours,
            max_neighbours=max_neighbours, kernel_width=kernel_width, thin=thin, n_generated=n_generated,
            design=design, snap=snap, n_asked=n_asked, bins=bins, cuts=arguments.read_cuts(cut),
            random_state=random_state, preset=preset,
        ),
        "options": p.chosen(
            k=k, objective=objective, max_conditions=max_conditions, min_count=min_count, m=m, filter=filter,
            alpha=alpha, correction=correction, per=per, confirm=confirm, weight=weight,
        ),
    }  # fmt: skip
    headers = _check_headers(header, model)
    how = How(workers, scheduler, chunk_limit, part, retry_failed, verify, headers)
    with _open_folder(out, shared=part.shards > 1) as folder:
        with folder.writing(alone=True):  # of several shards, one prepares the run
            folder.clean()
            known = _identify(order, model, data, background)
            run = folder.known(known, chunk_rows)
            if run is None:
                length = {"chunk_rows": chunk_rows, "processes": how.processes * part.shards}
                run = _prepare(out, order, model, headers, data, background, length, known, talk)
                gc.collect()  # the model and the background, which workers have themselves, are parts of cycles
        if prepare:
            talk.say(f"prepared: {out}, {run.rows:,} rows in {run.chunks:,} chunks")
        else:
            work(out, run, how, talk)


def _check(engine: EngineName, scheduler: str | None, shard: str) -> Shard:
    """Refuse options that do not go together, before anything takes time."""
    from lormika.jobs.run import Shard

    if engine == EngineName.DASK and scheduler is None:
        raise typer.BadParameter("say where the cluster is: --scheduler tcp://host:8786", param_hint="--engine dask")
    if engine != EngineName.DASK and scheduler is not None:
        raise typer.BadParameter("it is for --engine dask: add that, or leave this out", param_hint="--scheduler")
    try:
        return Shard.of(shard)
    except InputError as error:
        raise typer.BadParameter(str(error), param_hint="--shard") from None


def _check_headers(texts: Sequence[str], model: str) -> tuple[str, ...]:
    """Headers as workers get them; a secret that is not there is missed before anything takes time."""
    from lormika.jobs.headers import read_headers, settle_headers

    if texts and "://" not in model:
        raise typer.BadParameter("it is for a model behind http://…", param_hint="--header")
    read_headers(texts)
    return settle_headers(texts)


@contextmanager
def _open_folder(out: Path, *, shared: bool) -> Iterator[Folder]:
    """The folder of a run, which others keep out of; one with files of others is refused."""
    from lormika.jobs.contents import check_contents
    from lormika.jobs.folder import Folder

    there, folder = out.exists(), Folder(out)
    try:
        out.mkdir(parents=True, exist_ok=True)
        check_contents(out)
    except OSError as error:
        raise InputError(f"cannot make the folder {out}: {error.strerror}") from error
    if folder.run_file.exists():
        folder.read()  # which refuses what is no run, before anything is written
    try:
        with folder.locked(shared=shared):
            yield folder
    finally:
        if not there:
            with suppress(OSError):  # it holds something: only a run that could not begin leaves nothing behind
                out.rmdir()


def _facts(model: str, how: dict[str, Any]) -> dict[str, Any]:
    from lormika.jobs.inputs import model_facts

    given = {name: how[name] for name in ("trust", "allow_pickle", "isolate")}
    limits = arguments.limits(how["memory_limit"], how["time_limit"])
    return model_facts(model, given | {"max_size": how["max_size"] * 1_000_000} | limits)


def _identify(order: dict[str, Any], model: str, data: Path, background: Path | None) -> dict[str, Any] | None:
    """The command with the content of its files; None: a part of it has none, such as a model behind a URL."""
    from lormika.jobs.inputs import sha256

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
    headers: Sequence[str],
    data: Path,
    background: Path | None,
    length: dict[str, Any],
    known: dict[str, Any] | None,
    talk: Talk,
) -> Run:
    """Ask the model about the background, and write all that workers need; nothing of it stays in memory."""
    from lormika.data import typed_alike
    from lormika.explainer import Explainer
    from lormika.jobs.headers import read_headers
    from lormika.jobs.inputs import all_unseen
    from lormika.jobs.run import prepare

    choice = order["choice"]
    table = arguments.open_table(data, talk, **order["look"])
    around = table if background is None else arguments.open_table(background, talk, **order["look"])
    sent = [f"{name}: {value}" for name, value in read_headers(headers).items()]
    with arguments.open_model(model, talk, headers=sent, **order["model"]) as loaded:
        features = arguments.feature_columns(loaded, around, choice["target"], choice["drop"], talk, also=table)
        rows = arguments.chosen_rows(table, features, choice["where"], choice["id"])
        _report_names(rows, choice["id"], talk)
        arguments.report_columns(around, features, talk)
        with talk.working(f"Asking the model about {len(around.frame):,} rows"):
            explainer = Explainer(loaded, around.frame[features], **order["explainer"])
        rows = typed_alike(rows, explainer.schema, decimal_comma=table.delimiter == ";")
        for name, value in all_unseen(rows, explainer.background).items():
            talk.warn(f"Note: column {name!r}: the background has none of its values, such as {value!r}")
        with talk.working("Preparing the run"):
            return prepare(
                out, explainer, around.frame[features], rows, _facts(model, order["model"]), order["options"],
                identifier=choice["id"], order=known, **length,
            )  # fmt: skip


def _report_names(rows: pd.DataFrame, identifier: str | None, talk: Talk) -> None:
    """Warn of names that several rows have."""
    if identifier is None:
        return
    names = rows[identifier].dropna()
    again = names[names.duplicated(keep=False)]
    if len(again):
        first = again.index[again == again.iloc[0]]
        talk.warn(
            f"Note: --id {identifier}: {len(again):,} rows share their name with another, such as rows {first[0]} and "
            f"{first[1]} ({again.iloc[0]!r}): the column row tells them apart"
        )

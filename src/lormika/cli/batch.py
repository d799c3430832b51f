"""lormika batch."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lormika.cli import arguments
from lormika.cli import parameters as p
from lormika.cli.batch_command import Command
from lormika.cli.batch_work import EngineName, How, work
from lormika.cli.changes import Changing
from lormika.cli.groups import with_groups
from lormika.cli.output import Talk
from lormika.errors import InputError

if TYPE_CHECKING:
    from lormika.jobs.folder import Folder
    from lormika.jobs.run import Shard


RUN = "Run"


@dataclass(frozen=True, slots=True)
class Pace:
    """How a run is worked on."""

    workers: Annotated[
        int, typer.Option(help="Processes.", show_default="one per processor", min=0, rich_help_panel=RUN)
    ] = 0
    engine: Annotated[EngineName, typer.Option(help="Where chunks are done.", rich_help_panel=RUN)] = EngineName.LOCAL
    scheduler: Annotated[str | None, typer.Option(help="Address of a Dask scheduler.", rich_help_panel=RUN)] = None
    shard: Annotated[
        str, typer.Option(help="This job of an array, such as 0/8 to 7/8 with one folder.", rich_help_panel=RUN)
    ] = "0/1"
    chunk_rows: Annotated[
        int | None,
        typer.Option(help="Rows of a chunk.", show_default="some 20 s, and work for all", min=1, rich_help_panel=RUN),
    ] = None
    chunk_limit: Annotated[
        float,
        typer.Option(
            help="Most seconds of a chunk; one that takes longer is done in pieces, each of which has as long again. A "
            "row that takes longer alone fails.",
            min=0.1,
            rich_help_panel=RUN,
        ),
    ] = 600.0
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Recompute chunks with failed rows.", rich_help_panel=RUN)
    ] = False
    verify: Annotated[
        bool,
        typer.Option(
            "--verify",
            help="Read all parts to the last byte, and recompute damaged ones; otherwise only those that were touched "
            "since the run was finished.",
            rich_help_panel=RUN,
        ),
    ] = False
    prepare: Annotated[
        bool, typer.Option("--prepare", help="Only make the folder, for engines of your own.", rich_help_panel=RUN)
    ] = False

    def check(self) -> Shard:
        """Refuse options that do not go together, before anything takes time."""
        from lormika.jobs.run import Shard

        on_dask = self.engine == EngineName.DASK
        if on_dask and self.scheduler is None:
            hint = "--engine dask"
            raise typer.BadParameter("say where the cluster is: --scheduler tcp://host:8786", param_hint=hint)
        if not on_dask and self.scheduler is not None:
            raise typer.BadParameter("it is for --engine dask: add that, or leave this out", param_hint="--scheduler")
        try:
            return Shard.of(self.shard)
        except InputError as error:
            raise typer.BadParameter(str(error), param_hint="--shard") from None


@with_groups
def batch(
    data: Annotated[Path, typer.Argument(help="Data file with the rows to explain.")],
    *,
    model: p.ModelSource,
    out: Annotated[Path, typer.Option("--out", "-o", help="Run folder; created or resumed.")],
    where: Annotated[str | None, typer.Option(help='Only rows such as "age > 60".')] = None,
    target: p.Target = None,
    background: p.Background = None,
    id: Annotated[str | None, typer.Option(help="Column that names the rows, beside their numbers.")] = None,
    pace: Pace,
    drop: p.Drop = [],
    reading: p.Reading,
    search: p.SearchOfMany,
    changing: Changing,
    preset: p.PresetOf = p.Preset.DEFAULT,
    cut: p.Cut = [],
    around: p.Around,
    class_name: p.ClassName = [],
    threshold: p.Threshold = None,
    bands: p.Bands = None,
    labels: p.LabelsFile = None,
    loading: p.Loading,
    header: p.Header = [],
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
    from lormika.jobs.run import ChunkSize

    shard, talk = pace.check(), Talk(quiet)
    settings = {
        "categorical": reading.categorical or None, "class_names": class_name or None, "threshold": threshold,
        "bands": arguments.read_bands(bands), "labels": arguments.read_labels(labels), **around,
    }  # fmt: skip
    command = Command(
        data, background, model, _check_headers(header, model), reading, loading,
        choice={"where": where, "target": target, "drop": drop, "id": id},
        explainer={**settings, "cuts": arguments.read_cuts(cut), "preset": preset.value},
        options=search | changing.keywords(),
    )  # fmt: skip
    how = How(
        pace.engine,
        pace.workers,
        pace.scheduler,
        pace.chunk_limit,
        shard,
        pace.retry_failed,
        pace.verify,
        command.headers,
    )
    with _open_folder(out, shared=shard.shards > 1) as folder:
        with folder.writing(alone=True):  # of several shards, one prepares the run
            folder.clean()
            order = command.order()
            run = folder.known(order, pace.chunk_rows)
            if run is None:
                size = ChunkSize(pace.chunk_rows, how.processes * shard.shards)
                run = command.prepare(out, order, size, talk)
                gc.collect()  # the model and the background, which workers have themselves, are parts of cycles
        if pace.prepare:
            talk.say(f"prepared: {out}, {run.rows:,} rows in {run.chunks:,} chunks")
        else:
            work(out, run, how, talk)


def _check_headers(texts: Sequence[str], model: str) -> tuple[str, ...]:
    """Headers as workers get them; a secret that is not there is missed before anything takes time."""
    from lormika.models.headers import read_headers, settle_headers

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

"""lormika report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lormika.cli import parameters as p
from lormika.cli.groups import with_groups
from lormika.cli.output import Talk, model_prints_aside
from lormika.errors import InputError
from lormika.writing import whole_file

if TYPE_CHECKING:
    from lormika.types import JsonObject

_ROWS = 10_000


@with_groups
def report(
    run: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a run of lormika batch.")],
    *,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Where to write the page.", show_default="report.html in the folder"),
    ] = None,
    top: Annotated[int, typer.Option(help="How many rules, features and changes of each sort.", min=1, max=100)] = 10,
    model: Annotated[
        str | None,
        typer.Option(
            help="The model of the run, to add group actions: the changes that together turn most rows of a class.",
            show_default="none: no group actions",
            rich_help_panel=p.MODEL,
        ),
    ] = None,
    action_rows: Annotated[
        int,
        typer.Option(
            help="Most rows of a class that group actions are tried on; of more, as many, evenly chosen.",
            min=1,
            rich_help_panel=p.MODEL,
        ),
    ] = _ROWS,
    loading: p.Loading,
    header: p.Header = [],
    quiet: p.Quiet = False,
) -> None:
    """Show what explains many predictions: one page about all rules of a run.

    A run that is not finished can be shown, too.

    With --model, the page also has group actions: for each class, the at most three changes, of one or two features,
    that together turn most of its rows within the constraints of the run. Every candidate is tried on every row. The
    model, and the permission to load it, come from this command: the folder grants nothing.

    For example:

        lormika report why/

        lormika report why/ --out why.html --top 20

        lormika report why/ --model loans.skops
    """
    if not run.exists():
        raise InputError(f"there is no folder {run}")
    out = run / "report.html" if out is None else out
    if out.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"{out}: the page is HTML; give a name that ends in .html")
    if not out.parent.is_dir():
        raise InputError(f"{out}: there is no folder {out.parent}")
    if model is None and (loading != p.Loading() or header or action_rows != _ROWS):
        raise typer.BadParameter(
            "options of the model, and --action-rows, go with it: add --model", param_hint="--model"
        )
    talk = Talk(quiet)
    with talk.working(f"Counting the rules in {run}"):
        from lormika.jobs.summary import summarise

        payload = summarise(run, top)
    if model is not None:
        labels = [one["label"] for one in payload["details"]]
        payload["group_actions"] = _group_actions(run, model, loading, header, labels, action_rows, talk)
    from lormika.views.summary_html import to_summary

    with whole_file(out) as beside:
        beside.write_text(to_summary(payload), encoding="utf-8", newline="\n")
    if not payload["complete"]:
        talk.warn(f"{run} is not finished: the page is about {payload['rows']:,} rows so far")
    talk.say(f"written: {out}")


def _group_actions(
    folder: Path, source: str, loading: p.Loading, header: list[str], labels: list[str], rows: int, talk: Talk
) -> list[JsonObject]:
    """Group actions for some classes, with the model and the permissions of the command."""
    from lormika.actions import Limits
    from lormika.jobs.run_actions import open_rows, run_actions

    if header and "://" not in source:
        raise typer.BadParameter("it is for a model behind http://…", param_hint="--header")
    run = open_rows(folder, source)
    said = f"Trying changes on {run.rows:,} rows"
    with loading.open(source, header, talk) as model, model_prints_aside(), talk.working(said):
        return run_actions(folder, run, model, labels, Limits(rows=rows))

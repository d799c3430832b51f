"""lormika report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lormika.cli import parameters as p
from lormika.cli.output import Talk
from lormika.errors import InputError
from lormika.writing import whole_file


def report(
    run: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a run of lormika batch.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Where to write the page.", show_default="report.html in the folder"),
    ] = None,
    top: Annotated[int, typer.Option(help="How many rules, features and changes of each sort.", min=1, max=100)] = 10,
    quiet: p.Quiet = False,
) -> None:
    """Show what explains many predictions: one page about all rules of a run.

    A run that is not finished can be shown, too.

    For example:

        lormika report why/

        lormika report why/ --out why.html --top 20
    """
    if not run.exists():
        raise InputError(f"there is no folder {run}")
    out = run / "report.html" if out is None else out
    if out.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"{out}: the page is HTML; give a name that ends in .html")
    if not out.parent.is_dir():
        raise InputError(f"{out}: there is no folder {out.parent}")
    talk = Talk(quiet)
    with talk.working(f"Counting the rules in {run}"):
        from lormika.jobs.summary import summarise

        payload = summarise(run, top)
    from lormika.views.summary_html import to_summary

    with whole_file(out) as beside:
        beside.write_text(to_summary(payload), encoding="utf-8")
    if not payload["complete"]:
        talk.warn(f"{run} is not finished: the page is about {payload['rows']:,} rows so far")
    talk.say(f"written: {out}")

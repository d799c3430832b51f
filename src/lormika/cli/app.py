"""The commands together."""

from __future__ import annotations

from typing import Annotated

import typer

from lormika.cli.batch import batch
from lormika.cli.demo import demo
from lormika.cli.evaluate import evaluate
from lormika.cli.explain import explain
from lormika.cli.info import info
from lormika.cli.letter import letter
from lormika.cli.mine import mine
from lormika.cli.report import report
from lormika.cli.serve import serve
from lormika.version import __version__

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_show_locals=False,
    help="Explain single predictions with the best if-then rules around them.",
    epilog="Exit codes: 0 done, 1 data, model or an option's value cannot be used, 2 wrong usage, 3 finished, but some "
    "rows failed (batch, evaluate), 130 interrupted.",
)
for command in (explain, serve, letter, batch, report, mine, demo, evaluate, info):
    app.command()(command)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"lormika {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Explain single predictions with the best if-then rules around them."""

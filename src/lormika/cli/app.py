"""The commands together, and what becomes of errors."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

from lormika.cli.batch import batch
from lormika.cli.demo import demo
from lormika.cli.explain import explain
from lormika.cli.info import info
from lormika.cli.mine import mine
from lormika.errors import InputError, ModelError
from lormika.version import __version__

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_show_locals=False,
    help="Explain single predictions with the best if-then rules around them.",
    epilog="Exit codes: 0 done, 1 data, model or an option's value cannot be used, 2 wrong usage, 130 interrupted.",
)
for command in (explain, batch, mine, demo, info):
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


def main() -> None:
    """Run the command line; an error of the user's is one line, not a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without the letters of a name shows "?", and no traceback
    try:
        app()
    except (InputError, ModelError, OSError) as error:
        typer.secho(f"error: {error}", fg="red", err=True)
        raise SystemExit(1) from None

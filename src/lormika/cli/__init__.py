"""The command line: parse, call, print."""

from __future__ import annotations

import io
import sys

from lormika import system
from lormika.cli.flags import as_typed
from lormika.errors import InputError, ModelError, describe
from lormika.session import lasting, own_process


def main() -> None:
    """Run the command line; an error of the user's is one line, not a traceback."""
    own_process()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            system.use_utf8(stream)
            stream.reconfigure(errors="replace")  # a terminal without the letters of a name shows "?", and no traceback
    try:
        with lasting():
            from lormika.cli.app import app  # here, so that an interrupt while it loads is one like any other

        app()
    except (InputError, ModelError) as error:
        _fail(as_typed(str(error), sys.argv))
    except OSError as error:
        _fail(describe(error))
    except MemoryError as error:
        _fail(f"there is not enough memory: {error or 'fewer rows at a time may do'}")
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def _fail(message: str) -> None:
    import typer

    typer.secho(f"error: {message}", fg="red", err=True)
    raise SystemExit(1) from None

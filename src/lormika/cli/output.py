"""Where things are printed: results to standard output, all else to standard error."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING

from lormika import system
from lormika.progress import Step, follow

if TYPE_CHECKING:
    from lormika.views.layout import Block


def show(parts: Iterable[Block]) -> None:
    """Print results: in colours in a terminal, otherwise as plain lines without trailing blanks."""
    from rich.console import Console

    from lormika.views.layout import plain_text

    console = Console(highlight=False, emoji=False, markup=False)
    if console.is_terminal:
        for part in parts:
            console.print(part)
    else:
        emit(plain_text(parts, console.width))


def emit(text: str) -> None:
    """Print a result; whoever stops reading ends the program, as with any other."""
    try:
        print(text, flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python would complain at its end
        if system.is_broken_pipe(error):
            raise SystemExit(_STOPPED_READING) from None
        raise OSError(error.errno, f"cannot be written: {error.strerror}", "standard output") from error


@contextmanager
def model_prints_aside() -> Iterator[None]:
    """What a model prints goes to standard error: results stay clean."""
    with redirect_stdout(sys.stderr):
        yield


_STOPPED_READING = 141  # 128 + SIGPIPE


class Talk:
    """What is said beside the results, unless the user wants quiet."""

    def __init__(self, quiet: bool) -> None:
        from rich.console import Console

        self.console = Console(stderr=True, highlight=False, emoji=False, markup=False, quiet=quiet)
        # A model without names of columns gets them all the same: the numbers are the same.
        warnings.filterwarnings("ignore", message="X has feature names")
        warnings.showwarning = lambda message, *_, **__: self.warn(f"Note: {message}")

    @contextmanager
    def working(self, what: str) -> Iterator[None]:
        """Show what goes on while it does; only in a terminal."""
        from rich.text import Text

        if not self.console.is_terminal:
            yield
            return
        with self.console.status(Text(f"{what} …")):
            yield

    def say(self, *lines: str) -> None:
        """Print lines."""
        for line in lines:
            self.console.print(line, style="dim", soft_wrap=True)

    def warn(self, line: str) -> None:
        """Print a line that matters."""
        self.console.print(line, style="yellow", soft_wrap=True)

    def following(self, steps: Iterable[Step], what: str, total: int) -> Iterator[Step]:
        """Show a progress bar beside the steps; only in a terminal."""
        return follow(steps, what, total, self.console)

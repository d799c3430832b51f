"""A progress bar with rate and time left, in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

Step = TypeVar("Step")


def follow(steps: Iterable[Step], what: str, total: int, console: Console | None = None) -> Iterator[Step]:
    """Pass the steps on and show progress; nothing is shown where nobody would see it."""
    bar = progress_bar(console)
    if not bar.console.is_terminal or bar.console.quiet:
        yield from steps
        return
    with bar:
        task = bar.add_task(what, total=total)
        for step in steps:
            yield step
            bar.advance(task)


def progress_bar(console: Console | None = None) -> Progress:
    """A bar that disappears when it is done."""
    from rich import progress
    from rich.console import Console
    from rich.text import Text

    class Rate(progress.ProgressColumn):
        """Steps per second."""

        def render(self, task: progress.Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text("" if speed is None else f"{speed:.3g}/s", "dim")

    return progress.Progress(
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.TaskProgressColumn(),
        progress.MofNCompleteColumn(),
        Rate(),
        progress.TimeRemainingColumn(),
        console=console or Console(stderr=True),
        transient=True,
    )

"""What ties a child process to its parent."""

from __future__ import annotations

from typing import Protocol


class Tie(Protocol):
    """Ties a child process, with everything that it starts, to this one: they end when this one ends, however."""

    def kill(self) -> None:
        """End them now."""

    def close(self) -> None:
        """Once the child has ended: leave nothing behind."""

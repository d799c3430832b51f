"""The child's side: the line to its parent, and the way out when memory has run out."""

from __future__ import annotations

import os
import sys
from typing import Any, NoReturn

from lormika.processes.messages import Inbox, Message, pack

OUT_OF_MEMORY = 77  # as an exit code


class Line:
    """Takes the pipes away from all other code of this process: that reads nothing, and prints to standard error."""

    def __init__(self) -> None:
        self._requests, self._answers = os.dup(0), os.fdopen(os.dup(1), "wb")
        with open(os.devnull) as nothing:
            os.dup2(nothing.fileno(), 0)
        os.dup2(2, 1)
        self._inbox = Inbox(sys.maxsize)

    def receive(self) -> Message | None:
        """The next message of the parent; None: there are no more."""
        try:
            return self._inbox.read(self._requests)
        except EOFError:
            return None

    def send(self, head: dict[str, Any], body: bytes = b"") -> None:
        """Send a message to the parent; without one, nobody waits for what this process does, and it ends."""
        try:
            self._answers.writelines(pack(head, body))
            self._answers.flush()
        except BrokenPipeError:
            os._exit(1)


def leave_for_memory() -> NoReturn:
    """End this process as if it had been killed, but so that the parent can say why."""
    os._exit(OUT_OF_MEMORY)
